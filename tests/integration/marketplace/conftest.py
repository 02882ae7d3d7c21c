"""A requester with money and keys, the real boto3 client, and workers."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from botocore.config import Config
from django.urls import reverse
from django.utils import timezone

from marketplace import ledger, lifecycle, requesters
from marketplace.models import Assignment, Hit, Requester, RequesterKey, Worker
from marketplace.protocol.answers import write_answers
from marketplace.workers import worker_for
from tests import boto
from tests.external_questions import external_question
from tests.factories import UserFactory

QUESTION = external_question("https://hits.example.org/relation?question=7", 600)
TYPE = {
    "Title": "Judge a claim",
    "Description": "Say whether a document bears out a claim.",
    "Keywords": "text, relation",
    "Reward": "0.15",
    "AssignmentDurationInSeconds": 300,
    "AutoApprovalDelayInSeconds": 3600,
}
HIT = {**TYPE, "Question": QUESTION, "LifetimeInSeconds": 86_400, "MaxAssignments": 3}

Connect = Callable[..., Any]
Answer = Callable[..., Assignment]


@pytest.fixture
def requester(db: None) -> Requester:
    requester = requesters.create_requester(name="The lab", owner=UserFactory.create(email="lab@example.org"))
    ledger.deposit(requester=requester, cents=100_00, now=timezone.now())
    return requester


@pytest.fixture
def key(requester: Requester) -> RequesterKey:
    return requesters.create_key(requester=requester, now=timezone.now(), rate=1000, burst=1000)


@pytest.fixture
def connect(live_server, monkeypatch) -> Iterator[Connect]:
    """Make a client: ``connect(key)``, or with another secret or clock."""
    # nothing of this machine's own AWS settings
    for name in list(os.environ):
        if name.startswith("AWS_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)

    def act(key: RequesterKey, secret: str = "", attempts: int = 1) -> Any:
        client = boto.mturk(
            live_server.url + reverse("requester_api"),
            (key.access_key_id, secret or key.secret),
            config=Config(retries={"total_max_attempts": attempts}),
        )
        clients.append(client)
        return client

    clients: list[Any] = []
    yield act
    for client in clients:
        client.close()


@pytest.fixture
def mturk(connect: Connect, key: RequesterKey) -> Any:
    return connect(key)


@pytest.fixture
def worker(db: None) -> Worker:
    return new_worker()


def new_worker() -> Worker:
    return worker_for(UserFactory.create(annotator=True))


@pytest.fixture
def answer() -> Answer:
    """Have a worker, or a new one, accept and answer a HIT: ``answer(hit_id, worker=None, **fields)``."""

    def act(hit_id: str, worker: Worker | None = None, **fields: str) -> Assignment:
        now = timezone.now()
        hit = Hit.objects.get(hit_id=hit_id)
        assignment = lifecycle.accept(worker=worker or new_worker(), hit=hit, now=now)
        xml = write_answers({name: [value] for name, value in (fields or {"answer": "yes"}).items()})
        return lifecycle.submit(assignment=assignment, answer=xml, now=now)

    return act


@pytest.fixture
def hit(mturk: Any) -> dict[str, Any]:
    """A HIT for three workers."""
    return mturk.create_hit(**HIT)["HIT"]


def refusal(error: Any) -> tuple[str, str]:
    """Return the name of an error of boto3's and MTurk's code of it."""
    response = error.value.response
    code = response.get("TurkErrorCode", "").removeprefix("AWS.MechanicalTurk.")
    return response["Error"]["Code"], code
