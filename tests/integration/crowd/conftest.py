"""A requester at the built-in marketplace, reached by the real boto3 client over HTTP."""

import os
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from annotations.models import Corpus
from crowd.models import HitBatch
from crowd.providers import mturk, registry
from crowd.providers.base import Provider
from crowd.quality import patterns
from kbpo.accounts.models import User
from marketplace.models import Requester, RequesterKey
from tests import crowd
from tests.factories import CorpusFactory

Open = Callable[..., HitBatch]


@pytest.fixture
def everybody_may_say_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no pattern seen in workers who say "none" to everything, as those of most tests do."""
    monkeypatch.setattr(patterns, "FEWEST", 1000)


@pytest.fixture(autouse=True)
def nothing_of_this_machines_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("AWS_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)


@pytest.fixture
def requester_and_key(db: None) -> tuple[Requester, RequesterKey]:
    return crowd.requester_with_keys()


@pytest.fixture
def requester(requester_and_key: tuple[Requester, RequesterKey]) -> Requester:
    return requester_and_key[0]


@pytest.fixture
def account(live_server: Any, settings: Any, requester_and_key: Any) -> Iterator[Provider]:
    """This site's account with the marketplace that runs on the live server."""
    key = requester_and_key[1]
    settings.HIT_BASE_URL = "http://127.0.0.1:9"
    settings.MTURK_ENDPOINT_URL = live_server.url + reverse("requester_api")
    settings.MTURK_IS_BUILT_IN = True
    settings.MTURK_KEYS = (key.access_key_id, key.secret)
    provider = registry.provider(crowd.PROVIDER)
    yield provider
    provider.close()  # type: ignore[attr-defined]
    mturk.connect.cache_clear()


@pytest.fixture
def corpus(db: None) -> Corpus:
    return CorpusFactory.create()


@pytest.fixture
def now() -> datetime:
    return timezone.now()


@pytest.fixture
def operator(db: None) -> User:
    return crowd.operator()


@pytest.fixture
def open_batch(account: Provider, corpus: Corpus, operator: User, now: datetime) -> Open:
    def act(**options: Any) -> HitBatch:
        given = {
            "corpus": corpus,
            "kind": "relation",
            "provider": crowd.PROVIDER,
            "reward_cents": 15,
            "by": operator,
            "now": now,
        }
        return crowd.open_batch(**given | options)

    return act
