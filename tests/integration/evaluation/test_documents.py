"""A document's page: what people marked, what systems claim, and how the two meet."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotations import labels
from annotations.models import DocumentAnnotation, Question
from annotations.texts.records import MentionRecord, RelationRecord
from evaluation.kbp.explorer.document_filters import Choice
from evaluation.kbp.explorer.document_page import NAMED, PAGE, read_document
from evaluation.kbp.explorer.statements import Relation
from evaluation.models import Instance, Prediction
from kbpo_formats.spans import Span
from tests.factories import (
    ADA,
    HALLOW,
    PRESS,
    SHE,
    AnnotationFactory,
    DocumentFactory,
    InstanceFactory,
    LabelFactory,
    PredictionFactory,
    QuestionFactory,
    UnitFactory,
    retire,
)
from tests.ontologies import TAC

pytestmark = pytest.mark.django_db
BORN = Relation("per:place_of_birth", ADA, HALLOW)
FOUNDED = Relation("per:organizations_founded", SHE, PRESS)


@pytest.fixture
def document(cast):
    return DocumentFactory(corpus=cast.corpus, doc_id="QUILL", sentences=True)


def claim(cast, document, relation=BORN, **fields):
    """Have a published system of its own claim a relation."""
    instance = Instance.objects.filter(
        document=document, predicate=relation.predicate, subject_start=relation.subject.start
    ).first() or InstanceFactory(
        document=document, predicate=relation.predicate, subject=relation.subject, object=relation.object
    )
    types = TAC.relations_by_name[relation.predicate]
    return PredictionFactory(
        submission=cast.submission(state="scored", **fields),
        instance=instance,
        subject_type=types.subject_type,
        object_type=types.object_types[0],
    )


def annotate(document, *relations, **fields):
    mentions = [
        MentionRecord(ADA, "PER", ADA),
        MentionRecord(HALLOW, "GPE", HALLOW),
        MentionRecord(SHE, "PER", ADA),
        MentionRecord(PRESS, "ORG", PRESS),
    ]
    records = [RelationRecord(*relation) for relation in relations]
    return AnnotationFactory(document=document, mentions=mentions, relations=records, **fields)


def address(document):
    return reverse("document", args=[document.corpus.tag, document.doc_id])


def test_every_mention_is_marked_with_its_type_and_its_entity(document):
    annotate(document)
    retire(document)
    marks = {
        segment.text: segment.inner.label
        for segment in read_document(document, None).segments
        if segment.inner
    }
    assert marks == {
        "Ada Quill": "person",
        "Port Hallow": "place",
        "She": "person Ada Quill",
        "Quill Press": "organization",
    }


def test_nested_mentions_are_both_marked(document):
    quill = Span(PRESS.start, PRESS.start + len("Quill"))
    mentions = [MentionRecord(PRESS, "ORG", PRESS), MentionRecord(quill, "PER", quill)]
    AnnotationFactory(document=document, mentions=mentions, relations=[])
    retire(document)
    (nested,) = [one for one in read_document(document, None).segments if one.text == "Quill" and one.marks]
    assert [mark.kind for mark in nested.marks] == [TAC.type_class("ORG"), TAC.type_class("PER")]


def test_a_true_relation_says_which_systems_found_it(cast, document):
    annotate(document, BORN, FOUNDED)
    retire(document)
    claim(cast, document, name="finder")
    found = {one.relation: [system.name for system in one.systems] for one in read(document).relations}
    assert found == {BORN: ["finder"], FOUNDED: []}


def test_a_claim_that_overlaps_both_mentions_finds_the_relation(cast, document):
    annotate(document, BORN)
    retire(document)
    wider = Relation("per:place_of_birth", ADA, Span(HALLOW.start, HALLOW.end + 1))
    claim(cast, document, wider, name="wide")
    (relation,) = read(document).relations
    assert [system.name for system in relation.systems] == ["wide"]


def test_relations_that_no_system_found_can_be_listed_alone(cast, document, client):
    annotate(document, BORN, FOUNDED)
    retire(document)
    claim(cast, document)
    assert [one.relation for one in read(document, Choice(missed=True)).relations] == [FOUNDED]
    page = client.get(address(document)).content.decode()
    assert "found by none" in page
    assert "1 that no system found" in page


def counted(options):
    return {one.name: one.counts for one in options}


def test_relations_are_filtered_by_predicate_and_by_system_with_counts(cast, document):
    annotate(document, BORN, FOUNDED)
    retire(document)
    one = claim(cast, document, name="one").submission
    claim(cast, document, FOUNDED, name="other")
    filters = read(document, Choice(system=one.pk)).filters
    assert counted(filters.predicates) == {"place of birth": "1 found, 1 claimed"}
    teams = {found.name: found.team.name for found in cast.corpus.submissions.all()}
    assert counted(filters.systems) == {f"{name} ({teams[name]})": "1 claimed" for name in ("one", "other")}
    chosen = read(document, Choice(system=one.pk))
    assert [[each.relation for each in part] for part in (chosen.relations, chosen.claims)] == [
        [BORN],
        [BORN],
    ]
    chosen = read(document, Choice(predicate=FOUNDED.predicate))
    assert [[each.relation for each in part] for part in (chosen.relations, chosen.claims)] == [
        [FOUNDED],
        [FOUNDED],
    ]
    assert [one.is_chosen for one in chosen.filters.predicates] == [False, True]


def test_what_a_system_missed_is_listed_with_counts(cast, document):
    annotate(document, BORN, FOUNDED)
    retire(document)
    one = claim(cast, document, name="one").submission
    chosen = read(document, Choice(system=one.pk, missed=True))
    assert [each.relation for each in chosen.relations] == [FOUNDED]
    assert [each.counts for each in chosen.filters.systems] == ["1 missed"]


def test_filters_go_together_with_a_mention_and_with_pages(cast, document, client):
    system = claim(cast, document).submission
    PredictionFactory(
        submission=system,
        instance=InstanceFactory(
            document=document, predicate=FOUNDED.predicate, subject=FOUNDED.subject, object=FOUNDED.object
        ),
        object_type="ORG",
    )
    query = f"mention={PRESS}&predicate={FOUNDED.predicate}&system={system.pk}&claims=1"
    page = client.get(f"{address(document)}?{query}").content.decode()
    assert f'name="mention" value="{PRESS}"' in page
    assert page.count('<li id="claim-') == 1


def test_a_system_that_is_hidden_cannot_be_filtered_by(cast, document, client):
    hidden = claim(cast, document, is_public=False).submission
    answers = {client.get(f"{address(document)}?system={pk}").status_code for pk in (hidden.pk, 987654)}
    assert answers == {404}
    claim(cast, document, FOUNDED, name="shown")
    assert hidden.name not in client.get(address(document)).content.decode()


def test_claims_are_said_to_be_of_the_systems_that_make_them(cast, document, client):
    claim(cast, document, name="finder")
    cast.submission(state="scored", name="silent")
    assert "1 claim of 1 system." in " ".join(client.get(address(document)).content.decode().split())


def test_a_claim_says_whether_people_found_it_too(cast, document):
    annotate(document, BORN)
    retire(document)
    claim(cast, document)
    claim(cast, document, FOUNDED)
    assert {one.relation: one.finds for one in read(document).claims} == {BORN: (BORN,), FOUNDED: ()}


def test_a_claims_published_verdict_stands_with_its_votes(cast, document, client):
    claim(cast, document)
    question = QuestionFactory(document=document, published=True)
    LabelFactory(question=question, value=False, votes_for=1, votes=3)
    page = client.get(address(document)).content.decode()
    assert "1 of 3 people said that it holds" in page
    assert "wrong" in page


def test_no_vote_is_shown_of_a_label_that_is_not_released(cast, document, client):
    claim(cast, document)
    LabelFactory(question=QuestionFactory(document=document, settled=True), votes_for=3, votes=3)
    assert "said that it holds" not in client.get(address(document)).content.decode()


def test_the_crowds_relations_stand_with_their_votes_once_they_are_open_and_published(document):
    annotation = annotate(document, BORN, source=DocumentAnnotation.Source.CROWD)
    question = QuestionFactory(document=document, settled=True)
    LabelFactory(question=question, value=True, votes_for=2, votes=3)
    annotation.questions.add(question)
    retire(document)
    (relation,) = read(document).relations
    assert relation.ruling is None
    labels.publish(Question.objects.all())
    (relation,) = read(document).relations
    assert (relation.ruling.votes_for, relation.ruling.votes) == (2, 3)


@pytest.mark.parametrize("who", ["team", "operator"])
@pytest.mark.parametrize("state", ["uploaded", "refused", "cancelled", "withdrawn", "failed"])
def test_what_was_not_accepted_or_taken_back_is_no_system(cast, document, who, state):
    annotate(document, BORN)
    cast.submission(state=state, name="none")
    cast.submission(state="accepted", name="one")
    assert read_document(document, cast.people[who]).systems == 1


def test_one_relation_is_shown_with_all_systems_and_what_they_name(cast, document):
    for number in range(NAMED + 2):
        claim(cast, document, name=f"system {number}")
    (listed,) = read(document).claims
    (full,) = read(document, Choice(relation=BORN)).claims
    assert (len(listed.systems), listed.more, listed.uses) == (NAMED, 2, ())
    assert {(use.subject_name, use.object_name) for use in full.uses} == {("Ada Quill", "Port Hallow")}
    assert len(full.uses) == NAMED + 2


def test_a_mention_leads_to_its_relations(cast, document):
    claim(cast, document)
    claim(cast, document, FOUNDED)
    chosen = read(document, Choice(mention=PRESS))
    assert [one.relation for one in chosen.claims] == [FOUNDED]
    leads = {mark.span: mark.href for segment in chosen.segments for mark in segment.opens}
    assert leads == {
        PRESS: f"#claim-{FOUNDED}",
        SHE: f"#claim-{FOUNDED}",
        ADA: f"?mention={ADA}#relations",
        HALLOW: f"?mention={HALLOW}#relations",
    }


def test_every_fragment_that_a_page_links_to_is_on_it(cast, document, client):
    annotate(document, BORN, FOUNDED)
    retire(document)
    claim(cast, document)
    page = client.get(address(document)).content.decode()
    ids = set(re.findall(r'id="([^"]+)"', page))
    links = set(re.findall(r'href="#([^"]+)"', page))
    assert {f"true-{BORN}", f"m{ADA}"} <= links <= ids


@pytest.mark.parametrize(
    "query",
    [
        "relation=spouse",
        "relation=per:spouse.0-9",
        "relation=per:spouse.9-0.1-2",
        "mention=x",
        "mention=-1-4",
        "predicate=spouse",
        "system=x",
    ],
)
def test_an_address_that_names_no_relation_or_mention_is_refused(document, client, query):
    assert client.get(f"{address(document)}?{query}").status_code == 400


@pytest.mark.parametrize(
    "query", ["found=none", "relation=per:spouse.0-9.900-901", "mention=900-901", "page=7", "claims=x"]
)
def test_what_is_not_there_is_an_empty_list(document, client, query):
    annotate(document)
    retire(document)
    assert client.get(f"{address(document)}?{query}").status_code == 200


def read(document, choice=None):
    return read_document(document, None, choice)


def large(cast, systems, size):
    """Make a document of 10 `size` tokens and `size` mentions, of which each system claims half.

    Every second mention is related to the next, as people say; a third of that no system finds.
    """
    words = [f"Name{number} did and said and saw what others had long forgotten ." for number in range(size)]
    document = DocumentFactory(corpus=cast.corpus, text=" ".join(words), doc_id=f"LARGE-{size}")
    starts = [document.text.index(f"Name{number} ") for number in range(size)]
    spans = [Span(start, start + len(f"Name{n}")) for n, start in enumerate(starts)]
    true = [
        RelationRecord("per:siblings", one, other) for one, other in zip(spans[::2], spans[1::2], strict=True)
    ]
    AnnotationFactory(
        document=document,
        mentions=[MentionRecord(span, "PER", span, f"https://example.org/{span}") for span in spans],
        relations=true,
    )
    fields = [("per:siblings", one.subject, one.object) for one in true[len(true) // 3 :]]
    fields += [("per:spouse", one.subject, one.object) for one in true]
    instances = Instance.objects.bulk_create(
        Instance(
            unit=UnitFactory(corpus=cast.corpus),
            document=document,
            predicate=predicate,
            subject_start=subject.start,
            subject_end=subject.end,
            object_start=object_.start,
            object_end=object_.end,
            subject_name=subject.start,
            object_name=object_.start,
        )
        for predicate, subject, object_ in fields
    )
    submissions = [
        cast.submission(state="scored", name=f"large {size} {number:03}", file="")
        for number in range(systems)
    ]
    Prediction.objects.bulk_create(
        Prediction(
            submission=submission,
            instance=instance,
            confidence=0.8,
            subject_type="PER",
            object_type="PER",
            subject_entity=":one",
            object_entity=":other",
            subject_canonical_start=instance.subject_start,
            subject_canonical_end=instance.subject_end,
            object_canonical_start=instance.object_start,
            object_canonical_end=instance.object_end,
            probability=1.0,
            line=line,
        )
        for number, submission in enumerate(submissions)
        for line, instance in enumerate(instances[number % 2 :: 2], 1)
    )
    retire(document)
    return document


def queries(client, url):
    with CaptureQueriesContext(connection) as captured:
        assert client.get(url).status_code == 200
    return len(captured)


@pytest.mark.slow
def test_a_large_document_asks_as_many_queries_as_a_small_one_and_stays_readable(cast, client):
    small, big = large(cast, 2, 6), large(cast, 200, 300)
    assert queries(client, address(big)) == queries(client, address(small)) <= 16
    system = big.corpus.submissions.get(name="large 300 000").pk
    assert queries(client, f"{address(big)}?found=none&system={system}&predicate=per:siblings") <= 17
    response = client.get(address(big))
    assert response.content.count(b"<li") <= 2 * PAGE + 300 + 30
    assert len(response.content) < 1_000_000
