"""Scores of every design come out the same again."""

from collections.abc import Callable
from pathlib import Path

import pytest

from annotations.models import Corpus, DocumentAnnotation
from evaluation.design import audit
from evaluation.kbp.recall import document_phases
from evaluation.kbp.task import TASK as KBP
from evaluation.models import DocumentSample, Epoch, Score
from evaluation.scoring import audit as scores
from kbpo import pipeline
from tests.integration.conftest import Submit
from tests.integration.evaluation.test_document_phases import annotate, drawn

pytestmark = pytest.mark.django_db


def without_documents(corpus: Corpus, gold: Path) -> None:
    Epoch.objects.update(document_sample=None)
    DocumentSample.objects.all().delete()


def independent(corpus: Corpus, gold: Path) -> None:
    Corpus.objects.update(design="iid", audit_share=0)


def in_two_phases(corpus: Corpus, gold: Path) -> None:
    without_documents(corpus, gold)
    DocumentAnnotation.objects.all().delete()
    sample = document_phases.sample_documents(corpus=corpus, size=20).sample
    annotate(corpus, gold, drawn(sample, 1))
    document_phases.draw_due_phases()
    annotate(corpus, gold, drawn(sample, 2))


@pytest.mark.parametrize(
    "design",
    [
        independent,
        pytest.param(without_documents, marks=pytest.mark.slow),
        pytest.param(in_two_phases, marks=pytest.mark.slow),
    ],
)
def test_samples_labels_and_scores_come_out_the_same(
    submit: Submit,
    corpus: Corpus,
    gold: Path,
    judge: Callable[[], None],
    design: Callable[[Corpus, Path], None],
) -> None:
    design(corpus, gold)
    submit("one", seed=1)
    submit("two", team="Beta", seed=2)
    pipeline.advance()
    judge()
    corpus.refresh_from_db()
    assert Score.objects.exists()
    assert [*audit.audit_corpus(corpus, KBP), *scores.audit(corpus, KBP)] == []
