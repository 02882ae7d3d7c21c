import numpy as np
import pytest

from research.experiments.documents import draw, make


@pytest.fixture(scope="module")
def corpus():
    return make(np.random.default_rng(1), 1_000, 4_000)


def test_every_entity_is_in_the_cluster_of_its_frequency(corpus):
    low, medium, high = (corpus.frequency[corpus.band() == one] for one in range(3))
    assert low.max() < 10 <= medium.min()
    assert medium.max() < 100 <= high.min()


def test_both_ways_draw_as_many_documents_and_none_twice(corpus):
    sizes = []
    for seed in range(20):
        drawn = draw(corpus, 100, np.random.default_rng(seed))
        assert drawn["uniform"][0].size == 100
        assert np.unique(drawn["two phases"][0]).size == drawn["two phases"][0].size
        sizes.append(drawn["two phases"][0].size)
    assert np.mean(sizes) == pytest.approx(100, abs=6)


def test_the_second_phase_finds_the_names_of_the_first_again(corpus):
    again = {"uniform": 0, "two phases": 0}
    for seed in range(10):
        for phase, (drawn, _) in draw(corpus, 100, np.random.default_rng(seed)).items():
            times = np.bincount(corpus.entity[np.isin(corpus.document, drawn)])
            again[phase] += int((times > 1).sum())
    assert again["two phases"] > 1.1 * again["uniform"]
