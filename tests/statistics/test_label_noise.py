"""Three systems, judged by people who err: what the majority, posteriors and corrected labels make of it."""

import numpy as np
import pytest

from annotations.aggregation import majority
from annotations.aggregation.dawid_skene import dawid_skene
from research.experiments.correction import calibrate
from research.experiments.label_noise import CROWDS, PRECISIONS, VOTES, WORKERS, simulate

SEEDS = range(200)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=CROWDS)
def runs(request):
    runs = simulate(PRECISIONS, CROWDS[request.param], SEEDS)
    print(f"\nworkers' errors: {request.param}; {VOTES} votes, {len(SEEDS)} seeds, 95% intervals")
    show(runs)
    return runs


@pytest.fixture(scope="module", params=CROWDS)
def curtailed(request):
    runs = simulate(PRECISIONS, CROWDS[request.param], SEEDS, curtailed=True)
    print(f"\nworkers' errors: {request.param}; a third vote where two differ, {len(SEEDS)} seeds")
    show(runs)
    return runs


def show(runs):
    for name, one in runs.items():
        for system, share in enumerate(PRECISIONS):
            print(
                f"  P = {share}  {name:10} mean {one.mean[system]:.4f}"
                f"  holds the truth in {one.coverage[system]:.3f}"
            )


@pytest.fixture(scope="module")
def alone():
    runs = simulate((0.1,), CROWDS["all 11%"], SEEDS)
    print("\na lone system with P = .1, all workers err in 11%")
    for name, one in runs.items():
        print(f"  {name:10} mean {one.mean[0]:.4f}  holds the truth in {one.coverage[0]:.3f}")
    return runs


def test_the_majority_turns_a_tenth_into_more(alone):
    assert alone["majority"].mean[0] == pytest.approx(0.127, abs=0.004)


def test_adjusted_labels_leave_at_most_a_third_of_that_to_a_lone_system(alone):
    assert abs(alone["adjusted"].mean[0] - 0.1) <= 0.027 / 3


def test_adjusted_precision_is_close_to_the_truth(runs):
    assert np.abs(runs["adjusted"].mean - PRECISIONS).max() <= 0.01


def test_adjusted_precision_is_close_to_the_truth_where_third_votes_are_curtailed(curtailed):
    assert np.abs(curtailed["adjusted"].mean - PRECISIONS).max() <= 0.01
    assert curtailed["adjusted"].coverage.min() >= 0.90


def test_adjusted_precision_is_closer_than_the_majority_where_that_is_wrong(runs):
    for system in (0, 2):
        error = {name: abs(one.mean[system] - PRECISIONS[system]) for name, one in runs.items()}
        assert error["adjusted"] < error["majority"] / 2


def test_the_mean_posterior_is_drawn_towards_the_pool(runs):
    assert runs["posterior"].mean[0] > 0.12
    assert runs["posterior"].mean[2] < 0.68


def test_the_adjusted_intervals_hold_the_truth(runs):
    assert runs["adjusted"].coverage.min() >= 0.90


# Relation questions: several options, and an expert where the votes settle nothing


def judge(seed, options, questions=1500, error=0.11):
    """The shares of the first option that are true, by system: exactly, by majority and as corrected."""
    rng = np.random.default_rng(seed)
    items, workers, votes, known, firsts, truths, verdicts = [], [], [], [], [], [], []
    for question in range(questions):
        offered = range(int(rng.integers(options[0], options[1] + 1)))
        true = -1 if rng.random() > PRECISIONS[question % 3] else 0
        if true and rng.random() < 0.3:
            true = int(rng.integers(1, len(offered)))
        crowd = rng.choice(WORKERS, VOTES, replace=False)
        wrong = [option for option in (-1, *offered) if option != true]
        ticked = [true if rng.random() > error else wrong[rng.integers(len(wrong))] for _ in crowd]
        verdict = majority.relations(offered, [{tick} - {-1} for tick in ticked])
        firsts.append(len(known))
        truths.append(true == 0)
        verdicts.append(true == 0 if verdict is None else verdict[0].value)
        for option in offered:
            items += [len(known)] * VOTES
            workers += crowd.tolist()
            votes += [tick == option for tick in ticked]
            known.append(int(true == option) if verdict is None else -1)
    posteriors = dawid_skene(items, workers, votes).posteriors[:, 1]
    corrected = calibrate(posteriors, known).correct(posteriors, known)[firsts]
    return [np.reshape(one, (-1, 3)).mean(axis=0) for one in (truths, verdicts, corrected)]


@pytest.fixture(scope="module", params=[(2, 2), (2, 8)])
def errors(request):
    found = np.array([judge(seed, request.param) for seed in range(20)])
    by_majority, adjusted = (found[:, 1:] - found[:, :1]).mean(axis=0)
    print(f"\n{request.param} options, P = {PRECISIONS}, mean errors: {by_majority} {adjusted}")
    return by_majority, adjusted


def test_relation_questions_are_corrected_although_experts_settle_the_worst(errors):
    assert np.abs(errors[1]).max() <= 0.005


def test_correcting_relation_questions_makes_nothing_worse(errors):
    assert np.abs(errors[1]).max() <= np.abs(errors[0]).max()
