"""Whatever anybody asks of the API, it answers as its description says: Schemathesis over every operation."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from annotations.models import Corpus
from kbpo.accounts import request_limits, tokens
from kbpo.accounts.models import User
from kbpo.api.reference import schema_path
from kbpo.core import limits
from kbpo.wsgi import application
from tests import factories as make
from tests.integration.any_request.site import Site

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
SCHEMA = schemathesis.openapi.from_dict(json.loads(schema_path().read_text(encoding="utf-8")))
SCHEMA.app = application
OPERATIONS = {f"{one.ok().method.upper()} {one.ok().path}": one.ok() for one in SCHEMA.get_all_operations()}
PEOPLE = ["visitor", "owner", "stranger", "organiser", "operator"]


@schemathesis.serializer("application/offset+octet-stream")
def write_piece(context: Any, value: Any) -> bytes:
    """Return a piece of a file, as the tus protocol sends it."""
    return value if isinstance(value, bytes) else str(value).encode()


@pytest.fixture(scope="module")
def secrets(site: Site) -> dict[str, str]:
    """Return a token of everybody that may do all."""
    operator, owner = site.people["operator"], site.people["member"]
    assert isinstance(operator, User)
    assert isinstance(owner, User)
    organiser = make.give(make.UserFactory.create(), Corpus.objects.get(tag="news"), "organiser")
    people = {
        "owner": owner,
        "stranger": make.UserFactory.create(),
        "organiser": organiser,
        "operator": operator,
    }
    return {
        name: tokens.make(
            user=user, name="all", scopes=list(tokens.SCOPES), days=7, now=timezone.now()
        ).secret
        for name, user in people.items()
    }


@pytest.fixture(autouse=True)
def no_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of requests come from one place."""
    monkeypatch.setattr(limits, "count", lambda limit, *whose, now: limits.Counted(limit, True, 1, 1))
    monkeypatch.setattr(request_limits, "_count_among_all", lambda *_: None)


@pytest.fixture(autouse=True)
def one_connection() -> Iterator[None]:
    """Keep the connection with the test's transaction, as Django's own client does."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


def places(site: Site, path: str) -> dict[str, Any]:
    """Return what stands in an address of something that is there."""
    for name, things in site.things.items():
        if name.startswith("api_") and things:
            given = {{"pk": "id"}.get(key, key): str(value) for key, value in things.items()}
            if path.format(**{**dict.fromkeys(_names(path), "?"), **given}) == site.address(name):
                return given
    return {}


def _names(path: str) -> list[str]:
    return [part[1:-1] for part in path.split("/") if part.startswith("{")]


@pytest.mark.parametrize("who", PEOPLE)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_no_answer_is_other_than_the_description_says(operation, who, site, secrets):
    described = OPERATIONS[operation]
    there = places(site, described.path)
    headers = {"Authorization": f"Bearer {secrets[who]}"} if who in secrets else {}

    @settings(
        max_examples=10,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=described.as_strategy(), is_there=st.booleans())
    def ask(case: Any, is_there: bool) -> None:
        if is_there and there:
            case.path_parameters = dict(there)
        with transaction.atomic():
            response = case.call(headers=headers)
            transaction.set_rollback(True)
        case.validate_response(response, checks=CHECKS)

    ask()
