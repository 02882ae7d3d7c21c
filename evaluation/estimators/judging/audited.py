"""A pool's sample whose labels were audited in part, and how often judges are wrong there.

The crowd's label is what estimates are made of; the audit's answer says, for a random share, what it should
have been. Error rates are pooled over all systems and taken *given the audit's answer*: given the crowd's
label they would follow a system's precision, and correcting by them is biased.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from evaluation.estimators import _checks
from evaluation.estimators._checks import BoolArray, FloatArray, IntArray

MOST_DOUBT = 0.5
LEAST_TOLD = 0.2
"""With 1 − FP − FN below this for some kind, labels tell too little of the truth to correct all alike."""


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
        How likely each label was thought wrong when the audit was planned (`drawing.doubts`); any positive
        number where nothing was thought. Only their ratios matter.
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
    rates: Mapping[str, "ErrorRates"] = field(init=False)

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
        for name, value in (("pi", pi), ("questions", place), ("rho", rho), ("audited", audited)):
            object.__setattr__(self, name, value)
        rates = {kind: error_rates(self, one) for kind, one in self.labels.items()}
        object.__setattr__(self, "rates", rates)

    @property
    def size(self) -> int:
        """S: the sampled instances."""
        return self.pi.size

    def about(self, kinds: Sequence[str]) -> "Audit":
        """Return the audit of some kinds of question alone."""
        labels = {kind: one for kind, one in self.labels.items() if kind in kinds}
        return self if len(labels) == len(self.labels) else replace(self, labels=labels)

    @property
    def tells_too_little(self) -> bool:
        """Say whether the labels of some kind tell so little of the truth that pooled rates are of no use."""
        return any(rates.told < LEAST_TOLD for rates in self.rates.values())

    def without_rates(self) -> "Audit":
        """Return it as if nothing were known of how often judges err in general."""
        audit = replace(self)
        unknown = {
            kind: replace(one, false_positives=0.0, false_negatives=0.0, by_count=np.zeros((2, 2)))
            for kind, one in self.rates.items()
        }
        object.__setattr__(audit, "rates", unknown)
        return audit


@dataclass(frozen=True, eq=False)
class ErrorRates:
    """How often judges are wrong about one kind of question, given the audit's answer.

    Attributes
    ----------
    false_positives, false_negatives : float
        FP among labels that should be 0, FN among those that should be 1.
    instances : int[U]
    labels, audits : float[U]
    wrong : bool[U]
        Whether an audit said so.
    chances : float[U]
        How likely each label is wrong: the doubts, scaled by what the audits found.
    by_count : float[2, 2]
        ∂(FP, FN)/∂(false positives counted, false negatives counted).
    """

    false_positives: float
    false_negatives: float
    instances: IntArray
    labels: FloatArray
    audits: FloatArray
    wrong: BoolArray
    chances: FloatArray
    by_count: FloatArray

    @property
    def told(self) -> float:
        """1 − FP − FN: what a label tells of the truth; 1 if judges never err, 0 if they guess."""
        return 1.0 - self.false_positives - self.false_negatives

    @property
    def corrected(self) -> FloatArray:
        """The labels, corrected: (f − FP)/(1 − FP − FN), right on average."""
        return np.asarray((self.labels - self.false_positives) / self.told)


def error_rates(audit: Audit, one: AuditedLabels) -> ErrorRates:
    """Estimate FP and FN of one kind of question from audits, each weighing 1/ρ.

    a = Σ_audited f(1 − f*)/ρ and b = Σ_audited (1 − f)f*/ρ count the errors of either kind in the sample; FP
    = a/(n0 + a − b) and FN = b/(n1 − a + b), n0 and n1 the labels 0 and 1: what should be 0 is what is, and
    what is wrongly 1, less what is wrongly 0.

    Parameters
    ----------
    audit : Audit
    one : AuditedLabels

    Returns
    -------
    ErrorRates

    Raises
    ------
    InvalidInput
        If lengths differ, a value is out of range, or an audit's answer is missing or too many.
    """
    instances = _checks.integers("instances", one.instances, below=audit.pi.size)
    f = _checks.labels("labels", one.labels, instances.size)
    doubt = _checks.probabilities("doubts", one.doubts, length=f.size, zero=True)
    true = np.asarray(one.audits, dtype=np.float64)
    _checks.same_length("audits", true.size, f.size)
    seen = audit.audited[instances]
    if (missing := np.isnan(true) == seen).any():
        position = int(np.argmax(missing))
        rule = "is missing" if seen[position] else "is there although its question is not audited"
        _checks.refuse("audits", f"the answer at position {position} {rule}")
    _checks.labels("audits", true[seen])

    wrong = seen & (true != f)
    weight = np.where(wrong, 1.0 / audit.rho[instances], 0.0)
    a, b = float(weight[f == 1].sum()), float(weight[f == 0].sum())
    n1 = float(f.sum())
    n0 = f.size - n1
    # With few labels and small ρ, more errors may be counted than there are labels that they could be of.
    false, right = max(n0 + a - b, a, 1.0), max(n1 - a + b, b, 1.0)
    by_count = np.array(
        [
            [(false - a) / false**2, a / false**2],
            [b / right**2, (right - b) / right**2],
        ]
    )
    # One error more than seen and than expected: so that none seen does not mean none.
    scale = (float(wrong.sum()) + 1.0) / (float(doubt[seen].sum()) + 1.0)
    chances = np.minimum(scale * doubt, MOST_DOUBT)
    return ErrorRates(a / false, b / right, instances, f, true, wrong, chances, by_count)
