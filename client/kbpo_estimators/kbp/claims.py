"""What people said of a pool's sampled claims: from arrays to labels, and to an audit of these."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from kbpo_estimators.judging.audited import Audit, AuditedLabels
from kbpo_estimators.judging.drawing import doubts
from kbpo_estimators.judging.sampled import SampleAudit, numbered
from kbpo_estimators.kbp.labels import BoolArray, FloatArray, IntArray, Labels, NeededLabels


class Claimant(Protocol):
    """A system's claims."""

    @property
    def rows(self) -> IntArray:
        """Return their positions in the pool, int[n], each once."""


@dataclass(frozen=True, eq=False)
class SampledLabels:
    """What is known of a pool's sample: C claims, and the Q questions that settle their canonical mentions.

    Attributes
    ----------
    system, unit : int[C]
        Which system makes each, from 0, ascending, and at which position of the pool.
    sides : int[2, C]
        Which question settles the canonical mention of subject and object; −1 for an object that has none, Q
        where it has no label.
    values, answers : float[Q]
        Of each one's label, and what an audit says, NaN where it says nothing.
    votes, dissenting : int[Q]
        The votes, 0 where none decided, and how many dissent.
    """

    system: IntArray
    unit: IntArray
    sides: IntArray
    values: FloatArray
    answers: FloatArray
    votes: IntArray
    dissenting: IntArray

    def take(self, chosen: IntArray) -> "SampledLabels":
        """Return some of the claims."""
        return replace(self, system=self.system[chosen], unit=self.unit[chosen], sides=self.sides[:, chosen])

    def right(self) -> FloatArray:
        """Say whether both canonical mentions of each claim are right: 0 or 1, NaN where one has no label."""
        subject, object_ = np.append(self.values, [np.nan, 1.0])[self.sides]  # −1 is the last
        return np.asarray(subject * object_)


def sample_labels(systems: Sequence[Claimant], relation: FloatArray, claims: SampledLabels) -> Labels:
    """Return what is known of a pool's instances.

    Parameters
    ----------
    systems : sequence of Claimant
    relation : float[N]
        Whether each holds, NaN where it is not in the sample.
    claims : SampledLabels
        Those at other instances are not looked at: a later batch may wait for labels at what it has drawn.
    """
    claims = claims.take(np.flatnonzero(claims.sides[0] < claims.values.size))
    claims = claims.take(np.flatnonzero(~np.isnan(relation)[claims.unit]))
    return Labels(relation, _by_system(systems, relation.size, claims.system, claims.unit, claims.right()))


def audited_labels(
    systems: Sequence[Claimant],
    pi: FloatArray,
    sampled: BoolArray,
    labels: Labels,
    claims: SampledLabels,
    audit: SampleAudit,
    kinds: tuple[str, str],
) -> NeededLabels | None:
    """Return the audit of the labels of the sampled instances.

    What a canonical mention's label is about is one instance: the same question at two instances is two
    labels, each audited where its instance is.

    Parameters
    ----------
    systems : sequence of Claimant
    pi : float[N]
    sampled : bool[N]
    labels : Labels
    claims : SampledLabels
    audit : SampleAudit
    kinds : (str, str)
        As in `NeededLabels`.

    Returns
    -------
    NeededLabels or None
        None unless the audit is complete: drawn for all, and answered wherever it was drawn.
    """
    claims = claims.take(np.flatnonzero(sampled[claims.unit]))
    position = (np.cumsum(sampled) - 1)[claims.unit]
    claim, side = (((claims.sides >= 0) & (claims.sides < claims.values.size)).T).nonzero()
    # One claim after the other, by system, then instance: whatever order Postgres has them in.
    order = np.lexsort((side, position[claim], claims.system[claim]))
    claim, side = claim[order], side[order]
    place, question = position[claim], claims.sides[side, claim]
    asked = numbered(question)
    _, first, unit = np.unique(
        place * (asked.max(initial=0) + 1) + asked, return_index=True, return_inverse=True
    )
    of_unit, instances = question[first], place[first]
    value = claims.values[of_unit]
    answers = np.where(audit.audited[instances], claims.answers[of_unit], np.nan)
    if (audit.audited[instances] & np.isnan(answers)).any():
        return None
    votes = claims.votes[of_unit]
    audited = (
        AuditedLabels(np.arange(audit.rho.size), labels.relation[sampled], audit.answers, audit.doubts),
        AuditedLabels(
            instances,
            value,
            answers,
            doubts(
                value,
                votes,
                np.minimum(claims.dissenting[of_unit], votes),
                np.full(value.size, value.mean() if value.size else 0.5),
            ),
        ),
    )
    of_sides = [
        _by_system(systems, sampled.size, claims.system[claim[own]], claims.unit[claim[own]], unit[own])
        for own in (side == 0, side == 1)
    ]
    return NeededLabels(
        Audit(
            pi[sampled],
            audit.questions,
            audit.rho,
            audit.audited,
            dict(zip(kinds, audited, strict=True)),
        ),
        kinds,
        [[np.nan_to_num(own, nan=-1).astype(np.int64) for own in of_side] for of_side in of_sides],
    )


def _by_system(
    systems: Sequence[Claimant],
    size: int,
    system: IntArray,
    unit: IntArray,
    values: FloatArray | IntArray,
) -> Sequence[FloatArray]:
    """Return for each system the values of its instances, NaN where there is none; `system` ascends."""
    ends = np.searchsorted(system, np.arange(1, len(systems)))
    over_pool = np.full(size, np.nan)
    found = []
    for one, own, given in zip(systems, np.split(unit, ends), np.split(values, ends), strict=True):
        over_pool[own] = given
        found.append(over_pool[one.rows])
        over_pool[own] = np.nan
    return found
