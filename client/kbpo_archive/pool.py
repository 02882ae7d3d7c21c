"""What the scores of every task rest on, from the tables of an archive: systems, samples, labels, audits."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from kbpo_archive.reading import NOTHING, Archive, Columns
from kbpo_archive.tables import WEIGHT
from kbpo_estimators._checks import BoolArray, FloatArray, IntArray
from kbpo_estimators.judging.sampled import SampleAudit, numbered
from kbpo_estimators.scores import System


@dataclass(frozen=True)
class ArchivedPool:
    """The pool of an archive.

    Attributes
    ----------
    archive : Archive
    """

    archive: Archive

    @cached_property
    def table_of_systems(self) -> Columns:
        """The systems."""
        return self.archive.table("systems")

    @cached_property
    def units(self) -> Columns:
        """The units."""
        return self.archive.table("units")

    @cached_property
    def predictions(self) -> Columns:
        """The predictions, one system after the other."""
        return self.archive.table("predictions")

    @cached_property
    def labels(self) -> "ArchivedLabels":
        """The labels."""
        return ArchivedLabels.of(self.archive)

    @property
    def size(self) -> int:
        """N: the units."""
        return len(self.units["unit"])

    @property
    def sampled(self) -> BoolArray:
        """Whether each unit is in the sample."""
        found: BoolArray = self.units["sampled"]
        return found

    @property
    def flat_pi(self) -> FloatArray | None:
        """π had every variance been planned as ¼; None where that is π."""
        flat: FloatArray = self.units["flat_pi"]
        return None if np.isnan(flat).all() else flat

    @cached_property
    def ends(self) -> IntArray:
        """Where the predictions of each system but the first begin."""
        first: IntArray = self.table_of_systems["system"][1:]
        return np.searchsorted(self.predictions["system"], first)

    def split(self, column: str) -> list[Any]:
        """Return a column of the predictions, system by system."""
        values = self.predictions[column]
        return np.split(
            values if isinstance(values, np.ndarray) else np.array(values, dtype=object), self.ends
        )

    @cached_property
    def systems(self) -> list[System]:
        """The systems, as scores need them."""
        names = [name for name in self.predictions if name.startswith(WEIGHT)]
        columns = [self.split(name) for name in names]
        weights = [name.removeprefix(WEIGHT) for name in names]
        return [
            System(rows, dict(zip(weights, own, strict=True)), confidence, team)
            for rows, confidence, team, *own in zip(
                self.split("unit"),
                self.split("confidence"),
                self.table_of_systems["team"].tolist(),
                *columns,
                strict=True,
            )
        ]

    def values(self) -> FloatArray:
        """Return the value of each sampled unit's claim; NaN where none is sampled."""
        units, sampled = self.units, np.flatnonzero(self.sampled)
        found = np.full(self.size, np.nan)
        at = [
            self.labels.place.get((question, claim), NOTHING)
            for question, claim in zip(
                units["question"][sampled].tolist(), (units["claim"][one] for one in sampled), strict=True
            )
        ]
        found[sampled] = np.append(self.labels.value, np.nan)[at]
        return found

    def audit(self, answers: FloatArray) -> SampleAudit | None:
        """Return the audit of the sample; None unless it is complete.

        Parameters
        ----------
        answers : float[S]
            What it says of each sampled unit.
        """
        if not self.archive.has("audits"):
            return None
        table = self.archive.table("audits")
        asked = self.units["question"][self.sampled]
        order = np.argsort(table["question"])
        known = table["question"][order]
        at = np.searchsorted(known, asked)
        found = known.take(at, mode="clip") == asked if known.size else np.zeros(asked.size, dtype=np.bool_)
        if not found.all():
            return None
        own = order[at]
        return SampleAudit.of(
            numbered(asked), table["rho"][own], table["drawn"][own], table["doubt"][own], answers
        )


@dataclass(frozen=True, eq=False)
class ArchivedLabels:
    """The labels of an archive, and what audits say of them.

    Attributes
    ----------
    question : int[L]
    claim : list of str
    value, answer : float[L]
        NaN where an audit says nothing; where no vote decided, its answer is the label.
    votes, dissenting : int[L]
        0 votes where none decided.
    place : dict of (int, str) to int
        Where the label of a question's claim stands.
    """

    question: IntArray
    claim: list[str]
    value: FloatArray
    answer: FloatArray
    votes: IntArray
    dissenting: IntArray
    place: dict[tuple[int, str], int]

    @classmethod
    def of(cls, archive: Archive) -> "ArchivedLabels":
        """Read them."""
        labels, questions = archive.table("labels"), archive.table("questions")
        asks_again = {
            audited: question
            for question, audited in zip(
                questions["question"].tolist(), questions["audits"].tolist(), strict=True
            )
            if audited != NOTHING
        }
        keys = list(zip(labels["question"].tolist(), labels["claim"], strict=True))
        place = {key: number for number, key in enumerate(keys)}
        by_votes = np.array([source == "majority" for source in labels["source"]], dtype=np.bool_)
        again = [place.get((asks_again.get(question, NOTHING), claim), NOTHING) for question, claim in keys]
        value = labels["value"]
        return cls(
            labels["question"],
            labels["claim"],
            value,
            np.where(by_votes, np.append(value, np.nan)[again], value) if keys else value,
            np.where(by_votes, labels["votes"], 0),
            np.where(value == 1, labels["votes"] - labels["votes_for"], labels["votes_for"]),
            place,
        )
