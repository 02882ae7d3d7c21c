"""Asked again: what expired, what was refused, one vote more; and when a batch is finished."""

import logging
from typing import Any

import pytest

from annotations.models import Question, Response
from crowd.models import Hit, HitBatch
from crowd.posting import planning
from crowd.providers.base import Refused
from tests import crowd
from tests.fake_provider import LOST
from tests.integration.crowd.services.conftest import Desk

UNIT = 18  # cents: a reward of 15 and its fee


def test_what_expired_is_asked_again_in_a_new_hit(desk: Desk) -> None:
    [hit] = desk.posted(votes=2)
    desk.send(hit)
    desk.wait(days=8)
    desk.collect()
    desk.decide()
    assert crowd.states([hit]) == ["closed"]
    assert desk.money() == (0, UNIT)  # the empty place was given back
    assert desk.plan() == 1
    new = Hit.objects.latest("pk")
    assert (new.places, list(new.questions.all())) == (1, list(hit.questions.all()))
    crowd.check_books()


def test_one_vote_more_is_one_place_more_in_the_same_hit(desk: Desk) -> None:
    [hit] = desk.posted(votes=2)
    desk.send(hit), desk.send(hit)
    desk.collect()
    desk.decide()
    assert crowd.states([hit]) == ["closed"]
    Question.objects.update(votes_needed=3)
    assert desk.plan() == 1
    desk.provider.after["extend"] = [LOST]  # and it is done all the same
    desk.post()
    desk.wait(minutes=1)
    desk.post()
    assert desk.provider.hits["HIT1"].places == 3
    desk.send(hit)
    desk.collect()
    desk.decide()
    assert Response.objects.filter(is_valid=True).count() == 3
    assert crowd.states([hit]) == ["closed"]
    assert list(desk.provider.hits) == ["HIT1"]
    crowd.check_books()


@pytest.mark.slow
def test_a_hit_of_nine_places_is_not_extended_to_ten(desk: Desk) -> None:
    [hit] = desk.posted(votes=9)
    for _ in range(9):
        desk.send(hit)
    desk.collect()
    desk.decide()
    Question.objects.update(votes_needed=10)
    assert desk.plan() == 1
    assert Hit.objects.latest("pk").places == 1
    assert Hit.objects.count() == 2


def test_an_extension_that_is_refused_is_asked_in_a_new_hit(desk: Desk) -> None:
    [hit] = desk.posted(votes=2)
    desk.send(hit), desk.send(hit)
    desk.collect()
    desk.decide()
    Question.objects.update(votes_needed=3)
    desk.plan()
    desk.provider.before["extend"] = [Refused("no")]
    desk.post()
    desk.collect()
    assert crowd.states([hit]) == ["closed"]
    assert desk.money() == (0, 2 * UNIT)
    assert desk.plan() == 1
    assert Hit.objects.latest("pk") != hit
    crowd.check_books()


@pytest.mark.slow
def test_a_budget_that_is_used_up_pauses_the_batch(desk: Desk) -> None:
    [hit] = desk.posted(votes=1)
    desk.send(hit)
    desk.collect()
    desk.decide()
    desk.budget.refresh_from_db()
    desk.budget.cap_cents = UNIT
    desk.budget.save()
    Question.objects.update(votes_needed=2)
    assert desk.plan() == 0
    batch = HitBatch.objects.get()
    assert batch.state == "paused"
    assert "$0.18 are needed" in batch.paused_because
    crowd.check_books()


def test_a_batch_is_finished_when_its_questions_have_their_votes(desk: Desk) -> None:
    [hit] = desk.posted(votes=1)
    desk.send(hit)
    desk.collect()
    desk.decide()
    desk.plan()
    assert HitBatch.objects.get().state == "open"  # it is not settled yet
    Question.objects.update(state="settled", settled_at=desk.now)
    desk.plan()
    assert HitBatch.objects.get().state == "finished"


def test_a_batch_that_cannot_be_planned_keeps_no_other_waiting(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for hit in (*desk.posted(votes=2), *desk.posted(votes=2)):
        desk.send(hit)
    broken = HitBatch.objects.earliest("pk")
    desk.wait(days=8)
    desk.collect()
    desk.decide()
    plan_more = planning.plan_more

    def fail(*, batch_id: int, **given: Any) -> int:
        if batch_id == broken.pk:
            raise KeyError(19)
        return plan_more(batch_id=batch_id, **given)

    monkeypatch.setattr(planning, "plan_more", fail)
    with caplog.at_level(logging.ERROR):
        assert desk.plan() == 1
    assert f"batch {broken.pk}: planning failed" in caplog.text
    assert Hit.objects.latest("pk").batch != broken
