"""What is known of the labels of sampled items: the votes', or those of an audit, right on average. Pure.

An audited item's label is y*. Of each sampled item g_c says how likely its label is c, from the votes and
from what audits of *other* items found, so that

    [y = c] by the audit  =  g_c + 1[audited] ([y* = c] − g_c)/ρ

is right on average over the draw of audits, however wrong g is: put in place of [y = c] in estimates over the
sample it makes them exactly unbiased for the labels of the audit. The better g, the less the draw adds.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kbpo_estimators import _checks
from kbpo_estimators._checks import FloatArray, IntArray
from kbpo_estimators.judging.audited import chances, foretold

FOUND_SHARE = 0.5
"""Of what the draw of audits adds to a variance, that is taken from the errors found; the rest is from how
likely labels are wrong, which is steadier."""
_LEAST = 0.01
"""How likely, beside what the model says, each class is that of an item whose label is wrong."""


@dataclass(frozen=True, eq=False)
class AuditedItems:
    """The audit of the sampled items, in their order.

    Attributes
    ----------
    rho : float[S]
        The probability that each is audited, in (0, 1]; 1 where an expert has decided.
    audited : bool[S]
    truth : int[S]
        The audit's label, −1 where that is none of the classes; not looked at where not audited.
    doubts : float[S]
        How likely each label was thought wrong without its audit.
    """

    rho: ArrayLike
    audited: ArrayLike
    truth: ArrayLike
    doubts: ArrayLike


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of the labels of sampled items; outcomes are the C classes, and none of them.

    Attributes
    ----------
    labels : float[S, C]
        [y = c], by the audit right on average.
    guess : float[S, C + 1]
        g.
    likely : float[S, C + 1]
        How likely each outcome is, all audits known: certain where audited.
    of_draw : float[S, C + 1]
        The variance that the draw of audits adds to an estimate is Σ of this times the square of how far the
        outcome is from what g expects.
    is_audited : bool
    """

    labels: FloatArray
    guess: FloatArray
    likely: FloatArray
    of_draw: FloatArray
    is_audited: bool

    @classmethod
    def of(cls, truth: IntArray, q: FloatArray, pi: FloatArray, audit: AuditedItems | None) -> "Known":
        """Make it of the votes' labels, int[S], of the model's q, float[S, C], and of π, float[S].

        Raises
        ------
        InvalidInput
            If lengths differ or a value is out of range.
        """
        size, classes = q.shape
        y = _outcomes(truth, classes)
        if audit is None:
            return cls(y[:, :-1].copy(), y, y, np.zeros_like(y), False)
        rho = _checks.probabilities("rho", audit.rho, length=size)
        seen = _checks.flags("audited", audit.audited, size)
        doubts = _checks.probabilities("doubts", audit.doubts, length=size, zero=True)
        if (missing := (rho == 1) & ~seen).any():
            _checks.refuse("audited", f"item {int(np.argmax(missing))} is not audited although its ρ is 1")
        true = np.where(seen, np.asarray(audit.truth), truth)
        _checks.integers("truth", true, low=-1, below=classes)
        wrong, found = true != truth, _outcomes(true, classes)
        otherwise = _otherwise(y, q)
        guess = _mixed(y, otherwise, foretold(doubts, seen, wrong, np.arange(size)))
        likely = _mixed(y, otherwise, chances(doubts, seen, wrong))
        labels = guess + np.where(seen, 1.0 / rho, 0.0)[:, None] * (found - guess)
        unsure = (1.0 - rho) / (rho * pi**2)
        of_draw = (1.0 - FOUND_SHARE) * unsure[:, None] * likely
        of_draw += FOUND_SHARE * np.where(seen, unsure / rho, 0.0)[:, None] * found
        return cls(labels[:, :-1], guess, np.where(seen[:, None], found, likely), of_draw, True)


def _outcomes(truth: IntArray, classes: int) -> FloatArray:
    """Return 1 for each item's class, or in the last column where it is of none."""
    place = np.where(truth < 0, classes, truth)
    return np.asarray(place[:, None] == np.arange(classes + 1), dtype=np.float64)


def _otherwise(y: FloatArray, q: FloatArray) -> FloatArray:
    """Return how likely each outcome is if the votes' label is wrong: as the model has the others."""
    weight = np.full(y.shape, _LEAST)
    weight[:, :-1] += np.clip(q, 0.0, 1.0)
    weight *= 1.0 - y
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def _mixed(y: FloatArray, otherwise: FloatArray, wrong: FloatArray) -> FloatArray:
    return (1.0 - wrong)[:, None] * y + wrong[:, None] * otherwise
