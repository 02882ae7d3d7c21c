"""Scores from what documents sum up to."""

import numpy as np
import pytest

from kbpo_estimators.document_sums import DocumentSums
from kbpo_formats.errors import InvalidInput
from tests.scores import coordinated_scores
from tests.unit.kbpo_estimators.small_pool import small_pool


def figures(score):
    for interval in (score.precision, score.recall, score.f1):
        yield from (np.nan,) * 3 if interval is None else (interval.estimate, interval.low, interval.high)


@pytest.fixture
def pool():
    return small_pool()


@pytest.fixture
def documents(pool):
    return pool.documents(population=2 * pool.size)


@pytest.fixture
def sums(pool, documents):
    return DocumentSums.of(documents, list(pool.systems[0].weights))


def test_they_give_every_score_that_the_documents_give(pool, documents, sums):
    sample = pool.sample(1)
    asked = pool.systems, pool.labels(sample.sampled), sample
    by_documents, by_sums = (list(coordinated_scores(*asked, one)) for one in (documents, sums))
    assert [(one.estimator, one.part, one.found, one.true) for one in by_sums] == [
        (one.estimator, one.part, one.found, one.true) for one in by_documents
    ]
    for one, other in zip(by_sums, by_documents, strict=True):
        assert list(figures(one)) == pytest.approx(list(figures(other)), abs=1e-13, nan_ok=True)
    assert any(one.recall is not None for one in by_sums)


def test_no_single_document_can_be_taken_out_of_them(pool, sums):
    sample = sums.recalls("relation", next(iter(pool.systems[0].weights)))[0].sample
    with pytest.raises(InvalidInput, match="sums alone"):
        sample.take(np.array([0]))
    with pytest.raises(InvalidInput, match="sums alone"):
        sample.weights(2)
