import pytest

from evaluation.reading import text_file as module
from evaluation.reading.text_file import TextFile, write_texts


def test_a_text_is_found_by_its_document(tmp_path):
    write_texts(tmp_path / "corpus", [("a", "one", [0]), ("b", "zwölf 🎈", [0, 6]), ("c", "", [])])
    file = TextFile(tmp_path / "corpus")
    assert [(file.length(id), file.text(id)) for id in "abc"] == [(3, "one"), (7, "zwölf 🎈"), (0, "")]


def test_a_document_that_is_not_there_has_no_length(tmp_path):
    write_texts(tmp_path / "corpus", [("a", "one", [0])])
    assert TextFile(tmp_path / "corpus").length("A") is None


def test_texts_that_do_not_fit_are_looked_up_again(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "TEXTS_HELD", 5_000)
    ids = [str(number) for number in range(20)]
    write_texts(tmp_path / "corpus", ((id, id * 1_000, [0]) for id in ids))
    file = TextFile(tmp_path / "corpus")
    assert [file.text(id) for id in ids * 2] == [id * 1_000 for id in ids * 2]
    assert sum(map(len, file._texts.values())) <= 5_000


def test_a_file_that_cannot_be_finished_is_not_there(tmp_path):
    def broken():
        yield "a", "one", [0]
        raise KeyError

    with pytest.raises(KeyError):
        write_texts(tmp_path / "corpus", broken())
    assert list(tmp_path.iterdir()) == []


def test_a_path_with_odd_characters_is_opened(tmp_path):
    path = tmp_path / "a?b#c%d"
    write_texts(path, [("a", "one", [0])])
    assert TextFile(path).text("a") == "one"


def test_the_sentences_of_a_document_are_found_with_it(tmp_path):
    write_texts(tmp_path / "corpus", [("a", "One. Two.", [0, 5]), ("b", "", [])])
    file = TextFile(tmp_path / "corpus")
    assert [list(file.sentences(id)) for id in "aba"] == [[0, 5], [], [0, 5]]
