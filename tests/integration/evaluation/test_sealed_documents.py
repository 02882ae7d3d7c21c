"""Which documents are exhaustive, and what people marked in them, is for operators until they are retired."""

import hashlib
import re
from dataclasses import dataclass

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations.models import Document, DocumentAnnotation
from evaluation.kbp.explorer import entity_index
from evaluation.kbp.explorer.document_page import read_document
from evaluation.models import EntityName, RelationSource
from tests.factories import (
    AnnotationFactory,
    DocumentFactory,
    InstanceFactory,
    PredictionFactory,
    draw,
    retire,
)

pytestmark = pytest.mark.django_db
OTHERS = ["visitor", "other team", "team", "annotator"]
PAGES = [
    "/corpora/news/",
    "/corpora/news/documents/",
    "/corpora/news/documents/?q=ada",
    "/corpora/news/documents/?show=marked",
    "/corpora/news/documents/NEWS-1/",
    "/corpora/news/documents/NEWS-1/?mention=35-38",
    "/corpora/news/documents/NEWS-1/?relation=per:place_of_birth.0-9.22-33",
    "/corpora/news/documents/NEWS-1/?found=none",
    "/corpora/news/documents/NEWS-2/",
    "/corpora/news/entities/",
    "/corpora/news/entities/?q=quill",
    f"/corpora/news/entities/{hashlib.sha256(b'PER||ada quill').hexdigest()[:16]}/",
    "/corpora/news/exhaustive/",
]


@dataclass(frozen=True)
class Answer:
    """What a site answers to each address, and what it asks its database for that."""

    pages: dict[str, tuple[int, str]]
    queries: dict[str, list[str]]


@pytest.fixture
def documents(cast) -> list[Document]:
    """Three documents alike, in each of which a published system claims the same."""
    documents = [
        DocumentFactory(corpus=cast.corpus, doc_id=f"NEWS-{n}", title=f"News {n}") for n in (1, 2, 3)
    ]
    submission = cast.submission(state="scored")
    for document in documents:
        PredictionFactory(submission=submission, instance=InstanceFactory(document=document))
    return documents


def ask(client) -> Answer:
    entity_index.index_entities(now=timezone.now())
    pages, queries = {}, {}
    for address in PAGES:
        cache.clear()  # a cached value would hide a query
        with CaptureQueriesContext(connection) as captured:
            response = client.get(address)
        text = re.sub(r'(csrfmiddlewaretoken" value|nonce)="[^"]+"', "", response.content.decode())
        pages[address] = (response.status_code, text)
        queries[address] = [re.sub(r"'[^']*'|\d+", "?", query["sql"]) for query in captured]
    return Answer(pages, queries)


@pytest.mark.parametrize("person", OTHERS)
def test_no_page_changes_when_a_document_is_drawn_and_annotated(cast, sign_in, documents, person):
    client = sign_in(cast.people[person])
    before = ask(client)
    draw(documents[0])
    AnnotationFactory(document=documents[0])
    assert ask(client).pages == before.pages


@pytest.mark.parametrize("person", OTHERS)
def test_no_page_asks_the_database_more_when_a_document_is_drawn(cast, sign_in, documents, person):
    client = sign_in(cast.people[person])
    before = ask(client)
    draw(documents[0])
    AnnotationFactory(document=documents[0])
    assert ask(client).queries == before.queries


@pytest.mark.parametrize("person", OTHERS)
def test_no_page_changes_when_another_document_is_drawn_instead(cast, sign_in, documents, person):
    client = sign_in(cast.people[person])
    for document in documents:
        AnnotationFactory(document=document)
    drawn = draw(documents[0])
    before = ask(client)
    drawn.document = documents[1]
    drawn.save()
    after = ask(client)
    assert (after.pages, after.queries) == (before.pages, before.queries)


def test_a_document_that_is_annotated_and_in_no_sample_is_sealed_as_well(documents):
    AnnotationFactory(document=documents[0])
    assert read_document(documents[0], None).annotation is None


def test_a_retired_document_is_open_to_everybody(cast, sign_in, documents):
    AnnotationFactory(document=documents[0])
    retire(documents[0])
    for person in OTHERS:
        page = sign_in(cast.people[person]).get("/corpora/news/documents/NEWS-1/").content.decode()
        assert "found 1 relation" in page
        assert "Sealed" not in page


def test_that_a_document_is_retired_opens_no_other(cast, documents):
    for document in documents:
        AnnotationFactory(document=document)
    draw(documents[1])
    retire(documents[0])
    assert [read_document(document, None).annotation is None for document in documents] == [False, True, True]


def test_an_operator_sees_what_is_sealed_and_that_it_is(cast, sign_in, documents):
    AnnotationFactory(document=documents[0])
    draw(documents[0])
    page = sign_in(cast.people["operator"]).get("/corpora/news/documents/NEWS-1/").content.decode()
    assert "Sealed: only operators see" in page
    assert "found 1 relation" in page


def test_what_is_not_complete_is_for_operators_though_its_document_is_open(cast, documents):
    source = DocumentAnnotation.Source.CROWD
    AnnotationFactory(document=documents[0], source=source, completed_at=None, relations=[])
    retire(documents[0])
    assert read_document(documents[0], None).annotation is None
    assert read_document(documents[0], cast.people["operator"]).annotation is not None


def test_the_list_counts_what_people_marked_in_open_documents_alone(cast, client, documents):
    for document in documents:
        AnnotationFactory(document=document)
    retire(documents[0])
    draw(documents[1])
    page = client.get("/corpora/news/documents/").content.decode()
    assert re.findall(r'data-name="mentions?">\s*(\S+?)\s*<', page) == ["3", "–", "–"]
    assert re.findall(r'data-name="relations?">\s*(\S+?)\s*<', page) == ["1", "–", "–"]


def test_only_open_documents_can_be_listed_alone(cast, client, documents):
    for document in documents:
        AnnotationFactory(document=document)
    retire(documents[0])
    draw(documents[1])
    page = client.get("/corpora/news/documents/?show=marked").content.decode()
    assert re.findall(r">(News \d)<", page) == ["News 1"]


def test_the_index_of_entities_knows_nothing_that_people_marked_in_sealed_documents(documents):
    for document in documents:
        AnnotationFactory(document=document)
    draw(documents[1])
    retire(documents[0])
    entity_index.index_entities(now=timezone.now())
    by_people = EntityName.objects.filter(by_people=True)
    assert set(by_people.values_list("document", flat=True)) == {documents[0].pk}
    found = RelationSource.objects.filter(by_people=True)
    assert set(found.values_list("document", flat=True)) == {documents[0].pk}
