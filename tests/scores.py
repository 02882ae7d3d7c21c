"""Scores of all parts of a pool, as the service makes them from estimates."""

from collections.abc import Iterator, Sequence
from typing import Any

from kbpo_estimators import intervals
from kbpo_estimators.scores import SystemScore, coordinated_estimates, iid_estimates


def coordinated_scores(
    *asked: Any, levels: Sequence[float] = intervals.LEVELS, **options: Any
) -> Iterator[SystemScore]:
    """Score every system under the coordinated design; arguments as `coordinated_estimates`."""
    for estimates in coordinated_estimates(*asked, **options):
        yield from estimates.scores(levels)


def iid_scores(
    *asked: Any, levels: Sequence[float] = intervals.LEVELS, **options: Any
) -> Iterator[SystemScore]:
    """Score every system under independent draws; arguments as `iid_estimates`."""
    for estimates in iid_estimates(*asked, **options):
        yield from estimates.scores(levels)
