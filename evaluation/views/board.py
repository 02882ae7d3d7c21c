"""The leaderboard as a page shows it: rows, one axis a column, and the choices."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from annotations.models import Corpus
from evaluation.choices import Choices
from evaluation.registry import task_of
from evaluation.scoring import axis, listing, plane
from evaluation.scoring.disagreement import Disagreement, read_disagreement
from evaluation.scoring.leaderboard import rows
from evaluation.scoring.listing import Found
from evaluation.scoring.plane import Plane
from evaluation.scoring.stored import Measures, shown_standard
from evaluation.submissions.standing_for import count_runs
from evaluation.views.listing import headings, read_columns, read_listing
from kbpo.core.errors import InvalidInput
from kbpo_estimators.resampling import REPLICATES
from kbpo_estimators.scores import VOTES

LEAST_LABELS = (100, 300, 1000)
"""How many labels a system may be asked to have, beside as many as a rank needs."""
KEPT = ("corpus", "level", "part", "weighting", "estimator", "standard")
"""What of an address a search or a filter leaves as it is."""
LEAST_DRAWN = 2
"""Systems of which there is a picture."""


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
        The address asks for a level, part, weighting, estimator, standard, column or row that does not exist.
    """
    choices = task_of(corpus).choices
    choice = read_choice(request, corpus)
    asked, shown = read_listing(request, corpus), read_columns(request, choices)
    part = choices.parts[choice.part]
    found = rows(corpus, choices, **choice.named, viewer=request.user)
    page = listing.find(
        found,
        asked,
        choices,
        ranked_by=part.ranked_by,
        runs_of=count_runs(corpus) if asked.runs == listing.ONE else None,
    )
    columns = fit_columns(choices, (row.measures for row in page.every))
    ranks = [one.row.rank for one in page.scored if one.row.rank is not None]
    return {
        "found": page,
        "is_empty": not found,
        "listing": asked,
        "headings": headings(asked, choices, part.ranked_by),
        "columns": [column for column in columns if column.measure in shown],
        "counted_shown": [one for name, one in choices.counts.items() if name in shown],
        "facts": [name for name in ("labels", *choices.counts, *listing.FACTS) if name in shown],
        "shown": shown,
        "offered_columns": listing.columns(choices),
        "teams": listing.teams(found),
        "least_labels": (choices.ranked_from, *LEAST_LABELS),
        "has_baselines": any(row.is_baseline for row in found),
        "kept": [(one, said) for one, said in request.GET.items() if one in KEPT and said],
        "has_own": any(row.is_own for row in found),
        "is_as_usual": not any(request.GET.get(name) for name in choice.named),
        "shown_words": _shown_words(corpus, choices, choice),
        "plane": _plane(choices, choice, page),
        "plane_across": choices.measures[choices.plane[0]] if choices.plane else "",
        "plane_up": choices.measures[choices.plane[1]] if choices.plane else "",
        "ranks_fall": not asked.sort and ranks != sorted(ranks),
        "page_before": page.page - 1,
        "page_after": page.page + 1,
        "comparable": sum(row.is_scored for row in found) > 1,
        "disagreement": disagreement(corpus, choice.standard),
        "ranked_by": choices.measures[part.ranked_by],
        **offered(corpus, choice),
    }


def _shown_words(corpus: Corpus, choices: Choices, choice: Choice) -> str:
    """Say in few words what of a score is shown, of what there is to choose."""
    said = [choices.parts[choice.part].name] if len(choices.parts) > 1 else []
    weightings = choices.named_weightings(corpus.design)
    said += [weightings[choice.weighting]] if len(weightings) > 1 else []
    return ", ".join([*said, f"{choice.level}% intervals"])


def _plane(choices: Choices, choice: Choice, page: Found) -> Plane | None:
    part = choices.parts[choice.part]
    if choices.plane is None or not set(choices.plane) <= set(part.measures) or len(page.every) < LEAST_DRAWN:
        return None
    named = {one.row.submission for one in page.scored}
    return plane.draw(page.every, choices.plane, has_equal_f1=choices.has_equal_f1, named=named)


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

    A measure that nobody has a figure of has no column, unless none has any.
    It ends at twice the largest estimate where the scale goes on: one interval would else hide the others.
    """
    rows = list(measured)
    ends: dict[str, list[float]] = {}
    for name in choices.measures:
        found = [one for measures in rows if (one := measures.get(name)) and one.estimate is not None]
        estimates = [one.estimate for one in found if one.estimate is not None]
        most = max(1.0, 2.0 * max(estimates, default=0.0))
        known = [*estimates, *(end for one in found for end in one[1:3] if end is not None)]
        ends[name] = [min(min(known), most), min(max(known), most)] if known else []
    common = axis.fit(end for of_measure in ends.values() for end in of_measure)
    has_any = any(ends.values())
    return [
        axis.Column(name, choices.measures[name], axis.fit(of_measure), common)
        for name, of_measure in ends.items()
        if of_measure or not has_any
    ]
