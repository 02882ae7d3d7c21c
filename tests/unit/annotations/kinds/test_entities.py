import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.kinds.entities import EntitiesQuestion
from annotations.kinds.links import link_text
from annotations.kinds.registry import read_question
from annotations.texts.passages import Passage
from annotations.texts.records import MentionRecord
from annotations.texts.segmentation import segment
from kbpo.core.errors import InvalidInput
from kbpo_formats.spans import Span
from tests.ontologies import TAC

TESTS = Path(__file__).resolve().parents[3]
TEXT = "Ada Quill founded Quill Press in Port Hallow. She was its president until 1961."


def passage(text: str) -> Passage:
    (sentences,) = segment([text])
    return Passage(
        text,
        [[Span(*both) for both in zip(one.token_starts, one.token_ends, strict=True)] for one in sentences],
    )


QUESTION = EntitiesQuestion(passage(TEXT), TAC)


def span(words: str) -> dict[str, int]:
    start = TEXT.index(words)
    return {"start": start, "end": start + len(words)}


def mention(words: str, kind: str, entity: object) -> dict[str, Any]:
    return {**span(words), "type": kind, "entity": entity}


def entity(id_: object, words: str, **link: object) -> dict[str, Any]:
    return {"id": id_, "canonical": span(words), "link": link}


ADA = entity("a", "Ada Quill", page="Ada Quill")
FULL: dict[str, Any] = {
    "mentions": [
        mention("Quill Press", "ORG", 7),
        mention("Port Hallow", "GPE", "x"),
        mention("Ada Quill", "PER", "a"),
        mention("She", "PER", "a"),
        mention("president", "TITLE", 3),
        mention("1961", "DATE", 4),
    ],
    "entities": [
        ADA,
        {"id": 3, "canonical": span("president")},
        entity(4, "1961", date="1961"),
        entity(7, "Quill Press", none=True),
        entity("x", "Port Hallow", page="port_Hallow"),
    ],
}


def changed(**changes: Any) -> dict[str, Any]:
    return {**FULL, **changes}


def test_an_answer_in_its_normal_form() -> None:
    read = QUESTION.read_answer(FULL)
    assert [one["entity"] for one in read["mentions"]] == [1, 2, 3, 1, 4, 5]
    assert [TEXT[one["start"] : one["end"]] for one in read["mentions"]][:2] == ["Ada Quill", "Quill Press"]
    assert [one["id"] for one in read["entities"]] == [1, 2, 3, 4, 5]
    assert [one["link"] for one in read["entities"]] == [
        {"page": "Ada Quill"},
        {"none": True},
        {"page": "Port Hallow"},
        {"none": True},
        {"date": "1961"},
    ]
    assert QUESTION.read_answer(json.loads(json.dumps(read))) == read


def test_mentions_as_records() -> None:
    records = QUESTION.mentions(QUESTION.read_answer(FULL))
    she = Span(TEXT.index("She"), TEXT.index("She") + 3)
    assert MentionRecord(she, "PER", Span(0, 9), "https://en.wikipedia.org/wiki/Ada_Quill") in records
    assert records == tuple(sorted(records))


def test_a_document_may_hold_nothing() -> None:
    assert QUESTION.read_answer({"mentions": [], "entities": []})["mentions"] == []


def test_mentions_of_different_types_may_nest() -> None:
    nested = changed(
        mentions=[*FULL["mentions"], mention("Hallow", "PER", 9)],
        entities=[*FULL["entities"], entity(9, "Hallow", none=True)],
    )
    assert len(QUESTION.read_answer(nested)["mentions"]) == 7


def with_mention(words: str, kind: str, **link: object) -> dict[str, Any]:
    return changed(
        mentions=[*FULL["mentions"], mention(words, kind, 9)],
        entities=[*FULL["entities"], entity(9, words, **(link or {"none": True}))],
    )


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (with_mention("Quill Pre", "ORG"), "“Quill Pre” (sentence 1, characters 18-27) does not begin and end"
         " with words; “Quill Press” (18-29) does"),
        (with_mention("was its president", "TITLE"), "“president” .* and “was its president” .* are both of"),
        (with_mention("Press in", "PER"), "“Press in” (sentence 1, characters 24-32) and “Quill Press”"
         " (sentence 1, characters 18-29) overlap"),
        (with_mention("Hallow", "GPE"), "are both of type place"),
        (with_mention("Quill Press", "PER"), "“Quill Press” (sentence 1, characters 18-29) is marked twice"),
        (with_mention("founded", "VERB"), "“founded” .* is of type 'VERB', not PER, ORG, GPE, DATE, TITLE"),
        (with_mention("founded", "ORG", date="1961"), "“founded” .*: .* is no link of a mention of type"
         " ORG"),
        (with_mention("until", "DATE", page="May"), "“until” .*: .* is no link of a mention"),
        (with_mention("until", "DATE", date="May"), "“until” .*: 'May' is no date; it should be like"),
        (with_mention("founded", "ORG", page="a[b"), "“founded” .*: a title of Wikipedia has no '['"),
        (changed(mentions=FULL["mentions"][:-1]), "the entity 4 has no mention"),
        (changed(entities=FULL["entities"][:-1]), "“Port Hallow” .* is of no entity; say who or what it is"),
        (changed(entities=[*FULL["entities"], ADA]), "the entity 'a' is there twice"),
        (changed(entities=[*FULL["entities"][:-1], {"id": "x", "canonical": span("Port Hallow")}]),
         "say which Wikipedia page “Port Hallow” .* has, or that it has none"),
        (changed(entities=[*FULL["entities"][:-1], entity("x", "Ada Quill", none=True)]),
         "the canonical mention of “Port Hallow” .* is {'start': 0, 'end': 9}, which is none of"),
        (changed(mentions=[*FULL["mentions"], mention("founded", "ORG", "a")]),
         "“Ada Quill” .* and “founded” .* are one entity, but one is of type person and the other"),
        (changed(mentions=[*FULL["mentions"], {"start": 0, "end": 900, "type": "PER", "entity": 1}]),
         "does not lie within"),
        (changed(mentions=[{"start": 0, "end": 9}]), "must have start, end, type and entity alone"),
        (changed(mentions=[{**FULL["mentions"][0], "start": True}]), "must have start, end, type and entity"),
        (changed(mentions=[{**FULL["mentions"][0], "entity": None}]), "an entity's id is None"),
        (changed(mentions={}), "mentions is {}; it must be a list"),
        (changed(entities=["a"]), "the entity 'a' must have id, canonical and link alone"),
        (changed(relations=[]), "has no field 'relations'"),
        (changed(version=2), "of version 2"),
        ([], "must be a JSON object"),
    ],
)  # fmt: skip
def test_an_answer_that_does_not_fit_is_refused(answer: Any, says: str) -> None:
    pattern = says.replace("(", r"\(").replace(")", r"\)").replace("[", r"\[").replace("{", r"\{")
    with pytest.raises(InvalidInput, match=pattern):
        QUESTION.read_answer(answer)


def test_a_refusal_of_a_megabyte_is_short() -> None:
    with pytest.raises(InvalidInput) as refusal:
        QUESTION.read_answer(changed(mentions=["x" * 1_000_000]))
    assert len(str(refusal.value)) < 300


def test_spans_are_characters_whatever_their_width() -> None:
    question = EntitiesQuestion(passage("🜚🜚 met Ada."), TAC)
    read = question.read_answer(
        {
            "mentions": [{"start": 7, "end": 10, "type": "PER", "entity": 1}],
            "entities": [{"id": 1, "canonical": {"start": 7, "end": 10}, "link": {"none": True}}],
        }
    )
    assert question.mentions(read)[0].span == Span(7, 10)


def test_the_question_comes_back_from_its_json() -> None:
    assert read_question("entities", json.loads(json.dumps(QUESTION.payload()))).key == QUESTION.key


@pytest.mark.parametrize(
    ("link", "text"),
    [
        ({"page": "AC/DC (band)"}, "https://en.wikipedia.org/wiki/AC/DC_(band)"),
        ({"page": "Köln"}, "https://en.wikipedia.org/wiki/K%C3%B6ln"),
        ({"date": "2016"}, "2016"),
        ({"none": True}, ""),
    ],
)
def test_a_link_as_text(link: dict[str, object], text: str) -> None:
    assert link_text(link) == text


def test_titles_are_not_linked() -> None:
    linked = [one for one in FULL["entities"] if one["id"] != 3]
    with pytest.raises(InvalidInput, match=r"“president” .* is of type title; such mentions are not linked"):
        QUESTION.read_answer(changed(entities=[*linked, entity(3, "president", page="President")]))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 90) | st.text(max_size=3) | st.sampled_from(["PER", "start"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["start", "end", "type", "entity", "id", "canonical", "link", "none", "date"]),
            inner,
        )
    ),
    max_leaves=12,
)


@given(st.lists(json_values, max_size=3), st.lists(json_values, max_size=3))
def test_whatever_comes_in_is_read_or_refused(mentions: list[Any], entities: list[Any]) -> None:
    with suppress(InvalidInput):
        read = QUESTION.read_answer({"mentions": mentions, "entities": entities})
        assert QUESTION.read_answer(read) == read


@given(st.data())
def test_an_answer_made_from_records_says_the_same(data: st.DataObject) -> None:
    tokens = QUESTION._passage().tokens
    edges = sorted(data.draw(st.sets(st.integers(0, len(tokens) - 1), min_size=2, max_size=8)))
    spans = [Span(tokens[a].start, tokens[b - 1].end) for a, b in zip(edges[::2], edges[1::2], strict=False)]
    canonical = data.draw(st.sampled_from(spans))
    records = [MentionRecord(one, "ORG", canonical) for one in spans]
    assert QUESTION.mentions(QUESTION.answer(records, {})) == tuple(sorted(records))


# tests/javascript/entities/marking.test.js makes it, of this text.
def test_the_answer_that_the_interface_makes_is_taken() -> None:
    text = (
        "Ada Quill founded Quill Press in Port Hallow. She was its president until 3 May 1961. "
        "Quill met Ben Ash 🜚."
    )
    answer = json.loads((TESTS / "javascript/entities/answer.json").read_text(encoding="utf-8"))
    read = EntitiesQuestion(passage(text), TAC).read_answer(answer)
    assert [text[one["start"] : one["end"]] for one in read["mentions"]] == [
        "Ada Quill", "Port Hallow", "She", "president", "3 May 1961",
    ]  # fmt: skip
    assert [one["link"] for one in read["entities"]] == [
        {"page": "Ada Quill"}, {"none": True}, {"none": True}, {"date": "1961-05-03"},
    ]  # fmt: skip
