"""Whatever anybody asks of the API, it answers as its description says: Schemathesis over every operation."""

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi import checks

from annotations.models import Corpus
from kbpo.accounts import tokens
from kbpo.accounts.models import User
from kbpo.api.reference import schema_path
from kbpo.core import rate_limits
from kbpo.wsgi import application
from tests import factories as make
from tests.integration.any_request.site import Site
from tests.marks import some_quick

pytestmark = pytest.mark.django_db
CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,  # each is described by itself: nothing stands for all that are left
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
    checks.missing_required_header,
    checks.unsupported_method,
    checks.allow_header_conformance,
]
#: What may stand there its description cannot say: what a page gave, what the corpus has, two that differ.
NAMED_ELSEWHERE = {"sort", "cursor", "label", "level", "part", "weighting", "estimator", "standard", "a", "b"}
MODES = [GenerationMode.POSITIVE, GenerationMode.NEGATIVE]
SCHEMA = schemathesis.openapi.from_dict(json.loads(schema_path().read_text(encoding="utf-8")))
SCHEMA.app = application
# What an upload's protocol says of a wrong version, and of a piece that goes beyond its end, refuses as well;
# that something is not there may be found before a header is missed.
SCHEMA.config.checks.negative_data_rejection.expected_statuses += ["410", "412", "413"]
SCHEMA.config.checks.missing_required_header.expected_statuses += ["404", "412"]
OPERATIONS = {f"{one.ok().method.upper()} {one.ok().path}": one.ok() for one in SCHEMA.get_all_operations()}
PEOPLE = ["visitor", "owner", "stranger", "organiser", "operator"]
ALL = "all"  # scopes


@schemathesis.serializer("application/offset+octet-stream")
def write_piece(context: Any, value: Any) -> bytes:
    """Return a piece of a file, as the tus protocol sends it."""
    return value if isinstance(value, bytes) else str(value).encode()


@pytest.fixture(scope="module")
def secrets(site: Site) -> dict[tuple[str, str], str]:
    """Return the tokens of everybody: of each scope, and one of all."""
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
    scopes = {ALL: list(tokens.SCOPES), **{scope: [scope] for scope in tokens.SCOPES}}
    return {
        (who, name): tokens.make(
            user=user, name=f"described, {name}", scopes=some, days=7, now=timezone.now()
        ).secret
        for who, user in people.items()
        for name, some in scopes.items()
    }


@pytest.fixture(autouse=True)
def no_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of requests come from one place."""
    monkeypatch.setattr(rate_limits, "hit", lambda limit, *owner, now: rate_limits.Count(limit, True, 1, 1))


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


@lru_cache
def cases(operation: str, examples: int) -> Sequence[Any]:
    """Return requests that the description allows, and such as it does not: at its limits, and any."""
    described = OPERATIONS[operation]
    found: list[Any] = list(
        SCHEMA.iter_coverage_cases(
            described,
            generation_modes=MODES,
            generation_config=SCHEMA.config.generation_for(operation=described, phase="coverage"),
        )
    )
    for mode in MODES if examples else ():

        @settings(
            max_examples=examples,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=described.as_strategy(mode))
        def draw(case: Any) -> None:
            found.append(case)

        with suppress(Unsatisfiable):  # whatever is sent to some addresses, the description allows it
            draw()
    return found


def wrong(case: Any, headers: dict[str, str]) -> list[str]:
    """Send a request, undo what it did, and say what its answer has that is not described."""
    with transaction.atomic():
        response = case.call(headers=headers)
        transaction.set_rollback(True)
    asked = set(case.query or {})
    is_simple = case.method == "GET" and not asked & NAMED_ELSEWHERE
    found = []
    for check in [*CHECKS, *([checks.positive_data_acceptance] if is_simple else [])]:
        try:
            case.validate_response(response, checks=[check])
        except (Failure, FailureGroup) as error:
            every = error.exceptions if isinstance(error, FailureGroup) else [error]
            said = f"{response.status_code} {response.content[:200]!r}"
            found += [f"{check.__name__}: {one}\n{case.as_curl_command()[:300]}\n{said}" for one in every]
    return found


def ask(site: Site, operation: str, secret: str, asked: Iterable[Any]) -> list[str]:
    """Send requests, each also about something that there is; say what is wrong with the answers."""
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    there = places(site, OPERATIONS[operation].path)
    found = []
    for case in asked:
        found += wrong(case, headers)
        if there and not case.meta.is_negative_at(ParameterLocation.PATH):
            drawn, case.path_parameters = case.path_parameters, dict(there)
            found += wrong(case, headers)
            case.path_parameters = drawn
    return found


@pytest.mark.parametrize("operation", some_quick(OPERATIONS, 23))
def test_a_request_at_the_limits_of_its_description_is_answered_as_it_says(operation, site, secrets):
    made = cases(operation, 0)
    some = random.Random(operation).sample(made, min(3, len(made)))
    assert not [one for who in ("", secrets["owner", ALL]) for one in ask(site, operation, who, some)]


@pytest.mark.slow
@pytest.mark.parametrize("who", PEOPLE)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_no_answer_is_other_than_the_description_says(operation, who, site, secrets):
    found = ask(site, operation, secrets.get((who, ALL), ""), cases(operation, 10))
    assert not found, "\n\n".join(found[:10])


@pytest.mark.slow
@pytest.mark.parametrize("scope", tokens.SCOPES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_token_of_one_scope_is_answered_as_the_description_says(operation, scope, site, secrets):
    some = random.Random(operation).sample(cases(operation, 0), min(5, len(cases(operation, 0))))
    found = [one for who in PEOPLE[1:] for one in ask(site, operation, secrets[who, scope], some)]
    assert not found, "\n\n".join(found[:10])
