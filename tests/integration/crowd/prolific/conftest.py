"""A Prolific to talk to, the real client, HITs, and workers who do them."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from django.conf import LazySettings
from django.test import Client

from annotations.models import Corpus
from crowd.models import Assignment, Hit, HitBatch
from crowd.providers import registry
from crowd.providers.base import NewHit
from crowd.providers.prolific import Prolific
from crowd.providers.prolific import connect as account_at
from crowd.providers.prolific.api import Api
from tests import crowd
from tests.factories import CorpusFactory
from tests.prolific import PROJECT, TOKEN, Clock, FakeProlific, serve

NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
Offer = Callable[..., NewHit]
Work = Callable[..., str]


@pytest.fixture
def clock() -> Clock:
    return Clock(NOW)


@pytest.fixture
def fake(clock: Clock) -> Iterator[FakeProlific]:
    with serve(FakeProlific(clock)) as fake:
        yield fake


@pytest.fixture
def connect(fake: FakeProlific, clock: Clock, db: None) -> Iterator[Callable[..., Prolific]]:
    """Make a client with a memory of its own, as another process has: ``connect()``."""
    apis = []

    def connect(**options: Any) -> Prolific:
        no_tls = httpx2.HTTPTransport(verify=False)  # reading the certificates takes longer than the tests
        apis.append(Api(fake.url, options.pop("token", TOKEN), transport=no_tls, clock=clock))
        given = {"project": PROJECT, "fee_percent": Decimal("33.34"), "clock": clock, "patience": 0.0}
        return Prolific(apis[-1], **{**given, **options})

    yield connect
    for api in apis:
        api.close()


@pytest.fixture
def prolific(connect: Callable[..., Prolific]) -> Prolific:
    return connect()


@pytest.fixture
def batch(db: None) -> HitBatch:
    return HitBatch.objects.create(
        corpus=CorpusFactory.create(),
        kind="relation",
        provider="prolific",
        title="Say how two names are related",
        description="Read a short text.",
        reward_cents=70,
        questions_per_hit=10,
        duration_seconds=900,
        lifetime_seconds=86_400,
    )


@pytest.fixture
def offer(batch: HitBatch, clock: Clock) -> Offer:
    """Write a HIT down, and say what is to be published of it: ``offer(1)``."""

    def offer(number: int = 1, **fields: Any) -> NewHit:
        annotation = f"kbpo-{number:032x}"
        hit, _ = Hit.objects.get_or_create(
            annotation=annotation,
            defaults={
                "batch": batch,
                "request_token": f"token-{number}",
                "created_at": clock(),
                "places": fields.get("places", 3),
                "reward_cents": 70,
                "fee_cents": 24,
            },
        )
        given = {
            "token": hit.request_token,
            "annotation": annotation,
            "title": batch.title,
            "description": batch.description,
            "keywords": "",
            "url": f"https://tasks.example.org/hits/{annotation}/",
            "reward_cents": hit.reward_cents,
            "places": hit.places,
            "duration_seconds": batch.duration_seconds,
            "lifetime_seconds": batch.lifetime_seconds,
            "auto_approval_seconds": 3600,
            "group": f"batch {batch.pk}",
            "estimated_seconds": 240,
        }
        return NewHit(**{**given, **fields})

    return offer


@pytest.fixture
def work(fake: FakeProlific) -> Work:
    """Have a worker take a place, open the HIT's page, and finish: ``work(study_id, "w1")``."""

    def work(study_id: str, worker: str, *, opens: bool = True, finishes: bool = True) -> str:
        submission, url = fake.arrive(study_id, worker)
        if opens:
            see_page(url)
        if finishes:
            fake.complete(submission, fake.studies[study_id]["completion_codes"][0]["code"])
        return submission

    return work


@pytest.fixture
def account(
    fake: FakeProlific, settings: LazySettings, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> Iterator[None]:
    """This site's account with the Prolific that is served."""
    settings.HIT_BASE_URL = "https://tasks.example.org"
    settings.PROLIFIC_API_URL, settings.PROLIFIC_TOKEN = fake.url, TOKEN
    settings.PROLIFIC_PROJECT = PROJECT
    settings.MTURK_KEYS = None
    account_at.cache_clear()
    monkeypatch.setattr(registry.provider("prolific"), "_clock", clock)
    monkeypatch.setattr(registry.provider("prolific")._submissions, "_clock", clock)
    monkeypatch.setattr(registry.provider("prolific")._studies, "_clock", clock)
    monkeypatch.setattr(registry.provider("prolific")._api, "_clock", clock)
    yield
    account_at.cache_clear()


@pytest.fixture
def corpus(db: None) -> Corpus:
    corpus = CorpusFactory.create()
    crowd.fund(corpus)
    return corpus


@pytest.fixture
def opened(corpus: Corpus, clock: Clock) -> Callable[..., HitBatch]:
    def opened(questions: int = 12, **options: Any) -> HitBatch:
        crowd.ask(corpus, questions)
        given = {"corpus": corpus, "kind": "relation", "provider": "prolific", "reward_cents": 70}
        batch = crowd.open_batch(**{**given, "by": crowd.operator(), "now": clock(), **options})
        crowd.post(clock())
        return batch

    return opened


def see_page(url: str) -> Assignment:
    """Do what the HIT's page does with an address: write down who is there."""
    split = urlsplit(url)
    given = {name: values[0] for name, values in parse_qs(split.query).items()}
    return Assignment.objects.create(
        hit=Hit.objects.get(annotation=split.path.strip("/").rpartition("/")[2]),
        provider_id=given["SESSION_ID"],
        provider_worker_id=given["PROLIFIC_PID"],
        begun_at=NOW,
    )


@pytest.fixture(autouse=True)
def none_to_all_of_a_hits_ten_questions(everybody_may_say_none: None) -> None:
    """Have no pattern seen in that."""


@pytest.fixture
def browser(settings: LazySettings) -> Client:
    settings.HIT_BASE_URL = "http://127.0.0.1:8000"
    return Client(headers={"host": "127.0.0.1:8000"}, enforce_csrf_checks=True)


@pytest.fixture
def arrive(fake: FakeProlific) -> Callable[[str], str]:
    """Have a qualified worker take a place; return where Prolific sends them, as the browser asks for it."""

    def arrive(worker: str) -> str:
        (study,) = fake.published()
        next(row for row in fake.groups.values() if "qualified" in row["name"])["members"].add(worker)
        _, url = fake.arrive(study["id"], worker)
        return f"{urlsplit(url).path}?{urlsplit(url).query}"

    return arrive
