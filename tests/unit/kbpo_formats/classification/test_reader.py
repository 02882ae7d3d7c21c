"""Reading a file of classes: each fault names its line and says what would be right."""

import json
from io import BytesIO
from pathlib import Path

import pytest

from evaluation.reading.text_file import TextFile, write_texts
from kbpo_formats.classification import reader
from kbpo_formats.classification.reader import Reading
from kbpo_formats.corpus import Texts

DOCUMENTS = Texts({"D1": "One.", "D2": "Two."}, about={"classes": ["good", "bad"]})


def read(*lines: object) -> Reading:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    return reader.read(BytesIO("\n".join(texts).encode()), "jsonl", DOCUMENTS)


def test_a_file_that_is_right_is_accepted_with_confidences_of_1_where_there_are_none() -> None:
    found = read({"doc_id": "D2", "label": "bad", "confidence": 0.5}, "", {"doc_id": "D1", "label": "good"})
    assert found.accepted
    assert [tuple(line) for line in found.read] == [("D2", "bad", 0.5, 1), ("D1", "good", 1.0, 3)]
    assert found.counts["by_class"] == {"bad": 1, "good": 1}
    assert [json.loads(line)["doc_id"] for line in found.lines()] == ["D2", "D1"]


def test_a_document_and_a_class_are_found_however_they_are_coded() -> None:
    documents = Texts({"caf\u00e9": "One."}, about={"classes": ["d\u00e9j\u00e0"]})
    line = json.dumps({"doc_id": "cafe\u0301", "label": "de\u0301ja\u0300"}, ensure_ascii=False)
    found = reader.read(BytesIO(line.encode()), "jsonl", documents)
    assert [tuple(one) for one in found.read] == [("caf\u00e9", "d\u00e9j\u00e0", 1.0, 1)]


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("{", "NOT_JSON", "as one JSON object"),
        ("[1]", "NOT_AN_OBJECT", "Write each line as"),
        ({"label": "good"}, "MISSING_FIELD", "doc_id is missing"),
        ({"doc_id": 7, "label": "good"}, "WRONG_KIND", "7"),
        ({"doc_id": "D9", "label": "good"}, "UNKNOWN_DOCUMENT", '"D9"'),
        ({"doc_id": "D1", "label": "bad"}, "DOCUMENT_TWICE", "in line 1"),
        ({"doc_id": "D2", "label": "Good"}, "UNKNOWN_CLASS", "one of the corpus' classes: good, bad"),
        ({"doc_id": "D2"}, "MISSING_FIELD", "label is missing"),
        ({"doc_id": "D2", "label": "good", "confidence": -0.1}, "WRONG_CONFIDENCE", "from 0 to 1"),
        ({"doc_id": "D2", "label": "good", "confidence": True}, "WRONG_CONFIDENCE", "true"),
        ('{"doc_id": "D2", "label": "good", "confidence": NaN}', "NOT_A_NUMBER", "NaN"),
    ],
)
def test_a_fault_names_its_line_and_refuses_the_file(line: object, code: str, words: str) -> None:
    found = read({"doc_id": "D1", "label": "good"}, line)
    problem = next(one for one in found.problems if one.code == code)
    assert not found.accepted
    assert problem.line == 2
    assert words in problem.message


def test_a_fault_points_at_the_character_where_it_stands() -> None:
    line = '{"doc_id": "D2", "label": "Good", "confidence": 2}'
    found = read({"doc_id": "D1", "label": "good"}, line)
    assert {one.code: line[(one.column or 0) - 1 :][:6] for one in found.problems} == {
        "UNKNOWN_CLASS": '"Good"',
        "WRONG_CONFIDENCE": "2}",
    }


def test_every_document_without_a_line_is_named() -> None:
    found = read({"doc_id": "D1", "label": "good"})
    assert not found.accepted
    assert [(one.code, one.line, one.text) for one in found.problems] == [("MISSING_DOCUMENT", 0, "D2")]


def test_a_field_that_nobody_reads_is_a_warning() -> None:
    lines = [{"doc_id": doc_id, "label": "good", "score": 1} for doc_id in ("D1", "D2")]
    found = read(*lines)
    assert found.accepted
    assert {one.code for one in found.problems} == {"UNKNOWN_FIELD"}


def test_an_id_with_half_a_character_is_named_as_such(tmp_path: Path) -> None:
    write_texts(tmp_path / "texts", [("D1", "One.", [0])])
    documents = TextFile(tmp_path / "texts", {"classes": ["good", "bad"]})
    file = BytesIO(b'{"doc_id": "\\ud800", "label": "good"}')
    assert "HALF_A_CHARACTER" in {one.code for one in reader.read(file, "jsonl", documents).problems}
