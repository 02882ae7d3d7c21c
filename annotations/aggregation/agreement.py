"""How far people agree beyond chance: Fleiss' kappa, and alpha where they say numbers, with an interval."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from annotations.aggregation import _checks
from annotations.aggregation._checks import IntArray

_ROUNDING = 1e-24


@dataclass(frozen=True, slots=True)
class Kappa:
    """An estimated kappa with the ends of its confidence interval.

    Attributes
    ----------
    estimate, low, high : float
        low ≤ estimate ≤ high; 1 is perfect agreement, 0 that of chance.
    variance : float
        Its estimated large-sample variance, over items.
    items : int
        The items with at least two ratings, which alone count.
    """

    estimate: float
    low: float
    high: float
    variance: float
    items: int


def fleiss_kappa(counts: ArrayLike, *, level: float = 0.95) -> Kappa | None:
    """Estimate Fleiss' kappa, for any number of ratings an item.

    With r_ij of the r_i ratings of item i in category j, over the n items with r_i ≥ 2,

    κ = (P̄ − P_e)/(1 − P_e), P̄ = Σ_i P_i / n, P_i = Σ_j r_ij (r_ij − 1) / (r_i (r_i − 1)),
    P_e = Σ_j p_j², p_j = Σ_i (r_ij / r_i) / n.

    With equal r_i this is Fleiss (1971); otherwise it is the generalisation of Gwet (2014) in which every
    item counts once, however many ratings it has. Its variance is that of the linearised κ between items,
    V̂ = Σ_i k_i² / (n (n − 1)), k_i = [P_i − P̄ − 2(1 − κ)(Σ_j p_j r_ij / r_i − P_e)] / (1 − P_e): the items
    are a sample, the raters are those there are. The interval is normal on the scale of atanh κ. Where all
    items are alike, as under perfect agreement, the variance is 0 and knows too little: then the ends are the
    κ of as many items without any agreement, or with perfect agreement, as Wilson's interval of a share that
    was never seen allows.

    Parameters
    ----------
    counts : int[n, J]
        r_ij. Items with fewer than two ratings are left out.
    level : float
        Of the interval, between 0 and 1.

    Returns
    -------
    Kappa or None
        None, not estimable, with fewer than two items, or where all ratings are of one category.

    Raises
    ------
    InvalidInput
        If a count is not a whole number of at least 0, or the level is out of range.

    References
    ----------
    J. L. Fleiss (1971), Measuring nominal scale agreement among many raters, Psychological Bulletin 76,
    378-382. K. L. Gwet (2014), Handbook of Inter-Rater Reliability, 4th edition, chapters 2 and 5.

    Examples
    --------
    Four items, three ratings each: P̄ = (1 + 1 + 1/3 + 1/3)/4 = 2/3, p = (1/2, 1/2), P_e = 1/2.

    >>> round(fleiss_kappa([[3, 0], [0, 3], [2, 1], [1, 2]]).estimate, 4)
    0.3333
    """
    if not 0 < level < 1:
        _checks.refuse("level", f"is {level!r}; a number between 0 and 1 is needed")
    table = _checks.integers("counts", counts, dimensions=2)
    items, categories = np.nonzero(table)
    return _kappa(items, categories, table[items, categories], level)


def fleiss_kappa_of(ratings: Sequence[Mapping[Hashable, int]], *, level: float = 0.95) -> Kappa | None:
    """Estimate Fleiss' kappa where categories are many, and few of them occur with an item.

    Parameters
    ----------
    ratings : sequence of mapping of category to int
        How many ratings of each item are in each category; those with none may be left out.
    level : float
        Of the interval, between 0 and 1.

    Returns
    -------
    Kappa or None
        As `fleiss_kappa`.

    Raises
    ------
    InvalidInput
        As `fleiss_kappa`.

    Examples
    --------
    >>> round(fleiss_kappa_of([{"a": 3}, {"b": 3}, {"a": 2, "b": 1}, {"a": 1, "b": 2}]).estimate, 4)
    0.3333
    """
    if not 0 < level < 1:
        _checks.refuse("level", f"is {level!r}; a number between 0 and 1 is needed")
    columns: dict[Hashable, int] = {}
    cells = [
        (item, columns.setdefault(category, len(columns)), number)
        for item, counts in enumerate(ratings)
        for category, number in counts.items()
        if number
    ]
    items, categories, numbers = (
        _checks.integers("ratings", [cell[axis] for cell in cells]) for axis in range(3)
    )
    return _kappa(items, categories, numbers, level)


def interval_alpha(values: ArrayLike, items: ArrayLike, *, level: float = 0.95) -> Kappa | None:
    """Estimate how far people agree who say a number of each item, for any number of judgements an item.

    With y_ij the k_i judgements of item i,

    α = 1 − σ_a²/V, σ_a² = Σ_iΣ_j (y_ij − ȳ_i)² / Σ_i (k_i − 1), V = Var(y_ij) over all judgements (ddof 1),

    which is the share of the variance of judgements that lies between items, and Krippendorff's α for
    interval scales where all k_i are equal. Its variance is that of the linearised α between items; the
    interval is normal on the scale of atanh α, with perfect agreement as `fleiss_kappa` has it.

    Parameters
    ----------
    values : float[n]
        y, one a judgement.
    items : int[n]
        Which item each judges.
    level : float
        Of the interval, between 0 and 1.

    Returns
    -------
    Kappa or None
        None, not estimable, where fewer than two items have two judgements, or all judgements are the same.

    Raises
    ------
    InvalidInput
        If a value is not finite, lengths differ, or the level is out of range.

    References
    ----------
    K. Krippendorff (2004), Content Analysis, 2nd edition, chapter 11.

    Examples
    --------
    Three items, two judgements each: σ_a² = 1/3, V = 3/10.

    >>> round(interval_alpha([1, 1, 0, 1, 0, 0], [0, 0, 1, 1, 2, 2]).estimate, 4)
    0.4444
    """
    if not 0 < level < 1:
        _checks.refuse("level", f"is {level!r}; a number between 0 and 1 is needed")
    said = np.asarray(values, dtype=np.float64)
    judged = _checks.integers("items", items, length=len(said))
    if not np.isfinite(said).all():
        _checks.refuse("values", "are not all finite; numbers are needed")
    rows = np.unique(judged, return_inverse=True)[1]
    sizes = np.bincount(rows)
    n = int((sizes >= 2).sum())
    if n < 2 or np.ptp(said) == 0:
        return None
    means = np.bincount(rows, weights=said) / sizes
    within = np.bincount(rows, weights=(said - means[rows]) ** 2)
    around = np.bincount(rows, weights=(said - said.mean()) ** 2)
    error, total = float(within.sum() / (sizes - 1).sum()), float(around.sum() / (len(said) - 1))
    alpha = 1 - error / total
    z = NormalDist().inv_cdf((1 + level) / 2)
    of_error = (within - error * (sizes - 1)) / (sizes - 1).sum()
    of_total = (around - total * sizes) / len(said)
    parts = (of_error - error / total * of_total) / total
    variance = float((parts**2).sum() * len(sizes) / (len(sizes) - 1))
    if variance < _ROUNDING or not -1 < alpha < 1:
        unseen = z**2 / (n + z**2)
        return Kappa(alpha, max(-1.0, alpha - unseen), min(1.0, alpha + unseen), variance, n)
    middle, reach = math.atanh(alpha), z * math.sqrt(variance) / (1 - alpha**2)
    return Kappa(alpha, math.tanh(middle - reach), math.tanh(middle + reach), variance, n)


def _kappa(items: IntArray, categories: IntArray, counts: IntArray, level: float) -> Kappa | None:
    """Estimate from the cells that are not empty, sorted by item."""
    if not items.size:
        return None
    kept = np.bincount(items, weights=counts)[items] >= 2
    items, categories, counts = np.unique(items[kept], return_inverse=True)[1], categories[kept], counts[kept]
    if not items.size or items[-1] == 0 or np.unique(categories).size < 2:
        return None
    ratings = np.bincount(items, weights=counts)
    n = len(ratings)
    shares = counts / ratings[items]
    agreed = np.bincount(items, weights=counts * (counts - 1)) / (ratings * (ratings - 1))
    p = np.bincount(categories, weights=shares) / n
    observed, chance = float(agreed.mean()), float((p**2).sum())
    kappa = (observed - chance) / (1 - chance)
    expected = np.bincount(items, weights=shares * p[categories])
    parts = (agreed - observed - 2 * (1 - kappa) * (expected - chance)) / (1 - chance)
    variance = float((parts**2).sum() / (n * (n - 1)))
    z = NormalDist().inv_cdf((1 + level) / 2)
    if variance < _ROUNDING:
        unseen = z**2 / (n + z**2) / (1 - chance)
        low, high = kappa - unseen * observed, kappa + unseen * (1 - observed)
        return Kappa(kappa, max(-1.0, low), min(1.0, high), 0.0, n)
    middle, reach = math.atanh(kappa), z * math.sqrt(variance) / (1 - kappa**2)
    return Kappa(kappa, math.tanh(middle - reach), math.tanh(middle + reach), variance, n)
