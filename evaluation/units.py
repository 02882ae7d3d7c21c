"""Units: what is sampled, and shared by the systems that predict it. What one is, is its task's to say."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evaluation.models import Epoch, SampleBatch, Submission
from kbpo_estimators.scores import System

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


class Units(Protocol):
    """The units that a submission predicts, in the order of their keys: every sum and draw is made in it."""

    @property
    def keys(self) -> Sequence[str]:
        """Return the units' keys, ascending."""

    @property
    def ids(self) -> IntArray:
        """Return their row ids, int[n]."""

    @property
    def p(self) -> FloatArray:
        """Return p of the default weighting as it was stored with the file, float[n], which sums to 1."""

    @property
    def confidence(self) -> FloatArray:
        """Return the confidence of each prediction, float[n]."""


@dataclass(frozen=True, eq=False)
class Plan:
    """How uncertain the labels of a submission's n units are planned to be, and what that was computed from.

    Attributes
    ----------
    variance : float[n]
        s², in (0, ¼].
    version, matching : str
        What the features are and how they were fitted; the rule by which units were right.
    error_ratio : float
    coefficients : list of list of float
        For each fold, the intercept first.
    evidence : bytes
        The units that it was learnt from, their folds and labels.
    annotations : list of (int, str)
        Row id and digest of the annotation of each document that these are in.
    units : int
        How many they are.
    """

    variance: FloatArray
    version: str
    matching: str
    error_ratio: float
    coefficients: list[list[float]]
    evidence: bytes
    annotations: list[tuple[int, str]]
    units: int


@dataclass(frozen=True, eq=False)
class Alternative:
    """One way to judge a submission: what its n units are planned to vary by then.

    Attributes
    ----------
    name : str
    label, words : str
        What it is called, and what its plan rests on, for people.
    variance : float[n]
        s².
    votes : float
        How many a question takes on average.
    share : float
        What comes of it if it is judged alone, as a share of the target half-width.
    is_reached : bool
        Whether the target is met then.
    efficiency : float or None
        How many judgements one is worth; None where no number says it.
    is_taken : bool
        Whether its sample is planned in this way.
    is_bound : bool
        Whether nobody has it: it only says what is possible.
    """

    name: str
    label: str
    words: str
    variance: FloatArray
    votes: float
    share: float
    is_reached: bool
    efficiency: float | None
    is_taken: bool
    is_bound: bool


@dataclass(frozen=True, eq=False)
class Groups:
    """What one kind of question settles of a submission: k pieces, each at a unit, in groups.

    Attributes
    ----------
    kind : str
        Of question.
    group : int[k]
        Which question, from 0, settles each.
    unit : int[k]
        At which of the submission's units it is.
    is_shared : bool[k]
        Whether it is asked already wherever that unit is sampled.
    """

    kind: str
    group: IntArray
    unit: IntArray
    is_shared: BoolArray


@dataclass(frozen=True, eq=False)
class Foreseen:
    """A submission's n units in any order, and the questions that settle them.

    Attributes
    ----------
    ids : int[n]
    p : float[n]
    known : bool[n]
        As `Task.known` says.
    questions : sequence of Groups
        One for each kind of question.
    """

    ids: IntArray
    p: FloatArray
    known: BoolArray
    questions: Sequence[Groups]


@dataclass(frozen=True, eq=False)
class Pool:
    """The systems of an epoch's fully labelled batches and the units that they predict.

    The N units stand in the order in which systems brought them in, and those of one system in the order
    of their keys: an order that is the same in every database.

    Attributes
    ----------
    epoch : Epoch
    batches : list of SampleBatch
        1 to B; the last is the one whose design counts.
    submissions : list of Submission
        In the order of their arrival.
    systems : list of System
        Their rows in the order of their keys.
    folds : int[N]
    pi : float[N]
        π after the last batch, under `coordinated`; NaN under `iid`.
    sorted_ids : int[N]
        The units' row ids, ascending.
    position : int[N]
        Where each of these stands in the pool.
    flat_pi : float[N] or None
        π as it would be had every label been planned to be as uncertain as one can be, for what must not rest
        on labels of any kind; None where it is π itself.
    """

    epoch: Epoch
    batches: list[SampleBatch]
    submissions: list[Submission]
    systems: list[System]
    folds: IntArray
    pi: FloatArray
    sorted_ids: IntArray
    position: IntArray
    flat_pi: FloatArray | None = None

    @property
    def size(self) -> int:
        """N."""
        return self.sorted_ids.size

    def positions(self, ids: IntArray) -> IntArray:
        """Return where units of the pool stand in it."""
        return np.asarray(self.position[np.searchsorted(self.sorted_ids, ids)])
