"""The systems of one epoch, as comparing them needs them: estimates, and the variances of differences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kbpo_estimators._checks import FloatArray
from kbpo_estimators.differences import Differences
from kbpo_estimators.generation.pool import Scores
from kbpo_estimators.generation.results import Score

THIS_CROWD, ANOTHER_CROWD = "votes", "crowd"
"""Standards: for those who judged, and for others like them."""


def sides_of(of_pool: Scores, scores: Sequence[Mapping[str, Score | None]]) -> dict[str, "Side"]:
    """Return what comparing the systems needs, for each crowd: by measure, all differences and variances.

    Parameters
    ----------
    of_pool : Scores
    scores : sequence of mapping of str to Score or None
        Of each system, by measure.
    """
    arrays: dict[str, dict[str, FloatArray]] = {THIS_CROWD: {}, ANOTHER_CROWD: {}}
    for name in scores[0] if scores else ():
        own = [one[name] for one in scores]
        differences = of_pool.differences(name)
        added = of_pool.added_by_crowds(name)
        others = [None if one is None else one.another_crowd for one in own]
        degrees = min((one.degrees_of_freedom for one in others if one is not None), default=np.inf)
        alone = {
            THIS_CROWD: [np.nan if one is None else one.this_crowd.variance for one in own],
            ANOTHER_CROWD: [np.nan if one is None else one.variance for one in others],
        }
        for standard, of_crowd in arrays.items():
            of_crowd[name] = np.array([np.nan if one is None else one.this_crowd.estimate for one in own])
            of_crowd[f"gaps of {name}"] = differences.estimates
            of_crowd[f"variances of {name}"] = differences.variances
            of_crowd[f"own of {name}"] = np.array(alone[standard])
        arrays[ANOTHER_CROWD][f"variances of {name}"] = differences.variances + np.where(
            np.isfinite(added), added, np.nan
        )
        arrays[ANOTHER_CROWD][f"degrees of {name}"] = np.array([degrees])
    return {standard: Side(of_crowd) for standard, of_crowd in arrays.items()}


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """An epoch's systems: estimates and the variances of their differences, by measure."""

    arrays: dict[str, FloatArray]

    def differences(self, other: "Side", measure: str) -> Differences:
        """Return how much more each has of a measure than each of a side: of one epoch, paired on inputs."""
        own, others = self.arrays[f"own of {measure}"], other.arrays[f"own of {measure}"]
        ends = [
            one.arrays[f"degrees of {measure}"]
            for one in (self, other)
            if f"degrees of {measure}" in one.arrays
        ]
        least = min((float(one[0]) for one in ends), default=np.inf)
        degrees = max(1, int(least)) if np.isfinite(least) else None
        if other is self:
            gaps, variances = (self.arrays[f"{name} of {measure}"] for name in ("gaps", "variances"))
        else:
            gaps = self.arrays[measure][:, None] - other.arrays[measure]
            variances = own[:, None] + others
        return Differences(gaps, variances, own, others, degrees)

    def difference_of(self, place: int, other: "Side", other_place: int, measure: str) -> Differences:
        """Return the same of one pair alone."""
        return self.differences(other, measure).take(np.array([place]), np.array([other_place]))
