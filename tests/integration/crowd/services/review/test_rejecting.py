"""Rejected by a person alone, with a reason, and taken back."""

import pytest

from annotations import labels
from annotations.models import Label, Question, Response
from crowd import review
from crowd.models import HitBatch
from crowd.providers.base import NotEnoughMoney
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed, OverBudget
from tests import crowd
from tests.factories import UserFactory
from tests.fake_provider import LOST
from tests.integration.crowd.services.conftest import Desk
from tests.integration.crowd.services.review.acts import UNIT, reject, sent


def test_a_rejection_is_told_frees_its_money_and_discounts_the_vote(desk: Desk) -> None:
    _, ident = sent(desk)
    reject(desk, ident)
    assignment = desk.assignment(ident)
    assert (assignment.state, assignment.feedback) == ("rejected", "It is random")
    assert desk.provider.decisions == {ident: "It is random"}
    assert not Response.objects.get().is_valid
    assert desk.money() == (2 * UNIT, 0)
    crowd.check_books()


def test_what_was_rejected_is_asked_again(desk: Desk) -> None:
    hit, ident = sent(desk, votes=1)
    reject(desk, ident)
    assert desk.plan() == 1
    desk.post()
    desk.send(hit)
    desk.collect()
    desk.decide()
    assert labels.settle_questions() == 1
    assert desk.money() == (0, UNIT)
    crowd.check_books()


def test_a_settled_label_stays_and_its_batch_does_not_ask_again(desk: Desk) -> None:
    hit, ident = sent(desk, votes=1)
    labels.settle_questions()
    before = list(Label.objects.values())
    reject(desk, ident)
    assert list(Label.objects.values()) == before
    assert Question.objects.get().state == "settled"
    assert not Response.objects.get().is_valid
    desk.plan()
    assert hit.batch.hits.count() == 1
    assert hit.places == 1


def test_a_rejection_opens_its_finished_batch_again(desk: Desk) -> None:
    _, ident = sent(desk, votes=1)
    HitBatch.objects.update(state="finished")
    reject(desk, ident)
    assert HitBatch.objects.get().state == "open"
    assert desk.plan() == 1


@pytest.mark.parametrize("reason", ["", "  ", "x" * 1025])
def test_a_rejection_needs_a_reason_that_the_provider_takes(desk: Desk, reason: str) -> None:
    _, ident = sent(desk)
    with pytest.raises(InvalidInput):
        reject(desk, ident, reason)
    assert desk.assignment(ident).decision == ""


def test_only_operators_review(desk: Desk) -> None:
    _, ident = sent(desk)
    somebody = UserFactory.create(annotator=True)
    with pytest.raises(NotAllowed):
        review.reject(assignment=desk.assignment(ident), by=somebody, reason="No", now=desk.now)
    with pytest.raises(NotAllowed):
        review.approve(assignment=desk.assignment(ident), by=somebody, now=desk.now)


def test_what_is_decided_is_not_decided_again(desk: Desk) -> None:
    _, ident = sent(desk)
    desk.decide()
    with pytest.raises(Conflict, match="approved already"):
        reject(desk, ident)


def test_a_decision_may_change_until_the_provider_is_told(desk: Desk) -> None:
    _, ident = sent(desk)
    review.approve_by_rule(now=desk.now)
    reject(desk, ident)
    assert desk.assignment(ident).state == "rejected"


def test_a_decision_that_is_being_told_does_not_change(desk: Desk) -> None:
    _, ident = sent(desk)
    desk.provider.after["approve"] = [LOST]
    desk.decide()
    with pytest.raises(Conflict, match="being approved"):
        reject(desk, ident)


def test_a_rejection_that_comes_after_the_providers_approval_ends_in_an_approval(desk: Desk) -> None:
    _, ident = sent(desk)
    desk.provider.decide(ident, "approved")
    reject(desk, ident)
    assignment = desk.assignment(ident)
    assert (assignment.state, assignment.decision) == ("submitted", "")
    assert "declined to reject" in assignment.flag
    desk.collect()
    assert desk.assignment(ident).state == "approved"
    assert desk.money() == (2 * UNIT, UNIT)
    crowd.check_books()


# Taking a rejection back


def override(desk: Desk, ident: str) -> None:
    review.override(assignment=desk.assignment(ident), by=desk.operator, reason="We were wrong", now=desk.now)


def test_a_rejection_that_is_taken_back_is_paid_from_new_money_and_its_vote_counts(desk: Desk) -> None:
    _, ident = sent(desk)
    reject(desk, ident)
    override(desk, ident)
    assert desk.money() == (3 * UNIT, 0)
    crowd.check_books()
    crowd.tell(desk.now)
    assignment = desk.assignment(ident)
    assert (assignment.state, assignment.decision) == ("approved", "override")
    assert (assignment.feedback, assignment.override_feedback) == ("It is random", "We were wrong")
    assert Response.objects.get().is_valid
    assert desk.money() == (2 * UNIT, UNIT)
    crowd.check_books()


def test_a_closed_hits_rejection_can_be_taken_back(desk: Desk) -> None:
    hit, ident = sent(desk, votes=1)
    reject(desk, ident)
    assert crowd.states([hit]) == ["closed"]
    override(desk, ident)
    crowd.check_books()
    crowd.tell(desk.now)
    assert desk.money() == (0, UNIT)
    crowd.check_books()


def test_taking_a_rejection_back_needs_room_in_the_budget(desk: Desk) -> None:
    _, ident = sent(desk, votes=1)
    reject(desk, ident)
    desk.budget.refresh_from_db()
    desk.budget.cap_cents = UNIT - 1
    desk.budget.save()
    with pytest.raises(OverBudget):
        override(desk, ident)
    assert desk.assignment(ident).decision == "reject"


def test_after_thirty_days_a_rejection_stands(desk: Desk) -> None:
    _, ident = sent(desk)
    reject(desk, ident)
    desk.wait(days=30)
    with pytest.raises(Conflict, match="30 days"):
        override(desk, ident)


def test_where_the_provider_declines_to_take_it_back_the_rejection_stands(desk: Desk) -> None:
    _, ident = sent(desk)
    reject(desk, ident)
    override(desk, ident)
    desk.provider.before["approve"] = [NotEnoughMoney("the account is empty")]
    crowd.tell(desk.now)
    assignment = desk.assignment(ident)
    assert (assignment.state, assignment.decision, assignment.error) == (
        "rejected",
        "reject",
        "the account is empty",
    )
    assert desk.money() == (2 * UNIT, 0)
    crowd.check_books()


def test_a_rejection_that_others_took_back_is_paid(desk: Desk) -> None:
    _, ident = sent(desk)
    reject(desk, ident)
    desk.provider.decide(ident, "approved")
    desk.collect()
    assert desk.assignment(ident).state == "approved"
    crowd.check_books()
