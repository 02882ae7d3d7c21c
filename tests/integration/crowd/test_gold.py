"""A gold question's way: asked on the page beside the others, collected, told of the worker, never a vote."""

from datetime import datetime
from typing import Any

import pytest

from annotations.models import Corpus, Question, Response
from crowd import review
from crowd.hits.arrivals import Arrival
from crowd.models import Assignment, Hit
from crowd.quality import checking, rules
from kbpo.accounts.models import User, WorkerIdentity
from marketplace import lifecycle
from marketplace.models import Hit as MarketHit
from marketplace.models import Worker
from marketplace.protocol.answers import write_answers
from tests import arrivals, crowd
from tests.arrivals import sealed
from tests.factories import DocumentFactory, LabelFactory, QuestionFactory
from tests.integration.crowd.conftest import Open

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def always_gold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "gold_chance", lambda right_in_a_row, questions=1: 1.0)


@pytest.fixture
def golds(corpus: Corpus) -> list[Question]:
    """Three questions on which all agreed that she was born there."""
    made = []
    for _ in range(3):
        question = QuestionFactory.create(document=DocumentFactory.create(corpus=corpus), settled=True)
        LabelFactory.create(question=question, posterior=0.999)
        made.append(question)
    return made


def work(hit: Hit, worker: Worker, said_to_gold: Any, now: datetime) -> Assignment:
    """Accept a HIT, open its page, and send an answer to all that it asks."""
    accepted = lifecycle.accept(worker=worker, hit=MarketHit.objects.get(hit_id=hit.provider_id), now=now)
    arrival = Arrival(
        provider=crowd.PROVIDER, assignment_id=accepted.assignment_id, worker_id=worker.worker_id
    )
    assignment = arrivals.begin(hit=hit, arrival=arrival, is_verified=True, now=now)
    assert assignment.gold is not None
    asked = [*hit.questions.all(), assignment.gold]
    text = crowd.answer_json(
        asked, lambda question: said_to_gold if question == assignment.gold else crowd.NONE
    )
    fields = sealed(hit, assignment_id=accepted.assignment_id, worker_id=worker.worker_id, text=text)
    answer = write_answers({name: [value] for name, value in fields.items()})
    lifecycle.submit(assignment=accepted, answer=answer, now=now)
    crowd.collect(now)
    assignment.refresh_from_db()
    return assignment


def test_a_gold_answer_is_kept_and_told_and_is_no_vote(
    open_batch: Open, corpus: Corpus, golds: list[Question], now: datetime
) -> None:
    crowd.fund(corpus)
    crowd.ask(corpus)
    open_batch()
    crowd.post(now)
    [worker] = crowd.workers(1)
    assignment = work(Hit.objects.get(), worker, crowd.BORN, now)
    assert (assignment.problem, assignment.flag) == ("", "")
    valid = {response.question: response.is_valid for response in assignment.responses.all()}
    assert valid == {assignment.hit.questions.get(): True, assignment.gold: False}
    assert [one.is_right for one in checking.gold_answers([assignment.worker.user_id])] == [True]
    crowd.approve_all(now)
    assert not Response.objects.get(question=assignment.gold).is_valid
    crowd.check_books()


def test_wrong_gold_again_waits_for_a_person_who_may_approve_it(
    open_batch: Open, corpus: Corpus, golds: list[Question], now: datetime, operator: User
) -> None:
    crowd.fund(corpus)
    crowd.ask(corpus, 2)
    open_batch()
    crowd.post(now)
    [worker] = crowd.workers(1)
    first, second = (work(hit, worker, crowd.NONE, now) for hit in Hit.objects.order_by("pk"))
    assert first.gold != second.gold
    assert first.flag == ""
    assert second.flag == "Right on 0 of 2 questions whose answer is known (0% to 66% at 95%)."
    assert not second.responses.filter(is_valid=True).exists()
    assert crowd.approve_all(now) == 0  # what else they sent waits too
    review.approve(assignment=second, by=operator, now=now)
    assert crowd.approve_all(now) == 2
    counted = set(second.responses.filter(is_valid=True).values_list("question", flat=True))
    assert counted == set(second.hit.questions.values_list("pk", flat=True))
    crowd.check_books()


def test_a_worker_of_another_provider_gets_gold_before_they_are_known(
    open_batch: Open, corpus: Corpus, golds: list[Question], now: datetime
) -> None:
    crowd.fund(corpus)
    crowd.ask(corpus)
    open_batch()
    crowd.post(now)
    arrival = Arrival(provider=crowd.PROVIDER, assignment_id="3NEW", worker_id="ASTRANGER")
    assignment = arrivals.begin(hit=Hit.objects.get(), arrival=arrival, is_verified=True, now=now)
    assert assignment.gold in golds
    assert not WorkerIdentity.objects.filter(worker_id="ASTRANGER").exists()
    again = arrivals.begin(hit=Hit.objects.get(), arrival=arrival, is_verified=True, now=now)
    assert again.gold == assignment.gold
