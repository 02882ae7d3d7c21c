"""Every page of the site: axe finds nothing of any impact, and targets are large enough for fingers."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from allauth.account.authentication import AUTHENTICATION_METHODS_SESSION_KEY
from allauth.account.internal.flows.login import record_authentication
from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.conf import LazySettings
from django.http import HttpRequest
from django.test import Client
from playwright.sync_api import Page as Tab

from annotations.models import Corpus
from kbpo.accounts.models import User
from tests import factories as make
from tests.browser.conftest import OpenPage
from tests.browser.keyboard import USABLE, walk
from tests.browser.looks import looks, picture
from tests.browser.measuring import axe_findings, measured, open_details
from tests.browser.pages import LEADING_ON, Page, address, is_elsewhere, pages
from tests.integration.any_request.site import Site, build
from tests.integration.any_request.site import settings as of_the_site
from tests.mediawiki import serve_wiki

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PEOPLE = ("visitor", "member", "annotator", "operator", "organiser")
NARROW, WIDE = 360, 1280
GUIDED = ("try_out",)  # an interface leads the focus itself: its own tests go through it by keyboard
RESEARCHERS = ("visitor", "member")  # who must come by Tab to everything there is to use
LONG = ("help_api", "method")  # axe takes half a minute for each
_LATER = 1e6  # seconds: pages of an account do not ask for the password again, however long the test takes


@pytest.fixture
def site(settings: LazySettings, live_server, tmp_path) -> Iterator[Site]:
    with serve_wiki() as wiki:
        for name, value in of_the_site().items():
            setattr(settings, name, value)
        settings.KBPO_HOME, settings.MEDIA_ROOT = tmp_path, tmp_path / "media"
        settings.WIKIPEDIA_API_URL = wiki.url
        settings.HIT_BASE_URL = f"http://127.0.0.1:{urlsplit(live_server.url).port}"
        site = build()
        site.people["organiser"] = make.give(
            make.UserFactory.create(), Corpus.objects.get(tag="news"), "organiser"
        )
        yield site


def signed_in(user: User) -> str:
    """Return the key of a session of a user whose address is confirmed; it asks for no password again."""
    EmailAddress.objects.get_or_create(
        user=user, email=user.email, defaults={"verified": True, "primary": True}
    )
    client = Client()
    client.force_login(user)
    key = client.session.session_key
    assert key is not None
    request = HttpRequest()
    request.session = client.session
    record_authentication(request, user, "password", reauthenticated=True)
    request.session[AUTHENTICATION_METHODS_SESSION_KEY][-1]["at"] += _LATER
    request.session.save()
    UserSession.objects.create(user=user, session_key=key, ip="192.0.2.7", user_agent="Firefox")
    return str(key)


def look(page: Tab, site: Site, one: Page, hits: str, width: int, scheme: str = "light") -> list[str]:
    """Return what is wrong with a page, with all that folds opened."""
    path = address(site, one)
    if path is None:
        return [f"{one.label}: nothing is there"]
    answer = page.goto(f"{hits}{path}" if is_elsewhere(one) else path)
    assert answer is not None
    leads_on = answer.request.redirected_from is not None and one.name not in LEADING_ON
    if answer.status != one.status or leads_on:
        return [f"{one.label}: {answer.status} at {page.url}"]
    picture(page, f"{one.label}-{width}-{scheme}")
    is_walked = (
        width == NARROW and one.who in RESEARCHERS and one.name not in GUIDED and not is_elsewhere(one)
    )
    stuck = reached(page) if is_walked else []
    open_details(page)
    found = [*axe_findings(page), *measured(page, without=() if width == NARROW else ("target",))]
    return [
        *(f"{one.label}: by keyboard: {fault}" for fault in stuck),
        *(f"{one.label}: {fault['rule']}: {fault['what']} {fault['where']}" for fault in found),
    ]


def reached(page: Tab) -> list[str]:
    """Return what Tab does not come to, or where it does not show that it came."""
    stops, faults = walk(page)
    usable = page.evaluate(USABLE)
    page.evaluate("document.activeElement.blur()")  # what is in focus may cover what is measured next
    return faults if stops >= usable else [*faults, f"{stops} stops, where {usable} things can be used"]


@pytest.mark.slow
@pytest.mark.parametrize("who", PEOPLE)
@looks(NARROW, WIDE)
def test_nothing_is_wrong_with_any_page(
    open_page: OpenPage,
    site: Site,
    settings: LazySettings,
    live_server,
    who: str,
    width: int,
    scheme: str,
) -> None:
    user = site.people[who]
    page = open_page("/about/", width=width, scheme=scheme, user=user)
    if user is not None:  # as somebody who has just given their password
        key = signed_in(user)
        page.context.add_cookies([{"name": "sessionid", "value": key, "url": live_server.url}])
    own = [one for one in pages() if one.who == who and one.name not in LONG]
    faults = [fault for one in own for fault in look(page, site, one, settings.HIT_BASE_URL, width, scheme)]
    assert not faults, "\n".join(faults)


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_nothing_is_wrong_with_a_long_page(
    open_page: OpenPage, site: Site, settings: LazySettings, name: str
) -> None:
    page = open_page("/about/", width=NARROW)
    [one] = [one for one in pages() if one.name == name]
    assert look(page, site, one, settings.HIT_BASE_URL, NARROW) == []
