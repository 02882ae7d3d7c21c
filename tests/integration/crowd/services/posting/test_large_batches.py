"""Large batches: their money set aside at once, their HITs put together and let go of in parts."""

import pytest

from annotations.models import Question
from crowd import posting
from crowd.models import BatchPlan, Hit, HitBatch, HitQuestion
from crowd.posting import planning, steering
from kbpo.core.errors import Conflict, OverBudget
from tests import crowd
from tests.integration.crowd.services.conftest import Desk

UNIT = 18  # cents: a reward of 15 and its fee


@pytest.fixture(autouse=True)
def two_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "AT_ONCE", 2)
    monkeypatch.setattr(steering, "AT_ONCE", 2)


def states(batch: HitBatch) -> tuple[str, int]:
    batch.refresh_from_db()
    return batch.state, batch.hits.filter(state="planned").count()


def test_a_large_batch_is_planned_in_parts_and_posted_when_it_is_whole(desk: Desk) -> None:
    crowd.ask(desk.corpus, 5)
    batch = desk.open()
    seen = [states(batch)]
    assert desk.post() == 0
    while posting.plan_next(now=desk.now):
        seen.append(states(batch))
        assert desk.money() == (5 * 3 * UNIT, 0)
        crowd.check_books()
    assert seen == [("planning", 2), ("planning", 4), ("open", 5)]
    assert HitQuestion.objects.filter(is_active=True).count() == 5
    assert not BatchPlan.objects.exists()
    assert desk.post() == 5


def test_in_parts_it_asks_and_costs_what_the_preview_says(desk: Desk) -> None:
    crowd.ask(desk.corpus, 7, companions=True)
    Question.objects.filter(pk__in=Question.objects.order_by("pk")[:6]).update(votes_needed=5)
    asked = Question.objects.all()
    preview = crowd.preview(
        asked,
        desk.now,
        corpus=desk.corpus,
        kind="relation",
        provider="marketplace",
        reward_cents=15,
        questions_per_hit=2,
    )
    batch = desk.open(questions_per_hit=2)
    while posting.plan_next(now=desk.now):
        pass
    assert batch.hits.count() == preview.hits == 4
    assert desk.money() == (preview.cost_cents, 0)
    assert HitQuestion.objects.count() == preview.questions == 21
    crowd.check_books()


def test_what_no_budget_covers_is_refused_before_anything_is_planned(desk: Desk) -> None:
    crowd.ask(desk.corpus, 5)
    desk.budget.cap_cents = 15 * UNIT - 1
    desk.budget.save()
    with pytest.raises(OverBudget):
        desk.open()
    assert not HitBatch.objects.exists()


def test_more_than_was_agreed_to_is_not_opened(desk: Desk) -> None:
    crowd.ask(desk.corpus, 5)
    with pytest.raises(Conflict, match=r"it would cost \$2.70, not \$2.69"):
        desk.open(at_most_cents=15 * UNIT - 1)
    assert desk.open(at_most_cents=15 * UNIT).state == "planning"


def test_what_expired_is_asked_again_in_parts(desk: Desk) -> None:
    crowd.ask(desk.corpus, 5)
    batch = desk.open()
    while posting.plan_next(now=desk.now):
        pass
    desk.post()
    desk.wait(days=8)
    desk.collect()
    assert desk.money() == (0, 0)
    seen = []
    while planned := posting.plan_more(batch_id=batch.pk, now=desk.now):
        seen.append(planned)
        crowd.check_books()
    assert seen == [2, 2, 1]
    assert HitQuestion.objects.filter(is_active=True).count() == 5
    assert desk.money() == (5 * 3 * UNIT, 0)


def test_another_batch_does_not_ask_what_is_about_to_be_asked(desk: Desk) -> None:
    crowd.ask(desk.corpus, 5)
    desk.open()
    with pytest.raises(Conflict, match="lacks votes"):
        desk.open()


def test_what_is_settled_meanwhile_is_not_asked_and_its_money_is_given_back(desk: Desk) -> None:
    asked = crowd.ask(desk.corpus, 5)
    batch = desk.open()
    Question.objects.filter(pk__in=[question.pk for question in asked[2:]]).update(
        state="settled", settled_at=desk.now
    )
    while posting.plan_next(now=desk.now):
        pass
    assert states(batch) == ("open", 2)
    assert desk.money() == (2 * 3 * UNIT, 0)
    crowd.check_books()


def test_more_votes_than_the_budget_has_room_for_pause_the_batch_and_it_can_go_on(desk: Desk) -> None:
    crowd.ask(desk.corpus, 5)
    desk.budget.cap_cents = 15 * UNIT
    desk.budget.save()
    batch = desk.open()
    Question.objects.update(votes_needed=5)
    while posting.plan_next(now=desk.now):
        pass
    assert states(batch) == ("paused", 2)  # three places for each, and then five
    assert "are needed" in batch.paused_because
    crowd.check_books()
    desk.budget.refresh_from_db()
    desk.budget.cap_cents = 100 * UNIT
    desk.budget.save()
    posting.resume_batch(batch=batch, by=desk.operator, now=desk.now)
    while posting.plan_next(now=desk.now):
        pass
    assert states(batch) == ("open", 5)
    assert desk.money() == ((2 * 3 + 3 * 5) * UNIT, 0)
    crowd.check_books()


def test_planning_pauses_and_goes_on(desk: Desk) -> None:
    crowd.ask(desk.corpus, 5)
    batch = posting.pause_batch(batch=desk.open(), by=desk.operator, reason="Lunch", now=desk.now)
    assert not posting.plan_next(now=desk.now)
    posting.resume_batch(batch=batch, by=desk.operator, now=desk.now)
    assert states(batch) == ("planning", 2)
    assert posting.plan_next(now=desk.now)


def test_a_batch_that_is_cancelled_while_it_is_planned_gives_everything_back(desk: Desk) -> None:
    crowd.ask(desk.corpus, 5)
    batch = desk.open()
    posting.plan_next(now=desk.now)
    posting.cancel_batch(batch=batch, by=desk.operator, now=desk.now)
    while posting.drop_next(now=desk.now):
        pass
    assert states(batch) == ("cancelled", 0)
    assert desk.money() == (0, 0)
    assert not HitQuestion.objects.filter(is_active=True).exists()
    crowd.check_books()
    assert desk.open().state == "planning"


def test_a_cancelled_batch_is_let_go_of_in_parts_and_nothing_of_it_is_posted(desk: Desk) -> None:
    crowd.ask(desk.corpus, 5)
    batch = desk.open()
    while posting.plan_next(now=desk.now):
        pass
    posting.cancel_batch(batch=batch, by=desk.operator, now=desk.now)
    assert states(batch) == ("cancelled", 3)
    assert desk.post() == 0
    crowd.check_books()
    assert [posting.drop_next(now=desk.now) for _ in range(3)] == [True, True, False]
    assert Hit.objects.filter(state="cancelled").count() == 5
    assert desk.money() == (0, 0)
    crowd.check_books()
