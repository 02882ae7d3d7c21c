"""Postgres' plans do not depend on when it last looked at a table."""

import pytest

from annotations.corpora import load_annotations, load_corpus
from annotations.models import AnnotatedMention, AnnotatedRelation, Document, Sentence
from evaluation.design import sampling
from evaluation.kbp import claims
from evaluation.kbp.task import TASK as KBP
from evaluation.models import InclusionProbability, Instance, Prediction, Submission, Unit
from evaluation.submissions import submitting
from tests.integration.conftest import Submit
from tests.statistics_of_tables import forget, known_rows, known_values, mislead, rows_read

pytestmark = pytest.mark.django_db
READ = Prediction, Instance, Document


@pytest.fixture
def stored(submit: Submit) -> Submission:
    forget(Unit, Instance, Prediction, InclusionProbability)
    submission = submit("one")
    submitting.read_submission(task=KBP, submission_id=submission.pk)
    return submission


def test_a_corpus_is_known_once_it_is_loaded(world, tmp_path):
    forget(Document, Sentence)
    load_corpus(path=world.write_corpus(tmp_path / "corpus.jsonl"), tag="small")
    assert known_rows(Document) == Document.objects.count()
    assert known_rows(Sentence) == Sentence.objects.count()


def test_annotations_are_known_once_they_are_loaded(world, tmp_path):
    forget(AnnotatedMention, AnnotatedRelation)
    corpus = load_corpus(path=world.write_corpus(tmp_path / "corpus.jsonl"), tag="small").corpus
    load_annotations(path=world.write_gold(tmp_path / "gold.jsonl"), corpus=corpus)
    assert known_rows(AnnotatedMention) == AnnotatedMention.objects.count()
    assert known_rows(AnnotatedRelation) == AnnotatedRelation.objects.count()


def test_claims_are_known_once_they_are_stored(stored):
    assert known_rows(Prediction) == stored.predictions.count()
    assert known_rows(Instance) == known_rows(Unit) == Instance.objects.count()
    assert known_values(Prediction, "submission_id") == [str(stored.pk)]


def test_a_design_is_known_once_it_is_drawn(stored):
    assert sampling.sample_submission(task=KBP, submission_id=stored.pk)
    assert known_rows(InclusionProbability) == InclusionProbability.objects.count()


@pytest.mark.parametrize("prepare", [forget, mislead])
def test_reading_claims_looks_at_each_row_once_whatever_is_known(stored, prepare):
    prepare(*READ)
    before = rows_read(READ)
    read = claims.read_claims(stored)
    looked_at = rows_read(READ) - before
    assert len(read.rows) == stored.predictions.count() > 50
    assert looked_at <= sum(model.objects.count() for model in READ)
