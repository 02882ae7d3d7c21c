"""Posting: once, whatever is lost; what is refused says so."""

from datetime import timedelta

from crowd import posting
from crowd.annotators import queue
from crowd.models import Hit, Reservation
from crowd.posting import publishing
from crowd.providers.base import NotEnoughMoney, Refused
from tests import crowd
from tests.factories import UserFactory
from tests.fake_provider import LOST
from tests.integration.crowd.services.conftest import Desk


def test_what_is_posted_is_written_down(desk: Desk) -> None:
    [hit] = desk.posted()
    assert (hit.state, hit.provider_id, hit.posted_at, hit.posted_places) == ("posted", "HIT1", desk.now, 3)
    assert hit.expires_at == desk.now + timedelta(days=7)
    [there] = desk.provider.hits.values()
    assert there.new.annotation == hit.annotation
    assert there.new.url.endswith(f"/hits/{hit.annotation}/")
    assert there.new.qualified_for == "relation tac-kbp@1"


def test_a_hit_whose_answer_was_lost_is_found_by_its_token(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    desk.open()
    desk.provider.after["publish"] = [LOST]
    desk.post()
    hit = Hit.objects.get()
    assert (hit.state, hit.error) == ("planned", "the answer was lost")
    assert hit.next_look_at is not None
    assert desk.now < hit.next_look_at < desk.now + timedelta(minutes=1)
    assert desk.post() == 0  # not yet
    desk.wait(minutes=1)
    desk.post()
    assert crowd.states([hit]) == ["posted"]
    assert list(desk.provider.hits) == ["HIT1"]


def test_after_a_day_it_is_found_by_its_annotation(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    desk.open()
    desk.provider.after["publish"] = [LOST]
    desk.post()
    desk.provider.forget_tokens()
    desk.wait(hours=25)
    desk.post()
    assert Hit.objects.get().provider_id == "HIT1"
    assert list(desk.provider.hits) == ["HIT1"]
    assert desk.provider.calls == ["publish", "published_since"]


def test_after_a_day_what_never_arrived_is_posted(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    desk.open()
    desk.provider.before["publish"] = [LOST]
    desk.post()
    desk.wait(hours=25)
    desk.post()
    assert Hit.objects.get().state == "posted"


def test_a_hit_of_a_killed_worker_is_taken_up_when_its_lease_has_run_out(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    desk.open()
    assert publishing._claim(desk.now) is not None  # and then the worker was killed
    assert desk.post() == 0
    desk.wait(minutes=11)
    assert desk.post() == 1


def test_waits_grow_while_the_provider_is_away(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    desk.open()
    desk.provider.before["publish"] = [LOST] * 12
    waits = []
    for _ in range(12):
        assert desk.post() == 1
        hit = Hit.objects.get()
        assert hit.next_look_at is not None
        waits.append(hit.next_look_at - desk.now)
        desk.now = hit.next_look_at
    assert waits[0] <= timedelta(seconds=2)
    assert timedelta(minutes=7) < waits[-1] <= timedelta(minutes=15)
    assert desk.post() == 1
    assert crowd.states([hit]) == ["posted"]


def test_what_the_provider_refuses_fails_with_its_reason_and_frees_money_and_questions(desk: Desk) -> None:
    [question] = crowd.ask(desk.corpus, 1)
    desk.open()
    desk.provider.before["publish"] = [Refused("the title is too loud")]
    desk.post()
    hit = Hit.objects.get()
    assert (hit.state, hit.error) == ("failed", "the title is too loud")
    assert desk.money() == (0, 0)
    annotator = UserFactory.create(annotator=True)
    assert queue.next_question(worker=annotator, now=desk.now) == question
    Reservation.objects.all().delete()
    desk.plan()
    assert Hit.objects.count() == 1  # another would be refused again
    assert desk.open().hits.count() == 1
    crowd.check_books()


def test_a_refusal_after_a_lost_answer_does_not_lose_the_hit(desk: Desk) -> None:
    crowd.ask(desk.corpus, 1)
    desk.open()
    desk.provider.after["publish"] = [LOST]
    desk.post()
    desk.provider.before["publish"] = [Refused("something else")]
    desk.wait(minutes=1)
    desk.post()
    assert Hit.objects.get().provider_id == "HIT1"


def test_an_empty_account_pauses_the_batch_and_says_so(desk: Desk) -> None:
    crowd.ask(desk.corpus, 2)
    batch = desk.open()
    desk.provider.before["publish"] = [NotEnoughMoney("$0.54 is needed and $0.00 available")]
    desk.post()
    batch.refresh_from_db()
    assert batch.state == "paused"
    assert "$0.54 is needed" in batch.paused_because
    assert desk.provider.calls == ["publish"]
    posting.resume_batch(batch=batch, by=desk.operator, now=desk.now)
    desk.post()
    assert crowd.states(list(Hit.objects.all())) == ["posted", "posted"]
