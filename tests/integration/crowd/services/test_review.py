"""Review: approved by rule or person, rejected by a person alone, taken back, paid once; bonuses, blocks."""

from datetime import timedelta
from random import Random

import pytest

from annotations import labels
from annotations.models import Label, Question, Response
from crowd import collecting, posting, review
from crowd.models import Bonus, Hit, HitBatch, LedgerEntry, WorkerBlock
from crowd.providers import registry
from crowd.providers.base import NotEnoughMoney, Refused
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed, OverBudget
from tests import crowd
from tests.factories import UserFactory
from tests.fake_provider import LOST
from tests.integration.crowd.services.conftest import Desk

UNIT = 18


def sent(desk: Desk, votes: int = 3) -> tuple[Hit, str]:
    """Return a HIT and an assignment of it that was collected."""
    [hit] = desk.posted(votes=votes)
    ident = desk.send(hit)
    desk.collect()
    return hit, ident


def reject(desk: Desk, ident: str, reason: str = "It is random") -> None:
    review.reject(assignment=desk.assignment(ident), by=desk.operator, reason=reason, now=desk.now)
    crowd.tell(desk.now)


def flag(ident: str, desk: Desk) -> None:
    assignment = desk.assignment(ident)
    assignment.flag = "far too fast"
    assignment.save()
    assignment.responses.update(is_valid=False)


def test_what_nothing_speaks_against_is_approved_by_rule_and_paid(desk: Desk) -> None:
    _, ident = sent(desk)
    assert desk.decide() == 1
    assignment = desk.assignment(ident)
    assert (assignment.state, assignment.decision, assignment.decided_by) == ("approved", "approve", None)
    assert assignment.told_at == desk.now
    assert desk.money() == (2 * UNIT, UNIT)
    crowd.check_books()


def test_what_is_flagged_waits_for_a_person_until_shortly_before_the_providers_own_approval(
    desk: Desk,
) -> None:
    _, ident = sent(desk)
    flag(ident, desk)
    desk.wait(days=3, hours=-7)
    assert desk.decide() == 0
    desk.wait(hours=1)
    assert desk.decide() == 1
    assert desk.assignment(ident).state == "approved"


def test_a_short_delay_is_flagged_works_to_a_half(desk: Desk) -> None:
    desk_hits = desk.posted(auto_approval=timedelta(hours=2))
    ident = desk.send(desk_hits[0])
    desk.collect()
    flag(ident, desk)
    desk.wait(minutes=59)
    assert desk.decide() == 0
    desk.wait(minutes=1)
    assert desk.decide() == 1


def test_a_person_approves_what_was_flagged_and_its_vote_counts(desk: Desk) -> None:
    _, ident = sent(desk)
    flag(ident, desk)
    review.approve(assignment=desk.assignment(ident), by=desk.operator, now=desk.now, feedback="Thanks")
    crowd.tell(desk.now)
    assignment = desk.assignment(ident)
    assert (assignment.state, assignment.decided_by, assignment.feedback) == (
        "approved",
        desk.operator,
        "Thanks",
    )
    assert Response.objects.get().is_valid


def test_an_approval_whose_answer_was_lost_is_paid_once(desk: Desk) -> None:
    _, ident = sent(desk)
    desk.provider.after["approve"] = [LOST]
    desk.decide()
    assert desk.assignment(ident).error == "the answer was lost"
    assert desk.money() == (3 * UNIT, 0)
    desk.wait(minutes=1)
    crowd.tell(desk.now)
    assert desk.money() == (2 * UNIT, UNIT)
    assert LedgerEntry.objects.filter(kind="reward").count() == 1
    crowd.check_books()


def test_an_approval_that_collecting_sees_first_is_paid_once(desk: Desk) -> None:
    _, ident = sent(desk)
    desk.provider.after["approve"] = [LOST]
    desk.decide()
    desk.collect()
    desk.wait(minutes=1)
    crowd.tell(desk.now)
    assert desk.assignment(ident).state == "approved"
    assert desk.money() == (2 * UNIT, UNIT)
    crowd.check_books()


# Rejections


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


# Bonuses


def promise(desk: Desk, ident: str, cents: int = 75) -> Bonus:
    return review.promise_bonus(
        assignment=desk.assignment(ident),
        cents=cents,
        reason="tutorial relation",
        message="Well done",
        now=desk.now,
    )


def pay(desk: Desk) -> bool:
    return review.pay_next_bonus(now=desk.now, rng=Random(0))


def test_a_bonus_is_promised_and_paid_once(desk: Desk) -> None:
    _, ident = sent(desk, votes=1)
    assert promise(desk, ident) == promise(desk, ident)
    assert desk.money() == (UNIT + 90, 0)
    desk.provider.after["pay_bonus"] = [LOST]
    assert pay(desk)
    assert Bonus.objects.get().error == "the answer was lost"
    assert not pay(desk)
    desk.wait(minutes=1)
    assert pay(desk)
    assert not pay(desk)
    assert list(desk.provider.bonuses.values()) == [("W1", 75)]
    assert desk.money() == (UNIT, 90)
    crowd.check_books()


def test_a_bonus_that_no_budget_covers_is_not_promised(desk: Desk) -> None:
    _, ident = sent(desk, votes=1)
    with pytest.raises(OverBudget):
        promise(desk, ident, cents=2_000_00)
    assert not Bonus.objects.exists()


def test_a_bonus_that_was_only_written_down_is_set_aside_before_it_is_paid(desk: Desk) -> None:
    _, ident = sent(desk, votes=1)
    assignment = desk.assignment(ident)
    Bonus.objects.create(
        worker=assignment.worker,
        corpus=desk.corpus,
        assignment=assignment,
        reason="thanks",
        message="Thank you",
        cents=10,
        fee_cents=2,
        request_token="t",
    )
    desk.budget.refresh_from_db()
    desk.budget.cap_cents = UNIT
    desk.budget.save()
    pay(desk)
    assert "are needed" in Bonus.objects.get().error
    assert "pay_bonus" not in desk.provider.calls
    desk.budget.cap_cents = 100
    desk.budget.save()
    desk.wait(hours=2)
    pay(desk)
    assert desk.money() == (UNIT, 12)
    crowd.check_books()


# Blocks


def tell_block(desk: Desk) -> bool:
    return review.tell_next_block(now=desk.now, rng=Random(0))


def test_a_worker_is_blocked_and_let_in_again(desk: Desk) -> None:
    _, ident = sent(desk)
    worker = desk.assignment(ident).worker
    assert worker is not None
    review.block_worker(worker=worker, by=desk.operator, reason="Random answers", now=desk.now)
    assert tell_block(desk)
    assert desk.provider.blocked == {worker.worker_id: "Random answers"}
    review.unblock_worker(worker=worker, by=desk.operator, reason="A misunderstanding", now=desk.now)
    assert tell_block(desk)
    assert desk.provider.blocked == {}
    block = WorkerBlock.objects.get()
    assert (block.is_blocked, block.reason, block.told_at) == (False, "A misunderstanding", desk.now)
    assert not tell_block(desk)


def test_a_block_that_the_provider_refuses_is_tried_again_later(desk: Desk) -> None:
    _, ident = sent(desk)
    worker = desk.assignment(ident).worker
    assert worker is not None
    review.block_worker(worker=worker, by=desk.operator, reason="Random", now=desk.now)
    desk.provider.before["block"] = [Refused("not today")]
    tell_block(desk)
    assert WorkerBlock.objects.get().error == "not today"
    assert not tell_block(desk)
    desk.wait(hours=2)
    assert tell_block(desk)
    assert desk.provider.blocked


def test_without_keys_and_batches_nothing_is_done(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "configured", list)
    rng = Random(0)
    assert not posting.post_next(now=desk.now, rng=rng)
    assert collecting.collect_next(now=desk.now, due_by=desk.now, rng=rng) is None
    assert not review.tell_next(now=desk.now, rng=rng)
    assert not review.pay_next_bonus(now=desk.now, rng=rng)
    assert not review.tell_next_block(now=desk.now, rng=rng)
