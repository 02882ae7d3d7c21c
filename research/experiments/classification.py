"""Worlds of items with classes: how often intervals of accuracy, macro-averages and classes hold the truth.

Each run draws a new corpus, the systems' classes and a sample of it, so what is held is that of many corpora.
Once with judges who never err; and with three crowds who do, whose labels are audited in part.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from annotations.aggregation.crowds import CROWDS, Crowd
from kbpo_estimators import coordinated
from kbpo_estimators._checks import BoolArray, FloatArray, IntArray
from kbpo_estimators.classification.estimates import MEASURES, Estimated, Given, Scores, learn
from kbpo_estimators.classification.labels import AuditedItems
from kbpo_estimators.intervals import interval
from kbpo_estimators.judging.drawing import audit_probabilities, doubts

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class World:
    """A kind of corpus and of systems.

    Attributes
    ----------
    shares : sequence of float
        Of each class.
    accuracies : sequence of float
        Of each system; what it gets wrong, it gives one of the neighbouring classes more often.
    size : int
        N.
    half_width : float
        Of the target at 80%.
    by_confidence : bool
        Whether systems are surer where they are right.
    """

    shares: Sequence[float]
    accuracies: Sequence[float]
    size: int = 5_000
    half_width: float = 0.03
    by_confidence: bool = True


#: Chosen before any was run; all are shown.
WORLDS: Mapping[str, World] = MappingProxyType(
    {
        "four classes, three systems": World((0.25,) * 4, (0.6, 0.75, 0.9)),
        "unequal classes, six systems": World((0.4, 0.3, 0.15, 0.1, 0.05), (0.5, 0.6, 0.7, 0.8, 0.85, 0.9)),
        "ten classes, one system": World((0.1,) * 10, (0.7,)),
        "two classes, small corpus": World((0.7, 0.3), (0.65, 0.95), size=800),
        "no confidences": World((0.5, 0.3, 0.2), (0.6, 0.7, 0.8), by_confidence=False),
    }
)


@dataclass(frozen=True, slots=True)
class Judges:
    """People who err.

    Attributes
    ----------
    crowd : Crowd
        How often.
    by_systems : sequence of float
        What the error is multiplied with where no system, one, two or more give the item the wrong class that
        most of them give it; who errs then says that class. Empty where errors have nothing to do with it.
    misled : float
        How much more they err where all systems give one wrong class, and in proportion where some do.
    is_shared : bool
        Whether all who err on a hard item say the same of it.
    """

    crowd: Crowd
    by_systems: Sequence[float] = ()
    misled: float = 0.0
    is_shared: bool = False


WORKERS = 30
FIRST, MOST = 2, 7
"""Votes at first, and before an expert decides."""
MOST_ERROR = 0.48
SHARES = (0.10, 0.20)

#: Chosen before any was run; all are shown.
JUDGES: Mapping[str, Judges] = MappingProxyType(
    {
        "alike": Judges(CROWDS["alike"]),
        "by systems": Judges(CROWDS["mixed"], by_systems=(0.5, 1.0, 1.5)),
        "hard": Judges(CROWDS["hard"], is_shared=True),
        "misled": Judges(CROWDS["mixed"], by_systems=(1.0,), misled=0.3),
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """How often intervals held the truth, by measure: over all classes where it is one of a class.

    `width` is how wide they are on average.
    """

    overall: Mapping[str, float]
    by_class: Mapping[str, float]
    shown: Mapping[str, int]
    width: Mapping[str, float]


def draw_world(world: World, rng: np.random.Generator) -> tuple[IntArray, list[Given]]:
    """Draw the labels of a corpus, and what systems give it."""
    classes = len(world.shares)
    truth = rng.choice(classes, world.size, p=world.shares)
    hard = rng.random(world.size)  # what is hard is hard for all
    systems = []
    for number, accuracy in enumerate(world.accuracies):
        right = 0.5 * hard + 0.5 * rng.random(world.size) < np.quantile(
            0.5 * hard + 0.5 * rng.random(world.size), accuracy
        )
        away = 1 + np.minimum(rng.geometric(0.6, world.size) - 1, max(0, classes - 2))
        given = np.where(right, truth, (truth + away) % classes)
        sure = np.where(right, rng.beta(4, 2, world.size), rng.beta(2, 3, world.size))
        confidence = np.clip(sure, 0.01, 1.0) if world.by_confidence else np.ones(world.size)
        systems.append(Given(given, confidence, number))
    return truth, systems


def true_scores(given: IntArray, truth: IntArray, classes: int) -> dict[str, FloatArray]:
    """Return a system's exact accuracy, and precision, recall and F1 of each class."""
    found = np.array([((given == c) & (truth == c)).sum() for c in range(classes)], dtype=np.float64)
    assigned, of_class = np.bincount(given, minlength=classes), np.bincount(truth, minlength=classes)
    return {
        "accuracy": np.array([(given == truth).mean()]),
        "precision": found / np.maximum(1, assigned),
        "recall": found / np.maximum(1, of_class),
        "f1": 2 * found / np.maximum(1, assigned + of_class),
    }


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """What a crowd says of the items of a corpus.

    Attributes
    ----------
    labels : int[N]
        −1 where most say that it is none of the classes.
    votes, dissenting : int[N]
        0 where an expert decided.
    """

    labels: IntArray
    votes: IntArray
    dissenting: IntArray


def judge(
    judges: Judges, truth: IntArray, systems: Sequence[Given], classes: int, rng: np.random.Generator
) -> Votes:
    """Have two people say which class each item is of, more where most do not agree, and then an expert."""
    n = truth.size
    errors = judges.crowd.errors(WORKERS)
    people = np.argsort(rng.random((n, WORKERS)), axis=1)[:, :MOST]
    hard = rng.random(n) < judges.crowd.hard
    given = np.array([(one.classes[:, None] == np.arange(classes)) for one in systems]).sum(axis=0)
    given[np.arange(n), truth] = 0
    misled = judges.misled * given.max(axis=1) / len(systems)
    chance = errors[people] + (judges.crowd.more * hard + misled)[:, None]
    others = (truth[:, None] + rng.integers(1, classes, (n, MOST))) % classes
    same = (truth + 1) % classes
    if judges.by_systems:
        factor = np.array(judges.by_systems)[np.minimum(given.max(axis=1), len(judges.by_systems) - 1)]
        chance = np.minimum(chance * factor[:, None], MOST_ERROR)
        others = np.where(given.any(axis=1), given.argmax(axis=1), same)[:, None] + np.zeros((n, MOST), int)
    elif judges.is_shared:
        others = np.where(hard[:, None], same[:, None], others)
    said = np.where(rng.random((n, MOST)) < chance, others, truth[:, None])
    labels, votes, dissenting = truth.copy(), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    is_open = np.ones(n, dtype=np.bool_)
    for number in range(FIRST, MOST + 1):
        tally = (said[:, :number, None] == np.arange(classes)).sum(axis=1)
        most = tally.max(axis=1)
        settled = is_open & (2 * most > number)
        labels[settled], votes[settled] = tally.argmax(axis=1)[settled], number
        dissenting[settled] = number - most[settled]
        is_open &= ~settled
    return Votes(labels, votes, dissenting)


def audit(
    votes: Votes, sampled: BoolArray, truth: IntArray, q: FloatArray, share: float, rng: np.random.Generator
) -> AuditedItems:
    """Audit a share of the sampled items, as the service draws them; what an expert decided stands."""
    labels, number = votes.labels[sampled], votes.votes[sampled]
    doubt = doubts(
        np.ones(labels.size),
        number,
        votes.dissenting[sampled],
        np.clip(q[sampled][np.arange(labels.size), labels], 0.0, 1.0),
    )
    rho = np.ones(labels.size)
    rho[number > 0] = audit_probabilities(doubt[number > 0], share)
    return AuditedItems(rho, rng.random(labels.size) < rho, truth[sampled], doubt)


def coverage(world: World, runs: int, seed: int, *, learns: bool = True) -> Held:
    """Return the share of intervals that hold the truth, over all runs, systems and classes."""
    return simulate(world, None, (), runs, seed, learns=learns)["exact"]


def simulate(
    world: World, judges: Judges | None, shares: Sequence[float], runs: int, seed: int, *, learns: bool = True
) -> dict[str, Held]:
    """Return how often intervals hold the truth: of judges who never err, of votes, of audits of each share.

    Parameters
    ----------
    world : World
    judges : Judges or None
        None for those who never err alone.
    shares : sequence of float
        Of the labels that are audited.
    runs, seed : int
    learns : bool
        Whether the pooled model is fitted.

    Returns
    -------
    dict of str to Held
        ``exact``; with judges also ``votes``, taken for the truth, and each share as it prints.
    """
    rng = np.random.default_rng(seed)
    classes = len(world.shares)
    target = coordinated.target_variance(world.half_width, 0.8)
    p = np.full(world.size, 1 / world.size)
    pi, _ = coordinated.top_up(np.zeros(world.size), p, target)
    noted: dict[str, _Noted] = {}
    unlearnt = np.zeros((world.size, classes))
    for _ in range(runs):
        truth, systems = draw_world(world, rng)
        sampled, folds = rng.random(world.size) < pi, rng.integers(0, coordinated.FOLDS, world.size)

        q = learn(systems, classes, sampled, folds, truth)[0] if learns else unlearnt
        ways = {"exact": Scores.of(systems, classes, pi, sampled, truth, q)}
        if judges is not None:
            votes = judge(judges, truth, systems, classes, rng)
            q = learn(systems, classes, sampled, folds, votes.labels)[0] if learns else unlearnt
            ways["votes"] = Scores.of(systems, classes, pi, sampled, votes.labels, q)
            for share in shares:
                audited = audit(votes, sampled, truth, q, share, rng)
                ways[str(share)] = Scores.of(systems, classes, pi, sampled, votes.labels, q, audited)
        true = [true_scores(one.classes, truth, classes) for one in systems]
        for way, scores in ways.items():
            _note_all(noted.setdefault(way, {}), scores, true)
    return {way: _held(one) for way, one in noted.items()}


_Noted = dict[tuple[str, str], list[tuple[bool, float]]]


def _note_all(noted: _Noted, scores: Scores, true: Sequence[Mapping[str, FloatArray]]) -> None:
    for system, exact in enumerate(true):
        for measure, found in scores.overall(system).items():
            _note(noted, ("overall", measure), found, float(exact[measure].mean()))
        for number in range(scores.classes):
            for measure, found in scores.by_class(system, number).items():
                if measure != "accuracy":
                    _note(noted, ("class", measure), found, float(exact[measure][number]))


def _note(noted: _Noted, key: tuple[str, str], found: Estimated | None, true: float) -> None:
    share = interval(found, LEVEL)
    if share is not None:
        noted.setdefault(key, []).append((share.low <= true <= share.high, share.high - share.low))


def _held(noted: _Noted) -> Held:
    shares = {key: float(np.mean([hit for hit, _ in value])) for key, value in noted.items()}
    return Held(
        {name: shares["overall", name] for name in MEASURES if ("overall", name) in shares},
        {name: shares["class", name] for name in MEASURES[1:] if ("class", name) in shares},
        {" ".join(key): len(value) for key, value in noted.items()},
        {" ".join(key): float(np.mean([width for _, width in value])) for key, value in noted.items()},
    )
