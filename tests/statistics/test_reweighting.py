"""Ten systems under the paper's design: every weighting from the draws of one, with intervals of both kinds.

What is judged never errs here. All ten are shown.
"""

import numpy as np
import pytest

from kbpo_estimators import iid
from kbpo_estimators.coordinated import target_variance
from kbpo_estimators.document_samples import draw_documents
from kbpo_estimators.kbp.labels import Labels
from kbpo_estimators.resampling import Resampling
from kbpo_estimators.scores import BOOTSTRAP, IidSample
from kbpo_estimators.weighting import WEIGHTINGS
from research.experiments.arrivals import World
from tests import knowledgenet
from tests.scores import iid_scores

DRAWN_FROM = "subject_relation"
EXHAUSTIVE = 300
WAYS = [way + kind for way in ("simple", "joint") for kind in ("", BOOTSTRAP)]
LEVELS = (0.80, 0.95)
MANY = 100


def simulate(seeds):
    """By estimator, weighting, level and measure: estimate and ends less the truth, [seeds, systems, 3]."""
    world = World(knowledgenet.pool())
    p = [one.weights[DRAWN_FROM] for one in world.systems]
    counts: list[int] = []
    for number in range(len(p)):
        P = iid.systems_matrix(
            [(one.rows, own) for one, own in zip(world.systems[: number + 1], p, strict=False)], world.size
        )
        counts.append(iid.draws_for_new_system(P, counts, target_variance()))
    labels = Labels(world.correct, [np.full(one.rows.size, np.nan) for one in world.systems])
    truths = dict(world.truth) | {"recall": world.recall}
    found: dict[tuple, list] = {}
    for seed in range(seeds):
        rng = np.random.default_rng([5, seed])
        draws = [
            np.sort(one.rows[iid.draw(own, n, rng)])
            for one, own, n in zip(world.systems, p, counts, strict=True)
        ]
        chosen = set(draw_documents(world.data.documents, EXHAUSTIVE, seed))
        columns = np.array([at for at, one in enumerate(world.data.documents) if one in chosen])
        scores = iid_scores(
            world.systems,
            labels,
            IidSample(draws, DRAWN_FROM),
            world.documents.take(columns),
            parts=["relation"],
            resampling=Resampling(seed),
            levels=LEVELS,
        )
        for one in scores:
            true = {"precision": truths[one.weighting][one.system], "recall": truths["recall"][one.system]}
            true["f1"] = 2 * true["precision"] * true["recall"] / sum(true.values())
            for measure, interval in one.measures.items():
                if measure == "precision" or one.weighting == "instance":
                    ends = np.array([interval.estimate, interval.low, interval.high]) - true[measure]
                    found.setdefault((one.estimator, one.weighting, one.level, measure), []).append(ends)
    arrays = {key: np.array(ends).reshape(seeds, len(p), 3) for key, ends in found.items()}
    print(f"\n{seeds} seeds, draws {counts}")
    for (way, name, level, measure), ends in arrays.items():
        by_system = " ".join(f"{one:.2f}" for one in holds(ends).mean(axis=0))
        width = np.median(ends[:, :, 2] - ends[:, :, 1]) / 2
        print(
            f"{way:17} {name:17} {measure:9} {level}%: holds {holds(ends).mean():.3f} ({by_system}),"
            f" half-width {width:.4f}, bias at most {np.abs(biases(ends)).max():.1f} standard errors"
        )
    return arrays, np.array(counts)


def holds(ends):
    return (ends[:, :, 1] <= 0) & (ends[:, :, 2] >= 0)


def biases(ends):
    """The mean error of each system, in its standard errors."""
    errors = ends[:, :, 0]
    return errors.mean(axis=0) / (errors.std(axis=0, ddof=1) / np.sqrt(len(errors)))


@pytest.fixture(scope="module")
def everything():
    return simulate(200)


@pytest.mark.slow
@knowledgenet.needs_knowledgenet
@pytest.mark.parametrize("name", list(WEIGHTINGS))
@pytest.mark.parametrize("way", ["simple", "joint"])
def test_precision_is_unbiased_under_every_weighting(everything, way, name):
    # Of few draws a simple estimate leaves [0, 1] and is clipped.
    found, draws = everything
    errors = biases(found[way, name, 95, "precision"])
    assert np.abs(errors[(draws >= MANY) | (way == "joint")]).max() <= 4.5


@pytest.mark.slow
@knowledgenet.needs_knowledgenet
@pytest.mark.parametrize("level", [80, 95])
@pytest.mark.parametrize("name", list(WEIGHTINGS))
@pytest.mark.parametrize("way", WAYS)
def test_intervals_of_precision_hold_the_truth_under_every_weighting(everything, way, name, level):
    share = holds(everything[0][way, name, level, "precision"]).mean()
    assert abs(share - level / 100) <= (0.04 if level == 80 else 0.025)


@pytest.mark.slow
@knowledgenet.needs_knowledgenet
@pytest.mark.parametrize("measure", ["recall", "f1"])
@pytest.mark.parametrize("way", WAYS)
def test_bootstrap_intervals_at_80_percent_hold_recall_and_f1(everything, way, measure):
    assert 0.75 <= holds(everything[0][way, "instance", 80, measure]).mean() <= 0.88


@pytest.mark.slow
@knowledgenet.needs_knowledgenet
def test_joint_intervals_are_narrower_under_the_weighting_of_the_draws(everything):
    def width(way):
        ends = everything[0][way, DRAWN_FROM, 80, "precision"]
        return np.median(ends[:, :, 2] - ends[:, :, 1])

    assert width("joint" + BOOTSTRAP) < width("simple" + BOOTSTRAP)
