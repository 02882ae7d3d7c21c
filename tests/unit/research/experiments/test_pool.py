import numpy as np
import pytest

from kbpo.core.errors import InvalidInput
from research.experiments.pool import draw_pool
from research.experiments.runs import QUANTILES, RECALL, Runs, draw_runs, read_runs


@pytest.fixture(scope="module")
def runs():
    return draw_runs(np.random.default_rng(1))


@pytest.fixture(scope="module")
def pool(runs):
    return draw_pool(runs, np.random.default_rng(2))


def test_drawn_runs_are_those_of_seventeen_teams(runs):
    assert runs.precision.size == 69
    assert np.unique(runs.teams).size == 17


def test_drawn_runs_have_the_quantiles_of_2015(runs):
    assert np.quantile(runs.recall, QUANTILES) == pytest.approx(RECALL, abs=0.003)


def test_one_seed_draws_the_same_runs_and_pool_again(runs, pool):
    again = draw_runs(np.random.default_rng(1))
    assert again.precision.tolist() == runs.precision.tolist()
    assert (draw_pool(again, np.random.default_rng(2)).members != pool.members).nnz == 0


def test_runs_of_a_file_are_read_with_their_teams():
    lines = [
        "run_id\tprecision\trecall\tf1\n",
        "SF_X1\t0.5\t0.25\t0\n",
        "KB_X2\t1.0\t0.1\t0\n",
        "SF_Y_Z1\t.1\t.2\t0",
    ]
    runs = read_runs(lines)
    assert runs.precision.tolist() == [0.5, 1.0, 0.1]
    assert runs.teams.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    "lines",
    [
        ["run_id\tprecision\n", "a\t1\n"],
        ["run_id\tprecision\trecall\n"],
        ["run_id\tprecision\trecall\n", "a\t0\t1\n"],
    ],
)
def test_a_table_without_what_is_needed_is_refused(lines):
    with pytest.raises(InvalidInput, match="--runs"):
        read_runs(lines)


def test_runs_have_the_precision_and_recall_that_they_are_asked_for(runs, pool):
    assert pool.precision() == pytest.approx(runs.precision, abs=0.05)
    assert pool.recall() == pytest.approx(np.rint(runs.recall * pool.facts) / pool.facts)


def test_the_pool_has_the_size_of_that_of_2015(pool):
    assert 8_000 < pool.size < 11_500
    assert 1_000 < pool.correct.sum() <= 1_296


def test_most_of_what_a_team_finds_another_finds_too(pool):
    teams = pool.teams_of_instances()
    shares = [(teams[own[pool.correct[own]]] > 1).mean() for own in map(pool.rows, range(69))]
    assert np.mean(shares) == pytest.approx(0.90, abs=0.03)


def test_the_correct_instances_come_first(pool):
    assert pool.correct.tolist() == sorted(pool.correct.tolist(), reverse=True)


def test_some_runs_of_a_pool_are_a_pool_of_their_own(pool):
    some = pool.take(np.array([3, 40]))
    assert some.precision("subject") == pytest.approx(pool.precision("subject")[[3, 40]])
    assert some.recall() == pytest.approx(pool.recall()[[3, 40]])
    assert (some.teams_of_instances() >= 1).all()


def test_facts_that_nobody_has_are_found_by_nobody():
    pool = draw_pool(
        Runs(np.array([1.0]), np.array([0.1]), np.array([0])), np.random.default_rng(0), facts=50
    )
    assert pool.found(np.arange(50)).sum() == 5
