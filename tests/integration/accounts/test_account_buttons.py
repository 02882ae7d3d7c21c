"""Every button and link of an account's pages does something, whatever there is to do it to."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.cache import cache
from django.db import transaction
from django.test import Client

from tests.integration.accounts.conftest import person, sign_in

pytestmark = pytest.mark.django_db
ADDRESSES = "/accounts/email/"
ANN, OTHER = "ann@example.org", "other@example.org"
PAGES = (
    ADDRESSES,
    *("/accounts/password/change/", "/accounts/2fa/", "/accounts/sessions/", "/accounts/3rdparty/"),
    *("/accounts/2fa/webauthn/", "/accounts/2fa/webauthn/add/", "/accounts/2fa/totp/activate/"),
    *(
        "/accounts/2fa/totp/deactivate/",
        "/accounts/2fa/recovery-codes/",
        "/accounts/2fa/recovery-codes/generate/",
    ),
)


@dataclass
class Form:
    """A form of a page: where it is sent, its values, and the names of its buttons."""

    action: str
    values: dict[str, str] = field(default_factory=dict)
    buttons: list[str] = field(default_factory=list)
    is_to_fill_in: bool = False


class Main(HTMLParser):
    """The links and forms of a page's main part."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.forms: list[Form] = []
        self.feed(page[page.index("<main") : page.index("</main>")])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "a":
            self.links.append(found["href"])
        elif tag == "form" and found.get("method") == "post":
            self.forms.append(Form(found.get("action", "")))
        elif tag == "input" and found.get("type") == "hidden":
            self.forms[-1].values[found["name"]] = found.get("value", "")
        elif tag in ("input", "select", "textarea"):
            self.forms[-1].is_to_fill_in = True
        elif tag == "button" and found.get("type") == "submit":
            self.forms[-1].buttons.append(found.get("name", ""))


@pytest.fixture(autouse=True)
def reauthenticated(settings):
    """Somebody who has just given their password."""
    settings.ACCOUNT_REAUTHENTICATION_REQUIRED = settings.MFA_REAUTHENTICATION_REQUIRED = False
    settings.SOCIALACCOUNT_REAUTHENTICATION_REQUIRED = False


@pytest.fixture
def ann(client):
    ann = person(ANN)
    sign_in(client, ANN)
    return ann


def standing() -> list[Any]:
    """Return all that a button of an account's pages may change."""
    return [
        sorted(EmailAddress.objects.values_list("email", "verified", "primary")),
        sorted(Authenticator.objects.values_list("type", "data__seed", "data__secret")),
        sorted(Session.objects.values_list("session_key", flat=True)),
        len(mail.outbox),
    ]


def pressed(client: Client, address: str) -> Iterator[tuple[str, str, bool]]:
    """Press each button of a page that wants nothing filled in; yield it, and whether it did something."""
    for form in Main(client.get(address).content.decode()).forms:
        for button in form.buttons if not form.is_to_fill_in else ():
            cache.clear()  # a second mail within minutes is refused, in words
            before, session = standing(), client.cookies[settings.SESSION_COOKIE_NAME].value
            with transaction.atomic():
                client.post(form.action or address, {**form.values, button: ""} if button else form.values)
                after = standing()
                transaction.set_rollback(True)
            client.cookies[settings.SESSION_COOKIE_NAME] = session
            yield form.values.get("email", form.action or address), button, before != after


@pytest.mark.parametrize("confirmed", [True, False])
@pytest.mark.parametrize("other", [None, True, False])
def test_each_button_beside_an_address_does_something(ann, client, confirmed, other):
    EmailAddress.objects.filter(user=ann).update(verified=confirmed)
    if other is not None:
        EmailAddress.objects.create(user=ann, email=OTHER, verified=other)
    found = list(pressed(client, ADDRESSES))
    assert [one[:2] for one in found if not one[2]] == []
    offered = {ANN: set(), OTHER: set()}
    for email, button, _ in found:
        offered[email].add(button)
    assert offered[ANN] == (set() if confirmed else {"action_send"})  # never: remove the first
    more = {None: set(), True: {"action_primary", "action_remove"}, False: {"action_send", "action_remove"}}
    assert offered[OTHER] == more[other]


@pytest.mark.parametrize("others", [0, 1])
def test_each_button_of_the_sessions_ends_some(ann, client, others):
    for _ in range(others):
        sign_in(Client(), ANN)
    found = list(pressed(client, "/accounts/sessions/"))
    assert len(found) == 1 + 2 * others  # one alone is not signed out *everywhere else*
    assert [one for one in found if not one[2]] == []


@pytest.mark.parametrize("has_app", [False, True])
def test_each_link_of_an_account_leads_to_another_page_that_is_there(ann, client, has_app):
    if has_app:
        TOTP.activate(ann, generate_totp_secret())
        RecoveryCodes.activate(ann)
    dead = []
    for page in PAGES:
        answer = client.get(page)
        if answer.status_code != 200:
            continue
        for link in Main(answer.content.decode()).links:
            there = client.get(urljoin(page, link), follow=True)
            if there.status_code != 200 or there.request["PATH_INFO"] == page:
                dead.append((page, link, there.status_code))
    assert dead == []


@pytest.mark.parametrize(
    "address", ["/accounts/2fa/totp/deactivate/", "/accounts/2fa/recovery-codes/generate/"]
)
def test_each_button_of_a_second_factor_changes_it(ann, client, address):
    TOTP.activate(ann, generate_totp_secret())
    RecoveryCodes.activate(ann)
    assert [one[2] for one in pressed(client, address)] == [True]
