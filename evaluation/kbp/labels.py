"""What is known of the sampled instances of a KBP pool, by part."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from evaluation.estimators.pooled import Entries

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

PARTS = ("all", "relation", "linking")


@dataclass(frozen=True, eq=False)
class Labels:
    """What is known of the sampled instances; NaN where an instance is not in the sample.

    Attributes
    ----------
    relation : float[N]
        Whether the relation holds, over the pool.
    linking : sequence of float[n_i]
        For each system, whether all canonical mentions of its prediction are right.
    """

    parts: ClassVar[Sequence[str]] = PARTS
    relation: FloatArray
    linking: Sequence[FloatArray]

    @property
    def size(self) -> int:
        """N."""
        return self.relation.size

    def of(self, system: int, rows: IntArray, part: str) -> FloatArray:
        """Return f_i for a part, over the instances of system i."""
        if part == "relation":
            return self.relation[rows]
        if part == "linking":
            return self.linking[system]
        return self.relation[rows] * self.linking[system]

    def of_entries(self, entries: Entries, sampled: BoolArray) -> Mapping[str, FloatArray]:
        """Return by part f_i for each entry, as `evaluation.estimators.scores.Labels` says."""
        relation = self.relation[sampled][entries.positions]
        ends = entries.indptr[:: entries.systems // len(self.linking)]
        linking = np.concatenate(
            [right[own] for right, own in zip(self.linking, np.split(entries.own, ends[1:-1]), strict=True)]
        )
        return {"all": relation * linking, "relation": relation, "linking": linking}
