"""How often pages and the API may be asked."""

import pytest

from kbpo.core import rate_limits
from kbpo.core.rate_limits import MAILS
from tests.factories import UserFactory
from tests.integration.accounts.conftest import PASSWORD, person

pytestmark = pytest.mark.django_db

HERE, THERE = "198.51.100.7", "192.0.2.1"


def rule(monkeypatch, name, *, network=100, account=100, everybody=100, first=0):
    """Have an address take fewer requests, so that a test need not send hundreds."""
    whole = rate_limits.POLICIES[name]
    small = rate_limits.policy("requests", 60, network=network, account=account, total=everybody, first=first)
    monkeypatch.setitem(rate_limits.POLICIES, name, small)
    return whole


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("account_signup", "/accounts/signup/"),
        ("account_reset_password", "/accounts/password/reset/"),
        ("upload", "/submissions/new/"),
        ("check", "/check/"),
        ("api_uploads", "/api/v1/uploads/"),
    ],
)
def test_one_network_asks_so_often_and_others_are_none_the_worse(monkeypatch, browser, clock, name, address):
    rule(monkeypatch, name, network=2)
    here, there = browser(HERE), browser(THERE)
    user = UserFactory()
    if "accounts" not in address:
        here.force_login(user)
        there.force_login(user)
    answers = [here.post(address, {}).status_code for _ in range(3)]
    assert (answers[:2].count(429), answers[2]) == (0, 429)
    assert here.get(address).status_code != 429
    assert there.post(address, {}).status_code != 429


@pytest.mark.parametrize("name", ["upload", "check"])
def test_one_account_asks_so_often_wherever_it_is(monkeypatch, browser, clock, name):
    rule(monkeypatch, name, account=1)
    address = {"upload": "/submissions/new/", "check": "/check/"}[name]
    user, other = UserFactory(), UserFactory()
    answers = []
    for who, place in [(user, HERE), (user, THERE), (other, HERE)]:
        client = browser(place)
        client.force_login(who)
        answers.append(client.post(address, {}).status_code == 429)
    assert answers == [False, True, False]


def test_what_one_network_is_refused_is_not_counted_for_everybody(monkeypatch, browser, clock):
    rule(monkeypatch, "account_reset_password", network=2, everybody=3)
    here, there, elsewhere = browser(HERE), browser(THERE), browser("192.0.2.2")
    address = "/accounts/password/reset/"
    assert [here.post(address, {}).status_code for _ in range(9)] == [200] * 2 + [429] * 7
    assert there.post(address, {}).status_code == 200
    refusal = elsewhere.post(address, {})
    assert (refusal.status_code, refusal.headers["Retry-After"]) == (429, "60")


@pytest.mark.parametrize(
    ("name", "address"),
    [("upload", "/submissions/new/"), ("check", "/check/"), ("api_uploads", "/api/v1/uploads/")],
)
def test_nobody_without_an_account_closes_uploads_and_checks_to_those_who_have_one(
    monkeypatch, browser, clock, name, address
):
    rule(monkeypatch, name, everybody=1)
    stranger, member = browser(THERE), browser(HERE)
    member.force_login(UserFactory())
    for _ in range(3):
        stranger.post(address, {})
    assert member.post(address, {}).status_code != 429


def test_each_networks_first_requests_are_taken_though_others_have_used_up_all(monkeypatch, browser, clock):
    rule(monkeypatch, "account_reset_password", everybody=1, first=1)
    many, newcomer = browser(HERE), browser(THERE)
    address = "/accounts/password/reset/"
    assert [many.post(address, {}).status_code for _ in range(3)] == [200, 200, 429]
    assert [newcomer.post(address, {}).status_code for _ in range(2)] == [200, 429]


def test_the_many_networks_of_one_ipv6_customer_have_little_more_than_one(monkeypatch, browser, clock):
    rule(monkeypatch, "account_reset_password", network=2)
    customer = [browser(f"2001:db8:0:{number:x}::1") for number in range(4)]
    taken = [one.post("/accounts/password/reset/", {}).status_code for one in customer for _ in range(3)]
    assert taken.count(200) == 4
    assert browser("2001:db8:1::1").post("/accounts/password/reset/", {}).status_code == 200


def test_the_api_refuses_in_json_and_says_when_to_come_again(monkeypatch, browser, clock):
    calls = rate_limits.policy("calls", 60, network=1, account=9, total=9, counts_reads=True)
    monkeypatch.setattr(rate_limits, "API_CALLS", calls)
    client = browser(HERE)
    assert client.get("/api/v1/corpora/none/leaderboard/").status_code == 404
    refusal = client.get("/api/v1/corpora/none/leaderboard/")
    assert (refusal.status_code, refusal.headers["Retry-After"]) == (429, "60")
    assert "Try again in 1 minute" in refusal.json()["detail"]


def test_nobody_can_have_a_mailbox_filled_and_its_owner_still_gets_a_link(browser, clock, mailoutbox):
    person("ann@example.org")
    for number in range(MAILS.amount + 3):
        page = browser(f"198.18.0.{number}").post("/accounts/password/reset/", {"email": "ann@example.org"})
        assert page.status_code == 302  # whether a mail went out is not said
    assert len(mailoutbox) == MAILS.amount
    assert all("/accounts/password/reset/key/" in mail.body for mail in mailoutbox)


def test_an_address_is_sent_one_confirmation_in_three_minutes(client, clock, mailoutbox):
    fields = {
        "email": "new@example.org",
        "password1": "a long pass phrase",
        "password2": "a long pass phrase",
    }
    client.post("/accounts/signup/", fields)
    for wait, sent in [(60, 1), (120, 2)]:
        clock.pass_by(seconds=wait)
        client.post("/accounts/login/", {"login": "new@example.org", "password": PASSWORD})
        assert len(mailoutbox) == sent
