"""Documents annotated in full: asked, marked, settled into mentions, and asked of in pairs."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from annotations import agreements, corpora, labels, pairs, questions, responses, selectors
from annotations.kinds import entities
from annotations.kinds.entities import EntitiesQuestion
from annotations.kinds.registry import read_asked
from annotations.kinds.relation import Mention, RelationQuestion
from annotations.models import Document, DocumentAnnotation, Label, Question, Response
from annotations.texts.records import MentionRecord, RelationRecord
from crowd.simulation import simulated_crowd
from demo.markup import read_folder
from kbpo import pipeline
from kbpo.accounts.models import User
from kbpo.core.errors import InvalidInput
from kbpo_formats.spans import Span
from tests.conftest import ROOT
from tests.factories import (
    ADA,
    HALLOW,
    PRESS,
    SHE,
    THERE,
    YEAR,
    DocumentFactory,
    QuestionFactory,
    UserFactory,
)
from tests.ontologies import TAC

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
MENTIONS = [
    MentionRecord(ADA, "PER", ADA),
    MentionRecord(HALLOW, "GPE", HALLOW),
    MentionRecord(SHE, "PER", ADA),
    MentionRecord(PRESS, "ORG", PRESS),
    MentionRecord(THERE, "GPE", HALLOW),
    MentionRecord(YEAR, "DATE", YEAR),
]


@pytest.fixture
def document() -> Document:
    return DocumentFactory.create(segmented=True)


@pytest.fixture
def question(document: Document) -> Question:
    return questions.ask_entities([document.pk])[document.pk]


@pytest.fixture
def crowd() -> list[User]:
    return UserFactory.create_batch(3, annotator=True)


def marking(question: Question, mentions: list[MentionRecord], **links: Any) -> dict[str, Any]:
    asked = read_asked([question])[question.pk]
    assert isinstance(asked, EntitiesQuestion)
    return asked.answer(mentions, {YEAR: {"date": "1961"}, ADA: {"page": "Ada Quill"}})


def vote(question: Question, crowd: list[User], *answers: dict[str, Any]) -> None:
    for worker, answer in zip(crowd, answers, strict=True):
        responses.record(question=question, worker=worker, answer=answer)
    labels.settle_questions()


def settle_pairs(crowd: list[User], **true: str) -> None:
    """Answer every open relation question: the named predicates hold wherever they are offered."""
    for question in Question.objects.filter(kind="relation", state="open"):
        asked = read_asked([question])[question.pk]
        assert isinstance(asked, RelationQuestion)
        ticked = [offer for offer in asked.offered if offer.predicate in true.values()]
        for worker in crowd:
            responses.record(question=question, worker=worker, answer=asked.answer(ticked))
    labels.settle_questions()


@pytest.fixture
def marked(question: Question, crowd: list[User]) -> DocumentAnnotation:
    full = marking(question, MENTIONS)
    vote(question, crowd, full, full, marking(question, MENTIONS[:2]))
    return DocumentAnnotation.objects.get()


def test_a_document_is_asked_about_once(document: Document) -> None:
    assert questions.ask_entities([document.pk]) == questions.ask_entities([document.pk])
    assert Question.objects.get().kind == "entities"


def test_there_is_nothing_to_ask_of_a_document_that_is_not_there(document: Document) -> None:
    with pytest.raises(InvalidInput, match="there is no document"):
        questions.ask_entities([document.pk + 1])


def test_an_answer_is_kept_in_its_normal_form(question: Question, crowd: list[User]) -> None:
    vote(question, crowd[:1], marking(question, MENTIONS))
    assert Response.objects.get().answer["entities"][0]["link"] == {"page": "Ada Quill"}


def test_an_answer_that_cuts_a_word_is_refused_by_name(question: Question, crowd: list[User]) -> None:
    answer = marking(question, MENTIONS)
    answer["mentions"][0]["end"] -= 1
    with pytest.raises(InvalidInput, match=r"“Ada Quil” .* does not begin and end with words; “Ada Quill”"):
        responses.record(question=question, worker=crowd[0], answer=answer)


def test_votes_settle_into_an_annotation_of_the_crowd(marked: DocumentAnnotation, question: Question) -> None:
    question.refresh_from_db()
    assert question.state == "settled"
    assert (marked.source, marked.asked_at, marked.completed_at) == ("crowd", None, None)
    links = dict(marked.mentions.values_list("start", "link"))
    assert links[SHE.start] == "https://en.wikipedia.org/wiki/Ada_Quill"
    assert links[YEAR.start] == "1961"
    assert selectors.read_record(marked).digest == marked.digest
    assert not Label.objects.exists()


def test_the_votes_behind_an_annotation_can_be_seen(marked: DocumentAnnotation, question: Question) -> None:
    outcome = entities.outcome(question)
    assert outcome.records == selectors.read_record(marked).mentions
    assert [one.votes for one in outcome.mentions] == [3, 3, 2, 2, 2, 2]


def test_an_experts_answer_settles_alone(question: Question, crowd: list[User]) -> None:
    responses.record(question=question, worker=crowd[0], answer=marking(question, []))
    operator = UserFactory.create(operator=True)
    full = marking(question, MENTIONS)
    responses.record(question=question, worker=operator, answer=full, as_expert=True)
    assert DocumentAnnotation.objects.get().mentions.count() == 6
    assert len(entities.outcome(question).records) == 6


def test_experts_and_the_crowd_are_told_apart(marked: DocumentAnnotation, document: Document) -> None:
    expert = DocumentAnnotation.objects.create(
        document=document, source="expert", digest="x", completed_at=NOW
    )
    assert {one.source for one in document.annotations.all()} == {"crowd", "expert"}
    assert not expert.mentions.exists()


def test_pairs_are_within_a_sentence_of_admitted_types_and_two_entities(
    marked: DocumentAnnotation, document: Document
) -> None:
    passage = selectors.read_passages([document])[document.pk]
    assert pairs.pairs(MENTIONS, passage.sentences, TAC) == [
        (Mention(ADA, "PER"), Mention(HALLOW, "GPE")),
        (Mention(SHE, "PER"), Mention(PRESS, "ORG")),
        (Mention(SHE, "PER"), Mention(THERE, "GPE")),
        (Mention(SHE, "PER"), Mention(YEAR, "DATE")),
        (Mention(PRESS, "ORG"), Mention(THERE, "GPE")),
        (Mention(PRESS, "ORG"), Mention(YEAR, "DATE")),
    ]


def test_a_mention_inside_another_may_be_related_to_it_and_one_entity_to_itself_may_not() -> None:
    words = [Span(0, 9), Span(10, 13), Span(14, 17)]
    captain, ash = MentionRecord(words[0], "TITLE", words[0]), MentionRecord(Span(0, 13), "PER", Span(0, 13))
    her = MentionRecord(words[2], "PER", Span(0, 13))
    assert pairs.pairs([captain, ash, her], [words], TAC) == [
        (Mention(words[0], "TITLE"), Mention(Span(0, 13), "PER")),
        (Mention(words[0], "TITLE"), Mention(words[2], "PER")),
    ]


def test_what_was_asked_before_is_not_asked_again(
    marked: DocumentAnnotation, document: Document, crowd: list[User]
) -> None:
    asked = RelationQuestion.about(Mention(ADA, "PER"), Mention(HALLOW, "GPE"), TAC)
    before = QuestionFactory.create(document=document, asked=asked)
    assert pairs.settle_documents(now=NOW) == 1
    assert before in marked.questions.all()
    assert marked.questions.count() == Question.objects.filter(kind="relation").count() == 6


def test_true_instances_are_the_labels_that_hold(marked: DocumentAnnotation, crowd: list[User]) -> None:
    pairs.settle_documents(now=NOW)
    assert pairs.settle_documents(now=NOW) == 0
    settle_pairs(crowd, one="per:organizations_founded", two="org:date_founded", three="per:place_of_birth")
    assert pairs.settle_documents(now=NOW) == 1
    marked.refresh_from_db()
    record = selectors.read_record(marked)
    assert record.relations == (
        RelationRecord("org:date_founded", PRESS, YEAR),
        RelationRecord("per:organizations_founded", SHE, PRESS),
        RelationRecord("per:place_of_birth", ADA, HALLOW),
        RelationRecord("per:place_of_birth", SHE, THERE),
    )
    assert (marked.completed_at, marked.digest) == (NOW, record.digest)
    assert pairs.settle_documents(now=NOW) == 0


def test_a_relation_of_an_inverse_or_symmetric_kind_counts_once(
    question: Question, crowd: list[User]
) -> None:
    people = [MentionRecord(ADA, "PER", ADA), MentionRecord(HALLOW, "PER", HALLOW)]
    vote(question, crowd, *[marking(question, people)] * 3)
    pairs.settle_documents(now=NOW)
    pair = Question.objects.get(kind="relation")
    asked = read_asked([pair])[pair.pk]
    assert isinstance(asked, RelationQuestion)
    child = next(one for one in asked.offered if one == ("per:parents", 1))
    spouse = next(one for one in asked.offered if one.predicate == "per:spouse")
    for worker in crowd:
        responses.record(question=pair, worker=worker, answer=asked.answer([child, spouse]))
    labels.settle_questions()
    pairs.settle_documents(now=NOW)
    assert selectors.read_record(DocumentAnnotation.objects.get()).relations == (
        RelationRecord("per:parents", HALLOW, ADA),
        RelationRecord("per:spouse", ADA, HALLOW),
    )


def test_a_document_without_pairs_is_complete_at_once(question: Question, crowd: list[User]) -> None:
    vote(question, crowd, *[marking(question, [])] * 3)
    assert pairs.settle_documents(now=NOW) == 2  # asked, and completed
    assert DocumentAnnotation.objects.get().completed_at == NOW


def test_agreement_on_whole_documents_is_measured(marked: DocumentAnnotation, document: Document) -> None:
    found = {one.aspect: one for one in agreements.measure(document.corpus) if one.kind == "entities"}
    assert {one.questions for one in found.values()} == {1}
    assert found["spans"].kappa is not None
    assert 0.5 < found["spans"].kappa.estimate < 1
    assert found["canonical"].kappa is not None
    assert found["canonical"].kappa.estimate == 1.0


@pytest.mark.slow
def test_a_crowd_without_errors_finds_what_experts_do_within_sentences(tmp_path: Path) -> None:
    written = read_folder(ROOT / "demo" / "corpus")[:6]
    for name, lines in (("corpus", [one for one, _ in written]), ("gold", [one for _, one in written])):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    corpus = corpora.load_corpus(path=tmp_path / "corpus.jsonl", tag="demo").corpus
    gold = simulated_crowd.read_gold(tmp_path / "gold.jsonl", TAC)
    questions.ask_entities(list(corpus.documents.values_list("pk", flat=True)))
    for _ in range(2):
        simulated_crowd.simulate(corpus=corpus, gold=gold, workers=5, error=0.0)
        pipeline.advance()
    annotated = DocumentAnnotation.objects.filter(source="crowd", completed_at__isnull=False)
    assert annotated.count() == 6
    for annotation in annotated:
        expert = gold[annotation.document.doc_id]
        extents = [
            Span(start, end) for start, end in annotation.document.sentences.values_list("start", "end")
        ]
        within = {
            one
            for one in expert.relations
            if any(extent.contains(one.subject) and extent.contains(one.object) for extent in extents)
        }
        record = selectors.read_record(annotation)
        assert {(one.span, one.type) for one in record.mentions} == {
            (one.span, one.type) for one in expert.mentions
        }
        assert set(record.relations) == within
        assert within
