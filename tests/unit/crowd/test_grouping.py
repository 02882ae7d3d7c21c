"""Questions are put together so that a document is read once, and nobody is asked in vain."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowd.grouping import Group, OpenQuestion, group
from kbpo_formats.spans import Span

A, B, C = Span(0, 3), Span(5, 8), Span(10, 13)


def relation(pk: int, document: int = 1, votes: int = 3, mentions: tuple[Span, ...] = (A, B)) -> OpenQuestion:
    return OpenQuestion(pk, document, "relation", votes, mentions)


def canonical(pk: int, document: int = 1, votes: int = 3, mention: Span = A) -> OpenQuestion:
    return OpenQuestion(pk, document, "canonical", votes, (mention,), is_companion=True)


def test_a_relation_question_comes_with_those_about_its_mentions() -> None:
    questions = [canonical(1), relation(2), canonical(3, mention=B), canonical(4, mention=B)]
    assert group(questions) == [Group((2, 1, 3, 4), 3)]


def test_a_companion_rides_along_once() -> None:
    questions = [relation(1), relation(2, mentions=(A, C)), canonical(3), canonical(4, mention=C)]
    assert group(questions) == [Group((1, 3), 3), Group((2, 4), 3)]


def test_companions_of_another_document_stay_there() -> None:
    assert group([relation(1), canonical(2, document=2)]) == [Group((1,), 3), Group((2,), 3)]


def test_canonical_questions_that_are_left_come_together_by_mention() -> None:
    questions = [canonical(1), canonical(2), canonical(3, mention=B)]
    assert group(questions) == [Group((1, 2), 3), Group((3,), 3)]


def in_sentence(pk: int, sentence: int, document: int = 1, votes: int = 3) -> OpenQuestion:
    return OpenQuestion(pk, document, "relation", votes, (A, B), sentence)


def test_a_hit_has_the_questions_of_one_sentence_where_they_name_theirs() -> None:
    questions = [in_sentence(1, 1), in_sentence(2, 2), in_sentence(3, 1), in_sentence(4, 1, document=2)]
    groups = group(questions, per_hit=10)
    assert groups == [Group((1, 3), 3), Group((2,), 3), Group((4,), 3)]
    assert [one.units for one in groups] == [2, 1, 1]


def test_a_sentence_with_many_questions_makes_several_hits() -> None:
    groups = group([in_sentence(pk, 1) for pk in range(1, 6)], per_hit=2)
    assert [one.questions for one in groups] == [(1, 2), (3, 4), (5,)]


def test_companions_count_for_no_unit() -> None:
    [one] = group([relation(1), canonical(2)])
    assert one.units == 1


def test_nobody_is_asked_for_more_votes_than_a_question_lacks() -> None:
    assert group([relation(1, votes=3), canonical(2, votes=1)]) == [Group((1,), 3), Group((2,), 1)]


def test_several_units_make_a_hit_document_by_document() -> None:
    questions = [relation(1), relation(2, document=2), relation(3), canonical(4, document=2)]
    assert group(questions, per_hit=2) == [Group((1, 3), 3), Group((2, 4), 3)]


def test_whole_documents_are_a_hit_each() -> None:
    questions = [OpenQuestion(1, 1, "entities", 3), OpenQuestion(2, 2, "entities", 3)]
    assert group(questions) == [Group((1,), 3), Group((2,), 3)]


def test_nothing_open_is_no_hit() -> None:
    assert group([]) == []


spans = st.sampled_from([A, B, C])
kinds = st.sampled_from(["relation", "canonical"])


@st.composite
def questions(draw: st.DrawFn) -> list[OpenQuestion]:
    made = []
    for pk in range(draw(st.integers(0, 25))):
        kind, document, votes = draw(kinds), draw(st.integers(1, 3)), draw(st.integers(1, 3))
        mentions = (draw(spans), draw(spans)) if kind == "relation" else (draw(spans),)
        made.append(OpenQuestion(pk, document, kind, votes, mentions, is_companion=kind == "canonical"))
    return made


@given(questions(), st.integers(1, 10))
def test_every_question_is_in_one_hit_with_the_places_that_it_lacks(
    asked: list[OpenQuestion], per_hit: int
) -> None:
    groups = group(asked, per_hit=per_hit)
    places = [(pk, one.places) for one in groups for pk in one.questions]
    assert sorted(places) == sorted((question.pk, question.votes) for question in asked)
    assert all(one.questions for one in groups)


@given(questions(), st.randoms(use_true_random=False))
def test_the_order_in_which_questions_come_does_not_matter(asked: list[OpenQuestion], rng: object) -> None:
    shuffled = list(asked)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    assert group(shuffled) == group(asked)


def test_a_hit_has_questions_of_so_many_voters_at_most():
    asked = [
        OpenQuestion(1, 1, "relation", 1, voters=frozenset({1, 2})),
        OpenQuestion(2, 1, "relation", 1, voters=frozenset({3, 4})),
        OpenQuestion(3, 2, "relation", 1, voters=frozenset({2, 1})),
        OpenQuestion(4, 2, "relation", 1, voters=frozenset({3})),
        OpenQuestion(5, 3, "relation", 1, voters=frozenset({1})),
    ]
    found = group(asked, per_hit=2, most_voters=2)
    assert [one.questions for one in found] == [(1, 3), (2, 4), (5,)]


def test_questions_that_the_same_people_have_answered_are_together_however_many_these_are():
    voters = ({1, 2, 3}, {1, 2, 4}, {1, 2, 3})
    asked = [OpenQuestion(pk, 1, "relation", 1, voters=frozenset(some)) for pk, some in enumerate(voters)]
    assert [one.questions for one in group(asked, per_hit=2, most_voters=2)] == [(0, 2), (1,)]


@pytest.mark.parametrize("per_hit", [1, 2, 3])
def test_voters_do_not_matter_where_there_are_none(per_hit):
    asked = [OpenQuestion(pk, pk // 2, "relation", 1) for pk in range(7)]
    assert group(asked, per_hit=per_hit, most_voters=0) == group(asked, per_hit=per_hit)


def test_unless_it_is_said_half_of_those_who_voted_can_do_every_hit() -> None:
    asked = [
        OpenQuestion(pk, pk, "relation", 1, voters=frozenset({2 * pair, 2 * pair + 1}))
        for pk, pair in enumerate((0, 1, 2, 3, 0))
    ]
    assert [one.questions for one in group(asked, per_hit=10)] == [(0, 1, 4), (2, 3)]


def test_questions_that_still_need_first_votes_are_in_no_hit_with_disputed_ones() -> None:
    asked = [relation(1, votes=1), OpenQuestion(2, 1, "relation", 1, voters=frozenset({1, 2}))]
    found = group(asked, per_hit=2)
    assert [(one.questions, one.is_disputed) for one in found] == [((1,), False), ((2,), True)]
