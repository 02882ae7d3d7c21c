"""Approved by rule or by a person, told once, paid once; nothing is done without keys."""

from random import Random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.models import Response
from crowd import collecting, posting, review
from crowd.models import LedgerEntry
from crowd.providers import registry
from tests import crowd
from tests.fake_provider import LOST
from tests.integration.crowd.services.conftest import Desk
from tests.integration.crowd.services.review.acts import UNIT, flag, sent


def test_what_nothing_speaks_against_is_approved_by_rule_and_paid(desk: Desk) -> None:
    _, ident = sent(desk)
    assert desk.decide() == 1
    assignment = desk.assignment(ident)
    assert (assignment.state, assignment.decision, assignment.decided_by) == ("approved", "approve", None)
    assert assignment.told_at == desk.now
    assert desk.money() == (2 * UNIT, UNIT)
    crowd.check_books()


@pytest.mark.parametrize("why", ["flag", "hold"])
def test_no_rule_pays_what_waits_for_a_person_however_long(desk: Desk, why: str) -> None:
    [hit] = desk.posted(**({"holds_all": True} if why == "hold" else {}))
    ident = desk.send(hit)
    desk.collect()
    if why == "flag":
        flag(ident, desk)
    desk.wait(days=29)
    assert desk.decide() == 0
    assert desk.money()[1] == 0


@pytest.mark.parametrize("decision", ["approve", "reject"])
def test_questions_are_locked_before_budgets(desk: Desk, decision: str) -> None:
    # as planning does: in the other order each would wait for the other
    _, ident = sent(desk)
    act = {"by": desk.operator, "now": desk.now}
    if decision == "approve":
        flag(ident, desk)
        review.approve(assignment=desk.assignment(ident), **act)
    else:
        review.reject(assignment=desk.assignment(ident), reason="It is random", **act)
    with CaptureQueriesContext(connection) as queries:
        crowd.tell(desk.now)
    order = ["crowd_hit", "annotations_question", "crowd_budget"]
    assert [table for table in crowd.locked(queries) if table in order] == order
    crowd.check_books()


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


def test_without_keys_and_batches_nothing_is_done(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "configured", list)
    rng = Random(0)
    assert not posting.post_next(now=desk.now, rng=rng)
    assert collecting.collect_next(now=desk.now, due_by=desk.now, rng=rng) is None
    assert not review.tell_next(now=desk.now, rng=rng)
    assert not review.pay_next_bonus(now=desk.now, rng=rng)
    assert not review.tell_next_block(now=desk.now, rng=rng)
