"""What operators do with a batch: pause, resume, take back, extend, cancel."""

from datetime import timedelta

import pytest

from annotations.models import Response
from crowd import posting
from crowd.models import Hit, HitQuestion
from kbpo.core.errors import Conflict
from tests import crowd
from tests.fake_provider import LOST
from tests.integration.crowd.services.conftest import Desk

UNIT = 18  # cents: a reward of 15 and its fee


def test_a_paused_batch_posts_nothing_and_a_resumed_one_goes_on(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    batch = posting.pause_batch(batch=desk.open(), by=desk.operator, reason="Lunch", now=desk.now)
    assert "Lunch" in batch.paused_because
    assert desk.post() == 0
    posting.resume_batch(batch=batch, by=desk.operator, now=desk.now)
    assert desk.post() == 1


def test_what_a_paused_batch_has_out_is_collected(desk: Desk) -> None:
    [hit] = desk.posted(votes=1)
    posting.pause_batch(batch=hit.batch, by=desk.operator, reason="Lunch", now=desk.now)
    desk.send(hit)
    desk.collect()
    assert Response.objects.count() == 1


def test_an_expired_batch_takes_its_hits_back_and_frees_what_is_left(desk: Desk) -> None:
    [hit] = desk.posted(votes=3)
    desk.send(hit)
    batch = posting.expire_batch(batch=hit.batch, by=desk.operator, now=desk.now)
    desk.post()
    desk.collect()
    desk.decide()
    assert crowd.states([hit, batch]) == ["closed", "paused"]
    assert desk.money() == (0, UNIT)
    posting.resume_batch(batch=batch, by=desk.operator, now=desk.now)
    assert desk.plan() == 1
    crowd.check_books()


def test_who_is_at_it_may_finish_when_a_batch_is_taken_back(desk: Desk) -> None:
    [hit] = desk.posted(votes=2)
    desk.provider.hits["HIT1"].held = 1
    posting.expire_batch(batch=hit.batch, by=desk.operator, now=desk.now)
    desk.post()
    desk.collect()
    assert crowd.states([hit]) == ["posted"]
    assert desk.money() == (2 * UNIT, 0)
    desk.provider.hits["HIT1"].held = 0
    desk.send(hit)
    desk.collect()
    desk.decide()
    assert crowd.states([hit]) == ["closed"]
    assert desk.money() == (0, UNIT)


def test_a_batch_can_be_found_for_longer(desk: Desk) -> None:
    [hit] = desk.posted()
    until = desk.now + timedelta(days=30)
    posting.extend_batch(batch=hit.batch, by=desk.operator, until=until, now=desk.now)
    desk.post()
    hit.refresh_from_db()
    assert hit.expires_at == desk.provider.hits["HIT1"].expires_at == until


def test_a_cancelled_batch_posts_nothing_and_gives_its_money_back(desk: Desk) -> None:
    crowd.ask(desk.corpus, 2)
    batch = desk.open()
    posting.cancel_batch(batch=batch, by=desk.operator, now=desk.now)
    assert desk.post() == 0
    assert crowd.states(list(Hit.objects.all())) == ["cancelled", "cancelled"]
    assert desk.money() == (0, 0)
    assert not HitQuestion.objects.filter(is_active=True).exists()
    crowd.check_books()


def test_a_cancelled_batch_pays_what_was_done(desk: Desk) -> None:
    [hit] = desk.posted(votes=3)
    desk.send(hit)
    posting.cancel_batch(batch=hit.batch, by=desk.operator, now=desk.now)
    desk.post()
    desk.collect()
    desk.decide()
    assert crowd.states([hit]) == ["closed"]
    assert desk.money() == (0, UNIT)
    assert desk.plan() == 0
    crowd.check_books()


@pytest.mark.parametrize("arrived", [True, False])
def test_a_hit_that_may_be_out_is_looked_for_when_its_batch_is_cancelled(desk: Desk, arrived: bool) -> None:
    crowd.ask(desk.corpus, 1)
    batch = desk.open()
    (desk.provider.after if arrived else desk.provider.before)["publish"] = [LOST]
    desk.post()
    posting.cancel_batch(batch=batch, by=desk.operator, now=desk.now)
    assert desk.post() == 0  # it may still be on its way
    desk.wait(minutes=30)
    while desk.post():
        pass
    desk.collect()
    assert Hit.objects.get().state == ("closed" if arrived else "cancelled")
    assert desk.money() == (0, 0)
    assert all(hit.expires_at <= desk.now for hit in desk.provider.hits.values())
    crowd.check_books()


def test_a_hit_that_is_cancelled_while_it_is_posted_is_taken_back(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    batch = desk.open()
    publish = desk.provider.publish

    def publish_and_cancel(new: object) -> object:
        posting.cancel_batch(batch=batch, by=desk.operator, now=desk.now)
        return publish(new)  # type: ignore[arg-type]

    desk.provider.publish = publish_and_cancel  # type: ignore[method-assign,assignment]
    desk.post()
    desk.collect()
    assert Hit.objects.get().state == "closed"
    assert desk.provider.hits["HIT1"].expires_at <= desk.now
    crowd.check_books()


def test_a_hit_that_is_cancelled_while_it_is_posted_and_no_answer_comes_is_looked_for_later(
    desk: Desk,
) -> None:
    crowd.ask(desk.corpus, 1)
    batch = desk.open()
    publish = desk.provider.publish
    sent: list[object] = []

    def cancel_and_lose(new: object) -> object:
        posting.cancel_batch(batch=batch, by=desk.operator, now=desk.now)
        sent.append(new)
        raise LOST

    desk.provider.publish = cancel_and_lose  # type: ignore[method-assign,assignment]
    desk.post()
    desk.wait(minutes=2)
    assert desk.post() == 0  # nobody concludes yet that it is not there
    publish(sent[0])  # type: ignore[arg-type]  # the request was slow, and gets there now
    desk.wait(minutes=30)
    while desk.post():
        pass
    desk.collect()
    assert Hit.objects.get().state == "closed"
    assert desk.provider.hits["HIT1"].expires_at <= desk.now
    crowd.check_books()


def test_what_is_cancelled_stays_cancelled(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    batch = desk.open()
    posting.cancel_batch(batch=batch, by=desk.operator, now=desk.now)
    for act in (posting.cancel_batch, posting.resume_batch, posting.expire_batch):
        with pytest.raises(Conflict, match="cancelled"):
            act(batch=batch, by=desk.operator, now=desk.now)
