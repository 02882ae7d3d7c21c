from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.relation import Mention, RelationQuestion
from crowd.interfaces.relation.form import read_answer, ticked_values
from crowd.interfaces.relation.page import build_page, excerpt
from crowd.interfaces.steps import Page, Part
from crowd.templatetags.annotate import marked, sentence
from kbpo.core.errors import InvalidInput
from kbpo.core.marking import Mark, Segment
from kbpo_formats.spans import Span
from tests.ontologies import TAC

TEXT = "Ann founded Acme.\nShe left it."
ANN, ACME, SHE = Span(0, 3), Span(12, 16), Span(18, 21)
QUESTION = RelationQuestion.about(Mention(ANN, "PER"), Mention(ACME, "ORG"), TAC)


def page(**changes: Any) -> Page:
    return build_page(
        **{
            "text": TEXT,
            "sentences": [Span(0, 17)],
            "questions": {7: QUESTION, 9: CanonicalQuestion(ANN, SHE), 8: CanonicalQuestion(ACME, ACME)},
            "posted": {},
            "votes": {},
            "ontology": TAC,
            **changes,
        }
    )


def words(parts: tuple[Part, ...]) -> str:
    return "".join(f"[{part.letter} {part.text}]" if part.letter else part.text for part in parts)


def test_mentions_are_marked_by_letter_and_type_in_the_sentence_that_is_in_view() -> None:
    marks = {segment.text: [mark.label for mark in segment.marks] for segment in page().segments}
    assert marks["Ann"] == ["", "A person"]
    assert marks["Acme"] == ["", "B organization"]
    assert marks["She"] == ["C full name?"]
    assert marks[" left it."] == []


def test_the_text_is_shown_whole() -> None:
    assert "".join(segment.text for segment in page().segments) == TEXT


def test_relations_are_offered_in_plain_words_with_a_key_each_and_none_last() -> None:
    step = page().steps[0]
    assert [(choice.key, words(choice.parts)) for choice in step.choices] == [
        ("1", "[A Ann] works or worked for [B Acme], or is or was a member"),
        ("2", "[A Ann] attended the school [B Acme]"),
        ("3", "[A Ann] founded [B Acme]"),
        ("4", "[A Ann] holds or held shares in [B Acme]"),
        ("0", "None of these"),
    ]


def test_both_directions_are_in_words() -> None:
    question = RelationQuestion.about(Mention(ANN, "PER"), Mention(SHE, "PER"), TAC)
    [step] = page(questions={1: question}).steps
    assert [words(choice.parts) for choice in step.choices][:2] == [
        "[B She] is a parent of [A Ann]",
        "[A Ann] is a parent of [B She]",
    ]


def test_canonical_mentions_are_asked_after_the_relation_in_words_of_their_own() -> None:
    assert [words(step.heading) for step in page().steps[1:]] == [
        "Is [C She] the right full name of [A Ann]?",
        "Is [B Acme] itself the right full name?",
    ]


def test_a_canonical_question_stands_alone() -> None:
    alone = page(questions={9: CanonicalQuestion(SHE, ANN)})
    assert words(alone.steps[0].heading) == "Is [B Ann] the right full name of [A She]?"


def test_what_was_ticked_comes_back_ticked() -> None:
    steps = page(posted={"q7": ["per:organizations_founded|0"], "q9": ["wrong"]}).steps
    assert [choice.key for step in steps for choice in step.choices if choice.checked] == ["3", "n"]


def test_only_an_expert_sees_votes() -> None:
    assert {choice.votes for choice in page().steps[0].choices} == {None}
    [step] = page(questions={7: QUESTION}, votes={7: {"none": 2}}).steps
    assert [choice.votes for choice in step.choices] == [0, 0, 0, 0, 2]


def test_ticks_become_an_answer() -> None:
    answer = read_answer(QUESTION, ["per:organizations_founded|0"])
    assert QUESTION.read_answer(answer) == QUESTION.answer([QUESTION.offered[2]])
    assert QUESTION.read_answer(read_answer(QUESTION, ["none"])) == QUESTION.answer([])
    canonical = CanonicalQuestion(SHE, ANN)
    assert read_answer(canonical, ["right"]) == {"right": True}
    assert read_answer(canonical, ["wrong"]) == {"right": False}


@pytest.mark.parametrize("question", [QUESTION, CanonicalQuestion(SHE, ANN)])
def test_nothing_ticked_is_asked_for_again(question: RelationQuestion | CanonicalQuestion) -> None:
    with pytest.raises(InvalidInput):
        read_answer(question, [])


@pytest.mark.parametrize(
    "values",
    [
        ["none", "per:organizations_founded|0"],
        ["per:parents|0"],
        ["per:organizations_founded|7"],
        ["|"],
        ["0"],
    ],
)
def test_what_the_form_never_offered_is_refused_by_the_question(values: list[str]) -> None:
    with pytest.raises(InvalidInput):
        QUESTION.read_answer(read_answer(QUESTION, values))


@pytest.mark.parametrize("values", [["maybe"], ["right", "wrong"]])
def test_a_canonical_mention_is_right_or_wrong(values: list[str]) -> None:
    question = CanonicalQuestion(SHE, ANN)
    with pytest.raises(InvalidInput):
        question.read_answer(read_answer(question, values))


def test_a_stored_answer_is_known_by_its_form_values() -> None:
    assert ticked_values(QUESTION, QUESTION.answer([])) == ["none"]
    assert ticked_values(QUESTION, QUESTION.answer(QUESTION.offered[2:3])) == ["per:organizations_founded|0"]
    assert ticked_values(CanonicalQuestion(SHE, ANN), {"version": 1, "right": False}) == ["wrong"]


def test_a_documents_text_is_never_markup() -> None:
    evil = '<script>alert("1")</script>'
    mark = Mark(Span(0, 5), "mention-a", "A person")
    html = marked([Segment(evil), Segment(evil, (mark,), (mark,))]) + sentence([Part(evil), Part(evil, "A")])
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 4


def test_white_space_of_the_document_is_kept_and_none_is_added() -> None:
    mark = Mark(Span(0, 1), "in-view", "")
    assert marked([Segment(" a\n", (mark,), (mark,)), Segment("\n b")]) == (
        '<span class="in-view"> a\n</span>\n b'
    )


def test_a_short_text_is_shown_whole() -> None:
    assert excerpt("Ada met Ben.", [Span(0, 3)], 100) == [Span(0, 12)]


def test_a_long_text_is_cut_around_its_spans_at_words() -> None:
    text = "one two three four five six seven eight nine ten"
    found = excerpt(text, [Span(text.index("five"), text.index("five") + 4)], 14)
    assert [text[start:end] for start, end in found] == ["four five six"]


def test_spans_far_apart_are_shown_in_pieces() -> None:
    text = "a" * 100 + " Ada " + "b" * 100 + " Ben " + "c" * 100
    spans = [Span(text.index("Ben"), text.index("Ben") + 3), Span(text.index("Ada"), text.index("Ada") + 3)]
    found = excerpt(text, spans, 20)
    assert [text[start:end].strip() for start, end in found] == ["Ada", "Ben"]


@given(
    st.text(alphabet="ab \n", min_size=1, max_size=200),
    st.lists(st.tuples(st.integers(0, 199), st.integers(1, 20)), min_size=1, max_size=4),
    st.integers(0, 220),
)
def test_an_excerpt_holds_its_spans_and_fits_where_they_do(
    text: str, starts: list[tuple[int, int]], longest: int
) -> None:
    spans = [Span(min(start, len(text) - 1), min(start + size, len(text))) for start, size in starts]
    found = excerpt(text, spans, longest)
    assert found == sorted(found)
    assert all(one.end < other.start for one, other in pairwise(found)) or len(found) == 1
    assert all(any(window.contains(span) for window in found) for span in spans)
    covered = len({place for span in spans for place in range(*span)})
    assert sum(end - start for start, end in found) <= max(longest, covered)
