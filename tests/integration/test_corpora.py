"""Loading documents and expert annotations."""

import gzip
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from django.db import IntegrityError, connection

from annotations import corpora, questions
from annotations.models import (
    AnnotatedMention,
    AnnotatedRelation,
    Corpus,
    Document,
    DocumentAnnotation,
    Sentence,
)
from kbpo.core.errors import Conflict, InvalidInput
from tests.world import World

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> World:
    return World(5)


@pytest.fixture
def file(world: World, tmp_path: Path) -> Path:
    return world.write_corpus(tmp_path / "corpus.jsonl")


@pytest.fixture
def gold(world: World, tmp_path: Path) -> Path:
    return world.write_gold(tmp_path / "gold.jsonl")


@pytest.fixture
def corpus(file: Path) -> Corpus:
    return corpora.load_corpus(path=file, tag="small").corpus


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_documents_are_stored_as_they_are(file: Path, world: World) -> None:
    report = corpora.load_corpus(path=file, tag="small", name="Small")
    assert (report.created, report.unchanged) == (5, 0)
    assert (report.corpus.name, report.corpus.design) == ("Small", "coordinated")
    document = Document.objects.get(doc_id="D003")
    assert (document.text, document.title, str(document.date)) == (world.text(3), "Document 3", "2026-01-02")


def test_sentences_and_tokens_have_exact_offsets(file: Path, world: World) -> None:
    report = corpora.load_corpus(path=file, tag="small")
    sentences = list(Sentence.objects.filter(document__doc_id="D000").order_by("index"))
    assert [world.text(0)[sentence.start : sentence.end] for sentence in sentences] == [
        "Ada0 Quill married Ben0 Moss.",
        "Ada0 Quill works for Orchard0 in Tarn0.",
        "Ben0 Moss was born in Tarn0.",
    ]
    assert [
        world.text(0)[start:end]
        for start, end in zip(sentences[0].token_starts, sentences[0].token_ends, strict=True)
    ] == ["Ada0", "Quill", "married", "Ben0", "Moss", "."]
    assert report.sentences == Sentence.objects.count()
    assert report.tokens == sum(len(sentence.token_starts) for sentence in Sentence.objects.all())


def test_characters_beyond_ascii_keep_their_offsets(tmp_path: Path) -> None:
    text = 'Zoë \\ "Ł" 👩‍🚀\tx\r\nyes. {1,2}'
    corpora.load_corpus(path=write(tmp_path / "f", [{"doc_id": "a/b", "text": text}]), tag="odd")
    assert Document.objects.get().text == text
    assert [text[s.start : s.end] for s in Sentence.objects.all()] == ['Zoë \\ "Ł" 👩‍🚀\tx\r\nyes.', "{1,2}"]


def test_the_same_file_again_changes_nothing(file: Path) -> None:
    corpora.load_corpus(path=file, tag="small")
    before = list(Document.objects.values()), list(Sentence.objects.values())
    compressed = file.with_suffix(".gz")
    compressed.write_bytes(gzip.compress(file.read_bytes()))
    report = corpora.load_corpus(path=compressed, tag="small")
    assert (report.created, report.unchanged) == (0, 5)
    assert (list(Document.objects.values()), list(Sentence.objects.values())) == before


@pytest.mark.django_db(transaction=True)
def test_the_same_new_corpus_loaded_twice_at_once_is_loaded_once(file: Path) -> None:
    start = Barrier(2)

    def load() -> int:
        start.wait()
        try:
            return corpora.load_corpus(path=file, tag="small").created
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        created = [load.result() for load in [pool.submit(load), pool.submit(load)]]
    assert sorted(created) == [0, 5]


def test_new_documents_are_added_and_counted(file: Path, tmp_path: Path) -> None:
    corpora.load_corpus(path=file, tag="small")
    more = write(tmp_path / "more", [*rows(file), {"doc_id": "new", "text": "New."}])
    report = corpora.load_corpus(path=more, tag="small")
    assert (report.created, report.unchanged) == (1, 5)


@pytest.mark.parametrize("change", [{"text": "Other."}, {"title": "Other"}, {"date": None}])
def test_a_document_that_differs_refuses_the_file_by_name(
    file: Path, tmp_path: Path, change: dict[str, Any]
) -> None:
    corpora.load_corpus(path=file, tag="small")
    lines = rows(file)
    changed = write(tmp_path / "changed", [{"doc_id": "new", "text": "x"}, {**lines[2], **change}])
    with pytest.raises(Conflict, match="line 2: D002 differs"):
        corpora.load_corpus(path=changed, tag="small")
    assert not Document.objects.filter(doc_id="new").exists()


def test_a_bad_line_refuses_the_whole_file(file: Path) -> None:
    with file.open("a") as out:
        out.write('{"doc_id": "D9", "text": ""}\n')
    with pytest.raises(InvalidInput, match=r"corpus.jsonl, line 6: document D9"):
        corpora.load_corpus(path=file, tag="small")
    assert not Corpus.objects.exists()


def test_a_document_that_is_there_twice_is_refused_with_both_lines(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpora, "BATCH", 2)
    twice = write(tmp_path / "twice", [*rows(file), rows(file)[0]])
    with pytest.raises(InvalidInput, match="line 6: document D000 is there twice, first on line 1"):
        corpora.load_corpus(path=twice, tag="small")


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"^empty: the file holds no documents"):
        corpora.load_corpus(path=write(tmp_path / "empty", []), tag="small")


@pytest.mark.parametrize("tag", ["", "a b", "../x", "-x", "x" * 65, "tag\n"])
def test_a_tag_that_is_none_is_refused(file: Path, tag: str) -> None:
    with pytest.raises(InvalidInput, match="the corpus' tag is"):
        corpora.load_corpus(path=file, tag=tag)


@pytest.mark.parametrize(
    ("name", "says"), [("Sm\u0430ll", "named “Small”, which"), ("a\u200bb", "cannot be seen")]
)
def test_a_name_that_looks_like_another_or_is_not_seen_is_refused(file: Path, name: str, says: str) -> None:
    corpora.load_corpus(path=file, tag="small", name="Small")
    with pytest.raises(InvalidInput, match=says):
        corpora.load_corpus(path=file, tag="other", name=name)
    assert not Corpus.objects.filter(tag="other").exists()


def test_a_design_that_is_none_is_refused(file: Path) -> None:
    with pytest.raises(InvalidInput, match="the corpus' design is 'random'"):
        corpora.load_corpus(path=file, tag="small", design="random")


@pytest.mark.parametrize(
    "change", [{"name": "Other"}, {"design": "iid"}, {"language": "ar"}, {"policy": "fixed"}]
)
def test_a_corpus_keeps_its_name_its_design_its_language_and_its_policy(
    file: Path, change: dict[str, str]
) -> None:
    corpora.load_corpus(path=file, tag="small")
    with pytest.raises(Conflict, match="the corpus small is there already"):
        corpora.load_corpus(path=file, tag="small", **change)


def test_a_corpus_is_in_english_unless_it_is_said(file: Path) -> None:
    assert corpora.load_corpus(path=file, tag="small").corpus.language == "en"


@pytest.mark.parametrize(("given", "policy"), [(None, "curtailed"), ("fixed", "fixed")])
def test_a_corpus_is_curtailed_unless_it_is_said(file: Path, given: str | None, policy: str) -> None:
    corpus = corpora.load_corpus(path=file, tag="small", policy=given).corpus
    assert corpus.policy == policy
    (question,) = questions.ask_entities([corpus.documents.earliest("pk").pk]).values()
    assert question.votes_needed == corpus.judged_by.first_votes


def test_a_policy_that_is_none_is_refused_with_those_there_are(file: Path) -> None:
    with pytest.raises(InvalidInput, match="unknown policy 'eager'; known are curtailed, fixed"):
        corpora.load_corpus(path=file, tag="small", policy="eager")
    assert not Corpus.objects.exists()


def test_a_language_says_how_documents_are_cut(tmp_path: Path) -> None:
    file = write(tmp_path / "f", [{"doc_id": "a", "text": "林华来。她走。"}])
    assert corpora.load_corpus(path=file, tag="chinese", language="ZH-hans").corpus.language == "zh-Hans"
    assert [one.token_starts for one in Sentence.objects.order_by("index")] == [[0, 1, 2, 3], [4, 5, 6]]


def test_the_same_language_is_said_again_in_another_spelling(file: Path) -> None:
    corpora.load_corpus(path=file, tag="small", language="pt-BR")
    assert corpora.load_corpus(path=file, tag="small", language="pt-br").unchanged == 5


def test_a_language_that_cannot_be_cut_is_refused(file: Path) -> None:
    with pytest.raises(InvalidInput, match="'ko' cannot be cut into words here"):
        corpora.load_corpus(path=file, tag="small", language="ko")
    assert not Corpus.objects.exists()


def test_a_corpus_without_a_language_is_refused_by_the_database() -> None:
    with pytest.raises(IntegrityError, match="corpus_language"):
        Corpus.objects.create(tag="mute", name="Mute", language="")


def test_annotations_are_stored_as_they_are(corpus: Corpus, gold: Path, world: World) -> None:
    report = corpora.load_annotations(path=gold, corpus=corpus)
    assert (report.created, report.mentions, report.relations) == (5, 20, 15)
    relation = AnnotatedRelation.objects.get(annotation__document__doc_id="D004", predicate="per:spouse")
    assert (relation.subject_start, relation.subject_end) == world.span(4, "first")
    assert (relation.object_start, relation.object_end) == world.span(4, "second")
    mention = AnnotatedMention.objects.get(annotation__document__doc_id="D004", type="GPE")
    assert (mention.start, mention.end) == world.span(4, "city")


def test_the_same_annotations_again_change_nothing(corpus: Corpus, gold: Path) -> None:
    corpora.load_annotations(path=gold, corpus=corpus)
    report = corpora.load_annotations(path=gold, corpus=corpus)
    assert (report.created, report.unchanged) == (0, 5)
    assert DocumentAnnotation.objects.count() == 5


def test_a_document_that_lists_nothing_is_annotated_all_the_same(corpus: Corpus, tmp_path: Path) -> None:
    empty = write(tmp_path / "empty", [{"doc_id": "D001", "mentions": [], "relations": []}])
    assert corpora.load_annotations(path=empty, corpus=corpus).created == 1
    assert DocumentAnnotation.objects.get().document.doc_id == "D001"


def test_an_annotation_that_differs_refuses_the_file_by_name(
    corpus: Corpus, gold: Path, tmp_path: Path
) -> None:
    corpora.load_annotations(path=gold, corpus=corpus)
    lines = rows(gold)
    lines[3]["relations"] = lines[3]["relations"][:1]
    with pytest.raises(Conflict, match="line 4: D003 differs"):
        corpora.load_annotations(path=write(tmp_path / "changed", lines), corpus=corpus)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ({"doc_id": "D9", "mentions": [], "relations": []}, "line 2: document D9 is not in the corpus small"),
        (
            {
                "doc_id": "D001",
                "mentions": [{"start": 0, "end": 999, "type": "PER", "canonical": [0, 9]}],
                "relations": [],
            },
            r"line 2: document D001: the mention \[0, 999\] ends outside the text",
        ),
    ],
)
def test_annotations_that_do_not_fit_the_corpus_are_refused_whole(
    corpus: Corpus, gold: Path, tmp_path: Path, line: dict[str, Any], says: str
) -> None:
    with pytest.raises(InvalidInput, match=says):
        corpora.load_annotations(path=write(tmp_path / "bad", [rows(gold)[0], line]), corpus=corpus)
    assert not DocumentAnnotation.objects.exists()


def test_real_documents_lose_no_character(shared: Path) -> None:
    report = corpora.load_corpus(path=shared / "knowledgenet" / "corpus.jsonl.gz", tag="kn")
    corpora.load_annotations(path=shared / "knowledgenet" / "gold.jsonl.gz", corpus=report.corpus)
    assert report.created == 1022
    assert AnnotatedRelation.objects.count() == 2203
    for document in Document.objects.prefetch_related("sentences").iterator(chunk_size=200):
        covered = [
            offset
            for sentence in document.sentences.all()
            for start, end in zip(sentence.token_starts, sentence.token_ends, strict=True)
            for offset in range(start, end)
        ]
        assert covered == [at for at, character in enumerate(document.text) if not character.isspace()]
