"""Accuracy, macro-averages and the scores of each class, from a sample of items that all systems share. Pure.

Every system gives every item a class, and the label of an item is everybody's: so one sample, and one model
of the labels, serve all systems. With y(x) the label, ŷ(x) a system's class, q_c(x) how likely a model that
knows no label of x's fold takes y(x) = c to be, and e_c(x) = [y(x) = c] − q_c(x) at a sampled item,

    T_c  = Σ q_c + Σ_sample e_c/π                         the items of class c,
    TP_c = Σ_{ŷ = c} q_c + Σ_{sample, ŷ = c} e_c/π        those of them that the system finds,

are exactly unbiased, however bad the model. Accuracy is Σ_c TP_c/N and precision TP_c/A_c, with A_c the items
that the system gives c: both exactly unbiased. Recall TP_c/T_c and F1 2TP_c/(A_c + T_c) are ratios, whose
variance is that of their linearised residuals; a macro-average's is that of the mean of those of its classes.

Where systems agree the model is rarely wrong, and a sample without one of its rare errors shows hardly any
variance. So a variance is the mean of two estimates of it: from the squared residuals, which need no model;
and from the model's own probabilities, Σ (1 − π)/π² of the variance of an item's contribution were its class
drawn from q, which is steadier. The latter is scaled so that both agree over all items and classes (ADR 20).

Where labels are audited, [y(x) = c] gives way to what it is by the audit, right on average (`labels.Known`):
so all of the above is exactly unbiased for the audit's labels, and each variance has what the draw of audits
adds (ADR 20).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from kbpo_estimators import _checks
from kbpo_estimators._checks import FloatArray, IntArray
from kbpo_estimators.classification.labels import AuditedItems, Known
from kbpo_estimators.coordinated import variance_weights
from kbpo_estimators.pooled import PooledModel, UnitFeatures, learn_units

FEW = 10
"""Labelled items that a class must have, by systems or by people, before anything is said of it."""
MODEL_SHARE = 0.5
"""Of a variance that is taken from the model's probabilities; the rest is from the squared residuals."""
DOUBT = 4.0
"""What is added to both sums by which that is scaled: two items, each wrong about two classes. A model that
is never wrong in a small sample may be so outside it."""
MEASURES = ("accuracy", "precision", "recall", "f1")
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What one system gives the items of a corpus.

    Attributes
    ----------
    classes : int[N]
        The class of each.
    confidence : float[N]
    team : int
    """

    classes: IntArray
    confidence: FloatArray
    team: int


@dataclass(frozen=True, slots=True)
class Estimated:
    """An estimated share, as `kbpo_estimators.intervals.interval` takes one.

    Attributes
    ----------
    estimate, variance : float
    n_eff : float
        The independent draws that it is worth, for where no variance is seen.
    degrees_of_freedom : int or None
    """

    estimate: float
    variance: float
    n_eff: float
    degrees_of_freedom: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Claimed:
    """A system's pairs of an item and the class that it gives it, as the pooled model takes them."""

    rows: IntArray
    confidence: FloatArray
    team: int


def learn(
    systems: Sequence[Given], classes: int, sampled: ArrayLike, folds: ArrayLike, truth: ArrayLike
) -> tuple[FloatArray, PooledModel | None]:
    """Learn from the labels how likely each class is that of each item, item's fold by fold.

    The pooled model of all tasks, over pairs of an item and a class that it may have: a team has the pairs
    whose class one of its systems gives.

    Parameters
    ----------
    systems : sequence of Given
        Those that it learns from; without any it learns how frequent each class is.
    classes : int
        C.
    sampled : bool[N]
    folds : int[N]
    truth : int[N]
        The label of each sampled item; −1 where it has none of the classes. Not looked at elsewhere.

    Returns
    -------
    float[N, C]
        q.
    PooledModel or None
    """
    inside = _checks.flags("sampled", sampled)
    n = inside.size
    y = np.asarray(truth)[inside]
    # Class after class: a thinned fold then keeps all classes of the items that it keeps.
    claimed = [_Claimed(one.classes * n + np.arange(n), one.confidence, one.team) for one in systems]
    features = UnitFeatures(
        [f"class {number}" for number in range(classes)], np.eye(classes), np.repeat(np.arange(classes), n)
    )
    labels = (y == np.arange(classes)[:, None]).astype(np.float64).ravel()
    (found,) = learn_units(
        claimed, features, np.tile(inside, classes), np.tile(np.asarray(folds), classes), {"class": labels}
    ).values()
    return np.ascontiguousarray(found.of_pool.reshape(classes, n).T), found.model


@dataclass(frozen=True, slots=True, eq=False)
class Totals:
    """What scores take from all items, sampled or not.

    Attributes
    ----------
    size : int
        N.
    likely : float[C]
        Σ q_c.
    assigned : int[m, C]
        A_c: the items that each system gives each class.
    found : float[m, C]
        Σ q_c over those.
    need : float[m, C]
        Σ (1/π − 1) over those.
    """

    size: int
    likely: FloatArray
    assigned: IntArray
    found: FloatArray
    need: FloatArray

    @classmethod
    def of(cls, systems: Sequence[Given], pi: FloatArray, q: FloatArray) -> "Totals":
        """Sum over all items: π is float[N], q float[N, C]."""
        every, classes, spread = np.arange(pi.size), q.shape[1], 1.0 / pi - 1.0

        def summed(weights: Callable[[Given], FloatArray]) -> FloatArray:
            return np.array(
                [np.bincount(one.classes, weights=weights(one), minlength=classes) for one in systems]
            )

        return cls(
            pi.size,
            q.sum(axis=0),
            np.array([np.bincount(one.classes, minlength=classes) for one in systems]),
            summed(lambda one: q[every, one.classes]),
            summed(lambda one: spread),
        )

    @classmethod
    def together(cls, parts: Sequence["Totals"]) -> "Totals":
        """Return those of several systems from those of each, by one model."""
        return cls(
            parts[0].size,
            parts[0].likely,
            np.concatenate([one.assigned for one in parts]),
            np.concatenate([one.found for one in parts]),
            np.concatenate([one.need for one in parts]),
        )


class Scores:
    """The scores of all systems of a pool, and how they go together.

    `of` makes them from all items; they need the sampled ones alone, and sums over all.

    Parameters
    ----------
    given : sequence of int[S]
        The class that each system gives each sampled item.
    pi : float[S]
        In (0, 1].
    truth : int[S]
        As `learn` takes it.
    q : float[S, C]
        As `learn` returns it; zeros where nothing was learnt.
    totals : Totals
    audit : AuditedItems, optional
        The audit of the sampled items; left out, labels are taken for the truth.
    """

    def __init__(
        self,
        given: Sequence[IntArray],
        pi: FloatArray,
        truth: IntArray,
        q: FloatArray,
        totals: Totals,
        audit: AuditedItems | None = None,
    ) -> None:
        self.classes = q.shape[1]
        self.totals = totals
        self.size = totals.size
        self.pi = pi
        self._weights = variance_weights(self.pi)
        self.truth = _checks.integers("truth", truth, low=-1, below=self.classes)
        self._known = Known.of(self.truth, q, self.pi, audit)
        self._q = q
        residuals = self._known.labels - self._q
        residuals[np.abs(residuals) < _ROUNDING] = 0.0
        weighted = residuals / self.pi[:, None]
        self._rows = np.arange(self.pi.size)
        model = self._model
        expected = float((model * (1.0 - model)).sum())
        square = float((self._known.likely[:, :-1] * (1.0 - 2.0 * self._q)).sum() + (self._q**2).sum())
        self._scale = (square + DOUBT) / (expected + DOUBT) if expected > 0 else None
        self.of_class = totals.likely + weighted.sum(axis=0)
        self.judged = np.bincount(self.truth[self.truth >= 0], minlength=self.classes)
        self._given = given
        self.assigned = totals.assigned
        self.found = totals.found + np.array(
            [np.bincount(one, weights=weighted[self._rows, one], minlength=self.classes) for one in given]
        )

    @classmethod
    def of(
        cls,
        systems: Sequence[Given],
        classes: int,
        pi: ArrayLike,
        sampled: ArrayLike,
        truth: ArrayLike,
        q: FloatArray,
        audit: AuditedItems | None = None,
    ) -> "Scores":
        """Return the scores from all items.

        Parameters
        ----------
        systems : sequence of Given
        classes : int
            C.
        pi : float[N]
            In (0, 1].
        sampled : bool[N]
            Those with π = 1 among them.
        truth : int[N]
            As `learn` takes it.
        q : float[N, C]
            As `learn` returns it; zeros where nothing was learnt.
        audit : AuditedItems, optional
            As `Scores` takes it.

        Raises
        ------
        InvalidInput
            If lengths differ or a value is out of range.
        """
        inside = _checks.flags("sampled", sampled)
        inclusion = _checks.probabilities("pi", pi, length=inside.size)
        if (missing := (inclusion == 1.0) & ~inside).any():
            _checks.refuse("sampled", f"leaves out item {int(np.argmax(missing))}, whose π is 1; it must not")
        if q.shape[1] != classes:
            _checks.refuse("q", f"has {q.shape[1]} columns; one for each of {classes} classes is right")
        given = [one.classes[inside] for one in systems]
        labels = np.asarray(truth)[inside]
        return cls(given, inclusion[inside], labels, q[inside], Totals.of(systems, inclusion, q), audit)

    @property
    def _model(self) -> FloatArray:
        """Q as probabilities."""
        return np.clip(self._q, 0.0, 1.0)

    @cached_property
    def _of_class(self) -> FloatArray:
        """T_c, with 1 for those that are not above 0: nothing is shown of these."""
        return np.where(self.of_class > 0, self.of_class, 1.0)

    def measured(self, system: int) -> dict[str, FloatArray]:
        """Return precision, recall and F1 of each class by measure, float[C]; 0 where nothing is given it."""
        found, assigned = self.found[system], self.assigned[system]
        return {
            "precision": np.divide(found, assigned, out=np.zeros(self.classes), where=assigned > 0),
            "recall": found / self._of_class,
            "f1": 2.0 * found / (assigned + self._of_class),
        }

    def _slopes(self, system: int) -> dict[str, tuple[FloatArray, FloatArray]]:
        """Return how each class' measure moves with TP_c and with T_c, by measure: float[C] each."""
        measured, assigned = self.measured(system), self.assigned[system]
        both = assigned + self._of_class
        return {
            "precision": (
                np.divide(1.0, assigned, out=np.zeros(self.classes), where=assigned > 0),
                np.zeros(self.classes),
            ),
            "recall": (1.0 / self._of_class, -measured["recall"] / self._of_class),
            "f1": (2.0 / both, -measured["f1"] / both),
        }

    def _overall_slopes(self, system: int, measure: str) -> tuple[FloatArray, FloatArray]:
        """Return the same of a measure over all classes: a macro-average is the mean of its classes'."""
        if measure == "accuracy":
            return np.full(self.classes, 1.0 / self.size), np.zeros(self.classes)
        of_found, of_all = self._slopes(system)[measure]
        return of_found / self.classes, of_all / self.classes

    def _gains(self, system: int, of_found: FloatArray, of_all: FloatArray) -> FloatArray:
        """Return what each sampled item adds if it is of each class, and of none, float[S, C + 1]."""
        gains = np.zeros((self.pi.size, self.classes + 1))
        gains[:, :-1] = of_all
        given = self._given[system]
        gains[self._rows, given] += of_found[given]
        return gains

    def covariance(self, measure: str) -> FloatArray:
        """Return the covariance of a measure over all classes between systems, float[m, m].

        From the squared residuals alone: what two systems give alike moves neither, exactly.
        """
        known, m = self._known, len(self._given)
        slopes = [self._overall_slopes(system, measure) for system in range(m)]
        gains = [self._gains(system, *slopes[system]) for system in range(m)]
        by_model = np.array([(one[:, :-1] * self._q).sum(axis=1) for one in gains])
        guessed = np.array([(one * known.guess).sum(axis=1) for one in gains])
        found = np.zeros((m, m))
        for outcome in range(self.classes + 1):
            of_outcome = np.array([one[:, outcome] for one in gains])
            seen = of_outcome - by_model
            found += (seen * (self._weights * known.likely[:, outcome])) @ seen.T
            if known.is_audited:
                by_draw = of_outcome - guessed
                found += (by_draw * known.of_draw[:, outcome]) @ by_draw.T
        return found

    def _variance(self, gains: FloatArray) -> tuple[float, float]:
        """Return the variance of a measure, and what of it is due to the draw of audits.

        Of the rest the mean of what squared residuals show and of what q lets expect.
        """
        known, model = self._known, self._model
        by_model = (gains[:, :-1] * self._q).sum(axis=1)
        seen = self._weights @ (known.likely * (gains - by_model[:, None]) ** 2).sum(axis=1)
        guessed = (gains * known.guess).sum(axis=1)
        by_draw = float((known.of_draw * (gains - guessed[:, None]) ** 2).sum())
        if self._scale is None:  # nothing was learnt
            return float(seen) + by_draw, by_draw
        mean = (gains[:, :-1] * model).sum(axis=1)
        spread = (gains[:, :-1] ** 2 * model).sum(axis=1) - mean**2
        expected = self._scale * float(self._weights @ np.maximum(0.0, spread))
        return (1.0 - MODEL_SHARE) * float(seen) + MODEL_SHARE * expected + by_draw, by_draw

    def _estimated(self, estimate: float, gains: FloatArray, n_eff: float) -> Estimated:
        variance, by_draw = self._variance(gains)
        need = (1.0 / n_eff if n_eff > 0 else math.inf) + 4.0 * by_draw
        return Estimated(estimate, variance, 1.0 / need if need > 0 else math.inf)

    def overall(self, system: int) -> Mapping[str, Estimated | None]:
        """Return a system's accuracy and macro-averages; None for those to which a class is too rare.

        Of an average too few is known while fewer than `FEW` judged items are of one of its classes.
        """
        spread = float(self.totals.need[system].sum())
        n_eff = self.size**2 / spread if spread > 0 else math.inf
        estimates = {"accuracy": float(self.found[system].sum()) / self.size}
        if (self.judged >= FEW).all():
            estimates |= {name: float(one.mean()) for name, one in self.measured(system).items()}
        return {
            name: self._estimated(
                estimates[name], self._gains(system, *self._overall_slopes(system, name)), n_eff
            )
            if name in estimates
            else None
            for name in MEASURES
        }

    def by_class(self, system: int, number: int) -> Mapping[str, Estimated | None]:
        """Return a system's scores of one class; None for accuracy, and where too few judged items are of it.

        Precision needs `FEW` judged items to which the system gives the class; recall and F1 as many of which
        it is the label.
        """
        enough = {
            "precision": self.labels(system, number) >= FEW,
            "recall": int(self.judged[number]) >= FEW,
            "f1": int(self.judged[number]) >= FEW,
        }
        squares = float(self._weights[self.truth == number].sum())
        assigned, need = float(self.assigned[system, number]), float(self.totals.need[system, number])
        true = float(self._of_class[number]) ** 2 / squares if squares > 0 else math.inf
        n_eff = {"precision": assigned**2 / need if need > 0 else math.inf, "recall": true, "f1": true}
        values, slopes = self.measured(system), self._slopes(system)
        alone = np.arange(self.classes) == number
        found: dict[str, Estimated | None] = {"accuracy": None}
        for name in MEASURES[1:]:
            of_found, of_all = (one * alone for one in slopes[name])
            gains = self._gains(system, of_found, of_all)
            estimate = float(values[name][number])
            found[name] = self._estimated(estimate, gains, n_eff[name]) if enough[name] else None
        return found

    def labels(self, system: int, number: int) -> int:
        """Count the judged items to which a system gives a class."""
        return int((self._given[system] == number).sum())
