"""A Prolific to talk to, the real client, HITs, and workers who do them."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from crowd.models import Assignment, Hit, HitBatch
from crowd.providers.base import NewHit
from crowd.providers.prolific import Prolific
from crowd.providers.prolific.api import Api
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
        no_tls = httpx.HTTPTransport(verify=False)  # reading the certificates takes longer than the tests
        apis.append(Api(fake.url, options.pop("token", TOKEN), transport=no_tls))
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
def offer(batch: HitBatch) -> Offer:
    """Write a HIT down, and say what is to be published of it: ``offer(1)``."""

    def offer(number: int = 1, **fields: Any) -> NewHit:
        annotation = f"kbpo-{number:032x}"
        hit, _ = Hit.objects.get_or_create(
            annotation=annotation,
            defaults={
                "batch": batch,
                "request_token": f"token-{number}",
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
