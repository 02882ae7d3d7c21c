import numpy as np
import pytest
from scipy import sparse

from research.experiments.outcome import Options
from research.experiments.pool import Pool, draw_pool
from research.experiments.pooling_bias import (
    Fills,
    Setting,
    evenly_spaced,
    macro_scores,
    settings,
    with_obscure_entities,
)
from research.experiments.runs import Runs, draw_runs


def test_scores_are_means_over_entities_and_an_entity_without_an_answer_counts_0():
    # Two entities with two true fills each; the run gives one right and one wrong fill of the first.
    members = sparse.csr_array(np.array([[True, False, False, False, True]]))
    pool = Pool(
        Runs(np.array([0.5]), np.array([0.25]), np.array([0])),
        np.array([True, True, True, True, False]),
        members,
        4,
        np.array([0, 0, 1, 1, 0]),
        np.zeros(5, dtype=np.int64),
        members.astype(float),
    )
    fills = Fills(np.zeros(2, dtype=np.int64), np.array([0, 4]), np.array([0, 1]))
    scores = macro_scores(pool, fills, np.array([True, False]), pool.correct)
    assert scores.tolist() == [[0.25, 0.25, 0.25]]


def test_evenly_spaced_runs_keep_the_best_and_the_fortieth_and_lie_at_equal_distances():
    runs = draw_runs(np.random.default_rng(1))
    even = evenly_spaced(runs)
    top = runs.top()
    assert np.diff(even.f1[top]) == pytest.approx(np.full(39, (runs.f1[top[-1]] - runs.f1[top[0]]) / 39))
    assert even.f1[top[[0, -1]]] == pytest.approx(runs.f1[top[[0, -1]]])


def test_obscure_entities_keep_their_sizes():
    pool = draw_pool(draw_runs(np.random.default_rng(1)), np.random.default_rng(2))
    obscure = with_obscure_entities(pool, np.random.default_rng(3), 0.5)
    for kind in (pool.correct, ~pool.correct):
        assert np.bincount(obscure.subjects[kind]).tolist() == np.bincount(pool.subjects[kind]).tolist()
    teams = pool.teams_of_instances()
    assert teams[obscure.subjects == 0].mean() > teams[pool.subjects == 0].mean()


def test_the_world_that_is_told_first_is_among_those_that_are_shown():
    assert Setting() in settings(Options(quick=True).count(6, 1), (Setting().alone,))
