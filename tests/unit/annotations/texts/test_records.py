from typing import Any

import pytest

from annotations.texts.records import read_annotation, read_document
from kbpo.core.errors import InvalidInput
from kbpo_formats.spans import Span
from tests.ontologies import TAC

DOCUMENT = {"doc_id": "D1", "title": "A title", "date": "2026-01-31", "text": "Ann met Bob."}
ANNOTATION = {
    "doc_id": "D1",
    "mentions": [
        {"start": 8, "end": 11, "type": "PER", "canonical": [8, 11], "link": "http://example.org/Bob"},
        {"start": 0, "end": 3, "type": "PER", "canonical": [0, 3], "link": None},
    ],
    "relations": [{"predicate": "per:spouse", "subject": [0, 3], "object": [8, 11]}],
}


def document(**changes: Any) -> Any:
    return read_document({**DOCUMENT, **changes}, where="line 7", ontology=TAC)


def annotation(**changes: Any) -> Any:
    return read_annotation({**ANNOTATION, **changes}, where="line 7", ontology=TAC)


def relation(predicate: str, subject: list[int], object_: list[int]) -> dict[str, Any]:
    return {"predicate": predicate, "subject": subject, "object": object_}


def mention(start: int, end: int, kind: str = "PER", canonical: Any = (0, 3)) -> dict[str, Any]:
    return {"start": start, "end": end, "type": kind, "canonical": list(canonical)}


def test_title_and_date_may_be_missing() -> None:
    record = read_document({"doc_id": "D1", "text": "x"}, where="", ontology=TAC)
    assert (record.title, record.date) == ("", None)


def test_the_id_of_a_document_is_in_nfc() -> None:
    record = read_document({"doc_id": "cafe\u0301/1", "text": "cafe\u0301"}, where="", ontology=TAC)
    assert (record.doc_id, record.text) == ("caf\u00e9/1", "cafe\u0301")


@pytest.mark.parametrize("change", [{"doc_id": "D2"}, {"title": ""}, {"date": None}, {"text": "Ann met Bo."}])
def test_a_documents_digest_tells_every_change(change: dict[str, Any]) -> None:
    assert document(**change).digest != document().digest


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"doc_id": None}, "line 7: doc_id is missing or empty"),
        ({"doc_id": "D:1"}, "no knowledge base in TAC format could name it"),
        ({"doc_id": ""}, "line 7: doc_id is missing or empty"),
        ({"doc_id": 7}, "doc_id is 7; it must be a string"),
        ({"doc_id": ".."}, r"'\.\.' has a part between slashes that is empty, \. or \.\."),
        ({"doc_id": "a/../b"}, "no browser could open its page"),
        ({"doc_id": "a/./b"}, "no browser could open its page"),
        ({"doc_id": "/a"}, "no browser could open its page"),
        ({"doc_id": "a b"}, "white space"),
        ({"doc_id": "x" * 201}, "201 characters"),
        ({"text": None}, "document D1: the text is empty or missing"),
        ({"text": " \n"}, "document D1: the text is empty or missing"),
        ({"text": "a\0b"}, "document D1: text holds a NUL character at character 1"),
        ({"text": "a\ud800"}, "half of a surrogate pair"),
        ({"title": "\0"}, "title holds a NUL"),
        ({"title": ["x"]}, "title is"),
        ({"date": "31 January"}, "'31 January' is no ISO date"),
        ({"date": "2026-02-30"}, "is no ISO date"),
        ({"date": "20260131"}, "is no ISO date"),
        ({"date": 2026}, "is no ISO date"),
        ({"date": ""}, "is no ISO date"),
    ],
)
def test_a_line_that_is_no_document_is_refused_with_what_would_be_right(
    change: dict[str, Any], says: str
) -> None:
    with pytest.raises(InvalidInput, match=says) as refusal:
        document(**change)
    assert refusal.value.where == "line 7"


def test_suggestions_are_part_of_a_document_and_each_its_own_canonical_mention_unless_it_names_one() -> None:
    record = document(suggestions=[{"start": 8, "end": 11, "type": "PER"}, mention(0, 3)])
    assert [(one.span, one.canonical) for one in record.suggestions] == [
        (Span(0, 3), Span(0, 3)),
        (Span(8, 11), Span(8, 11)),
    ]
    assert record.digest != document().digest == document(suggestions=[]).digest


@pytest.mark.parametrize(
    ("suggestions", "says"),
    [
        ([mention(8, 13)], r"the suggestion \[8, 13\] ends outside the text"),
        ([mention(0, 3, "VERB")], "is of type 'VERB', not PER"),
        ([mention(3, 3)], "the mention is"),
        ({"start": 0}, "suggestions must be a list of objects"),
    ],
)
def test_a_suggestion_that_is_none_is_refused(suggestions: Any, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        document(suggestions=suggestions)


def test_an_annotation_is_the_same_whatever_order_it_is_written_in() -> None:
    assert annotation(mentions=ANNOTATION["mentions"][::-1]).digest == annotation().digest


@pytest.mark.parametrize(
    "change",
    [
        {"mentions": [{**ANNOTATION["mentions"][0], "link": None}, ANNOTATION["mentions"][1]]},
        {"mentions": [{**ANNOTATION["mentions"][0], "canonical": [0, 3]}, ANNOTATION["mentions"][1]]},
        {"relations": []},
        {"relations": [relation("per:siblings", [0, 3], [8, 11])]},
    ],
)
def test_an_annotations_digest_tells_every_change(change: dict[str, Any]) -> None:
    assert annotation(**change).digest != annotation().digest


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"mentions": None}, "mentions must be a list of objects"),
        ({"relations": [3]}, "relations must be a list of objects"),
        ({"mentions": [mention(3, 3)]}, r"\[3, 3\]; it must be \[start, end\]"),
        ({"mentions": [mention(-1, 3)]}, r"\[-1, 3\]"),
        ({"mentions": [mention(False, True)]}, r"\[False, True\]"),
        ({"mentions": [mention(0, 3, "FAC")]}, "of type 'FAC', not PER, ORG"),
        ({"mentions": [mention(0, 3, canonical=[3])]}, r"canonical mention of \[0, 3\] is \[3\]"),
        ({"mentions": [mention(0, 3), mention(0, 3)]}, r"PER mention \[0, 3\] is there twice"),
        ({"relations": [relation("per:likes", [0, 3], [8, 11])]}, "unknown predicate 'per:likes'"),
        ({"relations": [relation("per:spouse", [0, 3], [8, 12])]}, "none of the document's mentions"),
        ({"relations": [relation("per:parents", [0, 3], [0, 3])]}, "relates a mention to itself"),
        (
            {"relations": [relation("per:title", [0, 3], [8, 11])]},
            "PER and PER; it must be between PER and TITLE",
        ),
        (
            {"relations": [relation("per:spouse", [8, 11], [0, 3])]},
            "its subject must be the mention that starts",
        ),
        ({"relations": ANNOTATION["relations"] * 2}, "per:spouse .* is there twice"),
    ],
)
def test_a_line_that_is_no_annotation_is_refused_by_document_and_value(
    change: dict[str, Any], says: str
) -> None:
    with pytest.raises(InvalidInput, match=says) as refusal:
        annotation(**change)
    assert "D1" in str(refusal.value)
    assert refusal.value.where == "line 7"


def test_two_mentions_of_one_span_may_have_two_types() -> None:
    record = annotation(mentions=[mention(0, 3), mention(0, 3, "ORG")], relations=[])
    assert [(item.span, item.type) for item in record.mentions] == [(Span(0, 3), "ORG"), (Span(0, 3), "PER")]


@pytest.mark.parametrize("canonical", [(0, 3), (0, 13)])
def test_a_span_outside_the_text_is_refused(canonical: tuple[int, int]) -> None:
    record = annotation(mentions=[mention(0, 3, canonical=canonical)], relations=[])
    record.check_within(max(canonical), where="")
    with pytest.raises(InvalidInput, match="ends outside the text"):
        record.check_within(max(canonical) - 1, where="")
