"""What Prolific tells us: only if it is Prolific, only once, and only as a hint."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from crowd.models import Hit, ProlificEvent
from crowd.providers.prolific import Prolific
from crowd.providers.prolific.hooks import sign
from crowd.providers.prolific.views import LARGEST
from tests.integration.crowd.prolific.conftest import Offer, Work
from tests.prolific import PROJECT, SECRET, TOKEN, Clock, FakeProlific

FUTURE = datetime(2030, 1, 1, tzinfo=UTC)
Tell = Callable[..., object]


@pytest.fixture(autouse=True)
def expected(settings: LazySettings, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.PROLIFIC_WEBHOOK_SECRET = SECRET
    monkeypatch.setattr("crowd.providers.prolific.views.timezone.now", clock)


@pytest.fixture
def tell(client: Client) -> Tell:
    def tell(body: bytes, headers: dict[str, str]) -> object:
        return client.post(
            "/crowd/prolific/hooks/", data=body, content_type="application/json", headers=headers
        )

    return tell


@pytest.fixture
def posted(prolific: Prolific, offer: Offer) -> str:
    """A HIT that is looked at in years, and its provider's id."""
    name = prolific.publish(offer(1)).provider_id
    Hit.objects.update(state="posted", posted_at=FUTURE, provider_id=name, next_look_at=FUTURE)
    return name


def event(fake: FakeProlific, kind: str) -> dict:
    return next(event for event in reversed(fake.events) if event["payload"]["event_type"] == kind)


def test_a_submission_has_its_hit_looked_at_now(
    tell: Tell, fake: FakeProlific, posted: str, work: Work, clock: Clock
) -> None:
    work(posted.split(":")[0], "w1")
    answer = tell(*fake.hook(event(fake, "submission.status.change")))
    assert (answer.status_code, answer.content) == (200, b"taken\n")
    assert Hit.objects.get().next_look_at == clock()


def test_a_study_has_all_its_hits_looked_at(
    tell: Tell, fake: FakeProlific, posted: str, clock: Clock, prolific: Prolific
) -> None:
    prolific.expire(posted)
    assert tell(*fake.hook(event(fake, "study.status.change"))).status_code == 200
    assert Hit.objects.get().next_look_at == clock()


def test_what_is_told_again_does_nothing(
    tell: Tell, fake: FakeProlific, posted: str, work: Work, clock: Clock
) -> None:
    work(posted.split(":")[0], "w1")
    told = event(fake, "submission.status.change")
    tell(*fake.hook(told))
    Hit.objects.update(next_look_at=FUTURE)
    clock.forward(minutes=30)
    answer = tell(*fake.hook(told))
    assert (answer.status_code, answer.content) == (200, b"known already\n")
    assert Hit.objects.get().next_look_at == FUTURE
    assert ProlificEvent.objects.count() == 1


def test_a_submission_that_nobody_knows_yet_is_no_error(tell: Tell, fake: FakeProlific, posted: str) -> None:
    told = {"id": "e1", "payload": {"event_type": "submission.status.change", "resource_id": "unknown"}}
    assert tell(*fake.hook(told)).status_code == 200
    assert Hit.objects.get().next_look_at == FUTURE


@pytest.mark.parametrize(
    "change",
    [
        lambda body, headers: (body + b" ", headers),
        lambda body, headers: (body, headers | {"X-Prolific-Request-Timestamp": "1"}),
        lambda body, headers: (body, headers | {"X-Prolific-Request-Signature": "AAAA"}),
        lambda body, headers: (body, headers | {"X-Prolific-Request-Signature": "é"}),
        lambda body, headers: (body, {"X-Event-ID": "e1"}),
    ],
)
def test_what_prolific_did_not_sign_is_refused(
    tell: Tell, fake: FakeProlific, db: None, change: Callable
) -> None:
    told = {"id": "e1", "payload": {"event_type": "study.status.change", "resource_id": "s1"}}
    answer = tell(*change(*fake.hook(told)))
    assert answer.status_code == 403
    assert b"does not fit" in answer.content
    assert not ProlificEvent.objects.exists()


@pytest.mark.parametrize("away", [timedelta(minutes=-6), timedelta(minutes=6)])
def test_what_was_not_sent_just_now_is_refused(
    tell: Tell, fake: FakeProlific, db: None, clock: Clock, away: timedelta
) -> None:
    told = {"id": "e1", "payload": {"event_type": "study.status.change", "resource_id": "s1"}}
    body, headers = fake.hook(told)
    clock.now += away
    answer = tell(body, headers)
    assert answer.status_code == 403
    assert b"360 s from now: more than 300 s" in answer.content


@pytest.mark.parametrize("timestamp", ["", "nan", "inf", "now"])
def test_a_signed_time_that_is_none_is_refused(tell: Tell, db: None, timestamp: str) -> None:
    body = b"{}"
    headers = {
        "X-Prolific-Request-Signature": sign(body, timestamp, SECRET),
        "X-Prolific-Request-Timestamp": timestamp,
        "X-Event-ID": "e1",
    }
    assert tell(body, headers).status_code == 403


@pytest.mark.parametrize(
    ("body", "event_id"),
    [
        (b"not json", "e1"),
        (b"[]", "e1"),
        (b'{"event_type": "study.status.change"}', "e1"),
        (b"[" * 60_000, "e1"),
        (b'{"event_type": "a\\u0000", "resource_id": "b"}', "e1"),
        (b'{"event_type": "a", "resource_id": "\\ud800"}', "e1"),
        (b'{"event_type": "a", "resource_id": "b"}', ""),
        (b'{"event_type": "a", "resource_id": "b"}', "e" * 129),
    ],
)
def test_what_is_no_event_is_refused(tell: Tell, clock: Clock, db: None, body: bytes, event_id: str) -> None:
    timestamp = str(int(clock().timestamp()))
    headers = {
        "X-Prolific-Request-Signature": sign(body, timestamp, SECRET),
        "X-Prolific-Request-Timestamp": timestamp,
        "X-Event-ID": event_id,
    }
    assert tell(body, headers).status_code == 400
    assert not ProlificEvent.objects.exists()


def test_a_body_that_is_too_long_is_not_read(tell: Tell, db: None) -> None:
    assert tell(b" " * (LARGEST + 1), {}).status_code == 413


def test_events_are_forgotten_when_they_are_told_no_more(
    tell: Tell, fake: FakeProlific, db: None, clock: Clock
) -> None:
    for number, days in ((1, 0), (2, 8)):
        clock.forward(days=days)
        told = {"id": f"e{number}", "payload": {"event_type": "study.status.change", "resource_id": "s1"}}
        tell(*fake.hook(told))
    assert [event.event_id for event in ProlificEvent.objects.all()] == ["e2"]


def test_only_posting_is_understood(client: Client, db: None) -> None:
    assert client.get(reverse("prolific_hook")).status_code == 405


def test_without_a_secret_nothing_is_expected(tell: Tell, settings: LazySettings, db: None) -> None:
    settings.PROLIFIC_WEBHOOK_SECRET = ""
    assert tell(b"{}", {}).status_code == 404


# Subscribing


def subscribe(fake: FakeProlific, settings: LazySettings, *options: str) -> str:
    settings.PROLIFIC_API_URL, settings.PROLIFIC_TOKEN = fake.url, TOKEN
    settings.PROLIFIC_PROJECT = PROJECT
    out = StringIO()
    call_command("prolific_hooks", *options, stdout=out)
    return out.getvalue()


def test_each_kind_of_event_is_subscribed_to_once(
    fake: FakeProlific, settings: LazySettings, db: None
) -> None:
    settings.SITE_URL = "https://kbpo.example.org"
    said = subscribe(fake, settings)
    assert said == "Subscribed to submission.status.change, study.status.change.\n"
    assert subscribe(fake, settings) == "Subscribed to everything already.\n"
    assert {
        (row["event_type"], row["target_url"], row["is_enabled"]) for row in fake.subscriptions.values()
    } == {
        ("submission.status.change", "https://kbpo.example.org/crowd/prolific/hooks/", True),
        ("study.status.change", "https://kbpo.example.org/crowd/prolific/hooks/", True),
    }


def test_a_secret_is_made_where_there_is_none(fake: FakeProlific, settings: LazySettings, db: None) -> None:
    settings.SITE_URL, settings.PROLIFIC_WEBHOOK_SECRET = "https://kbpo.example.org", ""
    assert f"Set PROLIFIC_WEBHOOK_SECRET={SECRET} and start the site again." in subscribe(fake, settings)


def test_prolific_cannot_call_a_site_without_https(
    fake: FakeProlific, settings: LazySettings, db: None
) -> None:
    settings.SITE_URL = "http://localhost:8000"
    with pytest.raises(CommandError, match="https addresses alone"):
        subscribe(fake, settings)
