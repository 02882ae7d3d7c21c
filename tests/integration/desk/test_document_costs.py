"""What documents annotated in full have cost, to the cent."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotations.models import AnnotatedRelation, Corpus, Document, DocumentAnnotation, Question
from crowd import budget
from crowd.models import Bonus, Hit, HitBatch, HitQuestion
from evaluation.models import DocumentSample, SampledDocument
from kbpo.pages.money import document_costs, ledger
from tests import crowd
from tests.factories import DocumentFactory, QuestionFactory
from tests.integration.desk.conftest import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("account")]


@pytest.fixture
def sampled(corpus: Corpus) -> list[Document]:
    """Two documents of the sample, each with its question about mentions."""
    documents = [DocumentFactory.create(corpus=corpus, segmented=True) for _ in range(2)]
    sample = DocumentSample.objects.create(corpus=corpus, size=2, population=5)
    for document in documents:
        SampledDocument.objects.create(sample=sample, document=document, probability=0.4)
        Question.objects.create(
            document=document, kind="entities", key="entities|1", payload={"version": 1}, votes_needed=3
        )
    return documents


def annotated(document: Document, questions: list[Question], true: int, *, complete: bool = True) -> None:
    """Give a document the crowd's annotation, whose relations come from some questions."""
    annotation = DocumentAnnotation.objects.create(
        document=document,
        source="crowd",
        digest="0" * 64,
        completed_at=timezone.now() if complete else None,
    )
    annotation.questions.set(questions)
    for number in range(true):
        AnnotatedRelation.objects.create(
            annotation=annotation,
            predicate="per:spouse",
            subject_start=number,
            subject_end=number + 1,
            object_start=8,
            object_end=9,
        )


def put(hit: Hit, *questions: Question) -> None:
    """Ask further questions in a HIT."""
    for position, question in enumerate(questions, hit.questions.count()):
        HitQuestion.objects.create(hit=hit, question=question, position=position)


def entities(document: Document) -> Question:
    return Question.objects.get(document=document, kind="entities")


def read(corpus: Corpus) -> dict[int, document_costs.DocumentCost]:
    _, rows = document_costs.document_costs(corpus, page=None, size=50)
    return {row.document.pk: row for row in rows}


def test_what_was_paid_for_a_documents_questions_is_its_cost(
    corpus: Corpus, sampled: list[Document], post: Any, send: Any, approve: Any
) -> None:
    one, two = sampled
    relation = QuestionFactory.create(document=one)
    annotated(one, [relation], true=2)
    approve(send(post(entities(one), reward_cents=80, fee_cents=16), {"mentions": [], "entities": []}))
    approve(send(post(relation)))
    found = read(corpus)
    cost = found[one.pk]
    assert (cost.entities.rewards, cost.entities.fees, cost.pairs.rewards, cost.pairs.fees) == (80, 16, 15, 3)
    assert (cost.entities.seconds, cost.pairs.seconds) == (12.0, 12.0)
    assert (cost.all.paid, cost.true) == (114, 2)
    assert (found[two.pk].all.paid, found[two.pk].true) == (0, None)
    assert document_costs.totals(corpus).per_true == 57.0


def test_the_cents_of_a_hit_are_shared_out_without_one_too_many_or_few(
    corpus: Corpus, sampled: list[Document], post: Any, send: Any, approve: Any
) -> None:
    one, two = sampled
    questions = [QuestionFactory.create(document=document) for document in (one, two)]
    other = crowd.ask(corpus, 1)[0]
    annotated(one, questions[:1], true=0)
    annotated(two, questions[1:], true=1)
    hit = post(questions[0], reward_cents=20, fee_cents=4)
    approve(send(hit))
    put(hit, questions[1], other)
    found = read(corpus)
    # 20 among three: 7, 7, 6. 4 among three: 2, 1, 1.
    assert (found[one.pk].pairs.rewards, found[one.pk].pairs.fees) == (7, 2)
    assert (found[two.pk].pairs.rewards, found[two.pk].pairs.fees) == (7, 1)
    others = document_costs.totals(corpus).others
    assert (others.rewards, others.fees) == (6, 1)


def test_the_sums_are_those_of_the_ledger(
    corpus: Corpus,
    sampled: list[Document],
    batch: HitBatch,
    post: Any,
    send: Any,
    approve: Any,
    reject: Any,
    now: datetime,
) -> None:
    pairs = [QuestionFactory.create(document=document) for document in sampled]
    for document, question in zip(sampled, pairs, strict=True):
        annotated(document, [question], true=1)
    hits = [post(question, reward_cents=cents) for question, cents in zip(pairs, (17, 13), strict=True)]
    put(hits[0], entities(sampled[0]))
    sent = [send(post(entities(sampled[1])), {"mentions": [], "entities": []})]
    for hit in hits:
        for _ in range(2):
            assignment = send_relation(hit, send)
            sent.append(assignment)
    reject(sent.pop())
    for assignment in sent:
        approve(assignment)
    approve(send(post(crowd.ask(corpus, 1)[0])))  # of no document in the sample
    bonus = Bonus.objects.create(
        worker=sent[0].worker,
        corpus=corpus,
        assignment=sent[0],
        reason="fine work",
        message="Thank you.",
        cents=25,
        fee_cents=5,
        request_token="bonus",
    )
    budget.reserve_bonus(bonus=bonus, now=now)
    budget.pay_bonus(bonus=bonus, now=now)
    totals = document_costs.totals(corpus)
    whole = ledger.of_corpus(corpus)
    for column in ("rewards", "fees", "bonuses", "paid"):
        parts = [getattr(one, column) for one in (totals.entities, totals.pairs, totals.others)]
        assert sum(parts) == getattr(whole, column)
    assert totals.corpus == whole
    assert (totals.others.rewards, totals.others.fees, totals.others.bonuses) == (15, 3, 0)
    assert totals.entities.bonuses == 25
    rows = read(corpus).values()
    assert sum(row.all.paid for row in rows) == totals.all.paid
    assert ledger.total() == ledger.Line("", None, whole.reserved, whole.rewards, whole.fees, whole.bonuses)


def send_relation(hit: Hit, send: Callable[..., Any]) -> Any:
    """Send an answer to the first question of a HIT of two."""
    others = list(hit.hit_questions.filter(position__gt=0))
    HitQuestion.objects.filter(pk__in=[one.pk for one in others]).delete()
    assignment = send(hit)
    HitQuestion.objects.bulk_create(others)
    return assignment


def test_what_nobody_is_through_with_is_not_in_the_price_of_a_true_relation(
    corpus: Corpus, sampled: list[Document], post: Any, send: Any, approve: Any
) -> None:
    one, two = sampled
    pairs = [QuestionFactory.create(document=document) for document in sampled]
    annotated(one, pairs[:1], true=3)
    annotated(two, pairs[1:], true=0, complete=False)
    for question in pairs:
        approve(send(post(question)))
    totals = document_costs.totals(corpus)
    assert (totals.complete, totals.true, totals.per_true) == (1, 3, 6.0)
    assert totals.all.paid == 36


def test_documents_without_a_true_relation_have_no_price_for_one(
    corpus: Corpus, sampled: list[Document]
) -> None:
    annotated(sampled[0], [], true=0)
    assert document_costs.totals(corpus).per_true is None


def test_the_page_says_what_each_document_cost(
    corpus: Corpus, sampled: list[Document], post: Any, send: Any, approve: Any, desk: Client
) -> None:
    relation = QuestionFactory.create(document=sampled[0])
    annotated(sampled[0], [relation], true=2)
    approve(send(post(relation)))
    said = text_of(desk.get("/desk/annotated/"))
    assert "2 documents of Lowmarch news are or were in its sample; the crowd is through with 1." in said
    assert "2 true relations, at 9.0 cents each" in said
    assert sampled[0].doc_id in said


def test_a_page_without_documents_says_so(desk: Client) -> None:
    assert "No corpus has any yet." in text_of(desk.get("/desk/annotated/"))


def test_the_page_leads_to_where_documents_are_drawn(desk: Client, corpus: Corpus) -> None:
    assert f"/corpora/{corpus.tag}/exhaustive/" in desk.get("/desk/annotated/").content.decode()


def test_a_corpus_without_such_documents_is_not_found(desk: Client, corpus: Corpus) -> None:
    assert desk.get("/desk/annotated/", {"corpus": corpus.tag}).status_code == 404


def test_the_costs_are_for_operators(client: Client) -> None:
    assert client.get("/desk/annotated/").status_code == 302


def test_many_documents_take_as_many_queries(
    corpus: Corpus, sampled: list[Document], desk: Client, django_assert_max_num_queries: Any
) -> None:
    sample = DocumentSample.objects.get()
    for _ in range(60):
        SampledDocument.objects.create(
            sample=sample, document=DocumentFactory.create(corpus=corpus), probability=0.4
        )
    with django_assert_max_num_queries(19):
        answer = desk.get("/desk/annotated/")
    assert "1–50 of 62" in text_of(answer)
