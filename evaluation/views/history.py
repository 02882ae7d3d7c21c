"""How the scores of a submission changed: its file, and the address of what they were."""

import json
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotations.models import Corpus
from evaluation.models import Submission
from evaluation.registry import task_of
from evaluation.scoring.published import citing, history, timeline
from evaluation.scoring.published.history import Change
from evaluation.scoring.published.names import Named, name_systems
from evaluation.submissions.visibility import find
from evaluation.task import Task
from evaluation.views.board import fit_columns
from evaluation.views.snapshots import csv_lines
from kbpo.core.revalidating import public_page

SHOWN = 10
"""Changes in the table of a submission's page; the file has all."""


@require_safe
@public_page
def history_file(request: HttpRequest, pk: str, kind: str) -> HttpResponse:
    """Send how the scores of a submission changed, as CSV or JSON."""
    found = find(request.user, pk=int(pk))
    rows = history.table(found, history.changes(found))
    if kind == "csv":
        response = HttpResponse(
            "".join(csv_lines(history.COLUMNS, rows)), content_type="text/csv; charset=utf-8"
        )
    else:
        response = HttpResponse(json.dumps(list(rows)), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="submission-{pk}-history.{kind}"'
    return response


@require_safe
@public_page
def score(request: HttpRequest, pk: str, number: str) -> HttpResponse:
    """Show the scores of a system from one change on, whatever became of them, and of the system."""
    named, corpus, change = find_score(request, int(pk), int(number))
    task = task_of(corpus)
    choices = task.choices
    standard = change.standard(choices, corpus.design)
    shown = [
        (choices.parts[part], change.measures(choices, part, standard))
        for part in choices.parts_of_scores
        if any(column[0] == part for column in change.figures)
    ]
    context = {
        "named": named,
        "corpus": corpus,
        "task": task,
        "change": change,
        "scores": shown,
        "columns": fit_columns(choices, (measures for _, measures in shown)),
        "averaged": choices.named_weightings(corpus.design).get(next(iter(change.figures))[1], ""),
        "standard_words": choices.standards[standard] if len(choices.standards_of[corpus.design]) > 1 else "",
        "level": next(iter(change.figures))[4],
        "citation": citing.cite_score(named, corpus, change, choices, standard, site_of(request)),
    }
    return render(request, "evaluation/score.html", context)


def find_score(request: HttpRequest, pk: int, number: int) -> tuple[Named, Corpus, Change]:
    """Find the scores of a system from one change on, or answer 404.

    What everybody could see stays to be seen, under the name that the system has today.
    """
    submission = get_object_or_404(Submission.objects.select_related("corpus"), pk=pk)
    change = history.find_change(submission, number)
    named = name_systems([pk], request.user)[pk]
    if change is None or not (named.is_shown or change.is_public or _was_withdrawn_in_public(submission)):
        raise Http404("no such score")
    return named, submission.corpus, change


def site_of(request: HttpRequest) -> str:
    """Return the site's address, without a slash at its end."""
    return request.build_absolute_uri("/")[:-1]


def context_of(request: HttpRequest, found: Submission, task: Task) -> dict[str, Any]:
    """Return the context of ``evaluation/parts/history.html`` and of what is cited; empty without scores."""
    changes = history.changes(found, newest=timeline.MOST - 1)
    if not changes:
        return {}
    choices, last = task.choices, changes[-1]
    size = last.number
    standard = last.standard(choices, found.corpus.design)
    ranked_by = choices.parts[choices.part].ranked_by
    told = [(one, one.measures(choices, choices.part, standard)) for one in changes]
    picture = timeline.draw(
        [(one.at, measures[ranked_by]) for one, measures in told],
        name=choices.measures[ranked_by],
        until=timezone.now(),
        left_out=size - len(told),
    )
    named = Named(found.pk, found.shown_name, found.shown_team, True)
    return {
        "history": [(one, measures) for one, measures in reversed(told[-SHOWN:])],
        "history_size": size,
        "history_measures": [(name, choices.measures[name]) for name in choices.parts[choices.part].measures],
        "history_level": next(iter(last.figures))[4],
        "timeline": picture,
        "timeline_of": choices.measures[ranked_by],
        "part_name": choices.parts[choices.part].name if len(choices.parts_of_scores) > 1 else "",
        "citation": citing.cite_score(named, found.corpus, last, choices, standard, site_of(request)),
        "system_citation": citing.cite_system(found, site_of(request)),
    }


def _was_withdrawn_in_public(submission: Submission) -> bool:
    return submission.state == Submission.State.WITHDRAWN and submission.is_public
