"""The leaderboard as a page shows it: rows, one axis a column, and the choices."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from annotations.models import Corpus
from evaluation.choices import Choices
from evaluation.estimators.resampling import REPLICATES
from evaluation.estimators.scores import VOTES
from evaluation.registry import task_of
from evaluation.scoring import axis
from evaluation.scoring.disagreement import Disagreement, read_disagreement
from evaluation.scoring.leaderboard import rows
from evaluation.scoring.stored import Measures, shown_standard
from kbpo.core.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Choice:
    """What of a score is shown.

    Attributes
    ----------
    level : int
        In per cent.
    part, weighting, estimator, standard : str
    standards : mapping of str to str
        What else could count as right, with its name: none where there is one alone.
    """

    level: int
    part: str
    weighting: str
    estimator: str
    standard: str
    standards: Mapping[str, str]

    @property
    def named(self) -> dict[str, Any]:
        """Return what an address says of it."""
        return {name: getattr(self, name) for name in ("level", "part", "weighting", "estimator", "standard")}


def read_choice(request: HttpRequest, corpus: Corpus) -> Choice:
    """Read what is to be shown from the address.

    Raises
    ------
    InvalidInput
        What is asked for does not exist.
    """
    asked = {name: str(said) for name, said in request.GET.items() if said}
    choices = task_of(corpus).choices
    level = asked.get("level", str(choices.level))
    if not level.isdecimal() or len(level) > 3:
        raise InvalidInput(f"{level!r} is none of {', '.join(map(str, choices.levels))}.", where="level")
    part = asked.get("part", choices.part)
    weighting = asked.get("weighting", choices.default_weighting(corpus.design))
    standards, shown = offered_standards(corpus, choices)
    standard = asked.get("standard", shown)
    estimator = choices.check(
        corpus.design,
        level=int(level),
        part=part,
        weighting=weighting,
        estimator=asked.get("estimator"),
        standard=standard,
    )
    return Choice(int(level), part, weighting, estimator, standard, standards)


def board(request: HttpRequest, corpus: Corpus) -> dict[str, Any]:
    """Return the context of ``evaluation/board.html`` for a corpus.

    Raises
    ------
    InvalidInput
        The address asks for a level, part, weighting, estimator or standard that does not exist.
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
        standard=choice.standard,
        viewer=request.user,
    )
    return {
        "scored": [row for row in found if row.is_scored],
        "unscored": [row for row in found if not row.is_scored],
        "columns": fit_columns(choices, (row.measures for row in found)),
        "disagreement": disagreement(corpus, choice.standard),
        "ranked_by": choices.measures[choices.parts[choice.part].ranked_by],
        **offered(corpus, choice),
    }


def disagreement(corpus: Corpus, standard: str) -> Disagreement | None:
    """Read how much judges' errors may matter to scores that take their votes for the truth."""
    return read_disagreement(corpus) if standard == VOTES else None


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
        "standards": choice.standards,
        "estimated": choices.estimated_name(corpus.design),
        "replicates": REPLICATES if choice.estimator in choices.resampled else None,
    }


def offered_standards(corpus: Corpus, choices: Choices) -> tuple[dict[str, str], str]:
    """Return what may count as right in a corpus' scores, and what is shown first; names only of several."""
    shown = shown_standard(corpus, choices)
    is_alone = shown == choices.standards_of[corpus.design][-1]
    return {} if is_alone else choices.named_standards(corpus.design), shown


def fit_columns(choices: Choices, measured: Iterable[Measures]) -> Sequence[axis.Column]:
    """Fit one axis to each measure's column, and one to all: for a phone, where they stand in one.

    It ends at twice the largest estimate where the scale goes on: one interval would else hide the others.
    """
    ends: dict[str, list[float]] = {name: [] for name in choices.measures}
    most: dict[str, float] = dict.fromkeys(choices.measures, 1.0)
    for measures in measured:
        for name, one in measures.items():
            ends[name] += [end for end in (one.low, one.estimate, one.high) if end is not None]
            most[name] = max(most[name], 2.0 * (one.estimate or 0.0))
    ends = {name: [min(end, most[name]) for end in of_measure] for name, of_measure in ends.items()}
    common = axis.fit(end for of_measure in ends.values() for end in of_measure)
    return [axis.Column(name, choices.measures[name], axis.fit(ends[name]), common) for name in ends]
