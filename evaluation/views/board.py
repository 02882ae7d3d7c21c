"""The leaderboard as a page shows it: rows, one axis a column, and the choices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from annotations.models import Corpus
from evaluation.scoring import axis
from evaluation.scoring.leaderboard import (
    ESTIMATOR_NAMES,
    ESTIMATORS,
    LEVELS,
    PARTS,
    WEIGHTINGS_OF,
    Measure,
    check_choice,
    rows,
)
from kbpo.core.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Choice:
    """What of a score is shown.

    Attributes
    ----------
    level : int
        In per cent.
    part, weighting, estimator : str
    """

    level: int
    part: str
    weighting: str
    estimator: str


def read_choice(request: HttpRequest, corpus: Corpus) -> Choice:
    """Read what is to be shown from the address.

    Raises
    ------
    InvalidInput
        What is asked for does not exist.
    """
    asked = request.GET
    level = asked.get("level", "95")
    if not level.isdecimal() or len(level) > 3:
        raise InvalidInput(f"{level!r} is none of {', '.join(map(str, LEVELS))}.", where="level")
    part, weighting = asked.get("part", "all"), asked.get("weighting", "subject_relation")
    estimator = check_choice(
        corpus, level=int(level), part=part, weighting=weighting, estimator=asked.get("estimator")
    )
    return Choice(int(level), part, weighting, estimator)


def board(request: HttpRequest, corpus: Corpus) -> dict[str, Any]:
    """Return the context of ``evaluation/board.html`` for a corpus.

    Raises
    ------
    InvalidInput
        The address asks for a level, part, weighting or estimator that does not exist.
    """
    choice = read_choice(request, corpus)
    found = rows(
        corpus,
        level=choice.level,
        part=choice.part,
        weighting=choice.weighting,
        estimator=choice.estimator,
        viewer=request.user,
    )
    return {
        "scored": [row for row in found if row.is_scored],
        "unscored": [row for row in found if not row.is_scored],
        "axes": fit_axes([(row.precision, row.recall, row.f1) for row in found]),
        "choice": choice,
        "levels": LEVELS,
        "parts": PARTS,
        "weightings": WEIGHTINGS_OF[corpus.design],
        "estimators": {name: ESTIMATOR_NAMES[name] for name in ESTIMATORS[corpus.design]},
    }


def fit_axes(measured: Sequence[tuple[Measure, Measure, Measure]]) -> Mapping[str, axis.Axis]:
    """Fit one axis to each of the three columns, and one to all: for a phone, where they stand in one."""
    columns = {"precision": [0], "recall": [1], "f1": [2], "all": [0, 1, 2]}
    return {
        name: axis.fit(
            end
            for row in measured
            for index in indices
            for end in (row[index].low, row[index].estimate, row[index].high)
            if end is not None
        )
        for name, indices in columns.items()
    }
