"""A Chinese, an Arabic and a Spanish corpus, from loading to scores."""

from pathlib import Path

import pytest
from django.core.management import call_command

from annotations.models import Corpus, Document, Sentence
from annotations.names import count_documents, normalised
from evaluation.models import Estimate, Score, Submission
from kbpo import pipeline
from tests.languages import SAMPLES, Sample

pytestmark = pytest.mark.django_db


@pytest.fixture(params=SAMPLES, ids=lambda sample: sample.language)
def sample(request: pytest.FixtureRequest) -> Sample:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def corpus(sample: Sample, tmp_path: Path) -> Corpus:
    path = sample.write_corpus(tmp_path / "corpus.jsonl")
    call_command("load_corpus", str(path), "--corpus", "c", "--language", sample.language, verbosity=0)
    return Corpus.objects.get()


@pytest.fixture
def document(corpus: Corpus) -> Document:
    return corpus.documents.get(doc_id="D0")


@pytest.fixture
def submission(corpus: Corpus, sample: Sample, tmp_path: Path) -> Submission:
    gold = sample.write_gold(tmp_path / "gold.jsonl")
    call_command("load_gold", str(gold), "--corpus", "c", "--documents", "4", "--seed", "1", verbosity=0)
    kb = sample.write_kb(tmp_path / "one.kb")
    call_command("submit", str(kb), "--corpus", "c", "--team", "A", "--name", "one", verbosity=0)
    pipeline.advance()
    Submission.objects.update(is_public=True)
    return Submission.objects.get()


def test_a_document_has_three_sentences_and_its_words(document: Document, sample: Sample) -> None:
    sentences = Sentence.objects.filter(document=document)
    assert [sentence.index for sentence in sentences] == [0, 1, 2]
    assert sum(len(sentence.token_starts) for sentence in sentences) == sample.words


@pytest.fixture
def scored(submission: Submission, tmp_path: Path) -> Submission:
    gold = str(tmp_path / "gold.jsonl")
    call_command("simulate_crowd", "--corpus", "c", "--gold", gold, "--error", "0", verbosity=0)
    pipeline.advance()
    submission.refresh_from_db()
    return submission


def test_claims_are_read_judged_and_scored(scored: Submission, sample: Sample) -> None:
    assert scored.state == "scored"
    assert scored.predictions.count() == 15
    scores = Score.objects.filter(submission=scored, part="relation", level=95)
    precisions = Estimate.objects.filter(score__in=scores, measure="precision")
    assert scores.count() == precisions.count() > 0
    assert all(one.estimate is not None and 0.5 < one.estimate < 1 for one in precisions)
    name = normalised(sample.named(0)["person"])
    assert count_documents(scored.corpus, [name]) == {name: 1}
