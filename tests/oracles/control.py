"""Means of judgements of one system with a metric as control variate, one judgement after the other.

`kbpo_estimators.generation` computes the cross-fitted mean and the data efficiency of all systems of a pool.
`plug_in` is the estimator of Chaganty, Mussmann and Liang (2018), which is biased.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kbpo_estimators import _checks
from kbpo_estimators.control import _ROUNDING, _along, _judgements, _means, _needs, _noise, lines, standard


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimated mean.

    Attributes
    ----------
    estimate, variance : float
    """

    estimate: float
    variance: float


def mean(values: ArrayLike) -> Estimate:
    """Return the plain mean ȳ of judgements of outputs drawn at random, with variance Var(y)/n.

    Parameters
    ----------
    values : float[n]
        At least two.

    Returns
    -------
    Estimate
    """
    y = _checks.vector("values", values)
    _needs("values", y.size, 2)
    return Estimate(float(y.mean()), float(y.var(ddof=1)) / y.size)


def plug_in(values: ArrayLike, metric: ArrayLike, population: ArrayLike) -> Estimate:
    """Estimate the mean by the paper's Algorithm 1, kept for comparison: it is biased.

    With g standardised over all outputs, α̂ = (1/n) Σ (y_i − ȳ) g_i and μ̃ = ȳ − α̂ḡ. Under draws with
    replacement its bias is −((n − 1)/n²) E[(f − μ) g²].

    Parameters
    ----------
    values : float[n]
        One judgement an output drawn, at least two.
    metric : float[n]
        Of the outputs drawn.
    population : float[N]
        The metric of all outputs, which standardises it.

    Returns
    -------
    Estimate
        Its variance is that of y − α̂g, over n.

    Raises
    ------
    InvalidInput
        If lengths differ or a value is no number.

    References
    ----------
    Chaganty, Mussmann and Liang (2018), Algorithm 1.
    """
    y = _checks.vector("values", values)
    _needs("values", y.size, 2)
    g = _checks.vector("metric", metric, y.size)
    every = _checks.vector("population", population)
    _needs("population", every.size, 1)
    centre, spread = standard(every)
    g = (g - centre) / spread
    alpha = float(((y - y.mean()) * g).mean())
    left = y - alpha * g
    return Estimate(float(left.mean()), float(left.var(ddof=1)) / y.size)


def cross_fitted(
    values: ArrayLike,
    items: ArrayLike,
    pi: ArrayLike,
    metric: ArrayLike,
    folds: ArrayLike,
    population: ArrayLike,
    population_folds: ArrayLike,
    sigma2_a: float | None = None,
) -> Estimate:
    """Estimate the mean of all outputs from a Poisson sample of them, with a metric.

    ĝ_z = β̂₋ₖ·(1, g_z), where β̂₋ₖ is the least-squares fit of the mean judgements ȳ on (1, g) with weights 1/π
    in the folds other than z's, and μ̂ = Σ_Z pĝ + Σ_sample (p/π)(ȳ − ĝ), p = 1/N. Exactly unbiased for any
    metric fixed before the judgements, if folds do not follow from them: what is drawn with the same random
    number, as outputs for one input are, must be in one fold.

    Parameters
    ----------
    values : float[n]
        One a judgement.
    items : int[n]
        Which of the s judged outputs it judges, from 0; each at least once.
    pi : float[s]
        The judged outputs' inclusion probabilities, in (0, 1].
    metric : float[s]
        Their metric.
    folds : int[s]
        Their folds.
    population : float[N]
        The metric of all outputs, judged ones among them.
    population_folds : int[N]
        The folds of all outputs.
    sigma2_a : float, optional
        σ_a², as it is known from elsewhere. Left out, it is estimated by `components`; where no output was
        judged twice, the variance is an upper bound.

    Returns
    -------
    Estimate
        V̂ = Σ_sample (1 − π)/π² p²e² + Σ_sample p²σ_a²/(πk), e = ȳ − ĝ and k an output's judgements: the first
        part alone takes a judgement for the truth. Without σ_a², Σ_sample p²e²/π².

    Raises
    ------
    InvalidInput
        If lengths differ, a value is out of its range, or an output has no judgement.
    """
    probability = _checks.probabilities("pi", pi)
    s = probability.size
    y, item = _judgements(values, items, below=s)
    counts = np.bincount(item, minlength=s)
    if (counts == 0).any():
        _checks.refuse(
            "items", f"has no judgement of output {int(np.argmin(counts))}; each judged one needs one"
        )
    g = _checks.vector("metric", metric, s)
    fold = _checks.integers("folds", folds, length=s)
    every = _checks.vector("population", population)
    _needs("population", every.size, max(1, s))
    every_fold = _checks.integers("population_folds", population_folds, length=every.size)
    k = 1 + int(max(every_fold.max(), fold.max(initial=0)))
    means = np.bincount(item, y, minlength=s) / np.maximum(1, counts)
    noise = _noise(y, means, counts, item) if sigma2_a is None else float(sigma2_a)
    if not noise >= 0 and sigma2_a is not None:
        _checks.refuse("sigma2_a", f"is {sigma2_a!r}; a variance of at least 0 is needed")

    centre, spread = standard(every)
    g, every = (g - centre) / spread, (every - centre) / spread
    fit = lines(means, 1.0 / probability, g, fold, k)
    p = 1.0 / every.size
    e = means - fit.at(g, fold)
    e[np.abs(e) < _ROUNDING] = 0.0
    estimate = p * float(fit.at(every, every_fold).sum()) + p * float((e / probability).sum())
    if math.isnan(noise):
        return Estimate(estimate, p * p * float((e**2 / probability**2).sum()))
    of_draw = ((1.0 - probability) / probability**2 * e**2).sum()
    of_people = (noise / (probability * counts)).sum()
    return Estimate(estimate, p * p * float(of_draw + of_people))


def data_efficiency(values: ArrayLike, items: ArrayLike, metric: ArrayLike) -> float:
    """Return (1 + γ)/(1 − ρ² + γ): how many judgements one is worth, with the metric.

    That is Var y/(Var y − Cov(ȳ, g)²/s_g²), for which people's noise and outputs' variance need not be told
    apart: no output must be judged twice.

    Parameters
    ----------
    values, items, metric
        As `correlation` takes them.

    Returns
    -------
    float
        At least 1; infinite where the metric leaves nothing.

    Raises
    ------
    InvalidInput
        As `correlation`.
    """
    y, item = _judgements(values, items)
    means, _ = _means(y, item)
    along = _along(means, item, metric)
    variance = float(y.var(ddof=1)) if y.size > 1 else 0.0
    if along == 0.0:
        return 1.0
    left = variance - along**2
    return variance / left if left > 0 else math.inf
