"""An operator at the desk, and a batch of work in which something happened."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from annotations import responses
from annotations.models import Corpus, Question
from crowd import budget, review
from crowd.models import Assignment, Budget, Hit, HitBatch
from kbpo.accounts.models import User
from tests import crowd
from tests.factories import (
    AssignmentFactory,
    CorpusFactory,
    DocumentFactory,
    HitBatchFactory,
    HitFactory,
    QuestionFactory,
    UserFactory,
    WorkerIdentityFactory,
)

Send = Callable[..., Assignment]


@pytest.fixture
def account(settings: Any) -> None:
    """Keys for the built-in marketplace; nothing here speaks to it."""
    settings.HIT_BASE_URL = "http://127.0.0.1:9"
    settings.MTURK_IS_BUILT_IN = True
    settings.MTURK_KEYS = ("a key", "its secret")


@pytest.fixture
def now() -> datetime:
    return timezone.now()


@pytest.fixture
def operator(db: None) -> User:
    return UserFactory.create(operator=True, name="Olga Operator")


@pytest.fixture
def desk(operator: User, client: Client) -> Client:
    client.force_login(operator)
    return client


@pytest.fixture
def corpus(db: None) -> Corpus:
    return CorpusFactory.create(name="Lowmarch news")


@pytest.fixture
def purse(corpus: Corpus) -> Budget:
    return crowd.fund(corpus)


@pytest.fixture
def batch(corpus: Corpus, purse: Budget) -> HitBatch:
    return HitBatchFactory.create(corpus=corpus)


@pytest.fixture
def post(batch: HitBatch, now: datetime) -> Callable[..., Hit]:
    """Put a question into a HIT with three places, with its money."""

    def post(question: Question | None = None, **fields: Any) -> Hit:
        if question is None:
            document = DocumentFactory.create(corpus=batch.corpus, sentences=True)
            question = QuestionFactory.create(document=document)
        hit = HitFactory.create(batch=batch, questions=[question], **fields)
        if hit.state in ("planned", "posted"):
            promise = budget.Promise(
                key=f"reserve|hit {hit.pk}",
                cents=hit.places * (hit.reward_cents + hit.fee_cents),
                hit=hit,
            )
            budget.reserve(promises=[promise], batch=batch, now=now)
        return hit

    return post


@pytest.fixture
def send(now: datetime) -> Send:
    """Have somebody send an answer to a HIT of one question; with `flag` it waits for a person."""

    def send(hit: Hit, said: Any = crowd.BORN, *, flag: str = "", **fields: Any) -> Assignment:
        worker = fields.pop("worker", None) or WorkerIdentityFactory.create()
        assignment = AssignmentFactory.create(
            hit=hit, worker=worker, sent=True, flag=flag, **{"submitted_at": now, **fields}
        )
        recorded = responses.record(
            question=hit.questions.get(), worker=worker.user, answer=said, seconds=12.0
        )
        assignment.responses.set([recorded])
        if flag:
            assignment.responses.update(is_valid=False)
        return assignment

    return send


@pytest.fixture
def approve(now: datetime) -> Callable[[Assignment], None]:
    """Approve work as a rule does, and pay it as if the provider had taken that."""

    @transaction.atomic
    def approve(assignment: Assignment) -> None:
        hit, locked = review.lock(assignment)
        review.settle_approved(hit=hit, assignment=locked, now=now)

    return approve


@pytest.fixture
def reject(now: datetime, operator: User) -> Callable[[Assignment], None]:
    """Reject work as an operator does, and record it as if the provider had taken that."""

    @transaction.atomic
    def reject(assignment: Assignment) -> None:
        review.reject(assignment=assignment, by=operator, reason="It is empty.", now=now)
        hit, locked = review.lock(assignment)
        review.settle_rejected(hit=hit, assignment=locked, now=now)

    return reject


def text_of(response: HttpResponse) -> str:
    """Return the page's words with its white space folded and its tags left out."""
    words = re.sub(r"<[^>]*>", " ", re.sub(r"(?s)<(script|style).*?</\1>", "", response.content.decode()))
    return " ".join(words.split())


def hours(number: float) -> timedelta:
    return timedelta(hours=number)
