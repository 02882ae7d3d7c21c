"""A corpus under an ontology of another shape: loaded, asked, settled; and what it has not is refused."""

from pathlib import Path
from typing import Any

import pytest

from annotations import annotating, corpora, labels, pairs, questions, responses, selectors
from annotations.kinds.registry import read_asked
from annotations.kinds.relation import Mention, RelationQuestion
from annotations.models import Corpus, Document, DocumentAnnotation, Question, Response
from annotations.questions import Claim
from annotations.texts.records import MentionRecord
from crowd.simulation import simulated_crowd
from kbpo import pipeline
from kbpo.core.errors import InvalidInput
from tests.boats import (
    ADA,
    BOATS,
    GOLD,
    GULL,
    GULL_AGAIN,
    KETCH,
    TERN,
    load_boats,
    load_boats_gold,
    mention,
    write,
)
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return load_boats(tmp_path)


@pytest.fixture
def document(corpus: Corpus) -> Document:
    return corpus.documents.get()


@pytest.fixture
def twins(document: Document) -> Question:
    asked = RelationQuestion.about(Mention(TERN, "BOAT_2"), Mention(GULL_AGAIN, "BOAT_2"), BOATS)
    return questions.ask([(document.pk, asked)])[document.pk, asked]


def test_what_people_make_of_a_document_is_what_experts_do(corpus: Corpus, tmp_path: Path) -> None:
    gold = simulated_crowd.read_gold(load_boats_gold(tmp_path, corpus), BOATS)
    questions.ask_entities(list(corpus.documents.values_list("pk", flat=True)))
    for _ in range(2):
        simulated_crowd.simulate(corpus=corpus, gold=gold, workers=5, error=0.0)
        pipeline.advance()
    crowd, experts = (
        selectors.read_record(DocumentAnnotation.objects.get(source=source, completed_at__isnull=False))
        for source in ("crowd", "expert")
    )
    assert crowd == experts


def test_people_who_err_answer_with_what_there_is(corpus: Corpus, tmp_path: Path) -> None:
    gold = simulated_crowd.read_gold(load_boats_gold(tmp_path, corpus), BOATS)
    questions.ask_entities(list(corpus.documents.values_list("pk", flat=True)))
    simulated_crowd.simulate(corpus=corpus, gold=gold, workers=9, error=0.5)
    said = {one["type"] for answer in Response.objects.all() for one in answer.answer["mentions"]}
    assert said <= {"CREW", "BOAT_2", "RIG"}


def test_a_pair_is_asked_what_its_types_admit(document: Document, twins: Question) -> None:
    record = document.annotations.create(source="crowd", digest="")
    passage = selectors.read_passages([document])[document.pk]
    mentions = [
        MentionRecord(ADA, "CREW", ADA),
        MentionRecord(GULL, "BOAT_2", GULL),
        MentionRecord(KETCH, "RIG", KETCH),
    ]
    found = pairs.pairs(mentions, passage.sentences, BOATS)
    assert [(one.type, other.type) for one, other in found] == [("CREW", "BOAT_2"), ("BOAT_2", "RIG")]
    assert twins.payload["options"] == [{"predicate": "Sister-Ship", "subject": 0}]
    record.delete()


def test_a_claim_is_asked_in_its_stored_direction(document: Document) -> None:
    claim = Claim(document.pk, "X__rigged-as", GULL, "BOAT_2", KETCH, "RIG")
    question, subject = questions.ask_relations([claim])[claim]
    assert (question.payload["options"], subject) == ([{"predicate": "X__rigged-as", "subject": 0}], 0)
    assert questions.find_relations([claim]) == {claim: (question, subject)}


def test_answers_settle_a_relation_with_an_odd_name(twins: Question) -> None:
    for worker in UserFactory.create_batch(3, annotator=True):
        answer = {"relations": [{"predicate": "Sister-Ship", "subject": 0}], "links": {"0": {"page": "Gull"}}}
        responses.record(question=twins, worker=worker, answer=answer)
    labels.settle_questions()
    twins.refresh_from_db()
    assert (twins.state, twins.labels.get().claim, twins.labels.get().value) == (
        "settled",
        "Sister-Ship|0",
        1,
    )


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"relations": [{"predicate": "per:spouse", "subject": 0}]}, "'per:spouse'.* was not offered"),
        ({"none": True, "links": {"0": {"date": "1961"}}}, "no link of a mention of type BOAT_2"),
    ],
)
def test_an_answer_that_the_ontology_has_not_is_refused(
    twins: Question, answer: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        responses.record(question=twins, worker=UserFactory.create(annotator=True), answer=answer)


@pytest.mark.parametrize(
    ("kind", "link", "message"),
    [
        ("PER", {"none": True}, "is of type 'PER', not CREW, BOAT_2, RIG"),
        ("RIG", {"page": "Ketch"}, "is of type rig; such mentions are not linked"),
    ],
)
def test_a_marked_mention_that_the_ontology_has_not_is_refused(
    document: Document, kind: str, link: dict[str, Any], message: str
) -> None:
    question = questions.ask_entities([document.pk])[document.pk]
    answer = {
        "mentions": [{**KETCH._asdict(), "type": kind, "entity": 1}],
        "entities": [{"id": 1, "canonical": KETCH._asdict(), "link": link}],
    }
    with pytest.raises(InvalidInput, match=message):
        responses.record(question=question, worker=UserFactory.create(annotator=True), answer=answer)


def test_a_string_is_linked_to_nothing(document: Document) -> None:
    question = questions.ask_entities([document.pk])[document.pk]
    asked = read_asked([question])[question.pk]
    answer = asked.read_answer(
        {
            "mentions": [{**KETCH._asdict(), "type": "RIG", "entity": 1}],
            "entities": [{"id": 1, "canonical": KETCH._asdict()}],
        }
    )
    assert answer["entities"][0]["link"] == {"none": True}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mentions": [mention(TERN, "ORG")]}, r"is of type 'ORG', not CREW, BOAT_2, RIG"),
        (
            {"relations": [{"predicate": "per:spouse", "subject": list(ADA), "object": list(GULL)}]},
            r"unknown predicate 'per:spouse'; known are crew:sails-on_1, Sister-Ship, X__rigged-as",
        ),
        (
            {"relations": [{"predicate": "Sister-Ship", "subject": list(TERN), "object": list(GULL_AGAIN)}]},
            r"is symmetric; its subject must be the mention that starts first",
        ),
    ],
)
def test_gold_that_the_ontology_has_not_is_refused_with_its_line(
    corpus: Corpus, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    path = write(tmp_path / "wrong.jsonl", {**GOLD, "relations": [], **changes})
    with pytest.raises(InvalidInput, match=rf"wrong.jsonl, line 1.*{message}"):
        corpora.load_annotations(path=path, corpus=corpus)


def test_a_text_whose_suggestion_the_ontology_has_not_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    text = {"doc_id": "B2", "text": "The Tern.", "suggestions": [{"start": 4, "end": 8, "type": "GPE"}]}
    with pytest.raises(InvalidInput, match="is of type 'GPE', not CREW, BOAT_2, RIG"):
        corpora.load_corpus(path=write(tmp_path / "more.jsonl", text), tag="boats")


def test_a_claim_that_the_ontology_has_not_is_refused(document: Document) -> None:
    with pytest.raises(InvalidInput, match="unknown predicate 'per:title'; known are crew:sails-on_1"):
        questions.ask_relations([Claim(document.pk, "per:title", ADA, "CREW", KETCH, "RIG")])


def test_no_service_stores_a_type_that_the_ontology_has_not(document: Document) -> None:
    with pytest.raises(InvalidInput, match=r"is of type 'PER'; boats-2@3 has CREW, BOAT_2, RIG"):
        annotating.store_mentions(document=document, mentions=[MentionRecord(ADA, "PER", ADA)])
