"""What was marked in a document, as an operator sees it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.interfaces.entities import marked
from tests.ontologies import TAC

TEXT = "Ada Quill was born in Port Hallow. She founded Quill Press."
ADA = {"start": 0, "end": 9, "type": "PER", "entity": 1}
SHE = {"start": 35, "end": 38, "type": "PER", "entity": 1}
HALLOW = {"start": 22, "end": 33, "type": "GPE", "entity": 2}
ANSWER = {
    "version": 1,
    "mentions": [SHE, ADA, HALLOW],
    "entities": [
        {"id": 1, "canonical": {"start": 0, "end": 9}, "link": {"page": "Ada Quill"}},
        {"id": 2, "canonical": {"start": 22, "end": 33}, "link": {"none": True}},
    ],
}
anything = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 70) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["start", "end", "type", "entity", "id", "canonical", "link", "page"]), inner
        )
    ),
    max_leaves=20,
)


def test_entities_stand_in_the_order_of_their_first_mentions() -> None:
    ada, hallow = marked.read(TEXT, ANSWER, TAC).entities
    assert (ada.name, ada.type_name, ada.link_name, ada.words) == (
        "Ada Quill",
        "person",
        "Ada Quill",
        ("Ada Quill", "She"),
    )
    assert (hallow.name, hallow.type_name, hallow.link_name) == ("Port Hallow", "place", "no page")


def test_the_text_is_marked_and_whole() -> None:
    segments = marked.read(TEXT, ANSWER, TAC).segments
    assert "".join(segment.text for segment in segments) == TEXT
    assert [segment.text for segment in segments if segment.marks] == ["Ada Quill", "Port Hallow", "She"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"start": 50, "end": 500, "type": "PER"},
        {"start": 9, "end": 9, "type": "PER"},
        {"start": 0, "end": 9, "type": "ANIMAL"},
        {"type": "PER"},
        "Ada",
    ],
)
def test_a_mention_that_makes_no_sense_is_left_out(wrong: Any) -> None:
    assert len(marked.read(TEXT, {"mentions": [ADA, wrong]}, TAC).spans) == 1


@given(anything, anything)
def test_an_answer_of_any_form_can_be_read(mentions: Any, entities: Any) -> None:
    found = marked.read(TEXT, {"mentions": mentions, "entities": entities}, TAC)
    assert "".join(segment.text for segment in found.segments) == TEXT


@pytest.mark.parametrize("answer", [{}, {"mentions": [], "entities": []}])
def test_nothing_marked_is_nothing(answer: dict[str, Any]) -> None:
    found = marked.read(TEXT, answer, TAC)
    assert (found.entities, found.spans) == ((), frozenset())
