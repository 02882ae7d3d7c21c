"""No account is guessed, and none is locked."""

from contextlib import suppress
from dataclasses import replace

import pytest
from django.test import RequestFactory
from django.utils import timezone

from kbpo.accounts.login_throttling import LOGIN_LIMITS, PASSWORD, count_attempt
from kbpo.core.errors import TooMany
from kbpo.core.rate_limits import shared_limit
from tests.integration.accounts.conftest import PASSWORD as RIGHT
from tests.integration.accounts.conftest import person, sign_in, signs_in

pytestmark = pytest.mark.django_db

ATTACKER, HOME, ELSEWHERE = "198.51.100.66", "198.51.100.7", "192.0.2.1"
ANN = "ann@example.org"
BROWSER, NETWORK, PAIR = (
    LOGIN_LIMITS[PASSWORD].browser.amount,
    LOGIN_LIMITS[PASSWORD].network.amount,
    LOGIN_LIMITS[PASSWORD].pair.amount,
)


@pytest.fixture
def ann():
    return person(ANN)


def guess(client, email=ANN, times=1):
    return [sign_in(client, email, "wrong").status_code for _ in range(times)]


@pytest.mark.slow
def test_ten_bad_passwords_a_minute_for_an_hour_from_one_address_keep_nobody_else_out(ann, browser, clock):
    for number in range(6):
        person(f"person{number}@example.org")
    attacker, taken = browser(ATTACKER), 0
    for minute in range(60):
        victim = ANN if minute % 2 else f"person{minute // 10}@example.org"
        taken += guess(attacker, victim, times=10).count(200)
        if minute % 10 == 9:
            assert signs_in(browser(f"192.0.2.{minute}"), f"person{minute // 10}@example.org")
            assert signs_in(browser(f"203.0.113.{minute}"), ANN)
        clock.pass_by(minutes=1)
    assert taken <= 4 * NETWORK


def test_a_network_that_guesses_is_told_when_to_come_again(ann, browser, clock):
    attacker = browser(ATTACKER)
    assert guess(attacker, times=PAIR) == [200] * PAIR
    clock.pass_by(minutes=5)
    refusal = sign_in(attacker, ANN, RIGHT)
    assert (refusal.status_code, refusal.headers["Retry-After"]) == (429, "600")
    assert "Try again in 10 minutes" in refusal.content.decode()
    clock.pass_by(minutes=10)
    assert signs_in(attacker, ANN)


def test_one_address_is_limited_over_all_accounts(browser, clock):
    attacker = browser(ATTACKER)
    answers = [guess(attacker, f"{number}@example.org")[0] for number in range(NETWORK + 1)]
    assert answers == [200] * NETWORK + [429]


def test_addresses_of_one_ipv6_customer_are_one(ann, browser, clock):
    for number in range(PAIR):
        guess(browser(f"2001:db8::{number:x}"))
    assert not signs_in(browser("2001:db8::ffff"), ANN)
    assert signs_in(browser("2001:db8:0:1::1"), ANN)


def counted(address, email, times=1):
    """Return how many guesses from an address are taken, without asking for a page."""
    request, taken = RequestFactory().get("/", REMOTE_ADDR=address), 0
    for _ in range(times):
        with suppress(TooMany):
            count_attempt(request, kind=PASSWORD, account=email, now=timezone.now())
            taken += 1
    return taken


def test_one_ipv6_customer_guesses_little_more_than_one_network(clock):
    for networks, times in ((256, 2), (65_536, 4)):  # a /56, a /48
        step = networks // 8
        taken = sum(
            counted(f"2001:db8:{times}:{number * step:x}::1", f"{number}-{turn}@example.org")
            for number in range(5)
            for turn in range(NETWORK)
        )
        assert taken == times * NETWORK


def test_one_ipv6_customer_keeps_the_owner_of_an_account_out_nowhere_else(ann, browser, clock):
    taken = sum(counted(f"2001:db8:0:{number:x}::1", ANN, times=PAIR) for number in range(12))
    assert taken == 2 * PAIR < LOGIN_LIMITS[PASSWORD].account.others.amount
    assert signs_in(browser(ELSEWHERE), ANN)


@pytest.mark.parametrize("which", ["account", "strangers"])
def test_who_comes_from_a_network_that_has_not_guessed_signs_in_though_others_use_up_what_is_taken_in_all(
    ann, browser, clock, monkeypatch, which
):
    small = shared_limit(which, 3, 900, "wrong passwords", first=1, newcomers=9)
    monkeypatch.setitem(LOGIN_LIMITS, PASSWORD, replace(LOGIN_LIMITS[PASSWORD], **{which: small}))
    assert [counted(f"198.18.0.{number}", ANN, times=3) for number in range(3)] == [3, 2, 1]
    assert signs_in(browser(ELSEWHERE), ANN)


def test_an_account_is_one_by_whichever_address_it_is_guessed(ann, browser, clock):
    ann.emailaddress_set.create(email="ann2@example.org", verified=True, primary=False)
    assert guess(browser(ATTACKER), times=PAIR) == [200] * PAIR
    assert guess(browser(ATTACKER), "ann2@example.org") == [429]


def test_who_signs_in_by_a_second_address_is_known_by_all_of_them(ann, browser, clock):
    second = "ann2@example.org"
    ann.emailaddress_set.create(email=second, verified=True, primary=False)
    at_home = browser(HOME)
    assert signs_in(at_home, second)
    at_home.post("/accounts/logout/")
    assert guess(browser(HOME), second, times=PAIR + 1)[-1] == 429
    assert signs_in(at_home, second)


@pytest.fixture
def few(monkeypatch):
    """Have few guesses at one account be taken from everywhere."""
    small = shared_limit("few", PAIR, 3600, "wrong passwords", first=1, newcomers=2)
    monkeypatch.setitem(LOGIN_LIMITS, PASSWORD, replace(LOGIN_LIMITS[PASSWORD], account=small))


def guessed_from_everywhere(browser):
    """Have so many networks guess at an account that no stranger may."""
    for number in range(4):
        counted(f"198.18.0.{number}", ANN, times=PAIR)
    assert guess(browser("198.18.1.1")) == [429]


def test_an_account_that_is_guessed_from_everywhere_stays_open_where_its_owner_was_before(
    ann, browser, clock, few
):
    at_home = browser(HOME)
    assert signs_in(at_home, ANN)
    guessed_from_everywhere(browser)
    at_home.post("/accounts/logout/")
    assert signs_in(at_home, ANN)  # the same browser
    assert signs_in(browser(HOME), ANN)  # another, in the same network
    moved = browser(ELSEWHERE)
    moved.cookies = at_home.cookies
    moved.post("/accounts/logout/")
    assert signs_in(moved, ANN)  # the same browser, in another network


def test_only_that_account_is_closed_to_strangers(ann, browser, clock, few):
    person("ben@example.org")
    guessed_from_everywhere(browser)
    assert not signs_in(browser(ELSEWHERE), ANN)
    assert signs_in(browser(ELSEWHERE), "ben@example.org")


def test_who_guesses_in_the_owners_own_network_does_not_keep_their_browser_out(ann, browser, clock):
    at_home = browser(HOME)
    assert signs_in(at_home, ANN)
    at_home.post("/accounts/logout/")
    assert guess(browser(HOME), times=NETWORK)[-1] == 429
    assert signs_in(at_home, ANN)


def test_a_known_browser_is_limited_too(ann, browser, clock):
    at_home = browser(HOME)
    signs_in(at_home, ANN)
    at_home.post("/accounts/logout/")
    assert guess(at_home, times=BROWSER + 1) == [200] * BROWSER + [429]


def test_a_cookie_that_is_made_up_or_anothers_is_heeded_by_nobody(ann, browser, clock):
    person("eve@example.org")
    eve = browser(ATTACKER)
    signs_in(eve, "eve@example.org")
    [(name, own)] = [(name, kept) for name, kept in eve.cookies.items() if name.startswith("known_")]
    eve.post("/accounts/logout/")
    signs_in(at_home := browser(HOME), ANN)
    [anns] = [name for name in at_home.cookies if name.startswith("known_")]
    assert anns != name
    eve.cookies[anns] = own.value
    assert guess(eve, times=PAIR + 1)[-1] == 429


def test_right_passwords_do_not_count_as_wrong_ones(ann, browser, clock):
    for _ in range(PAIR + 1):
        assert signs_in(browser(HOME), ANN)


@pytest.mark.parametrize("written", ["ANN@example.org", " Ann@Example.ORG"])
def test_ways_to_write_an_address_have_one_count(ann, browser, clock, written):
    guess(browser(ATTACKER), times=PAIR)
    assert guess(browser(ATTACKER), written) == [429]


def test_nothing_tells_whether_there_is_an_account(ann, browser, clock):
    there, not_there = (
        [
            (answer.status_code, answer.headers.get("Retry-After"))
            for answer in [sign_in(client, email, "wrong") for _ in range(PAIR + 1)]
        ]
        for client, email in [(browser(HOME), ANN), (browser(ELSEWHERE), "nobody@example.org")]
    )
    assert there == not_there


def test_the_admin_has_no_door_of_its_own(browser, clock):
    person("operator@example.org", operator=True)
    client = browser(HOME)
    answer = client.post(
        "/admin/login/?next=/admin/", {"username": "operator@example.org", "password": RIGHT}
    )
    assert answer.url == "/accounts/login/?next=/admin/"
    assert "_auth_user_id" not in client.session
    assert client.get("/admin/", follow=True).redirect_chain[-1][0] == "/accounts/login/?next=/admin/"


def test_whoever_is_no_operator_is_told_so_at_the_admin(ann, client):
    client.force_login(ann)
    assert client.get("/admin/", follow=True).status_code == 403
