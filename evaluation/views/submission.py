"""One submission: where it stands, what was found in its file, how it scored, and what may be done."""

from dataclasses import dataclass
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from evaluation import finegrained, lifecycle
from evaluation import quota as quotas
from evaluation.estimators.subsets import LEAST_LABELS
from evaluation.leaderboard import (
    ESTIMATOR_NAMES,
    ESTIMATORS,
    LEVELS,
    PARTS,
    WEIGHTINGS,
    Measure,
    measure,
)
from evaluation.models import Score, Submission
from evaluation.progress import EVENTS, HEADINGS, next_step, progress, version
from evaluation.views.board import fit_axes
from evaluation.visibility import find, may_change
from kbpo.accounts.models import User
from kbpo.core.errors import InvalidInput

State = Submission.State
PROBLEMS = 20
MOVING = (State.UPLOADED, State.JUDGING)
COUNTS = {
    "entities": "Entities",
    "instances": "Claims to be judged",
    "turned": "Turned round or renamed",
    "merged_lines": "Lines that say the same as another",
}


@dataclass(frozen=True, slots=True)
class ShownScore:
    """A score as the page shows it: `words` say how claims are weighed."""

    score: Score
    part: str
    words: str
    precision: Measure
    recall: Measure
    f1: Measure


@require_safe
def submission(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a submission: all of it to its team and operators, what is published to everybody."""
    found = find(request.user, pk=pk)
    own = may_change(request.user, found)
    quota = None
    if own and found.state == State.ACCEPTED:
        quota = quotas.free_at(team=found.team, corpus=found.corpus, now=timezone.now())
    done = progress(found)
    events = [(event, EVENTS[event.state]) for event in found.events.all()]
    problems = found.problems.order_by("severity", "line", "pk") if own else found.problems.none()
    context = {
        "submission": found,
        "corpus": found.corpus,
        "own": own,
        "heading": HEADINGS[found.state],
        "next_step": next_step(found, quota),
        "progress": done,
        "events": events,
        "version": version(found, len(events), done),
        "problems": Paginator(problems, PROBLEMS).get_page(request.GET.get("page")),
        "is_moving": found.state in MOVING or (found.state == State.ACCEPTED and found.go_ahead),
        "may_go_ahead": own and found.state in (State.UPLOADED, State.ACCEPTED) and not found.go_ahead,
        "may_withdraw": own and found.state not in (State.WITHDRAWN, State.REFUSED, State.FAILED),
        "counts": [(name, found.counts[key]) for key, name in COUNTS.items() if key in found.counts],
        **_scores(request, found),
        **_subsets(request, found),
        "cost": finegrained.cost(found),
    }
    return render(request, "evaluation/submission.html", context)


@login_required
@require_POST
def act(request: HttpRequest, pk: int, action: str) -> HttpResponse:
    """Let a submission go ahead, withdraw it, or publish or hide it."""
    user = cast(User, request.user)
    found = find(user, pk=pk)
    if not may_change(user, found):
        raise Http404("no such submission")
    if action == "go-ahead":
        lifecycle.give_go_ahead(submission=found, user=user)
        messages.success(request, "It goes to the judges.")
    elif action == "withdraw":
        lifecycle.withdraw(submission=found, user=user)
        messages.success(request, f"{found.name} is withdrawn.")
    else:
        public = action == "publish"
        lifecycle.set_public(submission=found, user=user, is_public=public)
        shown = "Everybody can see it now." if public else "Only your team and the operators see it now."
        messages.success(request, shown)
    return redirect("submission", found.pk)


def _scores(request: HttpRequest, found: Submission) -> dict[str, Any]:
    """Read the newest scores at one level and with one estimator, for every part and weighting."""
    asked = request.GET.get("level", "95")
    if asked not in {str(level) for level in LEVELS}:
        raise InvalidInput(f"{asked!r} is none of {', '.join(map(str, LEVELS))}.", where="level")
    offered = ESTIMATORS[found.corpus.design]
    estimator = request.GET.get("estimator", offered[0])
    if estimator not in offered:
        raise InvalidInput(f"{estimator!r} is none of {', '.join(offered)}.", where="estimator")
    newest = (
        Score.objects.filter(submission=found, level=int(asked), estimator=estimator)
        .select_related("epoch")
        .order_by("part", "weighting", "-epoch__number", "-batch__number")
        .distinct("part", "weighting")
    )
    parts, weightings = list(PARTS), list(WEIGHTINGS)
    shown = [
        ShownScore(
            score,
            PARTS[score.part],
            WEIGHTINGS[score.weighting],
            measure(score, "precision"),
            measure(score, "recall"),
            measure(score, "f1"),
        )
        for score in sorted(newest, key=lambda one: (parts.index(one.part), weightings.index(one.weighting)))
    ]
    return {
        "scores": shown,
        "axes": fit_axes([(one.precision, one.recall, one.f1) for one in shown]),
        "spreads": finegrained.spreads(found, int(asked)),
        "level": int(asked),
        "levels": LEVELS,
        "estimator": estimator,
        "estimators": {name: ESTIMATOR_NAMES[name] for name in offered},
    }


def _subsets(request: HttpRequest, found: Submission) -> dict[str, Any]:
    """Read the scores of parts of the submission."""
    part = request.GET.get("part", "all")
    if part not in PARTS:
        raise InvalidInput(f"{part!r} is none of {', '.join(PARTS)}.", where="part")
    tables = finegrained.subset_tables(found, part)
    return {
        "subsets": tables,
        "subset_axes": fit_axes(
            [(row.precision, row.recall, row.f1) for table in tables for row in table.rows]
        ),
        "part": part,
        "part_names": PARTS,
        "least_labels": LEAST_LABELS,
    }
