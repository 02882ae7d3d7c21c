"""What is known of the sampled instances of a KBP pool, by part."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from kbpo_estimators.judging.audited import Audit
from kbpo_estimators.pooled import Entries

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Values = TypeVar("Values", FloatArray, IntArray)

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
        """Return by part f_i for each entry, as `kbpo_estimators.scores.Labels` says."""
        relation = self.relation[sampled][entries.positions]
        linking = _of_entries(self.linking, entries)
        return {"all": relation * linking, "relation": relation, "linking": linking}


@dataclass(frozen=True, eq=False)
class NeededLabels:
    """The audit of the labels of a pool's sample, and which of them each prediction needs.

    Attributes
    ----------
    audit : Audit
        Its labels of the first kind are of the sampled instances, in the order of the pool.
    kinds : (str, str)
        Of the questions about relations, and about canonical mentions.
    mentions : sequence of sequence of int[n_i]
        For subject and object, for each system: the position of the label of the canonical mention that it
        gives at each of its instances; −1 where it needs none, or the instance is not in the sample.
    """

    audit: Audit
    kinds: tuple[str, str]
    mentions: Sequence[Sequence[IntArray]]

    def needs(self, entries: Entries, part: str) -> tuple[Sequence[str], IntArray]:
        """Return the labels that each entry needs, as `kbpo_estimators.scores.AuditedLabels` says."""
        relation, mention = self.kinds
        kinds: list[str] = []
        units: list[IntArray] = []
        if part != "linking":
            kinds.append(relation)
            units.append(entries.positions)
        if part != "relation":
            kinds += [mention] * len(self.mentions)
            units += [_of_entries(side, entries) for side in self.mentions]
        return kinds, np.stack(units)


def _of_entries(values: Sequence[Values], entries: Entries) -> Values:
    """Return what each system has at its instances, for each entry of the systems or of groups of theirs."""
    ends = entries.indptr[:: entries.systems // len(values)]
    own = np.split(entries.own, ends[1:-1])
    return np.concatenate([one[places] for one, places in zip(values, own, strict=True)])
