"""A network that fails at random: nothing is posted, counted or paid twice, and nothing is lost."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.conf import LazySettings
from django.db.models import Count

from annotations.models import Corpus, Question, Response
from crowd.models import Assignment, Hit, LedgerEntry
from crowd.providers import mturk
from crowd.providers.base import NoAnswer, Provider
from marketplace.models import Assignment as MarketAssignment
from marketplace.models import Hit as MarketHit
from marketplace.models import Requester
from tests import crowd
from tests.integration.crowd.conftest import Open
from tests.proxy import FAULTS, Proxy

pytestmark = pytest.mark.django_db(transaction=True)

REWARD, FEE = 15, 3
STEP = timedelta(minutes=20)  # longer than any wait and any lease


@pytest.fixture
def proxy(
    account: Provider, live_server: Any, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Proxy]:
    """The same account, reached through a network that fails. boto3 tries once: we try again ourselves."""
    proxy = Proxy(live_server.url, seed=5)
    settings.MTURK_ENDPOINT_URL = settings.MTURK_ENDPOINT_URL.replace(live_server.url, proxy.url)
    monkeypatch.setattr(mturk, "ATTEMPTS", 1)
    yield proxy
    proxy.close()


@pytest.mark.usefixtures("everybody_may_say_none")
@pytest.mark.slow
@pytest.mark.parametrize("number", [30, 100])
def test_hits_through_a_network_that_fails(
    number: int, proxy: Proxy, open_batch: Open, corpus: Corpus, requester: Requester, now: datetime
) -> None:
    questions = crowd.ask(corpus, number)
    Question.objects.filter(pk__in=[question.pk for question in questions[::3]]).update(votes_needed=2)
    Question.objects.exclude(pk__in=[question.pk for question in questions[::3]]).update(votes_needed=1)
    places = number + len(questions[::3])
    cap = places * (REWARD + FEE)  # not a cent more
    budget = crowd.fund(corpus, cap)
    choices, people = Random(8), []
    while len(people) < 5:
        with suppress(NoAnswer):
            people += crowd.workers(1)
    open_batch(reward_cents=REWARD)

    rounds = 0
    while Hit.objects.exclude(state=Hit.State.CLOSED).exists():
        rounds += 1
        assert rounds < 60, "it does not come to an end"
        now += STEP
        crowd.post(now, rounds)
        for hit in Hit.objects.filter(state=Hit.State.POSTED):
            taken = MarketAssignment.objects.filter(hit__hit_id=hit.provider_id)
            if taken.count() < hit.places and choices.random() < 0.8:
                free = [worker for worker in people if not taken.filter(worker=worker).exists()]
                crowd.do(hit, choices.choice(free))
        crowd.collect(now, rounds)
        crowd.approve_all(now)
    proxy.settle()

    posted = MarketHit.objects.values_list("annotation", flat=True)
    assert sorted(posted) == sorted(Hit.objects.values_list("annotation", flat=True))
    assert len(set(posted)) == number
    by_question = Question.objects.annotate(asked=Count("hits", distinct=True))
    assert set(by_question.values_list("asked", flat=True)) == {1}
    sent = MarketAssignment.objects.values_list("assignment_id", "worker__worker_id")
    assert sorted(sent) == sorted(Assignment.objects.values_list("provider_id", "provider_worker_id"))
    assert len(sent) == places
    assert Response.objects.filter(is_valid=True).count() == places
    once = Response.objects.annotate(counted=Count("assignments"))
    assert set(once.values_list("counted", flat=True)) == {1}
    assert not Assignment.objects.exclude(problem="").exists()
    crowd.check_books()
    budget.refresh_from_db()
    assert (budget.reserved_cents, budget.paid_cents) == (0, cap)
    requester.refresh_from_db()
    assert (requester.available_cents, requester.held_cents) == (1_000_00 - cap, 0)
    assert LedgerEntry.objects.filter(kind="reward").count() == places
    if number == 100:
        assert set(FAULTS) <= set(proxy.happened), "a kind of fault never came up"
