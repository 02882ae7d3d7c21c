"""Two systems, compared by one measure: their difference by itself, and among all pairs of ranked systems."""

import math
from dataclasses import dataclass

from kbpo_estimators.differences import Differences
from kbpo_estimators.intervals import Interval, difference_interval
from kbpo_estimators.pairs import Pairs, pair_level, pairs
from kbpo_estimators.ranks import last_level
from kbpo_estimators.share_scales import Scale


@dataclass(frozen=True, slots=True)
class Ranked:
    """What is known of the ranks at a level, over all pairs of systems.

    Attributes
    ----------
    systems : int
        How many are ranked, at least 2.
    apart : int
        Pairs that differ significantly.
    """

    systems: int
    apart: int


@dataclass(frozen=True, slots=True)
class Among:
    """What becomes of a difference of two ranked systems when all pairs of ranked systems are compared.

    Attributes
    ----------
    systems : int
        How many are ranked, at least 2.
    difference : Interval
        Of a level so high that the intervals of all pairs hold together at the table's.
    is_significant : bool or None
        Whether it counts in the ranks; None for a measure that ranks nothing.
    """

    systems: int
    difference: Interval
    is_significant: bool | None


def compare_two(
    found: Differences,
    first: Interval,
    second: Interval,
    scale: Scale,
    level: float,
    ranked: Ranked | None,
    *,
    is_ranked_by: bool,
) -> tuple[Interval, Among | None] | None:
    """Return the difference of two systems with its paired interval, and what becomes of it among all.

    Parameters
    ----------
    found : Differences
        Of one system from one.
    first, second : Interval
        Of each by itself, at the level.
    scale : Scale
        Of the measure.
    level : float
        In (0, 1).
    ranked : Ranked or None
        None where one of the two is not ranked.
    is_ranked_by : bool
        Whether the measure ranks systems.

    Returns
    -------
    (Interval, Among or None) or None
        None where the difference is not estimable.
    """
    difference = found.of(0, 0)
    if difference is None:
        return None
    ours, theirs = scale.share(first), scale.share(second)
    apart = scale.back(difference_interval(scale.difference(difference), ours, theirs, level))
    if ranked is None:
        return apart, None
    pair = pairs(scale.shares(found), [ours], [theirs], level)
    return apart, _among(pair, ranked, scale, level, is_ranked_by=is_ranked_by)


def _among(pair: Pairs, ranked: Ranked, scale: Scale, level: float, *, is_ranked_by: bool) -> Among:
    gap = float(pair.gaps[0, 0])
    down, up = (min(2.0, float(arm[0, 0])) for arm in pair.arms(pair_level(level, ranked.systems)))
    is_significant = None
    if is_ranked_by:
        left = math.comb(ranked.systems, 2) - ranked.apart
        is_significant = abs(gap) > float(pair.reach(last_level(level, left))[0, 0])
    whole = Interval(gap, max(-1.0, gap - down), min(1.0, gap + up))
    return Among(ranked.systems, scale.back(whole), is_significant)
