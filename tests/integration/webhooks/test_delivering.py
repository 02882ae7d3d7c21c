"""What a team's addresses are sent: signed, at least once with one id, tried for a day."""

import json
import re
import socket
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import transaction
from django.utils import timezone

from kbpo import pipeline
from kbpo.accounts.models import Team, User
from kbpo.webhooks import addresses, announcing, delivering, managing, posting
from kbpo.webhooks.events import READ, RELEASED
from kbpo.webhooks.models import Delivery, Webhook
from tests.conftest import ROOT
from tests.factories import TeamFactory
from tests.integration.webhooks.conftest import Receiver

pytestmark = pytest.mark.django_db
Add = Callable[..., Webhook]


def is_ours(*given: Any) -> bool:
    """Check a request as the documentation says."""
    [code] = re.findall(r"```python\n(.*?)```", Path(ROOT, "docs", "webhooks.md").read_text(), re.DOTALL)
    found: dict[str, Any] = {}
    exec(code, found)
    return bool(found["is_ours"](*given))


def make_due(**fields: object) -> None:
    Delivery.objects.filter(delivered_at=None).update(due_at=timezone.now(), **fields)


def test_a_request_is_signed_by_the_secret_and_says_what_happened(
    add: Add, receiver: Receiver, team: Team
) -> None:
    webhook = add(f"{receiver.url}/kbp?a=b")
    announcing.announce(READ, team=team, data={"numbers": {"predictions": 3}, "name": "Ä"})
    assert pipeline.send_webhooks() == 1
    [request] = receiver.received
    assert is_ours(webhook.secret, request.headers, request.body)
    said = json.loads(request.body)
    assert (said["type"], said["data"]) == (READ, {"numbers": {"predictions": 3}, "name": "Ä"})
    assert (request.path, request.headers["webhook-id"]) == ("/kbp?a=b", said["id"])
    assert pipeline.send_webhooks() == 0


def test_a_delivery_goes_with_the_transaction_that_it_tells_of(
    add: Add, receiver: Receiver, team: Team
) -> None:
    add(receiver.url)
    with transaction.atomic():
        announcing.announce(READ, team=team, data={})
        transaction.set_rollback(True)
    assert pipeline.send_webhooks() == 0
    assert receiver.received == []


def test_only_what_was_chosen_is_sent_and_only_to_its_team(
    add: Add, ann: User, receiver: Receiver, team: Team
) -> None:
    managing.choose_events(user=ann, webhook=add(receiver.url), events=[READ])
    assert announcing.announce(RELEASED, team=team, data={}) == 0
    assert announcing.announce(READ, team=TeamFactory.create(), data={}) == 0
    assert announcing.announce(READ, team=team, data={}) == 1


def test_what_failed_is_sent_again_after_a_pause_with_the_same_id_and_a_new_signature(
    add: Add, receiver: Receiver, team: Team
) -> None:
    webhook = add(receiver.url)
    receiver.answers = [500, 429]
    announcing.announce(READ, team=team, data={})
    for _ in range(3):
        assert pipeline.send_webhooks() == 1
        assert pipeline.send_webhooks() == 0
        make_due()
    delivery = Delivery.objects.get()
    assert (delivery.attempts, delivery.status, delivery.error) == (3, 200, "")
    assert len({request.headers["webhook-id"] for request in receiver.received}) == 1
    assert len({request.body for request in receiver.received}) == 1
    assert all(is_ours(webhook.secret, request.headers, request.body) for request in receiver.received)
    webhook.refresh_from_db()
    assert webhook.failing_since is None


def test_pauses_grow_up_to_two_hours() -> None:
    pauses = [delivering.pause(tries) for tries in range(1, 30)]
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == (timedelta(seconds=10), timedelta(hours=2))


class Killed(BaseException):
    """As if the process had been killed here."""


def test_who_is_killed_between_sending_and_writing_it_down_sends_again_with_the_same_id(
    add: Add, receiver: Receiver, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(receiver.url)
    announcing.announce(READ, team=team, data={})

    def killed(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(delivering, "_note", killed)
        with pytest.raises(Killed):
            pipeline.send_webhooks()
    assert pipeline.send_webhooks() == 0  # until the lease of who was killed ends
    make_due()
    assert pipeline.send_webhooks() == 1
    first, second = (request.headers["webhook-id"] for request in receiver.received)
    assert first == second
    assert Delivery.objects.get().delivered_at is not None


def test_who_is_killed_before_sending_loses_nothing(add: Add, receiver: Receiver, team: Team) -> None:
    add(receiver.url)
    announcing.announce(READ, team=team, data={})
    delivering._claim(timezone.now())
    make_due()
    assert pipeline.send_webhooks() == 1
    assert len(receiver.received) == 1


def test_a_redirect_is_not_followed(add: Add, receiver: Receiver, team: Team) -> None:
    add(receiver.url)
    receiver.answers = [307]
    announcing.announce(READ, team=team, data={})
    pipeline.send_webhooks()
    assert len(receiver.received) == 1
    assert Delivery.objects.get().error == "It answered 307: redirects are not followed."


def test_what_is_given_up_after_a_day_keeps_an_address_on_until_days_have_passed(
    add: Add, receiver: Receiver, team: Team, mailoutbox: list[Any]
) -> None:
    webhook = add(receiver.url)
    receiver.answers = [500]
    announcing.announce(READ, team=team, data={})
    make_due(give_up_at=timezone.now())
    pipeline.send_webhooks()
    webhook.refresh_from_db()
    assert Delivery.objects.get().failed_at is not None
    assert webhook.disabled_at is None
    assert not mailoutbox


def test_an_address_that_takes_nothing_for_days_is_switched_off_and_its_team_told(
    add: Add, receiver: Receiver, team: Team, mailoutbox: list[Any]
) -> None:
    webhook = add(receiver.url, failing_since=timezone.now() - delivering.FAILS_FOR)
    receiver.answers = [500]
    announcing.announce(READ, team=team, data={})
    make_due(give_up_at=timezone.now())
    pipeline.send_webhooks()
    webhook.refresh_from_db()
    assert webhook.disabled_at is not None
    [message] = mailoutbox
    assert (message.to, message.subject) == (["ann@example.org"], "A webhook of Blue is switched off")
    assert "It answered 500." in message.body
    assert f"/webhooks/{webhook.pk}/" in message.body
    assert announcing.announce(READ, team=team, data={}) == 0


def test_an_address_that_says_that_it_is_gone_is_switched_off_at_once(
    add: Add, receiver: Receiver, team: Team, mailoutbox: list[Any]
) -> None:
    webhook = add(receiver.url)
    receiver.answers = [410]
    for _ in range(2):
        announcing.announce(READ, team=team, data={})
    pipeline.send_webhooks()
    webhook.refresh_from_db()
    assert webhook.disabled_at is not None
    assert not Delivery.objects.filter(failed_at=None).exists()
    assert len(mailoutbox) == 1


def test_a_test_is_tried_once_and_switches_nothing_off(add: Add, ann: User, receiver: Receiver) -> None:
    webhook = add(receiver.url, failing_since=timezone.now() - 2 * delivering.FAILS_FOR)
    receiver.answers = [500]
    managing.send_test(user=ann, webhook=webhook)
    pipeline.send_webhooks()
    webhook.refresh_from_db()
    assert Delivery.objects.get().failed_at is not None
    assert webhook.disabled_at is None


def test_a_delivery_is_sent_again_with_its_id(add: Add, ann: User, receiver: Receiver, team: Team) -> None:
    add(receiver.url)
    announcing.announce(READ, team=team, data={})
    pipeline.send_webhooks()
    managing.send_again(user=ann, delivery=Delivery.objects.get())
    pipeline.send_webhooks()
    first, second = receiver.received
    assert (first.headers["webhook-id"], first.body) == (second.headers["webhook-id"], second.body)


def test_a_server_that_says_nothing_keeps_no_other_team_waiting(
    add: Add, receiver: Receiver, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posting, "SECONDS", 0.3)
    other = TeamFactory.create(members=list(team.members.all()))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        add(f"http://127.0.0.1:{silent.getsockname()[1]}/")
        there = managing.add(user=other.members.get(), team=other, url=receiver.url, events=[READ])
        for one in (team, other):
            announcing.announce(READ, team=one, data={})
        assert pipeline.send_webhooks() == 2
    assert there.deliveries.get().delivered_at is not None
    assert Delivery.objects.get(delivered_at=None).error == "No answer within 0 seconds."


def test_a_server_that_answers_a_byte_at_a_time_is_cut_off(
    add: Add, team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posting, "SECONDS", 0.5)
    begun = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def dribble() -> None:
            stream, _ = server.accept()
            with stream:
                while time.monotonic() - begun < 5:
                    try:
                        stream.sendall(b"H")
                    except OSError:
                        return
                    threading.Event().wait(0.05)

        threading.Thread(target=dribble, daemon=True).start()
        add(f"http://127.0.0.1:{server.getsockname()[1]}/")
        announcing.announce(READ, team=team, data={})
        pipeline.send_webhooks()
    assert time.monotonic() - begun < 4
    assert Delivery.objects.get().error


def test_nothing_reaches_this_machine_where_addresses_must_be_public(receiver: Receiver) -> None:
    answer = posting.post(receiver.url, headers={}, body="{}")
    assert answer.error == "127.0.0.1 has no address that everybody can reach, or it could not be looked up."
    assert receiver.received == []


def test_an_unknown_name_and_a_private_one_get_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def look_up(host: str, *_: object, **__: object) -> list[tuple[Any, ...]]:
        if host == "unknown.example.org":
            raise socket.gaierror("not known")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.7", 443))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    errors = {
        posting.post(f"https://{name}.example.org/", headers={}, body="{}").error.replace(name, "NAME")
        for name in ("unknown", "private")
    }
    assert errors == {
        "NAME.example.org has no address that everybody can reach, or it could not be looked up."
    }


def test_a_name_is_looked_up_once_and_the_connection_goes_to_what_was_found(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that is public when it is looked at, and this machine's afterwards, leads to the first."""
    found = ["192.0.2.7", "127.0.0.1"]
    connected: list[str] = []

    def getaddrinfo(*_: object, **__: object) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (found.pop(0), 0))]

    def create_connection(address: tuple[str, int], *_: object, **__: object) -> None:
        connected.append(address[0])
        raise OSError("no route")

    monkeypatch.setattr(addresses.socket, "getaddrinfo", getaddrinfo)
    monkeypatch.setattr(addresses, "is_public", lambda address: address == "192.0.2.7")
    monkeypatch.setattr(socket, "create_connection", create_connection)
    answer = posting.post("http://rebound.example.org/", headers={}, body="{}")
    assert connected == ["192.0.2.7"]
    assert answer.error
    assert receiver.received == []


def test_a_copy_sends_nothing(add: Add, receiver: Receiver, team: Team, settings: LazySettings) -> None:
    settings.SEND_WEBHOOKS = False
    add(receiver.url)
    announcing.announce(READ, team=team, data={})
    assert pipeline.send_webhooks() == 0
    assert receiver.received == []


def test_old_deliveries_are_forgotten_but_for_those_that_wait(
    add: Add, receiver: Receiver, team: Team
) -> None:
    add(receiver.url)
    announcing.announce(READ, team=team, data={})
    pipeline.send_webhooks()
    announcing.announce(READ, team=team, data={})
    Delivery.objects.update(created_at=timezone.now() - delivering.KEPT)
    assert pipeline.forget_deliveries() == 1
    assert Delivery.objects.get().delivered_at is None
