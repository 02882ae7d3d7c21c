"""Four posting workers killed with SIGKILL at random: nothing is posted, counted or paid twice, or lost."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection
from django.db.models import Count, F, QuerySet, Sum
from django.utils import timezone

from annotations.models import Corpus, Question, Response
from crowd import review
from crowd.models import Assignment, Bonus, Hit, HitBatch, HitQuestion, LedgerEntry
from crowd.posting import planning
from crowd.providers.base import Provider
from kbpo.accounts.models import User
from kbpo.core.errors import Conflict
from marketplace.models import Assignment as MarketAssignment
from marketplace.models import Hit as MarketHit
from marketplace.models import LedgerEntry as MarketEntry
from marketplace.models import Requester, Worker
from tests import crowd
from tests.conftest import ROOT, clean_environment
from tests.integration.crowd.conftest import Open
from tests.processes import wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

HITS = 60
REWARD, FEE = 15, 3


def farm(settings: LazySettings, seed: int, *count: Path) -> "subprocess.Popen[str]":
    keys = settings.MTURK_KEYS
    return subprocess.Popen(
        [sys.executable, "-m", "tests.integration.crowd.farm", str(seed), *map(str, count)],
        env=clean_environment()
        | {
            "KBPO_HOME": os.environ["KBPO_HOME"],
            "TEST_DATABASE": connection.settings_dict["NAME"],
            "MTURK_ENDPOINT_URL": settings.MTURK_ENDPOINT_URL,
            "MTURK_ACCESS_KEY_ID": keys[0],
            "MTURK_SECRET_ACCESS_KEY": keys[1],
        },
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def wait(true: Callable[[], bool], process: "subprocess.Popen[str]", seconds: float = 400) -> None:
    assert wait_until(lambda: true() or process.poll() is not None, seconds), "it does not come to an end"
    assert process.poll() is None, "the farm has ended"


@pytest.mark.parametrize("seed", [1, 2])
def test_four_workers_killed_at_random(
    seed: int,
    account: Provider,
    open_batch: Open,
    corpus: Corpus,
    requester: Requester,
    settings: LazySettings,
    now: datetime,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    crowd.ask(corpus, HITS)
    Question.objects.update(votes_needed=2)
    spent = HITS * 2 * (REWARD + FEE)
    budget = crowd.fund(corpus, spent + 120)
    people = crowd.workers(4)
    choices = Random(seed)
    monkeypatch.setattr(planning, "AT_ONCE", 5)  # as it is on the farm
    assert open_batch(reward_cents=REWARD).state == HitBatch.State.PLANNING
    process = farm(settings, seed)
    try:
        wait(lambda: HitBatch.objects.get().state == HitBatch.State.OPEN, process)
        wait(lambda: not Hit.objects.filter(state=Hit.State.PLANNED).exists(), process)
        for hit in Hit.objects.all():
            for worker in choices.sample(people, 2):
                crowd.do(hit, worker)
        wait(lambda: Assignment.objects.filter(counted_at__isnull=False).exists(), process)
        thanked = Assignment.objects.filter(counted_at__isnull=False).first()
        Bonus.objects.create(
            worker=thanked.worker,
            corpus=corpus,
            assignment=thanked,
            reason="thanks",
            message="Thank you.",
            cents=100,
            fee_cents=20,
            request_token="thanks",
        )
        wait(lambda: not Hit.objects.exclude(state=Hit.State.CLOSED).exists(), process)
        wait(lambda: not Bonus.objects.filter(paid_at=None).exists(), process)
        wait(lambda: not Question.objects.filter(state=Question.State.OPEN).exists(), process)
        time.sleep(1)  # some more kills, with nothing to do
    finally:
        out, _ = process.communicate("", timeout=30)
    killed, failed = map(int, out.split())
    assert killed > 10
    assert failed == 0
    posted = MarketHit.objects.values_list("annotation", flat=True)
    assert sorted(posted) == sorted(Hit.objects.values_list("annotation", flat=True))
    assert len(posted) == HITS
    sent = MarketAssignment.objects.values_list("assignment_id", "worker__worker_id")
    assert sorted(sent) == sorted(Assignment.objects.values_list("provider_id", "provider_worker_id"))
    assert Response.objects.filter(is_valid=True).count() == 2 * HITS
    once = Response.objects.annotate(counted=Count("assignments"))
    assert set(once.values_list("counted", flat=True)) == {1}
    crowd.check_books()
    budget.refresh_from_db()
    assert (budget.reserved_cents, budget.paid_cents) == (0, spent + 120)
    requester.refresh_from_db()
    assert (requester.available_cents, requester.held_cents) == (1_000_00 - spent - 120, 0)


@pytest.mark.parametrize("seed", [3])
def test_third_votes_are_asked_once_of_others_whoever_is_killed(
    seed: int,
    account: Provider,
    open_batch: Open,
    corpus: Corpus,
    settings: LazySettings,
) -> None:
    Corpus.objects.update(policy="curtailed")
    corpus.refresh_from_db()
    asked = crowd.ask(corpus, 24)
    disputed = asked[::4]
    crowd.fund(corpus)
    people = crowd.workers(6)
    choices = Random(seed)
    open_batch(reward_cents=REWARD, questions_per_hit=4)

    def say_born(question: Question) -> Any:
        return crowd.BORN if question in disputed else crowd.NONE

    process = farm(settings, seed)
    try:
        wait(lambda: not Hit.objects.filter(state=Hit.State.PLANNED).exists(), process)
        for hit in Hit.objects.all():
            for worker, say in zip(choices.sample(people, 2), (say_born, crowd.say_none), strict=True):
                crowd.do(hit, worker, say)
        out_again = HitQuestion.objects.filter(
            is_active=True, hit__state=Hit.State.POSTED, question__votes_needed=3
        )
        wait(lambda: out_again.count() == len(disputed), process)
        for hit in Hit.objects.filter(pk__in=out_again.values("hit")):
            voters = set(
                Response.objects.filter(question__in=hit.questions.all()).values_list("worker", flat=True)
            )
            crowd.do(hit, next(one for one in people if one.user_id not in voters))
        wait(lambda: not Question.objects.exclude(state=Question.State.SETTLED).exists(), process)
        wait(lambda: not Hit.objects.exclude(state=Hit.State.CLOSED).exists(), process)
    finally:
        out, _ = process.communicate("", timeout=30)
    killed, failed = map(int, out.split())
    assert killed > 5
    assert failed == 0
    assert Response.objects.filter(is_valid=True).count() == 2 * len(asked) + len(disputed)
    times = dict(HitQuestion.objects.values_list("question").annotate(times=Count("hit")).order_by())
    assert times == {one.pk: 1 + (one in disputed) for one in asked}
    assert sorted(MarketHit.objects.values_list("annotation", flat=True)) == sorted(
        Hit.objects.values_list("annotation", flat=True)
    )
    crowd.check_books()


KILLS = 100


@pytest.mark.parametrize("seed", [4])
def test_a_hundred_kills_while_collecting_paying_and_rejecting(
    seed: int,
    account: Provider,
    open_batch: Open,
    corpus: Corpus,
    operator: User,
    requester: Requester,
    settings: LazySettings,
    tmp_path: Path,
) -> None:
    """All work is held, and a person approves some and rejects some while every worker is killed again."""
    crowd.ask(corpus, 40)
    Question.objects.update(votes_needed=2)
    budget = crowd.fund(corpus)
    people, choices = crowd.workers(20), Random(seed)
    open_batch(reward_cents=REWARD, holds_all=True)
    count = tmp_path / "killed"
    count.write_text("0")
    process = farm(settings, seed, count)
    try:
        wait(lambda: not Hit.objects.filter(state=Hit.State.PLANNED).exists(), process)
        while int(count.read_text() or 0) < KILLS:
            assert process.poll() is None, "the farm has ended"
            send_some(people, choices)
            decide_some(operator, choices, rejects=0.5)
            time.sleep(0.2)
        wait(lambda: finished(people, choices, operator), process)
    finally:
        out, _ = process.communicate("", timeout=60)
    killed, failed = map(int, out.split())
    assert (killed >= KILLS, failed) == (True, 0)

    here = Assignment.objects.values_list("provider_id", "provider_worker_id", "state")
    there = MarketAssignment.objects.values_list("assignment_id", "worker__worker_id", "state")
    assert sorted(here) == sorted(there)
    assert {state for *_, state in here} == {"approved", "rejected"}
    paid = -F("available_cents") - F("held_cents")
    assert earned(LedgerEntry.objects.filter(kind="reward"), "worker__worker_id", F("paid_change_cents")) == (
        earned(MarketEntry.objects.filter(kind="reward"), "worker__worker_id", paid)
    )
    crowd.check_books()
    budget.refresh_from_db()
    requester.refresh_from_db()
    assert (budget.reserved_cents, requester.held_cents) == (0, 0)
    assert requester.available_cents == 1_000_00 - budget.paid_cents
    approved = Assignment.objects.filter(state="approved").count()
    assert budget.paid_cents == approved * (REWARD + FEE)
    print(f"{killed} kills, {approved} of {len(here)} assignments paid")


def send_some(people: list[Worker], choices: Random) -> int:
    """Have somebody do each HIT that has a free place and that they have no part in."""
    done = 0
    for hit in Hit.objects.filter(state=Hit.State.POSTED, ended_at=None):
        market = MarketHit.objects.get(hit_id=hit.provider_id)
        if market.taken >= market.max_assignments or market.expires_at <= timezone.now():
            continue
        asked = hit.questions.all()
        part = set(Response.objects.filter(question__in=asked).values_list("worker", flat=True))
        part |= set(market.assignments.values_list("worker__user", flat=True))
        free = [one for one in people if one.user_id not in part]
        if free:
            crowd.do(hit, choices.choice(free))
            done += 1
    return done


def decide_some(operator: User, choices: Random, *, rejects: float) -> None:
    for one in review.waits().order_by("pk")[:10]:
        given = {"assignment": one, "by": operator, "now": timezone.now()}
        try:
            if choices.random() < rejects:
                review.reject(**given, reason="It is random")
            else:
                review.approve(**given)
        except Conflict:
            pass  # a worker of the farm was first


def finished(people: list[Worker], choices: Random, operator: User) -> bool:
    send_some(people, choices)
    decide_some(operator, choices, rejects=0.0)
    open_ = Hit.objects.exclude(state=Hit.State.CLOSED).exists()
    waits = Question.objects.filter(state=Question.State.OPEN).exists()
    return not open_ and not waits


def earned(entries: "QuerySet[Any]", worker: str, cents: Any) -> dict[str, int]:
    return dict(entries.order_by().values_list(worker).annotate(cents=Sum(cents)))
