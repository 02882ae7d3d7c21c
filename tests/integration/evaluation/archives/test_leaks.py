"""What is sealed is in no archive, training data, snapshot or history, nor at an address that shows these."""

import csv
import json
import re
from datetime import datetime

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.utils import timezone

from annotations.models import Corpus, Document, Label, Question
from evaluation.kbp.recall import exhaustive
from evaluation.kbp.task import TASK as KBP
from evaluation.models import DocumentSample, Edition, Epoch, ScoreRecord, Submission
from evaluation.scoring import releasing
from evaluation.scoring.published import freezing, timeline
from evaluation.scoring.stored import Measure
from kbpo import pipeline
from kbpo.accounts.models import Team
from kbpo.core.keeping import installation
from kbpo.core.keeping.models import Installation
from kbpo.core.storage.folder import path_of
from kbpo_archive.reading import Archive
from kbpo_archive.training.making import Folder, make
from tests import leaks
from tests.archives import made
from tests.leaks import HIDDEN, LABORATORY, SOCIETY, VEILED, WITHDRAWN
from tests.world import World

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def told(judged, django_db_blocker, tmp_path_factory):
    """All that is told of a corpus whose first epoch is released and whose second is open, by where it is."""
    with django_db_blocker.unblock(), transaction.atomic():
        Installation.objects.all().delete()  # a test before this one may have taken away the files' side
        path_of(installation.PLACE).unlink(missing_ok=True)
        yield tell(tmp_path_factory.mktemp("told"))
        transaction.set_rollback(True)


def tell(tmp_path):
    """Release an epoch, have systems judged in the next, and gather what everybody can read, by place."""
    for before, name in (("s1", HIDDEN), ("s2", VEILED), ("s3", WITHDRAWN)):
        Submission.objects.filter(name=before).update(name=name)
    for before, name in (("Beta", SOCIETY), ("Gamma", LABORATORY)):
        Team.objects.filter(name=before).update(name=name)
    leaks.veil(VEILED)
    releasing.release(corpus=Corpus.objects.get(), task=KBP, retire=0.5)
    archive = made()
    gold = str(World(40).write_gold(tmp_path / "gold"))
    for seed, (name, team) in enumerate((("late", "Delta"), ("later", "Epsilon")), start=9):
        path = World(40).write_kb(tmp_path / name, World(40).system(recall=0.9, precision=0.4, seed=seed))
        call_command("submit", str(path), "--corpus", "small", "--team", team, "--name", name)
        pipeline.advance()
        call_command("simulate_crowd", "--corpus", "small", "--gold", gold, "--error", "0.1")
        pipeline.advance()  # its epoch is open, and has answers
    corpus = Corpus.objects.get()
    assert freezing.freeze(corpus=corpus, task=KBP, now=timezone.now())[1]
    Corpus.objects.update(texts=Corpus.Texts.OPERATORS)
    with Archive(path_of(archive.place)) as opened:
        make(opened, Folder(tmp_path / "training"))
    systems = [Submission.objects.get(name=name).pk for name in ("s0", "late", VEILED)]
    assert Edition.objects.filter(kind=Edition.Kind.LEADERBOARD).count() == 2
    return (
        leaks.read_archive(archive)
        | leaks.read_files(tmp_path / "training")
        | leaks.read_addresses(Client(), "small", systems)
    )


def planted():
    """Return what nobody may read, by what it is."""
    words = {
        word.strip(".,") for text in Document.objects.values_list("text", flat=True) for word in text.split()
    }
    return {"texts": {word for word in words if len(word) > 4 and word[0].isupper()}, **leaks.planted()}


def test_nothing_that_is_sealed_is_told(told):
    # Commitments are digests of secrets' bytes, and public from the start; digests of their texts are not.
    assert list(leaks.leaks(told, planted())) == []


@pytest.mark.slow
def test_it_is_found_where_it_is_looked_for(told):
    assert Submission.objects.filter(name__in=[HIDDEN, VEILED, WITHDRAWN]).count() == 3
    assert "Anonymous" in told["archive systems.csv"].decode()
    assert Epoch.objects.filter(released_at=None).get().batches.count() == 2
    secret = Epoch.objects.get(number=1).secret
    assert secret in told["archive manifest.json"].decode()
    assert any("s0" in told[where].decode() for where in told if where.startswith("/corpora"))


def test_the_picture_of_a_history_says_no_more_than_its_file(told):
    """Heights alone are about scores: none is drawn with digits that the file does not have."""
    change = ScoreRecord.objects.filter(submission__name="late").latest("pk")
    page = told[f"/submissions/{change.submission_id}/"].decode()
    rows = json.loads(told[f"/submissions/{change.submission_id}/history.json"])
    of_picture = [
        (datetime.fromisoformat(row["at"]), Measure(row["estimate"], row["low"], row["high"]))
        for row in rows
        if (row["part"], row["standard"], row["measure"]) == (KBP.choices.part, "votes", "f1")
    ]
    assert len(of_picture) > 1
    again = timeline.draw(of_picture, name="F1", until=timezone.now())
    (picture,) = re.findall(r'<figure class="over-time">.*?</figure>', page, flags=re.DOTALL)
    heights = {float(one) for one in re.findall(r' (?:y1|y2|cy)="([\d.]+)"', picture)}
    assert heights == {
        *(height for dot in again.dots for height in (dot.y, dot.low, dot.high)),
        *(mark.at for mark in again.up),
    }
    drawn = re.search(r'<polyline points="([^"]+)"', picture)[1]
    assert [one.split(",")[1] for one in drawn.split()] == [one.split(",")[1] for one in again.line.split()]
    assert [one.words for one in again.dots] == re.findall(r"<g><title>(.*?)</title>", picture)


def test_sealed_documents_are_not_told_from_others(told):
    sample = DocumentSample.objects.get(retired_at=None)
    ids = set(sample.documents.values_list("document__doc_id", flat=True))
    assert ids
    assert not ids & set(exhaustive.opened(Corpus.objects.get()).values_list("doc_id", flat=True))
    full = ("documents.csv", "coreference", "relation_extraction_documents", "entity_linking_documents")
    for where, data in told.items():
        if where.endswith(full) or where.startswith("/"):
            content = data.decode()
            assert not any(doc_id in content for doc_id in ids), where


def test_what_is_sampled_in_the_open_epoch_is_not_told(told):
    batches = Epoch.objects.get(released_at=None).batches.all()
    asked = Question.objects.filter(batches__in=batches, published_at=None)
    sealed = set(asked.values_list("document__doc_id", "key"))
    assert sealed
    assert Label.objects.filter(question__in=asked).exists()
    for where in (one for one in told if one.startswith("/")):
        content = told[where].decode()
        for doc_id, key in sealed:
            assert key not in content, where
            assert doc_id not in content, where
    archive = Edition.objects.get(kind=Edition.Kind.EPOCH)
    assert archive.epoch.number == 1
    asked_before = list(csv.DictReader(told["archive questions.csv"].decode().splitlines()))
    assert asked_before
    assert not sealed & {(one["doc_id"], one["key"]) for one in asked_before}
