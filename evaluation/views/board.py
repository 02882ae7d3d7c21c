"""The leaderboard as a page shows it: rows, one axis a column, and the choices."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from annotations.models import Corpus
from evaluation.choices import Choices
from evaluation.estimators.resampling import REPLICATES
from evaluation.registry import task_of
from evaluation.scoring import axis
from evaluation.scoring.leaderboard import rows
from evaluation.scoring.stored import Measures
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
    asked, choices = request.GET, task_of(corpus).choices
    level = asked.get("level", str(choices.level))
    if not level.isdecimal() or len(level) > 3:
        raise InvalidInput(f"{level!r} is none of {', '.join(map(str, choices.levels))}.", where="level")
    part = asked.get("part", choices.part)
    weighting = asked.get("weighting", choices.default_weighting(corpus.design))
    estimator = choices.check(
        corpus.design, level=int(level), part=part, weighting=weighting, estimator=asked.get("estimator")
    )
    return Choice(int(level), part, weighting, estimator)


def board(request: HttpRequest, corpus: Corpus) -> dict[str, Any]:
    """Return the context of ``evaluation/board.html`` for a corpus.

    Raises
    ------
    InvalidInput
        The address asks for a level, part, weighting or estimator that does not exist.
    """
    choices = task_of(corpus).choices
    choice = read_choice(request, corpus)
    found = rows(
        corpus,
        choices,
        level=choice.level,
        part=choice.part,
        weighting=choice.weighting,
        estimator=choice.estimator,
        viewer=request.user,
    )
    return {
        "scored": [row for row in found if row.is_scored],
        "unscored": [row for row in found if not row.is_scored],
        "columns": fit_columns(choices, (row.measures for row in found)),
        "ranked_by": choices.measures[choices.parts[choice.part].ranked_by],
        **offered(corpus, choice),
    }


def offered(corpus: Corpus, choice: Choice) -> dict[str, Any]:
    """Return the context of ``evaluation/parts/view.html``: what is shown, and what could be."""
    task = task_of(corpus)
    choices = task.choices
    return {
        "task": task,
        "choice": choice,
        "levels": choices.levels,
        "parts": choices.parts,
        "weightings": choices.named_weightings(corpus.design),
        "estimators": choices.named_estimators(corpus.design, choice.part),
        "estimated": choices.estimated_name(corpus.design),
        "replicates": REPLICATES if choice.estimator in choices.resampled else None,
    }


def fit_columns(choices: Choices, measured: Iterable[Measures]) -> Sequence[axis.Column]:
    """Fit one axis to each measure's column, and one to all: for a phone, where they stand in one."""
    ends: dict[str, list[float]] = {name: [] for name in choices.measures}
    for measures in measured:
        for name, one in measures.items():
            ends[name] += [end for end in (one.low, one.estimate, one.high) if end is not None]
    common = axis.fit(end for of_measure in ends.values() for end in of_measure)
    return [axis.Column(name, choices.measures[name], axis.fit(ends[name]), common) for name in ends]
