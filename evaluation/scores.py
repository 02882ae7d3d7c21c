"""Scores as a task hands them over: rows of measures, and what comparing systems rests on."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from evaluation.models import Epoch
from kbpo_estimators.differences import Differences
from kbpo_estimators.intervals import Interval
from kbpo_estimators.pooled import PooledModel
from kbpo_estimators.scores import VOTES

Measured = Mapping[str, Interval | None]
"""What is estimated, by the name of its measure; None where it is not estimable."""


class Choice(NamedTuple):
    """One of a task's ways to score: keys of its `Choices`."""

    estimator: str
    weighting: str
    part: str
    standard: str


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """What is estimated of a system in one way, at one level.

    Attributes
    ----------
    system : int
        Its position among the pool's systems.
    choice : Choice
    level : int
        Of the intervals, in per cent.
    measures : mapping of str to Interval or None
        All of the task's.
    labels : int
        The labelled units of the system that they rest on.
    counts : mapping of str to int or None
        What else they rest on, by names of the task's own.
    """

    system: int
    choice: Choice
    level: int
    measures: Measured
    labels: int
    counts: Mapping[str, int | None]


@dataclass(frozen=True, slots=True)
class SubsetRow:
    """What is estimated of a subset of a system's units; no figure where there are too few labels.

    Attributes
    ----------
    system : int
    subset : int
        Its position in `Divided.names`.
    part : str
    measures : mapping of str to Interval or None
    labels : int or None
    true : int or None
        How much that is true is known of the subset, for `Choices.of_truth`.
    standard : str
        What counts as right.
    """

    system: int
    subset: int
    part: str
    measures: Measured
    labels: int | None
    true: int | None
    standard: str = VOTES


@dataclass(frozen=True, eq=False)
class Divided:
    """The scores of one division: its key in `Task.subsets`, its subsets' names in order, and their rows."""

    name: str
    names: Sequence[str]
    rows: Iterable[SubsetRow]


class Side(Protocol):
    """The systems of one epoch under one choice, as comparing them needs them."""

    def differences(self, other: Any, measure: str) -> Differences:
        """Return how much more each system has of a measure than each of a side, paired on what they share.

        Parameters
        ----------
        other : Side
            Of the same task; this one, or another epoch's.
        measure : str
        """

    def difference_of(self, place: int, other: Any, other_place: int, measure: str) -> Differences:
        """Return the same of one pair alone, which of a thousand systems is a millionth of the work.

        Parameters
        ----------
        place : int
            Of one system, in the order of the arrays.
        other : Side
            As above.
        other_place : int
            Of the other one.
        measure : str
        """


ReadSide = Callable[[bytes | memoryview, Epoch], Side]
"""Makes the side of an epoch from what its task stored for it."""


@dataclass(frozen=True, eq=False)
class ScoredPart:
    """The scores of some choices.

    Attributes
    ----------
    rows : iterable of ScoreRow
    comparisons : iterable of (Choice, bytes)
        For each choice what `Task.sides` reads.
    name : str
        Of the part that they are about.
    model : PooledModel or None
        What they take from the labels of all systems; None where nothing.
    """

    rows: Iterable[ScoreRow]
    comparisons: Iterable[tuple[Choice, bytes]]
    name: str
    model: PooledModel | None = None


@dataclass(frozen=True, eq=False)
class Scored:
    """What is estimated of a pool's systems.

    Attributes
    ----------
    parts : iterable of ScoredPart
        Few choices at a time, so that they need not be in memory together.
    rule : str
        By which a true statement counts as found; empty where nothing is found.
    """

    parts: Iterable[ScoredPart]
    rule: str
