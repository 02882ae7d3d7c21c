"""A vote on a whole document that turns out not to count, after the document was settled."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from annotations import labels, pairs, questions, responses, selectors
from annotations.models import Document, DocumentAnnotation, Question, Response
from crowd import budget, review
from evaluation.kbp.recall import document_phases
from evaluation.kbp.recall.annotated import read_sample, read_texts, read_true_relations
from evaluation.models import DocumentSample, Epoch, SampledDocument
from kbpo import pipeline
from kbpo.accounts.models import User
from kbpo_formats.spans import Span
from tests import crowd as helpers
from tests.factories import (
    ADA,
    HALLOW,
    AssignmentFactory,
    DocumentFactory,
    EpochFactory,
    HitBatchFactory,
    HitFactory,
    UserFactory,
    WorkerIdentityFactory,
)
from tests.integration.test_whole_documents import MENTIONS, NOW, marking, settle_pairs, vote

pytestmark = pytest.mark.django_db

SOME = MENTIONS[:2]
ALL = {one.span for one in MENTIONS}


@pytest.fixture
def document() -> Document:
    return DocumentFactory.create(segmented=True)


@pytest.fixture
def question(document: Document) -> Question:
    return questions.ask_entities([document.pk])[document.pk]


@pytest.fixture
def crowd() -> list[User]:
    return UserFactory.create_batch(3, annotator=True)


def invalidate(question: Question, worker: User) -> None:
    """Have a vote no longer count, as a rejection does."""
    with transaction.atomic():
        Question.objects.select_for_update().get(pk=question.pk)
        Response.objects.filter(question=question, worker=worker).update(is_valid=False)
        labels.reopen_questions(questions=[question.pk])


def settle() -> None:
    labels.settle_questions()
    while pairs.settle_documents(now=NOW):
        pass


def marked_by(annotation: DocumentAnnotation) -> set[Span]:
    return {one.span for one in selectors.read_record(annotation).mentions}


def complete(document: Document) -> DocumentAnnotation:
    return document.annotations.get(completed_at__isnull=False)


@pytest.fixture
def settled(document: Document, question: Question, crowd: list[User]) -> DocumentAnnotation:
    """Everything is marked by two of three, of whom the first is going to be rejected."""
    full = marking(question, MENTIONS)
    vote(question, crowd, full, full, marking(question, SOME))
    settle()
    settle_pairs(crowd, a="per:place_of_birth")
    settle()
    return complete(document)


def test_the_document_waits_for_another_vote_and_counts_meanwhile(
    document: Document,
    question: Question,
    crowd: list[User],
    settled: DocumentAnnotation,
) -> None:
    invalidate(question, crowd[0])
    settle()
    question.refresh_from_db()
    assert (question.state, question.settled_at) == ("open", None)
    assert list(labels.lacking_votes()) == [question]
    assert complete(document) == settled


def test_another_vote_settles_it_anew_with_its_pairs(
    document: Document,
    question: Question,
    crowd: list[User],
    settled: DocumentAnnotation,
) -> None:
    before = set(settled.questions.values_list("pk", flat=True))
    invalidate(question, crowd[0])
    late = UserFactory.create(annotator=True)
    responses.record(question=question, worker=late, answer=marking(question, SOME))
    settle()
    annotation = complete(document)
    assert annotation != settled
    assert marked_by(annotation) == {ADA, HALLOW}
    # Of the pairs only that of the two which are left counts; it was answered before, so nothing is asked.
    assert annotation.questions.count() == 1
    assert set(annotation.questions.values_list("pk", flat=True)) < before
    assert not DocumentAnnotation.objects.filter(pk=settled.pk).exists()
    assert not Question.objects.filter(state="open").exists()
    assert annotation.relations.count() == 1


def test_new_pairs_are_asked_and_the_old_ones_count_until_they_are_answered(
    document: Document,
    question: Question,
    crowd: list[User],
) -> None:
    some = marking(question, SOME)
    vote(question, crowd, some, some, marking(question, MENTIONS))
    settle()
    settle_pairs(crowd, a="per:place_of_birth")
    settle()
    old = complete(document)
    invalidate(question, crowd[0])
    late = UserFactory.create(annotator=True)
    responses.record(question=question, worker=late, answer=marking(question, MENTIONS))
    settle()
    assert complete(document) == old
    in_work = document.annotations.get(completed_at=None)
    assert marked_by(in_work) == ALL
    assert in_work.questions.filter(state="open").count() == in_work.questions.count() - 1
    settle_pairs(crowd, a="per:place_of_birth", b="per:organizations_founded")
    settle()
    new = complete(document)
    assert (new.pk, document.annotations.count()) == (in_work.pk, 1)
    assert new.relations.count() > 1


def test_with_votes_enough_left_it_is_settled_by_those(
    document: Document,
    question: Question,
    crowd: list[User],
) -> None:
    Question.objects.filter(pk=question.pk).update(votes_needed=2)
    full, some = marking(question, MENTIONS), marking(question, SOME)
    for worker, answer in zip(crowd, (full, full, some), strict=True):
        responses.record(question=question, worker=worker, answer=answer)
    settle()
    assert marked_by(document.annotations.get()) == ALL
    invalidate(question, crowd[0])
    settle()
    question.refresh_from_db()
    assert question.state == "settled"
    assert marked_by(document.annotations.get()) == {ADA, HALLOW}


def test_votes_that_say_the_same_leave_the_annotation_as_it_is(
    document: Document,
    question: Question,
    crowd: list[User],
    settled: DocumentAnnotation,
) -> None:
    invalidate(question, crowd[2])
    late = UserFactory.create(annotator=True)
    responses.record(question=question, worker=late, answer=marking(question, MENTIONS))
    settle()
    assert list(document.annotations.all()) == [settled]
    question.refresh_from_db()
    assert question.state == "settled"


def test_a_second_change_replaces_what_is_in_work(
    document: Document,
    question: Question,
    crowd: list[User],
    settled: DocumentAnnotation,
) -> None:
    invalidate(question, crowd[0])
    late, later = UserFactory.create_batch(2, annotator=True)
    responses.record(question=question, worker=late, answer=marking(question, MENTIONS[:4]))
    labels.settle_questions()
    first = document.annotations.get(completed_at=None)
    invalidate(question, late)
    responses.record(question=question, worker=later, answer=marking(question, SOME))
    labels.settle_questions()
    second = document.annotations.get(completed_at=None)
    assert first != second
    assert marked_by(second) == {ADA, HALLOW}
    assert complete(document) == settled


def test_what_an_expert_has_said_stays(
    document: Document,
    question: Question,
    crowd: list[User],
) -> None:
    responses.record(question=question, worker=crowd[0], answer=marking(question, SOME))
    operator = UserFactory.create(operator=True)
    responses.record(question=question, worker=operator, answer=marking(question, MENTIONS), as_expert=True)
    invalidate(question, crowd[0])
    question.refresh_from_db()
    assert question.state == "settled"


def test_what_is_published_stays(
    question: Question,
    crowd: list[User],
    settled: DocumentAnnotation,
) -> None:
    labels.publish(Question.objects.filter(pk=question.pk))
    invalidate(question, crowd[0])
    question.refresh_from_db()
    assert (question.state, question.published_at is not None) == ("settled", True)


def test_a_settled_relation_stays_whatever_becomes_of_its_votes(
    question: Question,
    crowd: list[User],
    settled: DocumentAnnotation,
) -> None:
    relation = settled.questions.order_by("pk").first()
    assert relation is not None
    invalidate(relation, crowd[0])
    relation.refresh_from_db()
    assert relation.state == "settled"


@pytest.fixture
def sample(document: Document, settled: DocumentAnnotation) -> DocumentSample:
    """The document alone is the sample; its recall is up to date."""
    made = DocumentSample.objects.create(
        corpus=document.corpus, size=2, first_size=2, population=2, second_drawn_at=timezone.now()
    )
    SampledDocument.objects.create(sample=made, document=document, probability=1)
    EpochFactory.create(corpus=document.corpus, document_sample=made)
    document_phases.notice_annotations()
    Epoch.objects.update(scores_due=False)
    return made


def test_recall_is_computed_again_when_the_document_is_settled_again(
    document: Document,
    question: Question,
    crowd: list[User],
    sample: DocumentSample,
) -> None:
    def true() -> int:
        read = read_sample(sample)
        assert read is not None
        return len(read_true_relations(read.annotations.values(), read_texts(list(read.annotations))))

    before = true()
    invalidate(question, crowd[0])
    settle()
    assert document_phases.notice_annotations() == 0
    assert true() == before
    late = UserFactory.create(annotator=True)
    responses.record(question=question, worker=late, answer=marking(question, SOME))
    settle()
    assert document_phases.notice_annotations() == 1
    assert Epoch.objects.get().scores_due
    assert true() == 1 < before


def test_a_rejection_has_the_document_settled_again(
    document: Document,
    question: Question,
    crowd: list[User],
    settings: Any,
    settled: DocumentAnnotation,
) -> None:
    settings.HIT_BASE_URL = "http://127.0.0.1:9"
    settings.MTURK_IS_BUILT_IN = True
    settings.MTURK_KEYS = ("a key", "its secret")
    now = timezone.now()
    helpers.fund(document.corpus)
    batch = HitBatchFactory.create(corpus=document.corpus, kind="entities")
    hit = HitFactory.create(batch=batch, questions=[question], places=1)
    promise = budget.Promise(key="reserve", cents=hit.reward_cents + hit.fee_cents, hit=hit)
    budget.reserve(promises=[promise], batch=batch, now=now)
    worker = WorkerIdentityFactory.create(user=crowd[0])
    assignment = AssignmentFactory.create(hit=hit, worker=worker, sent=True, submitted_at=now)
    assignment.responses.set([Response.objects.get(question=question, worker=crowd[0])])
    operator = UserFactory.create(operator=True)
    review.reject(assignment=assignment, by=operator, reason="It is copied.", now=now)
    with transaction.atomic():
        hit, assignment = review.lock(assignment)
        assert review.settle_rejected(hit=hit, assignment=assignment, now=now)
    question.refresh_from_db()
    assert question.state == "open"
    assert list(labels.lacking_votes()) == [question]
    assert complete(document) == settled


def test_the_pipeline_does_it_all(
    document: Document,
    question: Question,
    crowd: list[User],
    sample: DocumentSample,
) -> None:
    invalidate(question, crowd[0])
    late = UserFactory.create(annotator=True)
    responses.record(question=question, worker=late, answer=marking(question, SOME))
    stages: list[Callable[[], int]] = [
        pipeline.settle_questions,
        pipeline.settle_documents,
        pipeline.draw_documents,
    ]
    for stage in stages:
        assert stage() >= 1
    assert Epoch.objects.get().scores_due
