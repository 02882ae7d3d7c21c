"""Votes on documents that people annotated in full, in archives and training data; and whose they are."""

import json
from collections import Counter

import pytest
from django.core.management import call_command

from annotations.kinds import entities
from annotations.models import Corpus, DocumentAnnotation, Question, Response
from evaluation.kbp.task import TASK as KBP
from evaluation.scoring import releasing
from kbpo import pipeline
from kbpo.core.storage.folder import path_of
from kbpo_archive.reading import NOTHING, Archive
from kbpo_archive.recomputing import compare
from kbpo_archive.tables import OTHER_LINK
from kbpo_archive.training.making import Folder, make
from kbpo_formats.spans import Span
from tests.archives import EPOCHS, made
from tests.world import World

pytestmark = pytest.mark.django_db


@pytest.fixture
def marked(tmp_path, settings):
    """A corpus of whose documents people annotated some in full, while a system was judged."""
    settings.MEDIA_ROOT, settings.KBPO_EPOCH_SECRET = str(tmp_path / "media"), bytes(range(32))
    world, corpus = World(30), str(tmp_path / "corpus.jsonl")
    world.write_corpus(tmp_path / "corpus.jsonl")
    world.write_gold(tmp_path / "gold")
    call_command("load_corpus", corpus, "--corpus", "small", "--audit-share", "0", verbosity=0)
    call_command("sample_documents", "--corpus", "small", "--n", "12", "--uniform-share", "1")
    hand_in("one", tmp_path, seed=1)
    return tmp_path


def hand_in(name, folder, seed):
    """Submit a system, and have people answer until nothing is open."""
    path = World(30).write_kb(folder / name, World(30).system(recall=0.6, precision=0.6, seed=seed))
    call_command("submit", str(path), "--corpus", "small", "--team", name, "--name", name)
    for _ in range(4):
        pipeline.advance()
        call_command("simulate_crowd", "--corpus", "small", "--gold", str(folder / "gold"), "--error", "0.1")
    pipeline.advance()


def release(retire):
    releasing.release(corpus=Corpus.objects.get(), task=KBP, retire=retire)
    return made()


def rows(archive, table, *names):
    columns = archive.table(table)
    return list(zip(*(list(columns[name]) for name in names), strict=True))


def asked_to_annotate():
    """Return the documents and keys of what people were asked, to annotate documents in full."""
    whole = Question.objects.filter(kind="entities")
    pairs = Question.objects.filter(annotations__completed_at__isnull=False)
    return {(one.document.doc_id, one.key) for one in (whole | pairs).distinct()}


@pytest.mark.slow
def test_votes_on_documents_are_told_when_they_are_retired(marked):
    with Archive(path_of(release(None).place)) as archive:
        questions = set(rows(archive, "questions", "doc_id", "key"))
        assert not archive.has("mention_votes")
        assert not archive.has("document_questions")
    assert asked_to_annotate() - questions
    assert {key for _, key in questions if key.startswith("entities")} == set()


@pytest.mark.slow
def test_every_vote_on_a_retired_document_is_in_the_archive(marked):
    with Archive(path_of(release(1.0).place)) as archive:
        again = compare(archive)
        assert again.agrees
        assert again.scores.held_back == 0
        documents, keys = archive.table("documents"), dict(rows(archive, "questions", "question", "key"))
        told = rows(archive, "document_questions", "document", "question")
        marks = rows(archive, "mention_votes", "document", "annotator", "start", "end", "type", "link")
        links = set(rows(archive, "mentions", "document", "link"))
        votes = rows(archive, "votes", "question", "annotator")
    assert set(documents["by"]) == {"crowd"}
    ids = documents["doc_id"]
    assert {(ids[document], keys[question]) for document, question in told} == asked_to_annotate()
    answers = Response.objects.filter(question__kind="entities")
    people = Counter(document for document, _ in {(document, who) for document, who, *_ in marks})
    assert sum(people.values()) == answers.count() > 0
    assert len([one for one in marks if one[2] != NOTHING]) == sum(
        len(answer["mentions"]) for answer in answers.values_list("answer", flat=True)
    )
    assert {one for document, *_, one in marks if (document, one) not in links} <= {"", OTHER_LINK}
    asked = {question for _, question in told if keys[question].startswith("relation")}
    pairs = Response.objects.filter(question__kind="relation", question__annotations__isnull=False)
    assert len({vote for vote in votes if vote[0] in asked}) == pairs.distinct().count() > 0


@pytest.mark.slow
def test_training_data_say_how_many_marked_what(marked, tmp_path):
    with Archive(path_of(release(1.0).place)) as archive:
        make(archive, Folder(tmp_path / "out"))
    found = {
        name: [
            json.loads(line)
            for path in sorted((tmp_path / "out" / "data" / name).glob("*.jsonl"))
            for line in path.read_text().splitlines()
        ]
        for name in ("coreference", "relation_extraction_documents")
    }
    assert len(found["coreference"]) == DocumentAnnotation.objects.count()
    for one in found["coreference"]:
        outcome = entities.outcome(Question.objects.get(kind="entities", document__doc_id=one["doc_id"]))
        assert one["votes"] == outcome.voters > 1
        settled = {mention.record.span: mention.votes for mention in outcome.mentions}
        assert {Span(own["start"], own["end"]): own["votes_for"] for own in one["mentions"]} == settled
    relations = [relation for one in found["relation_extraction_documents"] for relation in one["relations"]]
    assert relations
    assert all(0 < one["votes"] / 2 < one["votes_for"] <= one["votes"] for one in relations)


@pytest.mark.slow
def test_answers_that_stand_in_two_archives_do_not_tell_whose_others_are(marked, tmp_path):
    first = release(0.5)
    hand_in("two", tmp_path, seed=2)
    releasing.release(corpus=Corpus.objects.get(), task=KBP, retire=1.0)
    pipeline.advance()
    newest = {one.epoch.number: one for one in EPOCHS.order_by("edition")}
    assert newest[1].edition > first.edition

    def said(number):
        with Archive(path_of(newest[number].place)) as archive:
            places = {one: place for one, *place in rows(archive, "questions", "question", "doc_id", "key")}
            ids = archive.table("documents")["doc_id"]
            votes = rows(archive, "votes", "question", "claim", "value", "annotator")
            marks = rows(archive, "mention_votes", "document", "start", "end", "type", "annotator")
            return {(*places[question], *vote) for question, *vote in votes} | {
                (ids[document], *mark) for document, *mark in marks
            }

    one, other = said(1), said(2)
    assert one & other
    together = {row[:-1] for row in one} & {row[:-1] for row in other}
    assert {row for row in one if row[:-1] in together} == {row for row in other if row[:-1] in together}
    of_first = {row[-1] for row in one if row[:-1] not in together}
    of_second = {row[-1] for row in other if row[:-1] not in together}
    assert of_first
    assert of_second
    assert not of_first & of_second
