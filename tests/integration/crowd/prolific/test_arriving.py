"""Whom Prolific has sent: asked of it before anything is shown, once for each submission."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from django.conf import LazySettings
from django.test import Client

from crowd.hits import verifying
from crowd.models import Assignment, HitBatch
from kbpo.core import rate_limits
from tests.prolific import FakeProlific, Fault

pytestmark = pytest.mark.usefixtures("account")

Arrive = Callable[[str], str]


@pytest.fixture
def address(opened: Callable[..., HitBatch], arrive: Arrive) -> str:
    """Where Prolific sends its participant w1."""
    opened(1)
    return arrive("w1")


def changed(address: str, **changes: str) -> str:
    split = urlsplit(address)
    return f"{split.path}?{urlencode(dict(parse_qsl(split.query)) | changes)}"


def asked(fake: FakeProlific) -> int:
    return sum(method == "GET" and path.startswith("submissions/") for method, path in fake.log)


def words(response: Any) -> str:
    return " ".join(response.content.decode().split())


def test_who_was_sent_is_let_in_and_prolific_is_asked_once(
    browser: Client,
    address: str,
    fake: FakeProlific,
) -> None:
    before = asked(fake)
    for _ in range(3):
        assert browser.get(address).status_code == 200
    assert asked(fake) == before + 1
    assert Assignment.objects.get().verified_at is not None


@pytest.mark.parametrize(
    "changes",
    [
        {"SESSION_ID": "0123456789abcdef01234567"},
        {"SESSION_ID": "../studies"},
        {"SESSION_ID": ".."},
        {"PROLIFIC_PID": "w2"},
        {"STUDY_ID": "0123456789abcdef01234567"},
    ],
    ids=str,
)
def test_made_up_names_leave_no_row_and_see_nothing(
    browser: Client,
    address: str,
    changes: dict[str, str],
) -> None:
    response = browser.get(changed(address, **changes))
    assert response.status_code in (400, 403)
    assert "Ada Quill" not in words(response)
    assert not Assignment.objects.exists()


def test_a_submission_that_was_returned_is_active_no_more(
    browser: Client,
    address: str,
    fake: FakeProlific,
) -> None:
    [submission] = fake.submissions
    fake.give_back(submission)
    response = browser.get(address)
    assert response.status_code == 403
    assert "open the study again at Prolific" in words(response)
    assert not Assignment.objects.exists()


def test_few_pages_wait_for_prolific_at_once_and_one_more_is_told_to_come_again(
    browser: Client, address: str, fake: FakeProlific
) -> None:
    before = asked(fake)
    with ExitStack() as others:
        for _ in range(verifying.PROVIDER_SLOTS):
            others.enter_context(verifying.provider_slot())
        response = browser.get(address)
        assert response.status_code == 503
        assert "Many workers come at once" in words(response)
        assert asked(fake) == before
    assert browser.get(address).status_code == 200


@pytest.mark.parametrize("how", ["before", "500", "429", "garbled"])
def test_while_prolific_is_away_a_page_says_to_try_again_and_then_all_is_there(
    browser: Client,
    address: str,
    fake: FakeProlific,
    how: str,
) -> None:
    fake.faults.append(Fault("GET", r"submissions/\w+/", how))
    response = browser.get(address)
    assert response.status_code == 503
    assert "Reload this page in a minute; nothing is lost" in words(response)
    assert not Assignment.objects.exists()
    assert browser.get(address).status_code == 200


def test_who_is_at_work_goes_on_while_prolific_is_away(
    browser: Client,
    address: str,
    fake: FakeProlific,
) -> None:
    browser.get(address)
    fake.faults.append(Fault("GET", r"submissions/\w+/", "500", times=9))
    assert browser.get(address).status_code == 200


def test_made_up_names_cannot_flood_prolific(
    browser: Client,
    address: str,
    fake: FakeProlific,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few = replace(rate_limits.WORKER_ARRIVALS, amount=3)
    monkeypatch.setattr(rate_limits, "WORKER_ARRIVALS", few)
    before = asked(fake)
    met = [browser.get(changed(address, SESSION_ID=f"{number:024x}")).status_code for number in range(9)]
    assert set(met) == {403, 429}
    assert asked(fake) - before <= 6  # a minute may have ended meanwhile
    assert browser.get(address, REMOTE_ADDR="192.0.2.7").status_code == 200


def test_without_an_account_nobody_is_let_in(
    browser: Client,
    address: str,
    settings: LazySettings,
) -> None:
    settings.PROLIFIC_TOKEN = ""
    assert browser.get(address).status_code == 503
    assert not Assignment.objects.exists()
