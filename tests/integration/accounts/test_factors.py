"""Second factors: set up, asked for, enforced, lost."""

import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value
from allauth.usersessions.models import UserSession
from django.core.management import call_command
from django.test import Client

from kbpo.accounts import factors
from kbpo.accounts.login_throttling import CODE, LOGIN_LIMITS
from kbpo.core.errors import InvalidInput
from tests.integration.accounts.conftest import PASSWORD, person, sign_in, signs_in

pytestmark = pytest.mark.django_db

ANN = "ann@example.org"


@pytest.fixture
def ann():
    return person(ANN)


@pytest.fixture
def operator(settings):
    settings.OPERATORS_NEED_FACTORS = True
    return person("operator@example.org", operator=True, is_staff=True)


def give_app(user):
    """Give somebody an app and recovery codes; return the app's secret."""
    secret = generate_totp_secret()
    TOTP.activate(user, secret)
    RecoveryCodes.activate(user)
    return secret


def code_of(secret, steps=0):
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + steps))


def answer(client, code):
    return client.post("/accounts/2fa/authenticate/", {"code": code})


def is_in(client):
    return "_auth_user_id" in client.session


def set_up_app(client):
    """Set up an app on the pages; return the page that follows."""
    page = client.get("/accounts/2fa/totp/activate/", follow=True)
    assert page.redirect_chain[-1][0].startswith("/accounts/reauthenticate/")
    page = client.post(page.redirect_chain[-1][0], {"password": PASSWORD}, follow=True)
    code = code_of(page.context["form"].secret)
    return client.post("/accounts/2fa/totp/activate/", {"code": code}, follow=True)


def test_an_app_is_set_up_with_its_code_and_recovery_codes_follow(ann, client):
    signs_in(client, ANN)
    page = set_up_app(client)
    assert page.request["PATH_INFO"] == "/accounts/2fa/recovery-codes/"
    assert page.content.decode().count("<code>") == 10


def test_the_password_alone_signs_nobody_in_who_has_an_app(ann, client):
    secret = give_app(ann)
    assert sign_in(client, ANN).url == "/accounts/2fa/authenticate/"
    assert not is_in(client)
    answer(client, "000000")
    assert not is_in(client)
    answer(client, code_of(secret))
    assert is_in(client)


@pytest.mark.parametrize("steps", [-1, 0, 1])
def test_clocks_may_differ_by_half_a_minute(ann, client, steps):
    secret = give_app(ann)
    sign_in(client, ANN)
    answer(client, code_of(secret, steps))
    assert is_in(client)


def test_a_code_is_right_once(ann, client):
    code = code_of(give_app(ann))
    sign_in(client, ANN)
    answer(client, code)
    other = Client()
    sign_in(other, ANN)
    answer(other, code)
    assert not is_in(other)


def test_a_recovery_code_is_right_once(ann, client):
    give_app(ann)
    code = RecoveryCodes.activate(ann).generate_codes()[0]
    answers = []
    for browser in (client, Client()):
        sign_in(browser, ANN)
        answer(browser, code)
        answers.append(is_in(browser))
    assert answers == [True, False]


def test_codes_are_guessed_as_seldom_as_passwords_and_no_owner_is_locked_out(ann, browser):
    secret = give_app(ann)
    at_home = browser("198.51.100.7")
    sign_in(at_home, ANN)
    answer(at_home, code_of(secret, -1))
    at_home.post("/accounts/logout/")
    thief = browser("198.51.100.66")
    sign_in(thief, ANN)
    amount = LOGIN_LIMITS[CODE].pair.amount
    assert [answer(thief, "000000").status_code for _ in range(amount + 1)] == [200] * amount + [429]
    sign_in(at_home, ANN)
    answer(at_home, code_of(secret))
    assert is_in(at_home)


@pytest.mark.parametrize("address", ["/", "/desk/", "/admin/", "/teams/", "/submissions/"])
def test_an_operator_without_a_factor_is_led_to_set_one_up(operator, client, address):
    client.force_login(operator)
    assert client.get(address).url == "/accounts/2fa/?needed=1"
    assert "you need a second factor" in client.get("/accounts/2fa/?needed=1").content.decode()


@pytest.mark.parametrize(
    "fields", [{"is_operator": True}, {"is_staff": True}, {"is_superuser": True}], ids=str
)
def test_whoever_has_any_such_role_needs_a_factor_and_those_who_have_none_do_not(settings, fields):
    settings.OPERATORS_NEED_FACTORS = True
    assert factors.must_have_factor(person("one@example.org", **fields))
    assert not factors.must_have_factor(person("two@example.org"))


def test_without_a_factor_an_operator_changes_nothing(operator, client):
    client.force_login(operator)
    assert client.post("/teams/new/", {"team-name": "New"}).status_code == 403
    refusal = client.get("/api/v1/corpora/none/leaderboard/")
    assert (refusal.status_code, "second factor" in refusal.json()["detail"]) == (403, True)


def test_recovery_codes_alone_are_no_factor(operator, client):
    RecoveryCodes.activate(operator)
    client.force_login(operator)
    assert client.get("/desk/").status_code == 302


@pytest.mark.parametrize("address", ["/desk/", "/admin/"])
def test_with_a_factor_an_operator_goes_on(operator, client, address):
    give_app(operator)
    client.force_login(operator)
    assert client.get(address).status_code == 200


def test_a_development_machine_asks_operators_for_no_factor(operator, client, settings):
    settings.OPERATORS_NEED_FACTORS = False
    client.force_login(operator)
    assert client.get("/desk/").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_a_new_factor_ends_all_other_sessions_and_is_told_by_mail(ann, client, mailoutbox):
    elsewhere = Client()
    assert signs_in(elsewhere, ANN)
    signs_in(client, ANN)
    set_up_app(client)
    assert (is_in(client), is_in(elsewhere)) == (True, False)
    assert ANN in mailoutbox[0].to


def test_the_command_resets_lost_factors_ends_sessions_and_tells_whose_they_were(
    ann, client, mailoutbox, capsys
):
    assert signs_in(client, ANN)
    give_app(ann)
    call_command("reset_factor", "ANN@example.org")
    assert not Authenticator.objects.filter(user=ann).exists()
    assert not is_in(client)
    assert ([mail.to for mail in mailoutbox], "by password alone" in capsys.readouterr().out) == (
        [[ANN]],
        True,
    )
    assert signs_in(Client(), ANN)


@pytest.mark.parametrize(("email", "said"), [("nobody@example.org", "no account"), (ANN, "no second factor")])
def test_nothing_to_reset_is_said(ann, email, said):
    with pytest.raises(InvalidInput, match=said):
        factors.reset_factors(email=email)


@pytest.mark.parametrize(
    "address",
    [
        "/accounts/2fa/",
        "/accounts/2fa/totp/activate/",
        "/accounts/2fa/webauthn/",
        "/accounts/2fa/webauthn/add/",
        "/accounts/2fa/recovery-codes/generate/",
        "/accounts/sessions/",
    ],
)
def test_the_pages_of_an_account_are_of_one_piece_with_the_rest(ann, client, settings, address):
    settings.ACCOUNT_REAUTHENTICATION_REQUIRED = False
    settings.MFA_REAUTHENTICATION_REQUIRED = False
    signs_in(client, ANN)
    page = client.get(address, follow=True)
    assert (page.status_code, 'class="masthead"' in page.content.decode()) == (200, True)
    assert b"<style" not in page.content


def test_sessions_are_listed_with_the_address_behind_the_proxy(ann, browser):
    client = browser("198.51.100.7")
    signs_in(client, ANN)
    page = client.get("/accounts/sessions/").content.decode()
    assert ("198.51.100.7" in page, "(this one)" in page) == (True, True)


def test_one_session_is_ended_and_no_other(ann, client):
    other, third = Client(), Client()
    for one in (client, other, third):
        signs_in(one, ANN)
    listed = UserSession.objects.get(session_key=other.session.session_key)
    client.post(f"/accounts/sessions/{listed.pk}/end/")
    assert [is_in(one) for one in (client, other, third)] == [True, False, True]


def test_all_other_sessions_are_ended_at_once(ann, client):
    others = [Client(), Client()]
    for one in (client, *others):
        signs_in(one, ANN)
    client.post("/accounts/sessions/")
    assert [is_in(one) for one in (client, *others)] == [True, False, False]


def test_nobody_ends_somebody_elses_session(ann, client):
    person("eve@example.org")
    signs_in(client, ANN)
    eve = Client()
    signs_in(eve, "eve@example.org")
    listed = UserSession.objects.get(session_key=client.session.session_key)
    assert eve.post(f"/accounts/sessions/{listed.pk}/end/").status_code == 404
    assert is_in(client)
