"""Two systems side by side, and what the data say of their difference."""

import math
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from annotations.models import Corpus
from evaluation.choices import Choices
from evaluation.models import Score, Submission
from evaluation.registry import task_of
from evaluation.scoring import comparing
from evaluation.scoring.axis import Axis
from evaluation.scoring.comparing import Compared
from evaluation.scoring.stored import Measure
from evaluation.submissions.visibility import KNOWN_NAME, KNOWN_TEAM, Viewer, find, systems_of
from evaluation.views.board import Choice, disagreement, offered, read_choice
from kbpo.core.errors import InvalidInput
from kbpo.core.revalidating import public_page
from kbpo_estimators.intervals import Interval
from kbpo_estimators.pairs import pair_level


@dataclass(frozen=True, slots=True)
class Line:
    """A measure of both systems as the page shows it."""

    name: str
    first: Measure
    second: Measure
    difference: Measure
    among: Measure
    sentence: str


@require_safe
@public_page
def compare(request: HttpRequest, tag: str) -> HttpResponse:
    """Compare the two systems that the address names; without them, ask for them."""
    corpus = get_object_or_404(Corpus, tag=tag)
    choice = read_choice(request, corpus)
    first, second = read_pair(request, corpus)
    lines: list[Line] = []
    lead: Line | None = None
    among, ranked = "", 0
    if first and second and first != second:
        choices = task_of(corpus).choices
        compared = compare_pair(first, second, choice)
        lines = [line(one, choices, first.shown_name, second.shown_name) for one in compared]
        ranked_by = choices.measures[choices.parts[choice.part].ranked_by]
        by_rank = [one for one in lines if one.sentence and one.name == ranked_by]
        lead = next(iter(by_rank), next((one for one in reversed(lines) if one.sentence), None))
        among = among_all(compared, choices, choice)
        ranked = max((one.among.systems for one in compared if one.among), default=0)
    context: dict[str, Any] = {
        "corpus": corpus,
        "first": first,
        "second": second,
        "systems": _offered(request.user, corpus, choice),
        "lines": lines,
        "lead": lead,
        "same_epoch": first and second and first.batch.epoch_id == second.batch.epoch_id if lines else None,
        "among": among,
        "disagreement": disagreement(corpus, choice.standard) if lines else None,
        "ranked": ranked,
        "axis": symmetric_axis([one.difference for one in lines]),
        "choice_fields": list(choice.named.items()),
        **offered(corpus, choice),
    }
    return render(request, "evaluation/compare.html", context)


def _offered(viewer: Viewer, corpus: Corpus, choice: Choice) -> list[tuple[int, str]]:
    """Return the systems that have scores, the best first: their numbers, and names with their ranks."""
    has_scores = Exists(Score.objects.filter(submission=OuterRef("pk")))
    systems = systems_of(viewer, corpus).filter(has_scores).order_by(KNOWN_NAME, "pk")
    scores = Score.objects.filter(
        submission__corpus=corpus,
        level=choice.level,
        part=choice.part,
        weighting=choice.weighting,
        estimator=choice.estimator,
        standard=choice.standard,
    )
    newest_last = scores.order_by("epoch__number", "batch__number", "pk")
    ranks: dict[int, int | None] = dict(newest_last.values_list("submission", "rank"))
    named = list(systems.values_list("pk", KNOWN_NAME, KNOWN_TEAM))
    named.sort(key=lambda one: ranks.get(one[0]) or math.inf)
    return [
        (pk, f"{name} ({team}){f', rank {ranks[pk]}' if ranks.get(pk) else ''}") for pk, name, team in named
    ]


def read_pair(request: HttpRequest, corpus: Corpus) -> tuple[Submission | None, Submission | None]:
    """Read the two systems from the address.

    Raises
    ------
    Http404
        One does not exist, or not for this viewer.
    InvalidInput
        What stands for one is no number.
    """
    return _read_system(request, corpus, "a"), _read_system(request, corpus, "b")


def _read_system(request: HttpRequest, corpus: Corpus, name: str) -> Submission | None:
    asked = request.GET.get(name, "")
    if not asked:
        return None
    if not (asked.isascii() and asked.isdecimal() and len(asked) <= 18):
        raise InvalidInput(f"{asked[:40]!r} is not the number of a system.", where=name)
    viewer: Viewer = request.user
    return find(viewer, pk=int(asked), corpus=corpus)


def compare_pair(first: Submission, second: Submission, choice: Choice) -> list[Compared]:
    """Compare two systems under a choice; empty where one has no score."""
    return comparing.compare(
        first,
        second,
        task_of(first.corpus),
        level=choice.level,
        part=choice.part,
        weighting=choice.weighting,
        estimator=choice.estimator,
        standard=choice.standard,
    )


def line(compared: Compared, choices: Choices, first: str, second: str) -> Line:
    """Put one compared measure into figures and words."""
    return Line(
        choices.measures[compared.measure],
        _measure(compared.first),
        _measure(compared.second),
        _measure(compared.difference),
        _measure(None if compared.among is None else compared.among.difference),
        sentence(
            compared,
            choices.measures[compared.measure],
            first,
            second,
            choices.is_share,
            compared.measure in choices.less_is_better,
        ),
    )


def sentence(
    compared: Compared,
    name: str,
    first: str,
    second: str,
    is_share: bool = True,
    is_less_better: bool = False,
) -> str:
    """Say what the data say of a difference in the measure of a name; empty where it is not estimable.

    Of a share there is more or less; on another scale somebody is above, and where less is better, below.

    Examples
    --------
    >>> gap = Interval(0.041, 0.012, 0.07)
    >>> sentence(Compared("f1", None, None, gap), "F1", "quorum", "maxim")
    'quorum has 4.1 points more F1 than maxim: between 1.2 and 7.0.'
    >>> sentence(Compared("edit", None, None, gap), "edits", "echo", "first", False, True)
    'In “edits” first is 4.1 points below echo, which is better: between 1.2 and 7.0.'
    """
    found = compared.difference
    if found is None:
        return ""
    low, estimate, high = (100 * value for value in (found.low, found.estimate, found.high))
    if found.low > 0 or found.high < 0:
        more, less = (first, second) if estimate > 0 else (second, first)
        least, most = sorted((abs(low), abs(high)))
        by = f"{abs(estimate):.1f} points"
        if is_share:
            found_more = f"{more} has {by} more {name} than {less}"
        elif is_less_better:
            found_more = f"In “{name}” {less} is {by} below {more}, which is better"
        else:
            found_more = f"In “{name}” {more} is {by} above {less}"
        return f"{found_more}: between {least:.1f} and {most:.1f}."
    return (
        f"The data do not tell the two apart in {name}: {first} may have anything from {abs(low):.1f} points"
        f" less to {abs(high):.1f} points more than {second}."
    )


def among_all(compared: list[Compared], choices: Choices, choice: Choice) -> str:
    """Say what becomes of the difference that ranks the part when all pairs of ranked systems are compared.

    Empty where that is not estimable; where there are two systems, so that nothing becomes of it; and, with
    the reason, where one of the two has no rank.
    """
    ranked_by = choices.parts[choice.part].ranked_by
    one = next((one for one in compared if one.measure == ranked_by and one.difference), None)
    if one is None:
        return ""
    if one.among is None:
        return "This is about the pair alone: ranks leave out a system of which too little is judged."
    if one.among.systems < 3:
        return ""
    found, systems = one.among.difference, one.among.systems
    counts = "it counts in the ranks" if one.among.is_significant else "for the ranks it is no difference"
    at = 100 * pair_level(choice.level / 100, systems)
    return (
        f"Among the {systems} ranked systems there are {systems * (systems - 1) // 2:,} pairs, of which some"
        f" seem to differ by chance. With {choice.level}% for all of them, {at:.4g}% for each, the difference"
        f" in {choices.measures[ranked_by]} is from {100 * found.low:+.1f} to {100 * found.high:+.1f} points:"
        f" {counts}."
    ).replace("-", "−")


def symmetric_axis(differences: list[Measure]) -> Axis:
    """Fit one axis to differences, 0 in its middle, to the next tenth."""
    ends = [abs(end) for one in differences for end in (one.low, one.high) if end is not None]
    reach = max(1, math.ceil(round(10 * max(ends, default=0.1), 9))) / 10
    return Axis(-reach, reach, (-reach, 0.0, reach))


def _measure(interval: Interval | None) -> Measure:
    if interval is None:
        return Measure(None, None, None, "not estimable")
    return Measure(interval.estimate, interval.low, interval.high)
