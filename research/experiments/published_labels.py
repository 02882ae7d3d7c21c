"""What a submitter gains who plays against the sample, and how the epochs stop it.

Three attacks on precision: to resubmit what was labelled true, mixed with as much that nobody has seen; to
drop what was labelled false; and to follow the scores, submission after submission. Each under three rules:
labels sealed, so that the submitter has scores alone; labels published and the same sample used again, which
must never happen; and labels published at a release, known ones counted exactly and the rest sampled anew.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from kbpo_estimators import coordinated
from research.experiments import figures
from research.experiments.outcome import Compared, Options, Outcome
from research.experiments.pool import BoolArray, Pool, draw_pool
from research.experiments.runs import FloatArray, IntArray
from tests.oracles.precision import difference_precision

HONEST = 8
"""Systems that are sampled before; one of them is the adversary's own."""
RULES = ("sealed", "reused", "known")
ATTACKS = ("resubmit", "drop", "follow")
SUBMISSIONS = 200
CHANGED = 0.1
"""The share of its instances that a submitter who follows the scores takes in or leaves out at a time."""
WEEK = 4
"""The service's limit: scored submissions a week, for a team and corpus."""


@dataclass(eq=False)
class Epoch:
    """A sample of the pool's instances, as the service draws and grows it.

    Attributes
    ----------
    correct : bool[N]
        What a label says if it is bought.
    pi, u : float[N]
        Inclusion probabilities, and the permanent random numbers.
    folds : int[N]
    known : bool[N]
        Published before this epoch: exact, and no sample.
    confidence : float[N]
        The adversary's.
    """

    correct: FloatArray
    pi: FloatArray
    u: FloatArray
    folds: IntArray
    known: BoolArray
    confidence: FloatArray

    @property
    def sampled(self) -> BoolArray:
        """Return what is labelled."""
        return self.known | (self.u < self.pi)

    def submit(self, rows: IntArray) -> float:
        """Sample some instances as a system's, all of one weight, and return the estimated precision."""
        p = np.full(rows.size, 1 / rows.size)
        target = coordinated.target_variance()
        pi = np.where(self.known[rows], 1.0, self.pi[rows])
        pi, _ = coordinated.top_up(
            pi, p, target, coordinated.floor_labels(target, coordinated.MAXIMUM_FLOOR) / rows.size
        )
        self.pi[rows] = np.where(self.known[rows], self.pi[rows], pi)
        return self.estimate(rows)

    def estimate(self, rows: IntArray) -> float:
        """Return the estimated precision of a system that was submitted, by the sample as it is now."""
        return difference_precision(
            np.full(rows.size, 1 / rows.size),
            np.where(self.known[rows], 1.0, self.pi[rows]),
            self.sampled[rows],
            self.correct[rows],
            self.folds[rows],
            self.confidence[rows],
        ).estimate

    def truth(self, rows: IntArray) -> float:
        """Return the exact precision of a system with these instances."""
        return float(self.correct[rows].mean())


def run(options: Options) -> Outcome:
    """Let the adversary try each attack under each rule, again and again with new secrets."""
    pool = draw_pool(options.some_runs(), options.rng(1))
    systems = pool.runs.top(5 * HONEST)[::5][:HONEST]
    pool = pool.take(np.sort(systems))
    own = int(np.argmax(pool.runs.f1))
    repeats = options.count(1_000, 60)
    following = options.count(100, 12)
    gains: dict[tuple[str, str], list[FloatArray]] = {
        (rule, attack): [] for rule in RULES for attack in ATTACKS
    }
    for repeat in options.track("secret", range(repeats), repeats):
        epoch = _honest(pool, own, options.rng(6, repeat))
        for number, (rule, attack) in enumerate(gains):
            if attack != "follow" or repeat < following:
                rng = options.rng(6, repeat, number)
                gains[rule, attack].append(_gain(epoch, rule, attack, pool.rows(own), rng))
    numbers = {
        rule: {attack: _summary(np.array(gains[rule, attack])) for attack in ATTACKS} for rule in RULES
    }
    return Outcome(
        title="Playing against the sample",
        says=f"The estimated precision less the true one, over {repeats} secrets. Who follows the scores"
        f" makes {SUBMISSIONS} submissions ({following} secrets); the service allows {WEEK} a week.",
        compared=[
            Compared(
                f"{attack}, labels {rule}: gain",
                REPORTED.get((rule, attack), ""),
                numbers[rule][attack]["gain"][-1],
            )
            for attack in ATTACKS
            for rule in RULES
        ]
        + [
            Compared(
                f"follow, labels sealed: gain after {WEEK} submissions",
                "",
                numbers["sealed"]["follow"]["gain"][WEEK - 1],
            )
        ],
        numbers=numbers,
        draw=_draw_figure(numbers),
    )


REPORTED = {
    ("reused", "resubmit"): "up to .50",
    ("sealed", "follow"): ".19",
}


def _gain(epoch: Epoch, rule: str, attack: str, own: IntArray, rng: np.random.Generator) -> FloatArray:
    """Return the estimate less the truth after each submission of one attack, the best so far."""
    labelled = epoch.sampled
    epoch = _released(epoch, rng) if rule == "known" else replace(epoch, pi=epoch.pi.copy())
    seen = np.zeros(labelled.size, dtype=bool) if rule == "sealed" else labelled
    rows = _chosen(attack, epoch.correct == 1, seen, own, rng)
    submissions = SUBMISSIONS if attack == "follow" else 1
    return _follow(epoch, rows, own, submissions, rng)


def _honest(pool: Pool, own: int, rng: np.random.Generator) -> Epoch:
    confidence = np.full(pool.size, 0.5)
    confidence[pool.rows(own)] = pool.own(pool.confidence, own)
    epoch = Epoch(
        correct=pool.correct.astype(np.float64),
        pi=np.zeros(pool.size),
        u=rng.random(pool.size),
        folds=rng.integers(0, coordinated.FOLDS, pool.size),
        known=np.zeros(pool.size, dtype=bool),
        confidence=confidence,
    )
    for system in range(pool.members.shape[0]):
        epoch.submit(pool.rows(system))
    return epoch


def _released(epoch: Epoch, rng: np.random.Generator) -> Epoch:
    """Return the next epoch: what was labelled is known, everything else is drawn anew."""
    size = epoch.pi.size
    return Epoch(
        correct=epoch.correct,
        pi=np.zeros(size),
        u=rng.random(size),
        folds=rng.integers(0, coordinated.FOLDS, size),
        known=epoch.sampled,
        confidence=epoch.confidence,
    )


def _chosen(
    attack: str, correct: BoolArray, seen: BoolArray, own: IntArray, rng: np.random.Generator
) -> IntArray:
    """Return the instances that the adversary begins with, by the labels that it has seen."""
    if attack == "resubmit":
        true, unseen = np.flatnonzero(seen & correct), own[~seen[own]]
        count = min(true.size, unseen.size) if true.size else unseen.size // 2
        return np.sort(np.concatenate([true, rng.choice(unseen, count, replace=False)]))
    return own[~(seen[own] & ~correct[own])]


def _follow(
    epoch: Epoch, rows: IntArray, own: IntArray, submissions: int, rng: np.random.Generator
) -> FloatArray:
    """Submit, change a part at random, keep what scores better; return the gain after each submission."""
    best, score = rows, epoch.submit(rows)
    gains = [score - epoch.truth(rows)]
    everything = np.union1d(rows, own)
    for _ in range(submissions - 1):
        changed = rng.random(everything.size) < CHANGED
        tried = everything[np.isin(everything, best) ^ changed]
        found = epoch.submit(tried)
        if found > score:
            best, score = tried, found
        gains.append(score - epoch.truth(best))
    return np.array(gains)


def _summary(gains: FloatArray) -> dict[str, Any]:
    error = gains.std(axis=0, ddof=1) / np.sqrt(gains.shape[0])
    return {"gain": gains.mean(axis=0).tolist(), "standard_error": error.tolist()}


def _draw_figure(numbers: dict[str, Any]) -> Callable[[Figure], None]:
    marks = dict(zip(RULES, ("coordinated", "pooled", "joint"), strict=True))

    def draw(figure: Figure) -> None:
        figure.set_size_inches(figures.WIDTH, 3.2)
        at_once, following = figure.subplots(1, 2, sharey=True)
        for offset, rule in enumerate(RULES):
            mark = figures.MARKS[marks[rule]]
            place = np.arange(2) + 0.15 * (offset - 1)
            ends = [numbers[rule][attack] for attack in ATTACKS[:2]]
            gain, error = ([one[key][-1] for one in ends] for key in ("gain", "standard_error"))
            at_once.errorbar(place, gain, yerr=2 * np.array(error), label=f"labels {rule}", **mark)
            curve = numbers[rule]["follow"]["gain"]
            following.plot(np.arange(1, len(curve) + 1), curve, color=mark["color"], label=f"labels {rule}")
        at_once.set_xticks([0, 1], ["resubmits what\nwas labelled true", "drops what\nwas labelled false"])
        at_once.set_ylabel("estimated less true precision")
        following.axvline(WEEK, color=figures.COLOURS["grey"], linewidth=0.8, linestyle=":")
        following.annotate(
            "a week's limit",
            (WEEK, 1),
            xycoords=("data", "axes fraction"),
            va="top",
            xytext=(3, 0),
            textcoords="offset points",
        )
        following.set_xlabel("submissions that follow the scores")
        following.set_xscale("log")
        for axes in (at_once, following):
            axes.axhline(0, color=figures.COLOURS["grey"], linewidth=0.8)
        at_once.legend()

    return draw
