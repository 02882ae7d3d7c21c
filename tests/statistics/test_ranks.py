"""How often ranks put systems apart that are alike, and whether they tell different ones apart."""

import numpy as np
import pytest

from research.experiments.ranks import ALIKE, DIFFERING, study

pytestmark = pytest.mark.slow
SEEDS = 1_000


def test_alike_systems_are_all_first():
    """Forty, with independent samples: one group of rank 1 holds all in at least .95 of the samples."""
    found = study(ALIKE["alike, independent"], np.random.default_rng(0), SEEDS)
    for measure in ("f1", "precision"):
        assert found[measure]["Holm"]["wrong"] <= 0.05


@pytest.mark.parametrize("world", sorted(set(ALIKE) - {"alike, independent"}))
def test_no_way_of_being_alike_is_put_apart_more_often(world):
    found = study(ALIKE[world], np.random.default_rng(1), SEEDS // 4)
    for measure in ("f1", "precision"):
        assert found[measure]["Holm"]["wrong"] <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / (SEEDS // 4))


@pytest.mark.parametrize("world", sorted(DIFFERING))
def test_differing_systems_are_told_apart_and_not_the_wrong_way(world):
    found = study(DIFFERING[world], np.random.default_rng(2), 50)
    for measure in ("f1", "precision"):
        assert found[measure]["Holm"]["wrong"] <= 0.15
        assert found[measure]["Holm"]["apart"] >= 0.2
