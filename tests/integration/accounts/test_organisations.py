"""Sign-in by an organisation's OpenID Connect, played by a session that makes no request."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.test import Client

from kbpo.accounts.models import User
from kbpo.accounts.organisations import OrganisationAdapter
from tests.integration.accounts.conftest import PASSWORD, person, signs_in
from tests.integration.accounts.test_factors import give_app

pytestmark = pytest.mark.django_db

ANN = "ann@example.org"
ISSUER = "https://id.example.org"
SIGN_IN = "/accounts/oidc/organisation/login/"


class Answer:
    """An answer of the organisation."""

    status_code = 200
    headers = {"content-type": "application/json"}

    def __init__(self, content: Any) -> None:
        self.content = content

    def json(self) -> Any:
        return self.content

    def raise_for_status(self) -> None:
        pass


class Organisation:
    """What the organisation says of who signs in there."""

    def __init__(self) -> None:
        self.claims: dict[str, Any] = {"sub": "0000-0001", "name": "Ann Quill"}
        self.configuration: Any = {
            "issuer": ISSUER,
            "authorization_endpoint": f"{ISSUER}/authorize",
            "token_endpoint": f"{ISSUER}/token",
            "userinfo_endpoint": f"{ISSUER}/userinfo",
            "jwks_uri": f"{ISSUER}/keys",
        }
        self.is_away = False

    def __enter__(self) -> "Organisation":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def get(self, url: str, **_: Any) -> Answer:
        return self.request("GET", url)

    def request(self, method: str, url: str, **_: Any) -> Answer:
        if self.is_away:
            raise requests.ConnectionError("away")
        if url.endswith("/token"):
            return Answer({"access_token": "token", "token_type": "bearer"})
        return Answer(self.claims if url.endswith("/userinfo") else self.configuration)


@pytest.fixture
def organisation(settings, monkeypatch):
    app = {
        "provider_id": "organisation",
        "name": "ORCID",
        "client_id": "us",
        "secret": "secret",
        "settings": {"server_url": ISSUER},
    }
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": [app]}}
    played = Organisation()
    monkeypatch.setattr(OrganisationAdapter, "get_requests_session", lambda self: played)
    return played


def come_by_it(client: Client, process: str = "login") -> Any:
    """Sign in there, and come back."""
    page = client.post(f"{SIGN_IN}?process={process}")
    address = urlsplit(page.context["address"])
    assert f"{address.scheme}://{address.netloc}" == ISSUER
    state = parse_qs(address.query)["state"][0]
    return client.get(f"{SIGN_IN}callback/", {"code": "1", "state": state}, follow=True)


def signed_in_as(client: Client) -> int | None:
    return int(client.session["_auth_user_id"]) if "_auth_user_id" in client.session else None


def test_it_is_offered_where_it_is_configured(organisation, client):
    for address in ("/accounts/login/", "/accounts/signup/"):
        assert "Sign in with ORCID" in client.get(address).content.decode()


def test_it_is_offered_nowhere_else(client):
    assert "oidc" not in client.get("/accounts/login/").content.decode()
    assert client.post(SIGN_IN).status_code == 404


def test_a_page_of_ours_leads_there_and_its_policy_stays_as_strict(organisation, client):
    page = client.post(f"{SIGN_IN}?process=login")
    assert "form-action 'self'" in page.headers["Content-Security-Policy"]
    assert 'http-equiv="refresh"' in page.content.decode()


def test_who_has_no_account_gives_a_mail_address_and_confirms_it(organisation, client, mailoutbox):
    page = come_by_it(client)
    assert page.request["PATH_INFO"] == "/accounts/3rdparty/signup/"
    page = client.post("/accounts/3rdparty/signup/", {"email": "new@example.org"}, follow=True)
    assert "Check your email" in page.content.decode()
    assert (mailoutbox[0].to, signed_in_as(client)) == (["new@example.org"], None)
    assert User.objects.get(email="new@example.org").name == "Ann Quill"


def test_an_account_with_the_verified_address_is_joined(organisation, client):
    ann = person(ANN)
    organisation.claims |= {"email": ANN, "email_verified": True}
    come_by_it(client)
    assert signed_in_as(client) == ann.pk
    assert SocialAccount.objects.get().user == ann


@pytest.mark.parametrize("claim", [False, "false", "true", 1, None, "absent"])
def test_an_address_that_is_not_said_to_be_verified_joins_no_account(organisation, client, claim):
    person(ANN)
    organisation.claims["email"] = ANN
    if claim != "absent":
        organisation.claims["email_verified"] = claim
    come_by_it(client)
    assert (signed_in_as(client), SocialAccount.objects.exists()) == (None, False)
    client.post("/accounts/3rdparty/signup/", {"email": ANN}, follow=True)
    assert (signed_in_as(client), SocialAccount.objects.exists()) == (None, False)


def test_an_unverified_claim_verifies_no_address(organisation, client):
    organisation.claims |= {"email": "new@example.org", "email_verified": "false"}
    come_by_it(client)
    client.post("/accounts/3rdparty/signup/", {"email": "new@example.org"}, follow=True)
    assert not EmailAddress.objects.filter(verified=True).exists()
    assert signed_in_as(client) is None


def test_who_is_signed_in_connects_it_after_their_password_and_signs_in_by_it(organisation, client):
    ann = person(ANN)
    signs_in(client, ANN)
    page = come_by_it(client, "connect")
    assert page.redirect_chain[-1][0].startswith("/accounts/reauthenticate/")
    client.post(page.redirect_chain[-1][0], {"password": PASSWORD}, follow=True)
    assert SocialAccount.objects.get().user == ann
    other = Client()
    come_by_it(other)
    assert signed_in_as(other) == ann.pk


def test_the_second_factor_is_asked_for_here_too(organisation, client):
    give_app(person(ANN))
    organisation.claims |= {"email": ANN, "email_verified": True}
    page = come_by_it(client)
    assert (page.request["PATH_INFO"], signed_in_as(client)) == ("/accounts/2fa/authenticate/", None)


@pytest.mark.parametrize("what", ["away", "no object", "no addresses"])
@pytest.mark.parametrize("when", ["going", "coming back"])
def test_an_organisation_that_answers_badly_is_said_on_a_page(organisation, client, when, what):
    address = f"{SIGN_IN}?process=login"
    if when == "coming back":
        query = urlsplit(client.post(address).context["address"]).query
        address = f"{SIGN_IN}callback/?code=1&state={parse_qs(query)['state'][0]}"
    organisation.is_away = what == "away"
    organisation.configuration = [] if what == "no object" else {}
    answer = client.post(address) if when == "going" else client.get(address)
    assert answer.status_code in (200, 401, 503)
    assert "organisation" in answer.content.decode()


@pytest.mark.parametrize("address", ["/accounts/3rdparty/", "/accounts/3rdparty/login/cancelled/", SIGN_IN])
def test_its_pages_are_of_one_piece_with_the_rest(organisation, client, address):
    person(ANN)
    signs_in(client, ANN)
    page = client.get(address)
    assert (page.status_code, 'class="masthead"' in page.content.decode()) == (200, True)
