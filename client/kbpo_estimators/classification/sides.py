"""The systems of one epoch, as comparing them needs them: estimates, and how they vary together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kbpo_estimators._checks import FloatArray
from kbpo_estimators.classification.estimates import MEASURES, Estimated, Scores
from kbpo_estimators.differences import Differences


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """An epoch's systems: estimates and their covariance, by measure.

    Attributes
    ----------
    arrays : dict of str to float array
    size : int
        How many systems there are.
    """

    arrays: dict[str, FloatArray]
    size: int

    @classmethod
    def of(cls, scores: Scores, overall: Sequence[Mapping[str, Estimated | None]]) -> "Side":
        """Return the systems of scores, from what `Scores.overall` says of each."""
        arrays: dict[str, FloatArray] = {}
        for name in MEASURES:
            estimates = [one[name] for one in overall]
            if any(one is None for one in estimates):
                continue  # too little is known of a class: of all systems alike
            arrays[name] = np.array([one.estimate for one in estimates if one is not None])
            arrays[f"covariance of {name}"] = scores.covariance(name)
        return cls(arrays, len(overall))

    def differences(self, other: "Side", measure: str) -> Differences:
        """Return how much more each has of a measure than each of a side: of one epoch, paired on it."""
        if measure not in self.arrays or measure not in other.arrays:
            nothing = np.full((self.size, other.size), np.nan)
            return Differences(nothing, nothing, nothing[:, 0], nothing[0], None)
        covariance = self.arrays[f"covariance of {measure}"]
        own, others = np.diagonal(covariance), np.diagonal(other.arrays[f"covariance of {measure}"])
        shared = covariance if other is self else 0.0
        variances = np.maximum(0.0, own[:, None] + others - 2 * shared)
        gaps = self.arrays[measure][:, None] - other.arrays[measure]
        return Differences(gaps, variances, own, others, None)

    def difference_of(self, place: int, other: "Side", other_place: int, measure: str) -> Differences:
        """Return the same of one pair alone."""
        return self.differences(other, measure).take(np.array([place]), np.array([other_place]))
