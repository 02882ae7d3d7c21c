"""Ten real systems that arrive one after the other, under any design.

Their truth is known, so the variance of each estimate is known too, whatever sample is drawn.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq

from kbpo_estimators import coordinated, planned_variance, weighting
from kbpo_estimators.document_samples import SimpleRandom
from kbpo_estimators.documents import Documents
from kbpo_estimators.planned_variance import Claimant, Scale
from kbpo_estimators.pooled import SampleEntries, learn
from kbpo_estimators.scores import System
from research.experiments.runs import FloatArray, IntArray
from tests.readers.knowledgenet import KnowledgeNet

POOLED = ", pooled model"
SHARE = "share of the pool"
"""ν of recall from judged claims."""
LEARNT_FROM = 1_375
"""The labels that a model is learnt from where its worth is told: as many as designs ask for."""


@dataclass(frozen=True)
class Design:
    """One way to grow π.

    Attributes
    ----------
    growth : {"maximum", "quadratic"}
    planned : bool
        Whether variances are planned; otherwise s² = ¼.
    floor : float
        b, as a share of the labels that a lone system needs.
    is_equal : bool
        Whether the target is such that as many labels are asked for as today's design does.
    """

    growth: str
    planned: bool = False
    floor: float = 0.5
    is_equal: bool = True

    def __str__(self) -> str:
        planned = ", planned variance" if self.planned else ""
        return f"{self.growth}{planned}, floor {self.floor:g}" + ("" if self.is_equal else ", h = .03")


@dataclass(frozen=True, eq=False)
class Grown:
    """A design after all arrivals.

    Attributes
    ----------
    pi, flat_pi : float[N]
    newcomers : list of float[n_i]
        π of each system's instances as it had just arrived, in the order of the systems.
    """

    pi: FloatArray
    flat_pi: FloatArray
    newcomers: list[FloatArray]


class World:
    """The ten systems, and what their designs are made of.

    Parameters
    ----------
    data : KnowledgeNet
    """

    def __init__(self, data: KnowledgeNet) -> None:
        self.data = data
        self.size = len(data.keys)
        self.correct = data.correct.astype(float)
        self.matched = data.matching.correct.astype(float)
        teams = {name: number for number, name in enumerate(dict.fromkeys(s.team for s in data.systems))}
        self.systems = [
            System(
                rows,
                {name: one.weights(name) for name in weighting.WEIGHTINGS},
                one.confidence,
                teams[one.team],
            )
            for one, rows in zip(data.systems, data.members, strict=True)
        ]
        code: dict[str, int] = {}
        self.predicates = np.full(self.size, -1, dtype=np.int64)
        for one, rows in zip(data.systems, data.members, strict=True):
            self.predicates[rows] = [code.setdefault(claim.predicate, len(code)) for claim in one.claims]
        self.categories = [(self.predicates, len(code))]
        self.truth = {
            name: np.array([one.weights[name] @ self.correct[one.rows] for one in self.systems])
            for name in weighting.WEIGHTINGS
        }
        found = np.array([self._found(one.rows) for one in self.systems])
        true = data.by_document(np.ones(data.true_document.size, bool), data.true_document)
        own = np.array([data.by_document(self._own(one.rows), data.claim_document) for one in self.systems])
        pool = data.by_document(data.matching.correct, data.claim_document)
        self.documents = Documents(
            SimpleRandom(len(data.documents)),
            true,
            {"relation": found},
            {"relation": own},
            {"relation": pool},
        )
        self.recall = found.sum(axis=1) / true.sum()
        self.features = self.features_of(range(len(self.systems)))
        self.foreseen = self._foreseen()
        self.spread = self._spreads()

    def _spreads(self) -> dict[str, list[FloatArray]]:
        """Return for each estimate what its variance is made of: it is the sum of this times (1/π − 1).

        Residuals are those from the line over all of a system's instances, what fitted ones come to in large
        samples.
        """
        spreads: dict[str, list[FloatArray]] = {}
        for name in weighting.WEIGHTINGS:
            for what, foretold in (("", None), (POOLED, self.foreseen)):
                spreads[f"precision, {name}{what}"] = [
                    _line(
                        one.weights[name],
                        self.correct[one.rows],
                        one.confidence if foretold is None else foretold[one.rows],
                    )
                    ** 2
                    for one in self.systems
                ]
        return spreads

    def variances(self, what: str, pi: FloatArray) -> FloatArray:
        """Return the variance of an estimate for each system, whatever the sample, under a design."""
        if what != SHARE:
            own = zip(self.spread[what], self.systems, strict=True)
            return np.array([float(spread @ (1 / pi[one.rows] - 1)) for spread, one in own])
        right = np.flatnonzero(self.correct)
        unsure = 1 / pi[right] - 1
        found = []
        for one in self.systems:
            mine = np.isin(right, one.rows)
            found.append(float((mine - mine.mean()) ** 2 @ unsure) / right.size**2)
        return np.array(found)

    def least(self, name: str, labels: float, variance: FloatArray | float) -> FloatArray:
        """Return the π that makes the mean variance of precision least, of all that ask for so many labels.

        It is in proportion to the root of Σ_m p_m² s² (Cauchy and Schwarz), whoever meets a target or not.

        Parameters
        ----------
        name : str
            The weighting.
        labels : float
            The sum of π.
        variance : float or float[N]
            s², what is expected of each residual's square.
        """
        share = np.zeros(self.size)
        for one in self.systems:
            share[one.rows] += one.weights[name] ** 2
        share = np.sqrt(share * variance)
        factor = brentq(lambda c: float(np.minimum(1.0, c * share).sum()) - labels, 0.0, 2.0 / share.min())
        return np.asarray(np.minimum(1.0, factor * share))

    def _foreseen(self) -> FloatArray:
        """Return ĝ of the pooled model as a sample of the usual size gives it, each instance's by others."""
        rng = np.random.default_rng(0)
        sampled = rng.random(self.size) < LEARNT_FROM / self.size
        folds = rng.integers(0, coordinated.FOLDS, self.size)
        entries = SampleEntries.of(self.systems, sampled)
        labels = {"right": self.correct[sampled][entries.positions]}
        found = learn(self.systems, self.data.features(), sampled, folds, entries, labels)
        return found["right"].of_pool

    def _own(self, rows: IntArray) -> Any:
        mine = np.zeros(self.size, bool)
        mine[rows] = True
        return mine & self.data.matching.correct

    def _found(self, rows: IntArray) -> IntArray:
        mine = np.zeros(self.size, bool)
        mine[rows] = True
        return self.data.by_document(self.data.matching.found_by(mine), self.data.true_document)

    def features_of(self, order: Iterable[int]) -> Any:
        """Return the features of all instances once these systems have arrived, N × d."""
        some = [self.systems[number] for number in order]
        scales = {
            team: Scale.of(values, np.ones(values.size, dtype=np.int64))
            for team in {one.team for one in some}
            for values in [np.concatenate([one.confidence for one in some if one.team == team])]
        }
        claimants = [Claimant(one.team, one.rows, one.confidence) for one in some]
        return planned_variance.features(self.size, claimants, scales, self.categories)

    def plan(self, order: IntArray, inside: Any, folds: IntArray) -> list[FloatArray]:
        """Plan the variances of each system as it arrives, from claims in the documents that are `inside`."""
        planned = []
        claimed = np.zeros(self.size, bool)
        for place, number in enumerate(order):
            rows = self.systems[number].rows
            claimed[rows] = True
            known = np.flatnonzero(claimed & inside)
            features = self.features_of(order[: place + 1])
            model = planned_variance.fit(features[known], [self.matched[known]], folds[known])
            quarter = np.full(rows.size, coordinated.LABEL_VARIANCE)
            planned.append(quarter if model is None else model.variances(features[rows], folds[rows]))
        return planned


PRESENT = Design("quadratic", True, coordinated.QUADRATIC_FLOOR, False)
"""The service's own, at its default target."""


def present(world: World, order: IntArray, documents: Any, secret: bytes, name: str) -> Grown:
    """Let the systems arrive as the service has it.

    Parameters
    ----------
    world : World
    order : int[m]
    documents : set of str
        Those that are annotated in full: variances are planned from them.
    secret : bytes
    name : str
        The weighting whose precision the design is for.
    """
    data = world.data
    inside = np.array([document in documents for document in data.documents])[data.claim_document]
    folds = coordinated.document_folds(secret, data.documents)[data.claim_document]
    return grow(world, PRESENT, order, world.plan(order, inside, folds), name, 1.0)


def grow(
    world: World, design: Design, order: IntArray, planned: list[FloatArray], name: str, scale: float
) -> Grown:
    """Let the systems arrive.

    Parameters
    ----------
    world : World
    design : Design
    order : int[m]
    planned : list of float[n_i]
        Of the systems in the order of arrival.
    name : str
        The weighting whose precision the design is for.
    scale : float
        V* is that of the default target, times this.
    """
    target = scale * coordinated.target_variance()
    labels = design.floor * coordinated.LABEL_VARIANCE / target
    pi, squares, flat, low = (np.zeros(world.size) for _ in range(4))
    newcomers: list[FloatArray] = [np.empty(0)] * order.size
    for number, s2 in zip(order, planned, strict=True):
        one = world.systems[number]
        rows, p = one.rows, one.weights[name]
        floor = labels / rows.size
        if design.growth == "maximum":
            pi[rows], _ = coordinated.top_up(pi[rows], p, target, floor)
            newcomers[number] = pi[rows].copy()
            continue
        found = coordinated.quadratic_sum(
            pi[rows], squares[rows], p, target, variance=s2 if design.planned else None, floor=floor
        )
        pi[rows], squares[rows] = found.pi, found.squares
        newcomers[number] = np.maximum(found.term, min(1.0, floor))
        term = found.term
        if design.planned:
            term = coordinated.quadratic_sum(np.zeros(rows.size), np.zeros(rows.size), p, target).term
        flat[rows] += term**2
        low[rows] = np.maximum(low[rows], min(1.0, floor))
    flat = pi if design.growth == "maximum" else np.maximum(np.sqrt(np.minimum(1.0, flat)), low)
    return Grown(pi, flat, newcomers)


def same_labels(world: World, design: Design, orders: Sequence[Any], name: str, wanted: float) -> float:
    """Return what V* must be multiplied with for as many labels, on average over orders with their plans."""
    low, high = math.log(0.2), math.log(8.0)
    for _ in range(8):
        middle = (low + high) / 2
        labels = [
            grow(world, design, order, planned, name, math.exp(middle)).pi.sum() for order, planned in orders
        ]
        low, high = (middle, high) if np.mean(labels) > wanted else (low, middle)
    return math.exp((low + high) / 2)


def _line(p: FloatArray, f: FloatArray, c: FloatArray) -> FloatArray:
    """Return p times the residuals from the line of labels on what foretells them."""
    f, c = f - p @ f, c - p @ c
    spread = float(p @ c**2)
    return np.asarray(p * (f - c * (float(p @ (c * f)) / spread if spread > 0 else 0.0)))
