"""A HIT on its own host, and a worker who comes as the built-in marketplace sends them."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import LazySettings
from django.http import HttpResponse
from django.test import Client

from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.relation import Mention, RelationQuestion
from annotations.models import Document, Question
from crowd.models import Hit
from tests.arrivals import KEYS, arrival, field
from tests.factories import ADA, PRESS, SHE, DocumentFactory, HitFactory, QuestionFactory
from tests.ontologies import TAC

SITE = "http://localhost:8000"
HIT_HOST = "127.0.0.1:8000"
SUBMIT_TO = f"{SITE}/work/submit/abc:1-x_y:sig"
FOUNDED = "per:organizations_founded|0"

Address = Callable[..., str]


@pytest.fixture(autouse=True)
def keys(settings: LazySettings) -> None:
    """Our keys at the marketplace, with which arrivals are checked."""
    settings.MTURK_KEYS = KEYS


@pytest.fixture
def browser() -> Client:
    """Ask the host of the HIT pages, without any cookie."""
    return Client(headers={"host": HIT_HOST}, enforce_csrf_checks=True)


@pytest.fixture
def document() -> Document:
    return DocumentFactory.create(sentences=True)


@pytest.fixture
def founded(document: Document) -> Question:
    asked = RelationQuestion.about(Mention(SHE, "PER"), Mention(PRESS, "ORG"), TAC)
    return QuestionFactory.create(document=document, asked=asked)


@pytest.fixture
def she_is_ada(document: Document) -> Question:
    return QuestionFactory.create(document=document, asked=CanonicalQuestion(SHE, ADA))


@pytest.fixture
def hit(founded: Question, she_is_ada: Question) -> Hit:
    return HitFactory.create(batch__corpus=founded.document.corpus, questions=[founded, she_is_ada])


def address(hit: Hit, **changes: str) -> str:
    """Return a HIT's page's address, as the marketplace calls it for worker W1's assignment 3A."""
    return f"/hits/{hit.annotation}/?{arrival(hit, SUBMIT_TO, **changes)}"


def html_of(response: HttpResponse) -> str:
    """The page with its white space folded: where a template breaks its lines is nobody's promise."""
    return " ".join(response.content.decode().split())


def token_of(response: HttpResponse) -> str:
    found = re.search(r'name="token" value="([^"]+)"', html_of(response))
    assert found is not None
    return found[1]


def answers_to(founded: Question, she_is_ada: Question, **changes: Any) -> dict[str, Any]:
    return {field(founded): FOUNDED, field(she_is_ada): "right", **changes}


def save(browser: Client, hit: Hit, token: str, body: object) -> Any:
    """Send a save of the page, as JSON or as given."""
    return browser.post(
        f"/hits/{hit.annotation}/draft/",
        body if isinstance(body, str | bytes) else json.dumps(body),
        content_type="application/json",
        headers={"accept": "application/json", "authorization": f"Bearer {token}"},
    )
