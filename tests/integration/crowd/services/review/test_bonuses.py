"""Bonuses: promised with their money, paid once."""

from random import Random

from crowd import budget, review
from crowd.models import Bonus
from tests import crowd
from tests.fake_provider import LOST
from tests.integration.crowd.services.conftest import Desk
from tests.integration.crowd.services.review.acts import UNIT, sent


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
    desk.decide()
    assert promise(desk, ident) == promise(desk, ident)
    assert desk.money() == (90, UNIT)
    desk.provider.after["pay_bonus"] = [LOST]
    assert pay(desk)
    assert Bonus.objects.get().error == "the answer was lost"
    assert not pay(desk)
    desk.wait(minutes=1)
    assert pay(desk)
    assert not pay(desk)
    assert list(desk.provider.bonuses.values()) == [("W1", 75)]
    assert desk.money() == (0, UNIT + 90)
    crowd.check_books()


def test_a_bonus_that_no_budget_covers_is_owed_and_paid_when_one_does(desk: Desk) -> None:
    _, ident = sent(desk, votes=1)
    desk.decide()
    desk.budget.refresh_from_db()
    desk.budget.cap_cents = UNIT + 89
    desk.budget.save()
    assert "are needed" in promise(desk, ident).error
    assert budget.owed() == budget.Owed(assignments=0, bonuses=1, cents=90)
    pay(desk)
    assert "pay_bonus" not in desk.provider.calls
    crowd.check_books()
    desk.budget.cap_cents = UNIT + 90
    desk.budget.save()
    desk.wait(hours=2)
    assert pay(desk)
    assert budget.owed().cents == 0
    assert desk.money() == (0, UNIT + 90)
    crowd.check_books()


def test_a_bonus_that_was_only_written_down_is_set_aside_before_it_is_paid(desk: Desk) -> None:
    _, ident = sent(desk, votes=1)
    desk.decide()
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
    assert desk.money() == (0, UNIT + 12)
    crowd.check_books()


def test_a_bonus_waits_until_its_work_is_paid(desk: Desk) -> None:
    _, ident = sent(desk, votes=1)
    promise(desk, ident)
    assert not pay(desk)
    desk.decide()
    assert pay(desk)
