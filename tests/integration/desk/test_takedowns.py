"""Taking a document down: its text goes, what rests on it stays."""

from datetime import datetime

import pytest
from django.test import Client
from django.urls import reverse

from annotations import questions
from annotations import takedowns as service
from annotations.kinds.canonical import CanonicalQuestion
from annotations.models import Corpus, Document, Label, Question
from annotations.searching import search_documents
from crowd.annotators import queue
from evaluation.kbp.explorer.entity_index import index_entities
from evaluation.models import Entity, EntityName, EntityRelation, RelationSource
from evaluation.submissions import texts
from kbpo.accounts.models import User
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed
from kbpo.pages import takedowns
from kbpo_formats.blotting import is_blotted
from tests.factories import (
    ADA,
    TEXT,
    YEAR,
    DocumentFactory,
    InstanceFactory,
    LabelFactory,
    PredictionFactory,
    QuestionFactory,
    ResponseFactory,
    SubmissionFactory,
    UserFactory,
    give,
)
from tests.integration.desk.conftest import text_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def home(settings, tmp_path) -> None:
    settings.KBPO_HOME = tmp_path


@pytest.fixture
def organiser(corpus: Corpus) -> User:
    return give(UserFactory.create(), corpus, "organiser")


@pytest.fixture
def document(corpus: Corpus) -> Document:
    return DocumentFactory.create(corpus=corpus, sentences=True, title="The Quills")


@pytest.fixture
def remove(document: Document, organiser: User, now: datetime):
    def remove() -> None:
        takedowns.take_down(document=document, reason="its author asked", by=organiser, now=now)
        document.refresh_from_db()

    return remove


def test_the_text_is_gone_and_every_span_still_points_into_it(remove, document, client) -> None:
    remove()
    assert is_blotted(document.text)
    assert (len(document.text), document.title) == (len(TEXT), "")
    assert not search_documents(document.corpus, "Quill").exists()


def test_its_page_is_gone_and_says_when_and_why(remove, document, client: Client) -> None:
    remove()
    response = client.get(reverse("document", args=[document.corpus.tag, document.doc_id]))
    assert response.status_code == 410
    assert "its author asked" in text_of(response)
    listed = text_of(client.get(reverse("documents", args=[document.corpus.tag])))
    assert "its author asked" in listed
    assert "Quill" not in listed


def test_no_name_and_no_relation_of_it_stays_in_the_index_of_entities(remove, document, corpus, now) -> None:
    submission = SubmissionFactory.create(corpus=corpus, state="scored")
    years = {"predicate": "per:date_of_birth", "object": YEAR}
    for fields, kind in (({}, "GPE"), (years, "DATE")):
        instance = InstanceFactory.create(document=document, **fields)
        named = {} if kind == "GPE" else {"object_canonical_start": None, "object_canonical_end": None}
        PredictionFactory.create(submission=submission, instance=instance, object_type=kind, **named)
    index_entities(now=now)
    assert EntityRelation.objects.count() == 2
    remove()
    tables = (Entity, EntityName, EntityRelation, RelationSource)
    assert not any(table.objects.exists() for table in tables)
    index_entities(now=now)
    assert not any(table.objects.exists() for table in tables)


def test_labels_that_are_there_stay(remove, document) -> None:
    label = LabelFactory.create(question__document=document, question__settled=True)
    remove()
    assert list(Label.objects.values_list("pk", "value", "votes")) == [(label.pk, 1.0, 3)]


def test_open_questions_are_settled_by_the_votes_that_are_in(remove, document) -> None:
    asked = QuestionFactory.create(document=document, asked=CanonicalQuestion(ADA, ADA))
    vote = ResponseFactory.create(question=asked, answer={"version": 1, "right": True})
    remove()
    asked.refresh_from_db()
    assert asked.state == Question.State.SETTLED
    assert list(asked.labels.values_list("value", "votes", "source")) == [(1.0, 1, "majority")]
    assert list(asked.responses.all()) == [vote]


def test_what_nobody_voted_on_does_not_hold_and_is_said_to_be_unjudged(remove, document) -> None:
    asked = QuestionFactory.create(document=document)
    expert = QuestionFactory.create(
        document=document, asked=CanonicalQuestion(ADA, ADA), state=Question.State.EXPERT
    )
    remove()
    for question in (asked, expert):
        assert set(question.labels.values_list("value", "votes", "source")) == {(0.0, 0, "removed")}


def test_nobody_is_asked_about_it_any_more(remove, document, now) -> None:
    remove()
    later = QuestionFactory.create(document=document)  # by a submission that was read before
    annotator = UserFactory.create(annotator=True)
    assert queue.next_question(worker=annotator, now=now) is None
    assert service.withdraw_questions() == 1
    later.refresh_from_db()
    assert later.state == Question.State.SETTLED


def test_a_document_that_was_to_be_annotated_in_full_counts_as_annotated(remove, document) -> None:
    asked = questions.ask_entities([document.pk])[document.pk]
    remove()
    asked.refresh_from_db()
    assert asked.state == Question.State.SETTLED
    assert not document.annotations.get().mentions.exists()


def test_work_that_asks_about_it_is_taken_back(post, remove, document, now) -> None:
    hit = post(QuestionFactory.create(document=document))
    other = post()
    remove()
    for one in (hit, other):
        one.refresh_from_db()
    assert hit.wanted_until == now
    assert other.wanted_until != now


def test_the_texts_that_uploads_are_read_against_are_written_anew(
    remove, document, django_capture_on_commit_callbacks
) -> None:
    before = texts.text_file(document.corpus)
    with django_capture_on_commit_callbacks(execute=True):
        remove()
    assert not before.exists()
    after = texts.text_file(document.corpus)
    assert after != before
    assert b"Quill" not in after.read_bytes()


def test_a_document_is_removed_once_and_with_a_reason(document, organiser, now) -> None:
    with pytest.raises(InvalidInput, match="reason"):
        service.take_down(document=document, reason=" ", by=organiser, now=now)
    service.take_down(document=document, reason="x", by=organiser, now=now)
    with pytest.raises(Conflict, match="already"):
        service.take_down(document=document, reason="x", by=organiser, now=now)


def test_a_reviewer_removes_nothing(document, corpus, now) -> None:
    with pytest.raises(NotAllowed):
        service.take_down(
            document=document, reason="x", by=give(UserFactory.create(), corpus, "reviewer"), now=now
        )


def test_an_organiser_removes_a_document_on_the_corpus_page(client, organiser, document) -> None:
    client.force_login(organiser)
    address = reverse("desk_corpus_act", args=[document.corpus.tag, "remove"])
    given = {"doc_id": document.doc_id, "reason": "a court says so"}
    assert client.post(address, given).status_code == 400  # not sure
    assert client.post(address, {**given, "sure": "on"}).status_code == 302
    assert "a court says so" in text_of(client.get(reverse("desk_corpus", args=[document.corpus.tag])))
