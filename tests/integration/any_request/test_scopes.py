"""Which operation of the API a token may be used for: each, by every scope, and by nobody."""

import json
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from annotations.models import Corpus, CorpusRole
from evaluation.models import Submission
from kbpo.accounts import tokens
from kbpo.accounts.models import User
from kbpo.api.reference import schema_path
from tests import factories as make
from tests.integration.any_request.asking import Answer, ask, routes
from tests.integration.any_request.site import JSON, Site

pytestmark = pytest.mark.django_db
SCHEMA = json.loads(schema_path().read_text(encoding="utf-8"))
TUS = {"Tus-Resumable": "1.0.0"}


def operations() -> list[tuple[str, str, str, bool]]:
    """Return each operation's address name and method, the scope that it needs, and whether it is public."""
    by_path = {}
    for name, pattern in routes():
        if name.startswith("api_") and pattern.callback.view_class.__name__ != "UnknownView":
            by_path[pattern.callback.view_class] = name
    found = []
    for view, name in by_path.items():
        if name == "api_schema":
            continue
        for method in ("get", "head", "post", "patch", "delete"):
            if hasattr(view, method):
                is_read = method in ("get", "head")
                scope = tokens.READ if is_read else getattr(view, "scope", tokens.SUBMIT)
                found.append((name, method.upper(), scope, view.is_public and method == "get"))
    return found


OPERATIONS = operations()


def call(site: Site, name: str, method: str, secret: str) -> Answer:
    body = json.dumps(site.forms.get(name, {})).encode() if method != "GET" else b""
    query = "&".join(f"{key}={value}" for key, value in site.queries.get(name, {}).items())
    headers = {**TUS, **({"Authorization": f"Bearer {secret}"} if secret else {})}
    return ask(
        Client(enforce_csrf_checks=True), method, f"{site.address(name)}?{query}", body, JSON, **headers
    )


@pytest.fixture(scope="module")
def secrets(site: Site) -> dict[str, str]:
    """Return a token of each scope, and `read`, of somebody who may do most."""
    operator: Any = site.people["operator"]
    return {
        scope: tokens.make(user=operator, name=scope, scopes=[scope], days=7, now=timezone.now()).secret
        for scope in tokens.SCOPES
    }


def test_the_description_says_the_scopes_that_the_views_ask_for() -> None:
    described = sorted(
        (method.upper(), each["security"][0]["token"][0], {} in each["security"])
        for methods in SCHEMA["paths"].values()
        for method, each in methods.items()
    )
    assert described == sorted(one[1:] for one in OPERATIONS)


@pytest.mark.parametrize(("name", "method", "scope", "is_public"), OPERATIONS)
def test_who_reads_needs_any_token_and_who_changes_one_of_its_scope(
    name, method, scope, is_public, site, secrets
):
    answers = {own: call(site, name, method, secret) for own, secret in secrets.items()}
    words = b"" if method == "HEAD" else b"needs one that may"  # the answer to a HEAD has none
    refused = {own for own, one in answers.items() if one.status == 403 and words in one.body}
    assert refused == (set() if scope == tokens.READ else set(tokens.SCOPES) - {scope})
    assert not [one.fault for one in answers.values() if one.fault or one.status >= 500]


@pytest.mark.parametrize(("name", "method", "scope", "is_public"), OPERATIONS)
def test_a_visitor_reads_what_is_public_and_nothing_else(name, method, scope, is_public, site):
    assert (call(site, name, method, "").status == 401) is not is_public


def all_but_organise(user: User, *scopes: str) -> str:
    found = scopes or (tokens.READ, tokens.SUBMIT)
    return tokens.make(user=user, name="narrow", scopes=found, days=7, now=timezone.now()).secret


@pytest.fixture(scope="module")
def narrow(site: Site) -> dict[str, str]:
    """Return tokens without `organise`: of a stranger, and of two who may most without being of the team."""
    news = Corpus.objects.get(tag="news")
    people = {
        "stranger": make.UserFactory.create(),
        "operator": make.UserFactory.create(operator=True, is_superuser=True),
        "organiser": make.give(make.UserFactory.create(), news, *CorpusRole.Role.values),
    }
    return {who: all_but_organise(user) for who, user in people.items()}


@pytest.mark.parametrize(("name", "method", "scope", "is_public"), OPERATIONS)
def test_without_organise_an_operator_and_an_organiser_are_strangers(
    name, method, scope, is_public, site, narrow
):
    with transaction.atomic():
        Corpus.objects.update(texts="operators")
        Submission.objects.update(is_public=False)
        answers = {who: call(site, name, method, secret) for who, secret in narrow.items()}
        transaction.set_rollback(True)
    shown = {who: (one.status, b"" if name == "api_me" else one.body) for who, one in answers.items()}
    assert set(shown.values()) == {shown["stranger"]}


def test_a_token_without_organise_does_not_say_that_its_person_is_an_operator(site, narrow):
    me = json.loads(call(site, "api_me", "GET", narrow["operator"]).body)
    assert (me["is_operator"], me["roles"]) == (False, [])


@pytest.mark.parametrize("address", ["/submissions/", "/teams/", "/teams/tokens/", "/desk/", "/admin/"])
def test_a_token_opens_no_page(address, secrets):
    for secret in secrets.values():
        answer = ask(Client(), "GET", address, Authorization=f"Bearer {secret}")
        assert (answer.status, "/login/" in answer.location) == (302, True)
