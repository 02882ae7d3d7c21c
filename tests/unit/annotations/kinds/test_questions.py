import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.fields import check_spans
from annotations.kinds.registry import read_question
from annotations.kinds.relation import Mention, Offer, RelationQuestion, check_claim
from kbpo.core.errors import InvalidInput
from kbpo_formats.spans import Span
from tests.ontologies import TAC

ANN = Mention(Span(0, 3), "PER")
ACME = Mention(Span(8, 12), "ORG")
QUESTION = RelationQuestion.about(ANN, ACME, TAC)
CANONICAL = CanonicalQuestion(Span(8, 10), Span(0, 3))
WORKS = {"predicate": "per:employee_or_member_of", "subject": 0}
FOUNDED = {"predicate": "per:organizations_founded", "subject": 0}

spans = st.builds(lambda start, length: Span(start, start + length), st.integers(0, 50), st.integers(1, 9))
mentions = st.builds(Mention, spans, st.sampled_from(list(TAC.mention_types_by_name)))
pairs = st.tuples(mentions, mentions).filter(lambda pair: TAC.options(pair[0].type, pair[1].type))


@given(pairs)
def test_a_pair_makes_one_question_in_whichever_order_it_is_given(pair: tuple[Mention, Mention]) -> None:
    assert RelationQuestion.about(*pair, TAC) == RelationQuestion.about(*reversed(pair), TAC)


@given(pairs)
def test_a_question_comes_back_from_its_json(pair: tuple[Mention, Mention]) -> None:
    question = RelationQuestion.about(*pair, TAC)
    assert read_question("relation", json.loads(json.dumps(question.payload()))) == question


@given(pairs, pairs)
def test_different_questions_have_different_keys(
    one: tuple[Mention, Mention], other: tuple[Mention, Mention]
) -> None:
    first, second = RelationQuestion.about(*one, TAC), RelationQuestion.about(*other, TAC)
    assert (first.key == second.key) == (first == second)


@given(pairs, st.data())
def test_an_answer_read_again_is_the_same(pair: tuple[Mention, Mention], data: st.DataObject) -> None:
    question = RelationQuestion.about(*pair, TAC)
    ticked = data.draw(st.lists(st.sampled_from(question.offered), unique=True))
    answer = question.answer(ticked)
    assert question.read_answer(json.loads(json.dumps(answer))) == answer
    assert set(question.ticked(answer)) == set(ticked)


def test_a_pair_is_ordered_by_start_then_end_then_type() -> None:
    short, long, other = Mention(Span(0, 2), "PER"), Mention(Span(0, 3), "PER"), Mention(Span(0, 3), "ORG")
    assert RelationQuestion.about(long, short, TAC).mentions == (short, long)
    assert RelationQuestion.about(long, other, TAC).mentions == (other, long)


def test_both_directions_are_offered() -> None:
    offered = RelationQuestion.about(Mention(Span(0, 1), "ORG"), Mention(Span(2, 3), "ORG"), TAC).offered
    assert Offer("org:parents", 0) in offered
    assert Offer("org:parents", 1) in offered


def test_the_order_of_the_ticks_does_not_matter() -> None:
    one = QUESTION.read_answer({"relations": [FOUNDED, WORKS]})
    assert one == QUESTION.read_answer({"relations": [WORKS, FOUNDED], "none": False, "version": 1})


def test_none_must_be_said() -> None:
    assert QUESTION.read_answer({"none": True}) == QUESTION.read_answer({"relations": [], "none": True})


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ({}, "must tick a relation or say"),
        ({"relations": []}, "must tick a relation or say"),
        ({"relations": [WORKS], "none": True}, "not both"),
        ({"relations": [WORKS, WORKS]}, "ticked twice"),
        ({"relations": [{**WORKS, "subject": 1}]}, "was not offered; offered were per:employee_or_member_of"),
        ({"relations": [{**WORKS, "subject": False}]}, "was not offered"),
        ({"relations": [{**WORKS, "span": [0, 3]}]}, "was not offered"),
        ({"relations": [{"predicate": "org:parents", "subject": 0}]}, "was not offered"),
        ({"relations": ["per:spouse"]}, "was not offered"),
        ({"relations": {"0": WORKS}}, "must be a list"),
        ({"none": "yes"}, "must be true or false"),
        ({"none": True, "mentions": []}, "has no field 'mentions'"),
        ({"none": True, "version": 2}, "of version 2"),
        ({"right": True}, "has no field 'right'"),
        ([WORKS], "must be a JSON object"),
        (None, "must be a JSON object"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(answer: Any, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        QUESTION.read_answer(answer)


@pytest.mark.parametrize("right", [None, 1, "yes", [True]])
def test_right_is_true_or_false(right: Any) -> None:
    with pytest.raises(InvalidInput, match="must be true or false"):
        CANONICAL.read_answer({"right": right})


def test_a_refusal_of_a_megabyte_is_short() -> None:
    with pytest.raises(InvalidInput) as refusal:
        QUESTION.read_answer({"relations": [{"predicate": "x" * 1_000_000, "subject": 0}]})
    assert len(str(refusal.value)) < 500


def test_types_without_a_relation_make_no_question() -> None:
    with pytest.raises(InvalidInput, match="no relation is admitted between DATE and DATE"):
        RelationQuestion.about(Mention(Span(0, 1), "DATE"), Mention(Span(2, 3), "DATE"), TAC)


def test_a_canonical_question_comes_back_from_its_json() -> None:
    assert read_question("canonical", json.loads(json.dumps(CANONICAL.payload()))) == CANONICAL


@pytest.mark.parametrize(
    "payload", [{}, {"version": 1}, {"version": 2}, {"version": 1, "mention": 3, "canonical": None}]
)
def test_a_stored_question_of_another_form_is_refused(payload: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="question is"):
        read_question("canonical", payload)


@pytest.mark.parametrize("span", [Span(-1, 2), Span(3, 3), Span(3, 11)])
def test_spans_lie_within_the_text(span: Span) -> None:
    check_spans([Span(0, 10)], 10)
    with pytest.raises(InvalidInput, match=f"the span {span} does not lie"):
        check_spans([Span(0, 10), span], 10)


def test_a_claim_is_refused_for_types_that_its_predicate_does_not_admit() -> None:
    check_claim("per:title", "PER", "TITLE", TAC)
    with pytest.raises(InvalidInput, match="its subject is PER and its object TITLE"):
        check_claim("per:title", "PER", "ORG", TAC)
    with pytest.raises(InvalidInput, match="unknown predicate"):
        check_claim("per:children", "PER", "PER", TAC)
