"""An entity's page: the relations that systems claim and people confirmed, with their sources."""

from itertools import count

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations import labels
from annotations.kinds.canonical import CanonicalQuestion
from annotations.models import Question
from evaluation.kbp.explorer import entity_index, entity_relations
from evaluation.models import Entity, EntityRelation, RelationSource
from kbpo_formats.spans import Span
from tests.factories import (
    ADA,
    HALLOW,
    SHE,
    YEAR,
    AnnotationFactory,
    DocumentFactory,
    EpochFactory,
    InstanceFactory,
    LabelFactory,
    PredictionFactory,
    QuestionFactory,
    retire,
)
from tests.ontologies import TAC

pytestmark = pytest.mark.django_db
Standing = EntityRelation.Standing


@pytest.fixture
def document(cast):
    return DocumentFactory(corpus=cast.corpus, doc_id="NEWS-1", title="News 1")


@pytest.fixture
def claim(cast, document):
    """Have a system claim that Ada Quill was born in Port Hallow, somewhere."""
    names = count()

    def claim(where=None, submission=None, **fields):
        where = where or document
        submission = submission or cast.submission(state="scored", name=f"system {next(names)}")
        instance = where.instances.first() or InstanceFactory(document=where)
        return PredictionFactory(submission=submission, instance=instance, **fields)

    return claim


def judge(document, *, value=True, names=True, published=True):
    """Judge that claim, and both of its names."""
    state = {"published": True} if published else {"settled": True}
    LabelFactory(question=QuestionFactory(document=document, **state), value=value)
    for span in (ADA, HALLOW):
        asked = QuestionFactory(document=document, asked=CanonicalQuestion(span, span), **state)
        LabelFactory(question=asked, claim="right", value=names)


def index():
    return entity_index.index_entities(now=timezone.now())


def facts(name="Ada Quill"):
    index()
    entity = Entity.objects.get(name=name)
    shown = entity_relations.show(entity_relations.of_entity(entity), entity, TAC)
    return [("".join(one.text for one in fact.said), fact.value, fact.relation.systems) for fact in shown]


def address(name="Ada Quill"):
    return f"/corpora/news/entities/{Entity.objects.get(name=name).key}/"


def test_a_claim_stands_on_the_pages_of_both_ends_and_leads_to_the_other(claim, client):
    claim()
    assert facts() == [("Ada Quill was born in Port Hallow", None, 1)]
    assert facts("Port Hallow") == [(said(TAC.relations_by_name["per:place_of_birth"].reverse), None, 1)]
    assert f'href="{address("Port Hallow")}"' in client.get(address()).content.decode()
    assert f'href="{address()}"' in client.get(address("Port Hallow")).content.decode()


def said(statement):
    return statement.format(subject="Ada Quill", object="Port Hallow")


def test_each_source_leads_to_its_marked_place(claim, client, document):
    claim()
    index()
    page = client.get(address()).content.decode()
    there = f"/corpora/news/documents/NEWS-1/?relation=per%3Aplace_of_birth.{ADA}.{HALLOW}#m{ADA}"
    assert there in page
    assert f'id="m{ADA}"' in client.get(there).content.decode()


@pytest.mark.parametrize(
    ("judged", "value"),
    [
        ({}, True),
        ({"value": False}, False),
        ({"names": False}, False),
        ({"published": False}, None),
        ({"value": False, "published": False}, None),
    ],
)
def test_a_claim_has_the_published_verdict_on_relation_and_names_alone(claim, document, judged, value):
    claim()
    judge(document, **judged)
    assert facts() == [("Ada Quill was born in Port Hallow", value, 1)]


def test_what_is_confirmed_anywhere_is_confirmed_and_what_is_refuted_everywhere_is_refuted(cast, claim):
    places = [DocumentFactory(corpus=cast.corpus) for _ in range(2)]
    system = claim(places[0]).submission
    claim(places[1], system)
    judge(places[0], value=False)
    assert [value for _, value, _ in facts()] == [None]
    judge(places[1])
    entity_index.make_index(corpus=cast.corpus, now=timezone.now())
    assert facts() == [("Ada Quill was born in Port Hallow", True, 1)]
    assert list(RelationSource.objects.order_by("number").values_list("is_right", flat=True)) == [True, False]


def test_people_confirm_what_they_find_in_open_documents_and_its_finders_count(claim, document):
    claim()
    claim()
    AnnotationFactory(document=document)
    retire(document)
    assert facts() == [("Ada Quill was born in Port Hallow", True, 2)]
    assert RelationSource.objects.get().by_people


def test_sources_are_gathered_and_each_system_counts_once(cast, claim, client):
    both = [DocumentFactory(corpus=cast.corpus, title=f"Source {n}") for n in range(5)]
    system = claim(both[0]).submission
    for one in both[1:]:
        claim(one, system)
    claim(both[0])
    assert facts() == [("Ada Quill was born in Port Hallow", None, 2)]
    page = client.get(address()).content.decode()
    assert "and 2 more" in page
    relation = EntityRelation.objects.get()
    whole = client.get(f"{address()}?relation={relation.key}").content.decode()
    assert [f"Source {n}" in whole for n in range(5)] == [True] * 5


def test_a_relation_that_is_the_same_from_either_end_is_one(cast):
    text = "Ada Quill met Ben Strand. Ben Strand met Ada Quill."
    document = DocumentFactory(corpus=cast.corpus, text=text)
    submission = cast.submission(state="scored")
    for subject, object_ in ((Span(0, 9), Span(14, 24)), (Span(26, 36), Span(41, 50))):
        instance = InstanceFactory(document=document, predicate="per:spouse", subject=subject, object=object_)
        PredictionFactory(submission=submission, instance=instance, object_type="PER")
    (fact,) = facts()
    assert EntityRelation.objects.get().sources == 2
    assert fact[0].startswith("Ada Quill")


def test_a_date_stands_as_text(cast, document):
    instance = InstanceFactory(document=document, predicate="per:date_of_birth", object=YEAR)
    PredictionFactory(
        submission=cast.submission(state="scored"),
        instance=instance,
        object_type="DATE",
        object_canonical_start=None,
        object_canonical_end=None,
    )
    assert [statement for statement, *_ in facts()] == ["Ada Quill was born on 1961"]


def test_a_relation_of_what_has_no_name_is_left_out(cast, document):
    instance = InstanceFactory(document=document, subject=SHE)
    PredictionFactory(submission=cast.submission(state="scored"), instance=instance)
    assert facts("Port Hallow") == []


def test_the_names_that_systems_give_decide_whose_relation_it_is(cast, document):
    instance = InstanceFactory(document=document, subject=SHE)
    PredictionFactory(
        submission=cast.submission(state="scored"),
        instance=instance,
        subject_canonical_start=ADA.start,
        subject_canonical_end=ADA.end,
    )
    assert [statement for statement, *_ in facts()] == ["Ada Quill was born in Port Hallow"]


def test_nothing_of_a_hidden_system_is_counted(cast, claim):
    claim()
    before = facts()
    claim(submission=cast.submission(state="scored", is_public=False))
    assert facts() == before


def test_relations_go_at_once_with_a_system_that_is_hidden(claim, client):
    submission = claim().submission
    index()
    there = address()
    submission.is_public = False
    submission.save()
    assert client.get(there).status_code == 404


def test_the_index_is_due_again_when_labels_are_published(cast, claim, document):
    claim()
    judge(document, published=False)
    assert [value for _, value, _ in facts()] == [None]
    EpochFactory(corpus=cast.corpus, released_at=timezone.now())
    labels.publish(Question.objects.all())
    assert [value for _, value, _ in facts()] == [True]


def test_the_texts_of_a_closed_corpus_show_no_relation(cast, claim, client):
    claim()
    index()
    there = address()
    cast.corpus.texts = "operators"
    cast.corpus.save()
    assert client.get(there).status_code == 403


def queries(client, there):
    with CaptureQueriesContext(connection) as captured:
        assert client.get(there).status_code == 200
    return len(captured)


def test_a_page_with_many_relations_asks_no_more_and_is_paged(cast, claim, client):
    system = cast.submission(state="scored")
    claim(submission=system)
    text = "Ada Quill met Port Hallow" + "".join(f", then Name{n}" for n in range(120)) + "."
    document = DocumentFactory(corpus=cast.corpus, text=text)
    for number in range(120):
        start = text.index(f"Name{number}")
        instance = InstanceFactory(
            document=document,
            predicate="per:siblings",
            subject=Span(0, 9),
            object=Span(start, start + len(f"Name{number}")),
        )
        PredictionFactory(submission=system, instance=instance, object_type="PER")
    index()
    assert "121 relations" in client.get(address()).content.decode()
    few = queries(client, address("Name7"))
    assert queries(client, address()) == queries(client, f"{address()}?claims=3") == few <= 8
