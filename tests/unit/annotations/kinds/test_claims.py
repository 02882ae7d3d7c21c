"""What answers amount to: numbers and verdicts on named claims."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.aggregation.majority import Verdict
from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.entities import EntitiesQuestion
from annotations.kinds.relation import Mention, Offer, RelationQuestion
from kbpo.core.errors import InvalidInput
from kbpo_formats.spans import Span
from tests.ontologies import TAC

ANN, ACME = Mention(Span(0, 3), "PER"), Mention(Span(8, 12), "ORG")
PAIR = RelationQuestion.about(ANN, ACME, TAC)
CANONICAL = CanonicalQuestion(Span(8, 10), Span(0, 3))
WORKS, FOUNDED = Offer("per:employee_or_member_of", 0), Offer("per:organizations_founded", 0)


@given(st.sampled_from(list(TAC.relations_by_name)), st.integers(0, 1))
def test_a_claims_name_is_read_as_it_is_made(predicate: str, subject: int) -> None:
    offer = Offer(predicate, subject)
    assert Offer.of_claim(offer.claim) == offer


def test_claims_sort_as_their_predicates_and_sides_do() -> None:
    offers = [Offer(predicate, subject) for predicate in TAC.relations_by_name for subject in (0, 1)]
    assert sorted(offers) == sorted(offers, key=lambda offer: offer.claim)


def test_an_answer_has_a_value_for_every_claim_that_was_offered() -> None:
    values = PAIR.values(PAIR.answer([FOUNDED]))
    assert tuple(values) == PAIR.claims
    assert [claim for claim, value in values.items() if value == 1] == ["per:organizations_founded|0"]
    assert CANONICAL.values(CANONICAL.answer(False)) == {"right": 0.0}


def test_votes_settle_every_claim_or_nothing() -> None:
    works, founded, none = (PAIR.answer(said) for said in ([WORKS], [FOUNDED], []))
    verdicts = PAIR.settle([works, works, none])
    assert verdicts is not None
    assert verdicts[WORKS.claim] == Verdict(1.0, 2, 3)
    assert {verdicts[claim] for claim in PAIR.claims if claim != WORKS.claim} == {Verdict(0.0, 0, 3)}
    assert PAIR.settle([works, founded, none]) is None


def test_a_tie_settles_no_canonical_mention() -> None:
    right, wrong = CANONICAL.answer(True), CANONICAL.answer(False)
    assert CANONICAL.settle([right, right, wrong]) == {"right": Verdict(1.0, 2, 3)}
    assert CANONICAL.settle([right, wrong]) is None


def test_an_answer_is_right_if_it_is_all_of_what_was_settled() -> None:
    labels = dict.fromkeys(PAIR.claims, 0.0) | {WORKS.claim: 1.0}
    said = ([WORKS], [WORKS, FOUNDED], [FOUNDED], [])
    assert [PAIR.is_right(PAIR.answer(one), labels) for one in said] == [True, False, False, False]
    assert CANONICAL.is_right(CANONICAL.answer(True), {"right": 1.0})
    assert not CANONICAL.is_right(CANONICAL.answer(True), {"right": 0.0})


def test_a_claim_is_published_in_its_stored_direction() -> None:
    assert PAIR.published("org:member_of|1") == {
        "predicate": "org:member_of",
        "subject_start": 8,
        "subject_end": 12,
        "object_start": 0,
        "object_end": 3,
    }


def test_a_whole_document_has_no_claims_and_is_never_all_right() -> None:
    asked = EntitiesQuestion()
    assert (asked.claims, asked.values({}), asked.settle([])) == ((), {}, {})
    for refused in (lambda: asked.is_right({}, {}), lambda: asked.published("right")):
        with pytest.raises(InvalidInput, match="whole document"):
            refused()
