"""The index of entities: what it is made from, who finds what in it, and when it is made again."""

import re

import pytest
from django.utils import timezone

from annotations.texts.records import MentionRecord
from evaluation.kbp.explorer import entity_index, entity_search
from evaluation.kbp.explorer.document_page import read_document
from evaluation.models import Entity, EntityIndex
from kbpo.core.errors import InvalidInput
from kbpo_formats.spans import Span
from tests.factories import (
    ADA,
    PRESS,
    SHE,
    AnnotationFactory,
    DocumentFactory,
    InstanceFactory,
    PredictionFactory,
    retire,
)

pytestmark = pytest.mark.django_db
PAGE = "https://en.wikipedia.org/wiki/Ada_Quill"


@pytest.fixture
def document(cast):
    return DocumentFactory(corpus=cast.corpus, doc_id="NEWS-1", title="News 1")


@pytest.fixture
def prediction(cast, document):
    return PredictionFactory(
        submission=cast.submission(state="scored"), instance=InstanceFactory(document=document)
    )


def index() -> int:
    return entity_index.index_entities(now=timezone.now())


def listed(corpus, **search):
    current = entity_search.current(corpus)
    assert current is not None
    return [
        (one.name, one.type, one.documents, one.mentions) for one in entity_search.search(current, **search)
    ]


def test_a_published_systems_claims_give_names(cast, prediction):
    index()
    assert listed(cast.corpus) == [("Ada Quill", "PER", 1, 1), ("Port Hallow", "GPE", 1, 1)]


@pytest.mark.parametrize("fields", [{"is_public": False}, {"state": "accepted"}, {"state": "withdrawn"}])
def test_what_is_not_published_gives_none(cast, document, fields):
    submission = cast.submission(**{"state": "scored"} | fields)
    PredictionFactory(submission=submission, instance=InstanceFactory(document=document))
    index()
    assert not Entity.objects.exists()


def test_a_mention_counts_under_the_name_that_it_stands_for(cast, document):
    instance = InstanceFactory(document=document, subject=SHE, object=PRESS, predicate="per:schools_attended")
    PredictionFactory(
        submission=cast.submission(state="scored"),
        instance=instance,
        object_type="ORG",
        subject_canonical_start=ADA.start,
        subject_canonical_end=ADA.end,
    )
    index()
    assert listed(cast.corpus, kind="PER") == [("Ada Quill", "PER", 1, 1)]


def test_in_an_open_document_people_count_and_not_systems(cast, document, prediction):
    AnnotationFactory(document=document, mentions=[MentionRecord(PRESS, "ORG", PRESS)], relations=[])
    retire(document)
    index()
    assert listed(cast.corpus) == [("Quill Press", "ORG", 1, 1)]


def test_documents_with_the_same_page_are_one_entity_under_two_names(cast, document):
    other = DocumentFactory(corpus=cast.corpus, text="A. Quill wrote.")
    AnnotationFactory(document=document, mentions=[MentionRecord(ADA, "PER", ADA, PAGE)], relations=[])
    short = Span(0, 8)
    AnnotationFactory(document=other, mentions=[MentionRecord(short, "PER", short, PAGE)], relations=[])
    for one in (document, other):
        retire(one)
    index()
    assert [(one.documents, one.names) for one in Entity.objects.all()] == [(2, "a. quill\nada quill")]


def test_a_name_without_a_page_belongs_to_the_only_page_of_that_name(cast, document):
    other = DocumentFactory(corpus=cast.corpus)
    AnnotationFactory(document=document, mentions=[MentionRecord(ADA, "PER", ADA, PAGE)], relations=[])
    AnnotationFactory(document=other, mentions=[MentionRecord(ADA, "PER", ADA)], relations=[])
    for one in (document, other):
        retire(one)
    index()
    assert [(one.page, one.documents) for one in Entity.objects.all()] == [(PAGE, 2)]


def test_a_name_of_two_pages_belongs_to_neither(cast, document):
    pages = [PAGE, f"{PAGE}_(painter)", ""]
    for page in pages:
        one = DocumentFactory(corpus=cast.corpus)
        AnnotationFactory(document=one, mentions=[MentionRecord(ADA, "PER", ADA, page)], relations=[])
        retire(one)
    index()
    assert sorted((one.page, one.documents) for one in Entity.objects.all()) == [
        (page, 1) for page in sorted(pages)
    ]


def test_a_link_that_a_browser_must_not_follow_is_no_page(cast, document):
    mention = MentionRecord(ADA, "PER", ADA, "javascript:alert(1)")
    AnnotationFactory(document=document, mentions=[mention], relations=[])
    retire(document)
    index()
    assert Entity.objects.get().page == ""
    (entity,) = read_document(document, None).entities
    assert entity.page == ""


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("She met the company.", []),
        ("It was theirs.", []),
        ("US met WHO and IT in the end.", ["IT", "US", "WHO"]),
        ("\u4e9a\u8fbe met \u0623\u062d\u0645\u062f.", ["\u0623\u062d\u0645\u062f", "\u4e9a\u8fbe"]),
        ("the old Ada met iPhone.", ["Ada", "iPhone"]),
    ],
)
@pytest.mark.parametrize("by_people", [True, False])
def test_only_names_come_in_whoever_gives_them(cast, said, names, by_people):
    document = DocumentFactory(corpus=cast.corpus, text=said)
    spans = [Span(match.start(), match.end()) for match in re.finditer(r"[^\s.]+", said)]
    if by_people:
        mentions = [MentionRecord(span, "ORG", span) for span in spans]
        AnnotationFactory(document=document, mentions=mentions, relations=[])
        retire(document)
    else:
        submission = cast.submission(state="scored")
        for span in spans:
            instance = InstanceFactory(document=document, predicate="org:parents", subject=span, object=span)
            PredictionFactory(submission=submission, instance=instance, subject_type="ORG", object_type="ORG")
    index()
    assert sorted(name for name, *_ in listed(cast.corpus, kind="ORG")) == names


def test_names_that_differ_in_accents_and_case_are_one_as_most_often_written(cast):
    submission = cast.submission(state="scored")
    for name in ["José Gro\u00df", "Jose Gross", "José Gro\u00df", "JOSÉ GROSS"]:
        document = DocumentFactory(corpus=cast.corpus, text=f"{name} met Ada.")
        span = Span(0, len(name))
        instance = InstanceFactory(
            document=document,
            predicate="per:spouse",
            subject=span,
            object=Span(span.end + 5, span.end + 8),
        )
        PredictionFactory(submission=submission, instance=instance, object_type="PER")
    index()
    assert listed(cast.corpus) == [("Ada", "PER", 4, 4), ("José Gro\u00df", "PER", 4, 4)]
    for words in ("jose", "JOSÉ gross", "gro\u00df", "Ｊｏｓｅ"):
        assert [name for name, *_ in listed(cast.corpus, words=words)] == ["José Gro\u00df"]


def test_addresses_of_one_page_are_one_entity(cast):
    for address in (PAGE, "http://en.m.wikipedia.org/wiki/ada%20Quill#Life"):
        document = DocumentFactory(corpus=cast.corpus)
        AnnotationFactory(document=document, mentions=[MentionRecord(ADA, "PER", ADA, address)], relations=[])
        retire(document)
    index()
    assert [(one.page, one.documents) for one in Entity.objects.all()] == [(PAGE, 2)]


def test_the_list_says_that_only_names_come_in(cast, client, prediction):
    index()
    assert "Only names come in" in client.get("/corpora/news/entities/").content.decode()


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("", ["Ada Quill", "Port Hallow"]),
        ("qui", ["Ada Quill"]),
        ("hallow PORT", ["Port Hallow"]),
        ("uill", []),
        ("ada hallow", []),
        ("'\\&|!:*()", []),
        ("ada & !quill", ["Ada Quill"]),
    ],
)
def test_names_are_found_by_the_beginnings_of_words(cast, prediction, words, found):
    index()
    assert [name for name, *_ in listed(cast.corpus, words=words)] == found


def test_an_unknown_type_is_refused(cast, prediction, client):
    index()
    with pytest.raises(InvalidInput):
        listed(cast.corpus, kind="DATE")
    assert client.get("/corpora/news/entities/?type=DATE").status_code == 400


def test_an_index_is_made_once_for_the_same(prediction):
    assert [index(), index()] == [1, 0]


def test_an_index_is_made_again_when_a_system_comes(cast, prediction):
    index()
    cast.submission(state="scored")
    assert index() == 1


def test_an_index_is_made_again_when_a_document_opens(document, prediction):
    index()
    AnnotationFactory(document=document)
    assert index() == 0
    retire(document)
    assert index() == 1


def test_the_names_of_a_system_that_is_hidden_go_at_once(cast, client, prediction):
    index()
    submission = prediction.submission
    key = Entity.objects.get(name="Ada Quill").key
    submission.is_public = False
    submission.save()
    assert entity_search.current(cast.corpus) is None
    assert "Ada Quill" not in client.get("/corpora/news/entities/").content.decode()
    assert client.get(f"/corpora/news/entities/{key}/").status_code == 404
    index()
    assert EntityIndex.objects.get().entities.count() == 0


def test_an_entity_keeps_its_address_when_the_index_is_made_again(cast, client, prediction):
    index()
    key = Entity.objects.get(name="Ada Quill").key
    cast.submission(state="scored")
    index()
    assert client.get(f"/corpora/news/entities/{key}/").status_code == 200


def test_a_document_leads_to_the_others_that_name_the_same(cast, client, document, prediction):
    other = DocumentFactory(corpus=cast.corpus, title="Another")
    PredictionFactory(submission=prediction.submission, instance=InstanceFactory(document=other))
    index()
    key = Entity.objects.get(name="Ada Quill").key
    page = client.get(f"/corpora/news/documents/{document.doc_id}/").content.decode()
    assert "in 1 other document" in page
    assert f"/corpora/news/entities/{key}/" in page
    entity = client.get(f"/corpora/news/entities/{key}/").content.decode()
    assert "Another" in entity
    assert f"#m{ADA}" in entity


def test_the_page_says_what_the_list_is_made_from(cast, client, document, prediction):
    AnnotationFactory(document=document)
    retire(document)
    index()
    page = " ".join(client.get("/corpora/news/entities/").content.decode().split())
    assert "what people marked in the 1 document open to explore" in page
    assert "the names that 1 published system claims" in page


@pytest.mark.parametrize("address", ["/corpora/news/entities/", "/corpora/news/entities/?q=x"])
def test_an_empty_list_says_so(cast, client, address):
    assert client.get(address).status_code == 200


def test_the_list_asks_as_many_queries_for_many(
    cast, client, document, prediction, django_assert_max_num_queries
):
    for number in range(60):
        text = f"Name{number} was born in Port Hallow."
        one = DocumentFactory(corpus=cast.corpus, text=text)
        instance = InstanceFactory(
            document=one,
            subject=Span(0, len(f"Name{number}")),
            object=Span(text.index("Port"), len(text) - 1),
        )
        PredictionFactory(submission=prediction.submission, instance=instance)
    index()
    with django_assert_max_num_queries(6):
        assert "Port Hallow" in client.get("/corpora/news/entities/").content.decode()
    key = Entity.objects.get(name="Port Hallow").key
    with django_assert_max_num_queries(8):
        assert "61 documents" in client.get(f"/corpora/news/entities/{key}/").content.decode()
