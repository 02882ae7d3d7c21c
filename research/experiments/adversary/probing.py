"""A team that submits again and again: the best of four, and following the scores."""

import numpy as np

from kbpo_estimators.weighting import DEFAULT
from kbpo_formats.kbp.predictions import ReadPrediction
from research.experiments.adversary.sampled import Draw, Epoch, board
from research.experiments.adversary.situation import Situation
from research.experiments.adversary.world import Version
from research.experiments.runs import FloatArray

WEEK = 4
"""The service's limit: scored submissions a week, for a team and corpus."""
CHANGED = 0.1
"""The share of its claims that each submission leaves out, or takes in again."""
WAYS = ("best of four submissions", "following the scores, four submissions")
MEASURES = ("precision", "f1")


def probe(one: Situation, epoch: Epoch, draw: Draw, way: str, rng: np.random.Generator) -> FloatArray:
    """Submit four times; return what the best score is above that submission's own truth, by measure.

    The best of four are drawn independently of each other; who follows the scores begins each with the best
    so far. All of them stay in the epoch, and share its labels.
    """
    best: tuple[float, list[ReadPrediction], FloatArray] | None = None
    for number in range(WEEK):
        start = one.claims if best is None or way == WAYS[0] else best[1]
        tried = _changed(one, start, rng) if number or way == WAYS[0] else start
        version = one.world.version(one.honest.team, tried)
        epoch = epoch.arrive(version, draw)
        gains = _gains(one, version, epoch, draw)
        if best is None or gains[1] > best[0]:
            best = gains[1], tried, gains[0]
    assert best is not None
    return best[2]


def _changed(one: Situation, claims: list[ReadPrediction], rng: np.random.Generator) -> list[ReadPrediction]:
    there = {(claim.doc_id, claim.predicate, claim.subject, claim.object) for claim in claims}
    turned = rng.random(len(one.claims)) < CHANGED
    return [
        claim
        for claim, turn in zip(one.claims, turned, strict=True)
        if ((claim.doc_id, claim.predicate, claim.subject, claim.object) in there) != turn
    ]


def _gains(one: Situation, version: Version, epoch: Epoch, draw: Draw) -> tuple[FloatArray, float]:
    shown = board(one.world, epoch, draw, ["relation"]).scores
    exact = one.world.exact(version)
    estimates = [float(shown["relation", DEFAULT, measure][-1]) for measure in MEASURES]
    truths = [exact["relation", DEFAULT, measure] for measure in MEASURES]
    return np.array(estimates) - truths, estimates[-1]
