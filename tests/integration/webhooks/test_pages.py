"""A team's addresses on its pages, and who may do what with them."""

import re
from collections.abc import Callable

import pytest
from django.conf import LazySettings
from django.test import Client
from django.utils import timezone

from kbpo import pipeline
from kbpo.accounts.models import Team, User
from kbpo.accounts.personal import deleting, exporting
from kbpo.accounts.personal.parts import Leaving
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed, TooMany
from kbpo.core.rate_limits import WEBHOOK_TESTS
from kbpo.webhooks import announcing, managing
from kbpo.webhooks.events import EVENTS, READ, SCORED
from kbpo.webhooks.models import Delivery, Webhook
from tests.factories import UserFactory
from tests.integration.webhooks.conftest import Receiver

pytestmark = pytest.mark.django_db
Add = Callable[..., Webhook]
URL = "https://example.org/kbp"


@pytest.fixture
def page(client: Client, ann: User) -> Client:
    client.force_login(ann)
    return client


def test_a_secret_is_shown_once(page: Client, team: Team) -> None:
    answer = page.post(f"/teams/{team.pk}/webhooks/", {"url": URL, "events": [READ]})
    webhook = Webhook.objects.get()
    assert webhook.secret in answer.content.decode()
    assert "no-store" in answer["Cache-Control"]
    for address in (f"/teams/{team.pk}/webhooks/", f"/webhooks/{webhook.pk}/", "/teams/account.json"):
        assert webhook.secret not in page.get(address).getvalue().decode()


def test_a_new_secret_takes_the_place_of_the_old(page: Client, add: Add) -> None:
    webhook = add(URL)
    shown = page.post(f"/webhooks/{webhook.pk}/secret/").content.decode()
    old, webhook = webhook.secret, Webhook.objects.get()
    assert webhook.secret != old
    assert webhook.secret in shown


def test_a_wrong_address_is_said_beside_its_field(page: Client, team: Team) -> None:
    answer = page.post(f"/teams/{team.pk}/webhooks/", {"url": "ftp://example.org", "events": [READ]})
    assert answer.status_code == 400
    assert "should begin with https://" in answer.content.decode()


def test_outside_development_only_https_will_do(ann: User, team: Team, settings: LazySettings) -> None:
    settings.DEVELOPMENT = False
    settings.SITE_URL = "https://kbpo.example.org"
    for url in ("http://example.org/", "https://127.0.0.1/", "https://kbpo.example.org/"):
        with pytest.raises(InvalidInput):
            managing.add(user=ann, team=team, url=url, events=[READ])
    managing.add(user=ann, team=team, url=URL, events=[READ])


def test_a_team_has_an_address_once_and_few_of_them(add: Add) -> None:
    add(URL)
    with pytest.raises(Conflict, match="already"):
        add(URL)
    for number in range(1, managing.MOST):
        add(f"{URL}/{number}")
    with pytest.raises(Conflict, match="as many as may be"):
        add(f"{URL}/more")


def test_an_event_that_there_is_not_is_refused(ann: User, team: Team) -> None:
    for events in (["submission.eaten"], []):
        with pytest.raises(InvalidInput):
            managing.add(user=ann, team=team, url=URL, events=events)


def test_strangers_change_nothing(add: Add) -> None:
    webhook, stranger = add(URL), UserFactory.create()
    for act in (managing.send_test, managing.make_secret, managing.switch_on, managing.remove):
        with pytest.raises(NotAllowed):
            act(user=stranger, webhook=webhook)


def test_tests_are_limited(add: Add, ann: User) -> None:
    webhook = add(URL)
    for _ in range(WEBHOOK_TESTS.amount):
        managing.send_test(user=ann, webhook=webhook)
    with pytest.raises(TooMany):
        managing.send_test(user=ann, webhook=webhook)


def test_a_test_and_its_answer_are_on_the_page_and_it_is_sent_again(
    page: Client, add: Add, receiver: Receiver
) -> None:
    webhook = add(receiver.url)
    page.post(f"/webhooks/{webhook.pk}/test/")
    pipeline.send_webhooks()
    shown = page.get(f"/webhooks/{webhook.pk}/").content.decode()
    assert "Arrived: 200" in shown
    [again] = re.findall(r"/webhooks/deliveries/\d+/again/", shown)
    page.post(again)
    pipeline.send_webhooks()
    assert len(receiver.received) == 2


def test_an_address_that_was_switched_off_is_switched_on_again(page: Client, add: Add, team: Team) -> None:
    webhook = add(URL)
    webhook.disabled_at = webhook.made_at
    webhook.save()
    assert "Nothing is sent here" in page.get(f"/webhooks/{webhook.pk}/").content.decode()
    page.post(f"/webhooks/{webhook.pk}/on/")
    assert announcing.announce(READ, team=team, data={}) == 1


def test_what_an_address_is_told_is_changed(page: Client, add: Add) -> None:
    webhook = add(URL)
    assert webhook.events == list(EVENTS)
    page.post(f"/webhooks/{webhook.pk}/events/", {"events": [SCORED]})
    webhook.refresh_from_db()
    assert webhook.events == [SCORED]


def test_an_address_is_removed_with_what_was_sent_to_it(page: Client, add: Add, team: Team) -> None:
    webhook = add(URL)
    announcing.announce(READ, team=team, data={})
    page.post(f"/webhooks/{webhook.pk}/remove/")
    assert not Webhook.objects.exists()
    assert not Delivery.objects.exists()


def test_the_addresses_of_a_team_go_with_its_last_member(add: Add, ann: User) -> None:
    add(URL)
    deleting.delete_account(Leaving(ann, timezone.now()))
    assert not Webhook.objects.exists()


def test_who_takes_their_data_along_finds_their_addresses(add: Add, ann: User) -> None:
    add(URL)
    assert URL in "".join(exporting.write(ann))
