"""What the service would estimate and rank: ten systems arrive, a sample is drawn, judges never err.

By the design and estimators of today: the quadratic sum with planned variances, and the pooled model.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from evaluation.kbp.choices import CHOICES
from evaluation.kbp.matching import PARTS as FOUND_PARTS
from kbpo_estimators import coordinated, planned_variance
from kbpo_estimators.comparison import comparables, differences
from kbpo_estimators.document_samples import DocumentSample, SimpleRandom, draw_documents
from kbpo_estimators.documents import Documents
from kbpo_estimators.f1 import harmonic
from kbpo_estimators.intervals import Interval
from kbpo_estimators.kbp.features import of_relations
from kbpo_estimators.kbp.labels import Labels
from kbpo_estimators.pairs import pairs
from kbpo_estimators.planned_variance import Claimant, Scale
from kbpo_estimators.ranks import ranks, told_apart
from kbpo_estimators.scores import CoordinatedSample, Estimates, System, coordinated_estimates
from kbpo_estimators.weighting import DEFAULT
from research.experiments.adversary.world import Score, Version, World
from research.experiments.pool import BoolArray
from research.experiments.runs import FloatArray, IntArray
from tests.readers.knowledgenet import ONTOLOGY

Kind = TypeVar("Kind", bound=np.generic)

ANNOTATED = 300
LEVEL = 0.95
RECALL = "documents"
"""The recall that the board shows first."""


@dataclass(frozen=True, eq=False)
class Draw:
    """What chance decides: the secret, the annotated documents, the order of the other systems.

    Attributes
    ----------
    secret : bytes
    inside : bool[documents]
    folds : int[documents]
    order : int[m]
    """

    secret: bytes
    inside: BoolArray
    folds: IntArray
    order: IntArray

    @classmethod
    def of(cls, world: World, systems: int, seed: int) -> "Draw":
        """Draw by a seed."""
        secret = b"adversary|%d" % seed
        documents = world.data.documents
        drawn = set(draw_documents(documents, ANNOTATED, seed))
        return cls(
            secret,
            np.array([one in drawn for one in documents]),
            coordinated.document_folds(secret, documents),
            np.random.default_rng(seed).permutation(systems),
        )


def _grown(column: NDArray[Kind], size: int) -> NDArray[Kind]:
    return np.concatenate([column, np.zeros(size - column.size, dtype=column.dtype)])


@dataclass(frozen=True, eq=False)
class Epoch:
    """The systems that have arrived, and the design that they have led to.

    Attributes
    ----------
    versions : tuple of Version
    rows : tuple of int[n]
        Where the claims of each stand in the pool.
    place : dict of str to int
        Of each key of the pool.
    pi, squares, flat, floor : float[N]
    document, predicate : int[N]
    near : mapping of part to bool[N]
        Which claims match a true relation.
    """

    versions: tuple[Version, ...]
    rows: tuple[IntArray, ...]
    place: dict[str, int]
    pi: FloatArray
    squares: FloatArray
    flat: FloatArray
    floor: FloatArray
    document: IntArray
    predicate: IntArray
    near: Mapping[str, BoolArray]

    @classmethod
    def empty(cls) -> "Epoch":
        """Return one without systems."""
        none, numbers = np.empty(0), np.empty(0, dtype=np.int64)
        near = {part: np.empty(0, dtype=np.bool_) for part in FOUND_PARTS}
        return cls((), (), {}, none, none, none, none, numbers, numbers, near)

    def arrive(self, one: Version, draw: Draw) -> "Epoch":
        """Return the epoch after one more system."""
        place = dict(self.place)
        rows = np.array([place.setdefault(key, len(place)) for key in one.keys], dtype=np.int64)
        size = len(place)

        columns = (self.pi, self.squares, self.flat, self.floor)
        pi, squares, flat, floor = (_grown(column, size) for column in columns)
        document, predicate = _grown(self.document, size), _grown(self.predicate, size)
        document[rows], predicate[rows] = one.document, one.predicate
        near = {part: _grown(self.near[part], size) for part in FOUND_PARTS}
        for part in FOUND_PARTS:
            near[part][rows] |= one.finds[part] >= 0
        after = replace(
            self,
            versions=(*self.versions, one),
            rows=(*self.rows, rows),
            place=place,
            document=document,
            predicate=predicate,
            near=near,
        )
        target = coordinated.target_variance()
        least = coordinated.floor_labels(target, coordinated.QUADRATIC_FLOOR) / rows.size
        p = one.weights[DEFAULT]
        found = coordinated.quadratic_sum(
            pi[rows], squares[rows], p, target, variance=after._planned(draw), floor=least
        )
        alone = coordinated.quadratic_sum(np.zeros(rows.size), np.zeros(rows.size), p, target)
        pi[rows], squares[rows] = found.pi, found.squares
        flat[rows] += alone.term**2
        floor[rows] = np.maximum(floor[rows], min(1.0, least))
        return replace(after, pi=pi, squares=squares, flat=flat, floor=floor)

    def _planned(self, draw: Draw) -> FloatArray:
        """Return s² of the claims of the system that came last."""
        teams = {name: number for number, name in enumerate(dict.fromkeys(one.team for one in self.versions))}
        claimants = [
            Claimant(teams[one.team], rows, one.confidence)
            for one, rows in zip(self.versions, self.rows, strict=True)
        ]
        scales = {
            team: Scale.of(values, np.ones(values.size, dtype=np.int64))
            for team in teams.values()
            for values in [np.concatenate([one.confidence for one in claimants if one.team == team])]
        }
        categories = [(self.predicate, len(ONTOLOGY.relations))]
        features = planned_variance.features(len(self.place), claimants, scales, categories)
        known = np.flatnonzero(draw.inside[self.document])
        folds = draw.folds[self.document]
        labels = [self.near[part][known].astype(np.float64) for part in ("relation", "all")]
        model = planned_variance.fit(features[known], labels, folds[known])
        own = self.rows[-1]
        if model is None:
            return np.full(own.size, coordinated.LABEL_VARIANCE)
        return model.variances(features[own], folds[own])


@dataclass(frozen=True, eq=False)
class Board:
    """What the service shows of an epoch.

    Attributes
    ----------
    scores : mapping of Score to float[m]
    ranks : mapping of part to list of int or None
        By the measure that ranks the part; None with too few labels.
    labels : float
        How many claims are expected to be judged.
    """

    scores: Mapping[Score, FloatArray]
    ranks: Mapping[str, list[int | None]]
    labels: float


def board(world: World, epoch: Epoch, draw: Draw, parts: Sequence[str]) -> Board:
    """Draw the sample, judge it, and score and rank all systems."""
    keys = list(epoch.place)
    sampled = coordinated.uniforms(draw.secret, keys) < epoch.pi
    flat = np.maximum(np.sqrt(np.minimum(1.0, epoch.flat)), epoch.floor)
    sample = CoordinatedSample(epoch.pi, sampled, coordinated.folds(draw.secret, keys), flat)
    relation = np.full(len(keys), np.nan)
    teams: dict[str, int] = {}
    systems = []
    for one, rows in zip(epoch.versions, epoch.rows, strict=True):
        relation[rows] = one.right["relation"]
        team = teams.setdefault(one.team, len(teams))
        systems.append(System(rows, one.weights, one.confidence, team))
    labels = Labels(
        np.where(sampled, relation, np.nan),
        [
            np.where(sampled[rows], one.right["linking"], np.nan)
            for one, rows in zip(epoch.versions, epoch.rows, strict=True)
        ],
    )
    documents = _documents(world, epoch).take(np.flatnonzero(draw.inside))
    scores: dict[Score, FloatArray] = {}
    ranked: dict[str, list[int | None]] = {}
    for estimates in coordinated_estimates(
        systems,
        labels,
        sample,
        documents,
        features=of_relations(ONTOLOGY.relations, epoch.predicate),
        weightings=[DEFAULT],
        parts=parts,
    ):
        scores |= _scores(estimates)
        ranked[estimates.part] = _ranks(estimates, documents.sample)
    return Board(scores, ranked, float(epoch.pi.sum()))


def _scores(estimates: Estimates) -> dict[Score, FloatArray]:
    """Return what a part's estimates are for all systems."""
    part = estimates.part
    precision = np.array([one.estimate for one in estimates.precision[RECALL, DEFAULT]])
    scores = {(part, DEFAULT, "precision"): precision}
    if part in FOUND_PARTS:
        found = [one.estimate if one else np.nan for one in estimates.recall[RECALL, DEFAULT]]
        both = zip(np.clip(precision, 0, 1), found, strict=True)
        scores[part, DEFAULT, "recall"] = np.array(found)
        scores[part, DEFAULT, "f1"] = np.array([harmonic(p, r) for p, r in both])
    return scores


def _ranks(estimates: Estimates, sample: DocumentSample) -> list[int | None]:
    """Rank all systems in a part as the service does: simultaneously over all pairs."""
    measure = CHOICES.parts[estimates.part].ranked_by
    shown = [one for one in estimates.scores([LEVEL]) if (one.estimator, one.weighting) == (RECALL, DEFAULT)]
    ranked: dict[int, Interval] = {
        place: interval
        for place, one in enumerate(shown)
        if one.labels >= CHOICES.ranked_from and (interval := one.measures[measure]) is not None
    }
    comparable = next(one for kind, name, one in comparables(estimates) if (kind, name) == (RECALL, DEFAULT))
    these = np.array(list(ranked))
    of_these = differences(comparable, comparable, measure, sample).take(these, these)
    found = pairs(of_these, list(ranked.values()), list(ranked.values()), LEVEL)
    own = dict(zip(ranked, ranks(found.gaps, told_apart(found.gaps, found.reach, LEVEL)), strict=True))
    return [own.get(place) for place in range(len(shown))]


def _documents(world: World, epoch: Epoch) -> Documents:
    data, size = world.data, len(world.data.documents)
    finds = {
        part: np.array([one.found(part, len(world.relations)) for one in epoch.versions])
        for part in FOUND_PARTS
    }
    return Documents(
        SimpleRandom(size),
        np.bincount(data.true_document, minlength=size),
        {
            part: np.array([np.bincount(data.true_document[one], minlength=size) for one in found])
            for part, found in finds.items()
        },
        {
            part: np.array(
                [np.bincount(one.document[one.finds[part] >= 0], minlength=size) for one in epoch.versions]
            )
            for part in FOUND_PARTS
        },
        {part: np.bincount(epoch.document[epoch.near[part]], minlength=size) for part in FOUND_PARTS},
        relations=world.numbered,
        finds=finds,
    )


def arrived(versions: Iterable[Version], draw: Draw, epoch: Epoch | None = None) -> Epoch:
    """Let systems arrive one after the other."""
    found = Epoch.empty() if epoch is None else epoch
    for one in versions:
        found = found.arrive(one, draw)
    return found
