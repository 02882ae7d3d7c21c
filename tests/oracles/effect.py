"""The judges' effect on one system's precision, from its own audited instances alone."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kbpo_estimators import _checks
from kbpo_estimators._checks import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class JudgesEffect:
    """What the precision would gain if the audit had answered every question.

    Attributes
    ----------
    estimate : float
        D̂ = Σ_audited p/(πρ) (f* − f): unbiased, and wide.
    variance : float
        V̂ of it, over samples and audits; unbiased.
    by_audit : float
        What of that is due to the audit alone, given the sample.
    errors : float[n]
        f* − f over the audited instances' own, 0 elsewhere, in the order of the arguments.
    """

    estimate: float
    variance: float
    by_audit: float
    errors: FloatArray


def judges_effect(
    p: ArrayLike,
    pi: ArrayLike,
    rho: ArrayLike,
    audited: ArrayLike,
    labels: ArrayLike,
    audits: ArrayLike,
    questions: ArrayLike | None = None,
) -> JudgesEffect:
    """Estimate the judges' effect on a system's precision: that by the audit less that by the crowd.

    V̂ = Σ_audited (1 − π)/(π²ρ) p² d² + Σ_questions (1 − ρ)/ρ² (Σ p/π d)², d = f* − f: the instances of a
    question are sampled one by one and audited together. Where each has one instance, that is
    Σ_audited (1 − πρ)/(πρ)² p² d².

    Parameters
    ----------
    p, pi : float[n]
        Of the system's sampled instances.
    rho : float[n]
        The probability that the instance's question is audited, in (0, 1].
    audited : bool[n]
    labels : float[n]
        The crowd's f, 0 or 1.
    audits : float[n]
        f* where audited; whatever stands elsewhere is not looked at.
    questions : int[n], optional
        Which question each instance belongs to; one of its own where left out.

    Returns
    -------
    JudgesEffect

    Raises
    ------
    InvalidInput
        If lengths differ or a value is out of range.
    """
    weights = _checks.vector("p", p)
    pi = _checks.probabilities("pi", pi, length=weights.size)
    rho = _checks.probabilities("rho", rho, length=weights.size)
    seen = _checks.flags("audited", audited, weights.size)
    f = _checks.labels("labels", labels, weights.size)
    true = np.where(seen, np.asarray(audits, dtype=np.float64), f)
    own = np.arange(f.size) if questions is None else _checks.integers("questions", questions, length=f.size)
    _, first, question = np.unique(own, return_index=True, return_inverse=True)
    d = _checks.labels("audits", true) - f
    of_question = np.bincount(question, weights / pi * d, minlength=first.size)
    of_samples = (1 - pi) / (pi**2 * rho) * (weights * d) ** 2
    by_audit = float(((1 - rho[first]) / rho[first] ** 2 * of_question**2).sum())
    return JudgesEffect(
        estimate=float((weights / (pi * rho) * d).sum()),
        variance=float(of_samples.sum()) + by_audit,
        by_audit=by_audit,
        errors=d,
    )
