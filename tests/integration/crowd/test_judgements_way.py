"""Judgements of what systems write go through the marketplace: posted, priced, looked at, paid, settled."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client

from annotations import labels
from annotations.kinds.correctness import CorrectnessQuestion
from annotations.kinds.quality import QualityQuestion
from annotations.kinds.registry import read_asked
from annotations.models import Corpus, Label, Question, Response
from annotations.responses import record
from crowd.models import Assignment, Hit
from crowd.quality import checking, habits, measures
from kbpo_formats.spans import Span
from marketplace.models import Requester
from tests import crowd
from tests.arrivals import KEYS, arrival
from tests.factories import (
    AssignmentFactory,
    DocumentFactory,
    HitFactory,
    QuestionFactory,
    ResponseFactory,
    UserFactory,
    WorkerIdentityFactory,
)
from tests.integration.crowd.conftest import Open
from tests.integration.hits.conftest import HIT_HOST, SUBMIT_TO

pytestmark = pytest.mark.django_db

ASKS, PASSAGE = "Who built the mill?", "Ada Quill built it in 1802."
TEXT = f"{ASKS}\n\n{PASSAGE}"
BEST = {"fluency": 1, "redundancy": 1, "overall": 1, "edit": None}
FAIL = {"fluency": -1, "redundancy": -1, "overall": -1, "edit": "A text that one can read."}
RIGHT = {"plausible": True, "passages": [{"verdict": 1, "span": [21, 36]}]}
IMPLAUSIBLE = {"plausible": False, "passages": []}
SAID = {"quality": (BEST, FAIL), "correctness": (RIGHT, IMPLAUSIBLE)}
LABELS = {
    "quality": {"overall": 0.0, "fluency": 0.0, "redundancy": 0.0},
    "correctness": {"any": 0.5, "average": 0.5, "undecided": 0.0},
}


def ask(corpus: Corpus, kind: str, *, words: int = 20, votes: int = 2) -> Question:
    document = DocumentFactory.create(corpus=corpus, text=TEXT, sentences=True)
    written = " ".join(f"word{number}" for number in range(words))
    asked = {
        "quality": QualityQuestion(written),
        "correctness": CorrectnessQuestion(written, Span(0, len(ASKS)), (Span(21, len(TEXT)),)),
    }[kind]
    question: Question = QuestionFactory.create(document=document, asked=asked, votes_needed=votes)
    return question


def make_single(corpus: Corpus) -> None:
    """Have what the corpus asks settled by as many votes as it asks for, as generated text is."""
    Corpus.objects.filter(pk=corpus.pk).update(policy="single")


def sent(corpus: Corpus, worker: Any, kind: str, answer: Any, **question: Any) -> Assignment:
    """Have a worker send one answer, which waits to be looked at."""
    asked = ask(corpus, kind, **question)
    hit = HitFactory.create(batch__corpus=corpus, batch__kind=kind, questions=[asked])
    assignment: Assignment = AssignmentFactory.create(hit=hit, sent=True, worker=worker)
    read = read_asked([asked])[asked.pk].read_answer(answer)
    assignment.responses.add(ResponseFactory.create(question=asked, worker=worker.user, answer=read))
    return assignment


@pytest.mark.parametrize("kind", ["quality", "correctness"])
def test_judgements_are_posted_priced_by_length_answered_paid_and_settled(
    open_batch: Open, corpus: Corpus, requester: Requester, now: datetime, kind: str
) -> None:
    make_single(corpus)
    short, long = ask(corpus, kind), ask(corpus, kind, words=400)
    budget = crowd.fund(corpus)
    open_batch(kind=kind, reward_cents=200)
    assert crowd.post(now) == 2
    rewards = {hit.questions.get().pk: hit.reward_cents for hit in Hit.objects.all()}
    assert 5 <= rewards[short.pk] < rewards[long.pk]
    assert all(cents % 5 == 0 for cents in rewards.values())
    assert set(Hit.objects.values_list("places", flat=True)) == {2}
    for hit in Hit.objects.order_by("pk"):
        for worker, answer in zip(crowd.workers(2, able=kind), SAID[kind], strict=True):
            crowd.do(hit, worker, lambda question, answer=answer: answer)
    crowd.collect(now)
    assert Response.objects.filter(is_valid=True).count() == 4
    assert crowd.approve_all(now) == 4
    assert labels.settle_questions() == 2
    found = {label.claim: label.value for label in Label.objects.filter(question=short)}
    assert {claim: found[claim] for claim in LABELS[kind]} == LABELS[kind]  # the means of both votes
    crowd.check_books()
    budget.refresh_from_db()
    paid = 2 * sum(cents + -(-cents // 5) for cents in rewards.values())
    assert (budget.reserved_cents, budget.paid_cents) == (0, paid)


def test_who_has_given_a_twentieth_is_told_so_before_a_hit_begins(
    corpus: Corpus, settings: LazySettings
) -> None:
    settings.CROWD_MOST_PERCENT, settings.MTURK_KEYS = 5, KEYS
    asked = [ask(corpus, "quality", votes=1) for _ in range(40)]
    identity = WorkerIdentityFactory.create(provider="marketplace", worker_id="W1")
    for one in asked[:2]:
        record(question=one, worker=identity.user, answer=BEST)
    hit = HitFactory.create(batch__corpus=corpus, batch__kind="quality", questions=[asked[2]])
    client, address = Client(headers={"host": HIT_HOST}), f"/hits/{hit.annotation}/"
    told = client.get(f"{address}?{arrival(hit, SUBMIT_TO)}")
    assert told.status_code == 409
    assert "as much of this work as one person may" in told.content.decode()
    assert not Assignment.objects.exists()
    other = arrival(hit, SUBMIT_TO, workerId="W2", assignmentId="3B")
    assert client.get(f"{address}?{other}").status_code == 200


@pytest.fixture
def worker() -> Any:
    return WorkerIdentityFactory.create()


def test_work_that_cannot_have_been_read_is_looked_at(
    corpus: Corpus, worker: Any, now: datetime, settings: LazySettings
) -> None:
    settings.CROWD_FASTEST_READING = 8.0
    slow, quick = (sent(corpus, worker, "quality", BEST, words=200) for _ in range(2))
    for one, seconds in ((slow, 100), (quick, 3)):
        started = now - timedelta(seconds=seconds)
        Assignment.objects.filter(pk=one.pk).update(accepted_at=started, begun_at=started, submitted_at=now)
        one.refresh_from_db()
    assert checking.flags(assignment=slow) == ()
    assert any("reading the" in words for words in checking.flags(assignment=quick))


@pytest.mark.parametrize("kind", ["quality", "correctness"])
def test_who_is_far_from_the_others_is_looked_at(
    corpus: Corpus, worker: Any, now: datetime, kind: str
) -> None:
    usual, other = SAID[kind]
    work = [sent(corpus, worker, kind, other, votes=5) for _ in range(12)]
    people = [UserFactory.create(annotator=True) for _ in range(4)]
    for one in work:
        for person in people:
            record(question=one.hit.questions.get(), worker=person, answer=usual)
    measures.measure_work(now=now)
    assert any("Agrees with" in words for words in checking.flags(assignment=work[-1]))


def test_who_always_chooses_the_first_is_looked_at(corpus: Corpus, worker: Any) -> None:
    work = [sent(corpus, worker, "quality", BEST) for _ in range(30)]
    assert any("first" in words for words in habits.found(work[-1]))


def test_who_highlights_the_same_words_as_another_is_looked_at(corpus: Corpus, worker: Any) -> None:
    people = [UserFactory.create(annotator=True) for _ in range(3)]
    spans = [[21, 30], [21, 36], [25, 46], [31, 47]]
    answers = [{"plausible": True, "passages": [{"verdict": 1, "span": spans[n % 4]}]} for n in range(30)]
    own = []
    for number, answer in enumerate(answers):
        question = ask(corpus, "correctness", votes=4, words=3 + number)
        for place, person in enumerate(people):
            span = spans[number % 4 if place == 0 else (number + place) % 4]
            said = {"plausible": True, "passages": [{"verdict": 1, "span": span}]}
            record(question=question, worker=person, answer=said)
        hit = HitFactory.create(batch__corpus=corpus, batch__kind="correctness", questions=[question])
        assignment = AssignmentFactory.create(hit=hit, sent=True, worker=worker)
        read = read_asked([question])[question.pk].read_answer(answer)
        assignment.responses.add(ResponseFactory.create(question=question, worker=worker.user, answer=read))
        own.append(assignment)
    assert any("another" in words for words in habits.found(own[-1]))
