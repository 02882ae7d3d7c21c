"""A pool's sample whose labels were audited in part, and how often judges are wrong there.

The crowd's label is what estimates are made of; the audit's answer says, for a random share, what it should
have been. Error rates are pooled over all systems and taken *given the audit's answer*: given the crowd's
label they would follow a system's precision, and correcting by them is biased.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kbpo_estimators import _checks
from kbpo_estimators._checks import BoolArray, FloatArray, IntArray

MOST_DOUBT = 0.5
_FOLDS = 5
LEAST_TOLD = 0.2
"""With 1 − FP − FN below this, labels tell too little of the truth to correct all alike."""


@dataclass(frozen=True, eq=False)
class AuditedLabels:
    """The labels of one kind of question at a pool's sampled instances.

    Attributes
    ----------
    instances : int[U]
        The position in the pool's sample of the instance that each label is of.
    labels : float[U]
        The crowd's, 0 or 1.
    audits : float[U]
        The audit's, 0 or 1; NaN where the instance's questions were not audited.
    doubts : float[U]
        How likely each label is thought wrong without its audit (`drawing.doubts`). They make intervals
        narrow where they are right, and nothing biased where they are not.
    """

    instances: ArrayLike
    labels: ArrayLike
    audits: ArrayLike
    doubts: ArrayLike


@dataclass(frozen=True, eq=False)
class Audit:
    """The audit of a pool's sample.

    Attributes
    ----------
    pi : float[S]
        π of the sampled instances.
    questions : int[S]
        Which relation question each instance belongs to: what is audited together, under one ρ.
    rho : float[S]
        The probability that its question is audited, in (0, 1]; 1 where an expert has decided.
    audited : bool[S]
    labels : mapping of str to AuditedLabels
        By kind of question.
    """

    pi: FloatArray
    questions: IntArray
    rho: FloatArray
    audited: BoolArray
    labels: Mapping[str, AuditedLabels]

    def __post_init__(self) -> None:
        pi = _checks.probabilities("pi", self.pi)
        questions = _checks.integers("questions", self.questions, length=pi.size)
        rho = _checks.probabilities("rho", self.rho, length=pi.size)
        audited = _checks.flags("audited", self.audited, pi.size)
        if (missing := (rho == 1) & ~audited).any():
            _checks.refuse(
                "audited", f"position {int(np.argmax(missing))} is not audited although its ρ is 1"
            )
        together = np.column_stack([rho, audited])
        _, first, place = np.unique(questions, return_index=True, return_inverse=True)
        if (apart := (together[first[place]] != together).any(axis=1)).any():
            _checks.refuse(
                "rho", f"position {int(np.argmax(apart))} is not audited as the rest of its question is"
            )
        place = np.argsort(np.argsort(first))[place]  # as they come, whatever they are called
        for name, value in (("pi", pi), ("questions", place), ("rho", rho), ("audited", audited)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "labels", {kind: self._checked(one) for kind, one in self.labels.items()})

    def _checked(self, one: AuditedLabels) -> AuditedLabels:
        instances = _checks.integers("instances", one.instances, below=self.size)
        f = _checks.labels("labels", one.labels, instances.size)
        doubt = _checks.probabilities("doubts", one.doubts, length=f.size, zero=True)
        true = np.asarray(one.audits, dtype=np.float64)
        _checks.same_length("audits", true.size, f.size)
        seen = self.audited[instances]
        if (missing := np.isnan(true) == seen).any():
            position = int(np.argmax(missing))
            rule = "is missing" if seen[position] else "is there although its question is not audited"
            _checks.refuse("audits", f"the answer at position {position} {rule}")
        _checks.labels("audits", true[seen])
        return AuditedLabels(instances, f, true, doubt)

    @property
    def size(self) -> int:
        """S: the sampled instances."""
        return self.pi.size


@dataclass(frozen=True, eq=False)
class ErrorRates:
    """How often judges are wrong, given the audit's answer.

    Attributes
    ----------
    false_positives, false_negatives : float
        FP among labels that should be 0, FN among those that should be 1.
    by_count : float[2, 2]
        ∂(FP, FN)/∂(false positives counted, false negatives counted).
    """

    false_positives: float
    false_negatives: float
    by_count: FloatArray

    @property
    def told(self) -> float:
        """1 − FP − FN: what a label tells of the truth; 1 if judges never err, 0 if they guess."""
        return 1.0 - self.false_positives - self.false_negatives

    def corrected(self, f: FloatArray) -> FloatArray:
        """Return labels, or means of them, corrected: (f − FP)/(1 − FP − FN), right on average."""
        return np.asarray((f - self.false_positives) / self.told)


UNKNOWN = ErrorRates(0.0, 0.0, np.zeros((2, 2)))
"""As if nothing were known of how often judges err in general."""


def error_rates(labels: FloatArray, errors: FloatArray) -> ErrorRates:
    """Estimate FP and FN from how many labels are wrong.

    a = Σ errors · f and b = Σ errors · (1 − f) count the errors of either kind in the sample; FP =
    a/(n0 + a − b) and FN = b/(n1 − a + b), n0 and n1 the labels 0 and 1: what should be 0 is what is, and
    what is wrongly 1, less what is wrongly 0.

    Parameters
    ----------
    labels : float[U]
        The crowd's, 0 or 1.
    errors : float[U]
        As `estimated_errors` returns them.

    Returns
    -------
    ErrorRates
    """
    a, b = float(errors[labels == 1].sum()), float(errors[labels == 0].sum())
    n1 = float(labels.sum())
    n0 = labels.size - n1
    # With few labels and small ρ, more errors may be counted than there are labels that they could be of.
    false, right = max(n0 + a - b, a, 1.0), max(n1 - a + b, b, 1.0)
    by_count = np.array(
        [
            [(false - a) / false**2, a / false**2],
            [b / right**2, (right - b) / right**2],
        ]
    )
    return ErrorRates(a / false, b / right, by_count)


def estimated_errors(expected: FloatArray, seen: BoolArray, wrong: BoolArray, rho: FloatArray) -> FloatArray:
    """Return for each label δ + (wrong − δ)/ρ where it was audited, δ elsewhere; δ what is expected.

    On average over audits that is whether the label is wrong, whatever is expected; the nearer that is to
    what is found, the less it varies.

    Parameters
    ----------
    expected : float[U]
        Nothing that hangs on whether the label itself is audited.
    seen, wrong : bool[U]
        Which labels were audited, and found wrong.
    rho : float[U]
    """
    return np.asarray(expected + np.where(seen, (wrong - expected) / rho, 0.0))


def chances(doubts: FloatArray, seen: BoolArray, wrong: BoolArray) -> FloatArray:
    """Return how likely each label is wrong: the doubts, scaled by what audits found.

    Parameters
    ----------
    doubts : float[U]
    seen, wrong : bool[U]
        Which labels were audited, and found wrong.
    """
    # One error more than seen and than expected: so that none seen does not mean none.
    scale = (float(wrong.sum()) + 1.0) / (float(doubts[seen].sum()) + 1.0)
    return np.minimum(scale * doubts, MOST_DOUBT)


def foretold(doubts: FloatArray, seen: BoolArray, wrong: BoolArray, questions: IntArray) -> FloatArray:
    """Return the same for each label by what audits of other questions found: nothing of its own is in it.

    Parameters
    ----------
    doubts : float[U]
    seen, wrong : bool[U]
    questions : int[U]
        Which question, of those that are audited together, each label belongs to.
    """
    fold, found = questions % _FOLDS, np.empty(doubts.size)
    for one in range(_FOLDS):
        own = fold == one
        found[own] = chances(doubts, seen & ~own, wrong & ~own)[own]
    return found
