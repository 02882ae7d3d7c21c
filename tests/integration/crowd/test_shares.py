"""Nobody gives more than a share of the judgements of what systems write; the other kinds are not bounded."""

from typing import Any

import pytest
from django.utils import timezone

from annotations.kinds.quality import QualityQuestion
from annotations.models import Corpus, Question
from annotations.responses import record
from crowd import shares
from crowd.annotators import queue
from crowd.hits.arrivals import Arrival
from crowd.interfaces.registry import find_interface
from crowd.models import Assignment, Hit
from kbpo.accounts.models import User
from kbpo.core.errors import Conflict
from tests import arrivals
from tests.factories import (
    CorpusFactory,
    DocumentFactory,
    HitFactory,
    QuestionFactory,
    UserFactory,
    WorkerIdentityFactory,
)

pytestmark = pytest.mark.django_db

ASKED = 40  # of one vote each: two judgements are 5%
BEST = {"fluency": 1, "redundancy": 1, "overall": 1, "edit": None}


@pytest.fixture(autouse=True)
def bounded(settings: Any) -> None:
    settings.CROWD_MOST_PERCENT = 5


@pytest.fixture
def corpus() -> Corpus:
    return CorpusFactory.create()


@pytest.fixture
def questions(corpus: Corpus) -> list[Question]:
    document = DocumentFactory.create(corpus=corpus)
    return [
        QuestionFactory.create(document=document, asked=QualityQuestion(f"Text {number}."), votes_needed=1)
        for number in range(ASKED)
    ]


@pytest.fixture
def worker() -> User:
    return UserFactory.create(annotator=True)


def accept(question: Question, worker_id: str, number: int = 1) -> Assignment:
    """Have a worker accept the HIT of a question and begin."""
    hit = Hit.objects.filter(questions=question).first() or HitFactory.create(
        batch__corpus=question.document.corpus, batch__kind="quality", questions=[question], places=5
    )
    arrival = Arrival(
        provider=hit.batch.provider,
        assignment_id=f"A{worker_id}{question.pk}-{number}",
        worker_id=worker_id,
        submit_to="https://x.example/submit",
        hit_id=hit.provider_id or "",
    )
    return arrivals.begin(hit=hit, arrival=arrival, is_verified=True, now=timezone.now())


def test_an_annotator_is_given_no_more_than_a_twentieth(questions: list[Question], worker: User) -> None:
    for _ in range(2):
        found = queue.next_question(worker=worker, now=timezone.now())
        assert found is not None
        record(question=found, worker=worker, answer=BEST)
    assert queue.next_question(worker=worker, now=timezone.now()) is None
    other = UserFactory.create(annotator=True)
    assert queue.next_question(worker=other, now=timezone.now()) is not None


def test_a_hit_is_refused_before_it_is_begun(questions: list[Question], worker: User) -> None:
    identity = WorkerIdentityFactory.create(user=worker, provider="marketplace", worker_id="W1")
    record(question=questions[0], worker=worker, answer=BEST)
    begun = accept(questions[1], identity.worker_id)
    with pytest.raises(Conflict, match="as much of this work as one person may"):
        accept(questions[2], identity.worker_id)
    assert accept(questions[1], identity.worker_id).pk == begun.pk  # what is begun goes on


def test_what_others_do_with_other_kinds_is_not_bounded(questions: list[Question]) -> None:
    corpus_id = questions[0].document.corpus_id
    assert shares.allowed(find_interface("relation"), corpus_id) is None
    assert shares.allowed(find_interface("quality"), corpus_id) == 2


def test_what_is_published_counts_for_an_epoch_that_is_over(questions: list[Question], worker: User) -> None:
    record(question=questions[0], worker=worker, answer=BEST)
    now = timezone.now()
    Question.objects.filter(pk__in=[one.pk for one in questions[:20]]).update(
        state="settled", settled_at=now, published_at=now
    )
    interface, corpus_id = find_interface("quality"), questions[0].document.corpus_id
    assert shares.allowed(interface, corpus_id) == 1
    assert shares.given(interface, corpus_id, now=now, user_id=worker.pk) == 0


def test_an_expert_settles_whatever_waits(questions: list[Question], worker: User) -> None:
    for question in questions[:2]:
        record(question=question, worker=worker, answer=BEST)
    Question.objects.filter(pk=questions[5].pk).update(state=Question.State.EXPERT)
    User.objects.filter(pk=worker.pk).update(is_operator=True)
    worker.refresh_from_db()
    assert queue.next_question(worker=worker, now=timezone.now(), as_expert=True) is not None
