import numpy as np
import pytest

from research.experiments.pilot import PAPER, evaluate, make


@pytest.fixture(scope="module")
def corpus():
    return make(np.random.default_rng(1), 2_000)


def test_the_systems_have_the_papers_scores_and_each_claims_what_the_one_before_does(corpus):
    assert corpus.truth == pytest.approx(PAPER, abs=0.002)
    for one, following in zip(corpus.members[:-1], corpus.members[1:], strict=True):
        assert np.isin(one, following).all()


def test_every_way_is_right_on_average(corpus):
    errors = [
        np.array([one - corpus.truth for one in evaluate(corpus, np.random.default_rng(seed))[0].values()])
        for seed in range(12)
    ]
    error = np.std(errors, axis=0, ddof=1) / 12**0.5
    assert (np.abs(np.mean(errors, axis=0)) <= 4.5 * error + 0.002).all()
