"""Tokens of the API: made, told once, used, ended."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.utils import timezone

from kbpo.accounts import tokens
from kbpo.accounts.models import ApiToken
from kbpo.accounts.personal import deleting, exporting
from kbpo.accounts.personal.parts import Leaving
from kbpo.core.errors import Conflict, InvalidInput, TooMany
from kbpo.core.models import AuditEntry
from tests.factories import UserFactory
from tests.integration.accounts.conftest import PASSWORD, person, sign_in

pytestmark = pytest.mark.django_db
HERE, THERE = "198.51.100.7", "192.0.2.1"


@pytest.fixture
def user():
    return UserFactory()


def make(user, name="script", scopes=("read",), days=30):
    return tokens.make(user=user, name=name, scopes=scopes, days=days, now=timezone.now())


def find(secret, address=HERE):
    return tokens.find(secret=secret, address=address, now=timezone.now())


def test_a_token_is_its_persons(user):
    assert find(make(user).secret).user == user


def test_the_secret_is_kept_nowhere(user):
    secret = make(user).secret
    row = str(list(ApiToken.objects.values()))
    assert secret not in row
    assert secret.removeprefix(tokens.PREFIX) not in row + str(list(AuditEntry.objects.values()))


def test_a_revoked_token_is_good_for_nothing(user):
    made = make(user)
    tokens.revoke(token=made.stored, by=user, now=timezone.now())
    assert find(made.secret) is None


@pytest.mark.parametrize("way", ["changed", "forgotten", "by an operator"])
def test_another_password_ends_all_tokens(client, way, monkeypatch):
    owner = person("ann@example.org")
    kept, secret = make(UserFactory()).secret, make(owner).secret
    new = {"password1": "another long phrase", "password2": "another long phrase"}
    if way == "changed":
        sign_in(client, "ann@example.org")
        answer = client.post("/accounts/password/change/", {"oldpassword": PASSWORD, **new})
    elif way == "by an operator":
        sign_in(client, "ann@example.org")
        monkeypatch.setattr("kbpo.management.commands.changepassword.getpass", lambda _: new["password1"])
        call_command("changepassword", "Ann@example.org", verbosity=0)
        answer = client.get("/teams/")  # signed out
    else:
        client.post("/accounts/password/reset/", {"email": "ann@example.org"})
        link = re.search(r"/accounts/password/reset/key/\S+", mail.outbox[-1].body)[0]
        answer = client.post(client.get(link).headers["Location"], new)
    assert answer.status_code == 302
    owner.refresh_from_db()
    assert owner.check_password(new["password1"])
    assert (find(secret), bool(find(kept))) == (None, True)


def test_a_password_that_may_not_be_changes_nothing(monkeypatch):
    secret = make(person("ann@example.org")).secret
    monkeypatch.setattr("kbpo.management.commands.changepassword.getpass", lambda _: "12345")
    with pytest.raises(CommandError, match="too short"):
        call_command("changepassword", "ann@example.org", verbosity=0)
    assert find(secret) is not None


def test_a_token_ends_on_its_day(user, clock):
    secret = make(user, days=7).secret
    clock.pass_by(days=6, hours=23)
    assert find(secret)
    clock.pass_by(hours=2)
    assert find(secret) is None


def test_an_ended_accounts_tokens_end(user):
    secret = make(user).secret
    deleting.delete_account(Leaving(user, timezone.now()))
    assert find(secret) is None
    assert not ApiToken.objects.exists()


def test_a_token_of_whom_operators_shut_out_is_good_for_nothing(user):
    secret = make(user).secret
    user.is_active = False
    user.save()
    assert find(secret) is None


def test_its_last_use_is_known_to_the_minute(user, clock):
    made = make(user)
    used = clock.now
    find(made.secret)
    clock.pass_by(seconds=30)
    find(made.secret)
    made.stored.refresh_from_db()
    assert made.stored.last_used_at == used


def test_wrong_tokens_are_counted_by_network(clock):
    for _ in range(tokens.WRONG_TOKENS.amount):
        assert find("kbpo_wrong") is None
    with pytest.raises(TooMany):
        find("kbpo_wrong")
    assert find("kbpo_wrong", THERE) is None


def test_a_network_that_guesses_is_not_told_that_it_guessed_right(user, clock):
    secret = make(user).secret
    for _ in range(tokens.WRONG_TOKENS.amount):
        find("kbpo_wrong")
    with pytest.raises(TooMany):
        find(secret)
    assert find(secret, THERE)


def test_others_guesses_lock_nobody_out_where_their_token_was_used(user, clock):
    secret = make(user).secret
    find(secret)
    for _ in range(tokens.WRONG_TOKENS.amount):
        find("kbpo_wrong")
    assert find(secret)


@pytest.mark.parametrize("wrong", [{"name": " "}, {"name": "a\nb\x00"}, {"scopes": ["write"]}, {"days": 8}])
def test_a_token_that_makes_no_sense_is_refused(user, wrong):
    with pytest.raises(InvalidInput):
        make(user, **wrong)


@pytest.mark.parametrize("scopes", [[], ["submit"], ["organise"]])
def test_every_token_reads(user, scopes):
    assert make(user, scopes=scopes).stored.scopes == ["read", *scopes]


def test_two_tokens_of_a_person_have_two_names_and_a_revoked_ones_is_free(user):
    made = make(user)
    with pytest.raises(Conflict):
        make(user)
    tokens.revoke(token=made.stored, by=user, now=timezone.now())
    make(user)


def test_an_expired_tokens_name_is_free(user, clock):
    make(user, days=7)
    clock.pass_by(days=8)
    assert find(make(user, days=7).secret)


def test_nobody_has_more_tokens_than_may_be(user):
    for number in range(tokens.MOST):
        make(user, name=f"script {number}")
    with pytest.raises(Conflict):
        make(user)


def test_the_audit_log_says_that_a_token_was_made_and_revoked_without_its_name(user):
    made = make(user, name="Ada's laptop", scopes=["submit", "read"])
    tokens.revoke(token=made.stored, by=user, now=timezone.now())
    rows = list(AuditEntry.objects.order_by("pk"))
    assert [(row.what, row.by_id) for row in rows] == [("token made", user.pk), ("token revoked", user.pk)]
    assert rows[0].after["scopes"] == "read, submit"
    assert "Ada" not in str(AuditEntry.objects.values())


def test_what_is_kept_of_tokens_is_given_to_their_person(user):
    make(user, name="laptop")
    assert '"name": "laptop"' in "".join(exporting.write(user))


def test_tokens_that_ended_long_ago_are_deleted(user):
    made = make(user)
    assert tokens.sweep(now=made.stored.expires_at + timedelta(days=89)) == 0
    assert tokens.sweep(now=made.stored.expires_at + timedelta(days=91)) == 1


@pytest.fixture
def signed_in(client):
    person("ann@example.org")
    sign_in(client, "ann@example.org")
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return client


def test_the_page_shows_a_token_once(signed_in):
    page = signed_in.post("/teams/tokens/new/", {"name": "laptop", "days": "7"})
    secret = tokens.PREFIX + page.content.decode().split(tokens.PREFIX)[1].split('"')[0]
    assert find(secret).name == "laptop"
    assert page.headers["Cache-Control"].find("no-store") >= 0
    listed = signed_in.get("/teams/tokens/").content.decode()
    assert "laptop" in listed
    assert tokens.PREFIX not in listed


@pytest.mark.parametrize("ticked", [[], ["submit"], ["organise"]])
def test_a_token_made_on_the_page_reads_and_does_what_is_ticked(signed_in, ticked):
    boxes = dict.fromkeys(ticked, "on")
    page = signed_in.post("/teams/tokens/new/", {"name": "laptop", "days": "7", **boxes})
    assert (page.status_code, ApiToken.objects.get().scopes) == (200, ["read", *ticked])


def test_the_page_revokes_ones_own_and_nobody_elses(signed_in, user):
    signed_in.post("/teams/tokens/new/", {"name": "laptop", "days": "7"})
    own, other = ApiToken.objects.get(), make(user).stored
    assert signed_in.post(f"/teams/tokens/{own.pk}/revoke/").status_code == 302
    assert signed_in.post(f"/teams/tokens/{other.pk}/revoke/").status_code == 404
    assert ApiToken.objects.filter(revoked_at=None).get() == other
