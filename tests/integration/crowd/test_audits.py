"""Audits' questions in ordinary HITs and queues: asked of others, looked alike, paid alike."""

import re
from datetime import datetime
from random import Random

import pytest
from django.test import Client
from django.urls import reverse

from annotations import labels, questions, responses
from annotations.models import Corpus, Label, Question, Response
from annotations.policies.registry import OF_AUDITS
from annotations.responses import Answer
from crowd import posting
from crowd.annotators import queue
from crowd.hits.arrivals import Arrival
from crowd.models import Hit, WorkerMeasure
from crowd.open_questions import for_planning, open_questions
from crowd.quality import gold, measures
from kbpo.accounts.models import User
from kbpo.core.errors import Conflict, NotAllowed
from kbpo.pages.money.votes import votes_a_question, votes_of_audits
from tests import arrivals, crowd
from tests.factories import UserFactory, give
from tests.integration.crowd.conftest import Open

pytestmark = pytest.mark.django_db


@pytest.fixture
def voters() -> list[User]:
    return UserFactory.create_batch(3, annotator=True)


@pytest.fixture
def settled(corpus: Corpus, voters: list[User]) -> Question:
    """A question that three people have settled."""
    [question] = crowd.ask(corpus)
    for worker in voters:
        responses.record(question=question, worker=worker, answer=crowd.NONE)
    labels.settle_questions()
    question.refresh_from_db()
    assert question.state == "settled"
    return question


@pytest.fixture
def audit(settled: Question) -> Question:
    return questions.ask_audits(questions=[settled.pk])[settled.pk]


def test_asking_again_twice_is_asking_once(settled: Question, audit: Question) -> None:
    assert questions.ask_audits(questions=[settled.pk]) == {settled.pk: audit}
    assert Question.objects.count() == 2


def test_the_queue_offers_it_to_others_alone(audit: Question, voters: list[User], now: datetime) -> None:
    for worker in voters:
        assert queue.next_question(worker=worker, now=now) is None
    assert queue.next_question(worker=UserFactory(annotator=True), now=now) == audit


def test_seven_votes_settle_it_whatever_the_corpus_policy(audit: Question, corpus: Corpus) -> None:
    for number in range(7):
        assert not Label.objects.filter(question=audit).exists()
        responses.record(
            question=audit,
            worker=UserFactory(annotator=True),
            answer=crowd.BORN if number % 2 == 0 else crowd.NONE,
        )
        labels.settle_questions()
    audit.refresh_from_db()
    assert audit.state == "settled"
    assert set(audit.labels.filter(value=1).values_list("votes_for", "votes")) == {(4, 7)}


def test_a_tie_goes_on_to_another_vote(audit: Question) -> None:
    third = {"relations": [{"predicate": "per:place_of_residence", "subject": 0}]}
    for answer in (crowd.BORN, crowd.BORN, crowd.BORN, crowd.NONE, crowd.NONE, crowd.NONE, third):
        responses.record(question=audit, worker=UserFactory(annotator=True), answer=answer)
    labels.settle_questions()
    audit.refresh_from_db()
    assert (audit.state, audit.votes_needed) == ("open", 8)


def test_an_answer_of_who_judged_before_is_kept_and_is_no_vote(audit: Question, voters: list[User]) -> None:
    found = responses.record(question=audit, worker=voters[0], answer=crowd.NONE)
    assert not found.is_valid
    assert Response.objects.filter(question=audit).count() == 1


def test_in_a_hit_it_is_paid_and_never_becomes_a_vote(
    open_batch: Open, corpus: Corpus, now: datetime
) -> None:
    crowd.fund(corpus)
    [worker, *others] = crowd.workers(4)
    [question] = crowd.ask(corpus)
    open_batch()
    crowd.post(now)
    for one in others[:2]:
        crowd.do(Hit.objects.get(), one)
    crowd.do(Hit.objects.get(), worker)
    crowd.collect(now)
    crowd.approve_all(now)
    labels.settle_questions()
    [again] = questions.ask_audits(questions=[question.pk]).values()
    open_batch()
    crowd.post(now)
    hit = Hit.objects.get(questions=again)
    assert hit.places == OF_AUDITS.first_votes
    crowd.do(hit, worker)  # the page would not have let them in
    crowd.collect(now)
    said = Response.objects.get(question=again)
    assert not said.is_valid
    crowd.approve_all(now)
    said.refresh_from_db()
    assert crowd.only(hit).state == "approved"
    assert not said.is_valid
    crowd.check_books()


def test_the_page_of_a_hit_admits_nobody_who_judged_before(
    open_batch: Open, corpus: Corpus, now: datetime
) -> None:
    crowd.fund(corpus)
    [worker] = crowd.workers(1)
    [question] = crowd.ask(corpus)
    open_batch()
    crowd.post(now)
    crowd.do(Hit.objects.get(), worker)
    crowd.collect(now)
    Question.objects.filter(pk=question.pk).update(state="settled", settled_at=now)
    [again] = questions.ask_audits(questions=[question.pk]).values()
    open_batch()
    crowd.post(now)
    arrival = Arrival(provider=crowd.PROVIDER, assignment_id="3NEW", worker_id=worker.worker_id)
    with pytest.raises(Conflict, match="for others now"):
        arrivals.begin(hit=Hit.objects.get(questions=again), arrival=arrival, is_verified=True, now=now)


def test_who_judged_before_counts_when_hits_are_put_together(
    audit: Question, corpus: Corpus, voters: list[User], now: datetime
) -> None:
    [one] = for_planning(open_questions(Question.objects.all(), now=now), corpus.judged_by)
    assert one.votes == 7
    assert one.voters == {worker.pk for worker in voters}


def test_neither_an_audit_nor_what_it_audits_is_gold_beside_it(
    open_batch: Open, corpus: Corpus, audit: Question, settled: Question, now: datetime
) -> None:
    Label.objects.filter(question=settled).update(posterior=0.001)
    crowd.fund(corpus)
    crowd.ask(corpus)
    open_batch()
    for hit in Hit.objects.all():
        drawn = gold.draw(hit, rng=Random(1))
        asks_it = hit.questions.filter(pk=audit.pk).exists()
        assert drawn == ([] if asks_it else [settled.pk])


def test_an_expert_sees_no_votes_and_not_what_they_judged_themselves(
    settled: Question, corpus: Corpus, client: Client, now: datetime, voters: list[User]
) -> None:
    Corpus.objects.filter(pk=corpus.pk).update(audit_share=0.1)
    expert, _ = (give(one, corpus, "reviewer") for one in (UserFactory(), voters[0]))
    [audit] = questions.ask_audits(questions=[settled.pk]).values()
    [disputed] = crowd.ask(corpus)
    responses.record(question=disputed, worker=voters[1], answer=crowd.BORN)
    labels.send_to_experts(questions=[disputed], by=None)
    assert audit.state == "expert"
    [waiting] = queue.waiting(worker=voters[0], now=now, as_expert=True)
    assert waiting.questions == 1
    with pytest.raises(NotAllowed):
        responses.record(question=audit, worker=voters[0], answer=crowd.NONE, as_expert=True)
    client.force_login(expert)
    for question in (audit, disputed):
        assert queue.next_question(worker=expert, now=now, as_expert=True) == question
        page = client.get(reverse("annotate_question", args=[question.pk])).content.decode()
        assert not re.search("vote|audit", page, re.IGNORECASE)
        responses.record(question=question, worker=expert, answer=crowd.NONE, as_expert=True)


def test_it_moves_no_measure_of_votes_or_workers(
    audit: Question, corpus: Corpus, voters: list[User], now: datetime
) -> None:
    before = votes_a_question(corpus, "relation")
    for _ in range(7):
        responses.record_many(
            answers=[Answer(question=audit, worker=UserFactory(annotator=True), answer=crowd.BORN)]
        )
    labels.settle_questions()
    measures.measure_work(now=now)
    assert votes_a_question(corpus, "relation") == before
    compared = WorkerMeasure.objects.filter(compared__gt=0, worker__isnull=False)
    assert set(compared.values_list("worker", flat=True)) == {worker.pk for worker in voters}


def test_votes_of_audits_are_priced_unless_a_reviewer_gives_them(corpus: Corpus) -> None:
    corpus.audit_share = 0.1
    assert votes_of_audits(corpus) == pytest.approx(0.7)
    give(UserFactory(), corpus, "reviewer")
    assert votes_of_audits(corpus) == 0


def test_a_batch_asks_it_again_that_nobody_answered(
    open_batch: Open, corpus: Corpus, audit: Question, now: datetime
) -> None:
    crowd.fund(corpus)
    open_batch()
    crowd.post(now)
    Hit.objects.update(ended_at=now, state="closed", closed_at=now)
    Hit.objects.get().hit_questions.update(is_active=False)
    assert posting.plan_batches(now=now) == 1
    assert audit.hits.count() == 2
