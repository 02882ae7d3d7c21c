"""Where the people differed who marked a document: for operators, and for all once it is published."""

from dataclasses import replace

import pytest
from django.utils import timezone

from annotations import questions
from annotations.models import DocumentAnnotation, Question
from evaluation.kbp.explorer.document_page import read_document
from evaluation.kbp.explorer.document_votes import SHOWN, Difference
from tests.factories import PRESS, SHE, DocumentFactory, UserFactory, retire
from tests.integration.test_whole_documents import MENTIONS, marking, vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def document(cast):
    """Two mark all mentions; the third takes a press for a place, and "She" for somebody of her own."""
    document = DocumentFactory(corpus=cast.corpus, doc_id="QUILL", segmented=True)
    question = questions.ask_entities([document.pk])[document.pk]
    others = {PRESS: {"type": "GPE"}, SHE: {"canonical": SHE}}
    differing = [replace(one, **others.get(one.span, {})) for one in MENTIONS]
    full = marking(question, MENTIONS)
    vote(question, UserFactory.create_batch(3, annotator=True), full, full, marking(question, differing))
    return document


def read(document, viewer=None):
    return read_document(document, viewer).votes


def open_to_all(document):
    DocumentAnnotation.objects.update(completed_at=timezone.now())
    retire(document)


def test_an_operator_sees_what_people_differ_on_and_what_became_of_it(cast, document):
    votes = read(document, cast.people["operator"])
    assert (votes.voters, votes.mentions, votes.alike, votes.more) == (3, 6, 4, 0)
    assert votes.differences == (
        Difference(
            SHE,
            "She",
            "person",
            True,
            ("stands for “Ada Quill” (2), “She” (1)", "linked to Ada Quill (2), nothing (1)"),
        ),
        Difference(PRESS, "Quill Press", "organization", True, ("marked so by 2 of 3",)),
        Difference(PRESS, "Quill Press", "place", False, ("marked so by 1 of 3",)),
    )


def test_relations_that_people_are_asked_about_are_not_said_to_be_none(cast, sign_in, document):
    client = sign_in(cast.people["operator"])
    page = client.get("/corpora/news/documents/QUILL/").content.decode()
    assert "People are still being asked" in page
    assert "People found none" not in page


def test_a_tie_is_named_and_its_words_are_left_out(cast, document):
    one = Question.objects.get().responses.order_by("pk").first()
    type(one).objects.filter(pk=one.pk).update(is_valid=False)
    votes = read(document, cast.people["operator"])
    (she, *press) = votes.differences
    assert she.notes == (
        "stands for “Ada Quill” (1), “She” (1): a tie",
        "linked to nothing (1), Ada Quill (1): a tie",
    )
    assert {one.is_mention for one in press} == {False}
    assert {one.words for one in press} == {"Quill", "Press", "Quill Press"}
    assert {one.notes for one in press} == {
        ("marked so by 1 of 2",),
        ("in a mention of this type by 1 of 2",),
    }


def test_others_see_it_once_the_document_is_open_and_its_votes_are_published(cast, client, document):
    address = "/corpora/news/documents/QUILL/"
    assert read(document) is None
    open_to_all(document)
    assert read(document) is None
    assert b"Where people differed" not in client.get(address).content
    Question.objects.update(published_at=timezone.now())
    assert read(document).differences[0].span == SHE
    page = client.get(address).content.decode()
    assert "Where people differed" in page
    assert "marked so by 2 of 3" in page


def test_what_one_person_alone_says_differs_from_nothing(cast, document):
    first, *others = Question.objects.get().responses.order_by("pk")
    type(first).objects.filter(pk__in=[one.pk for one in others]).update(is_valid=False)
    assert read(document, cast.people["operator"]) is None


def test_a_long_list_says_how_much_it_leaves_out(cast, document, monkeypatch):
    monkeypatch.setattr("evaluation.kbp.explorer.document_votes.SHOWN", 1)
    assert SHOWN > 1
    votes = read(document, cast.people["operator"])
    assert (len(votes.differences), votes.more) == (1, 2)
