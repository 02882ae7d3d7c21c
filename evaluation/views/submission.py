"""One submission: where it stands, what was found in its file, how it scored, and what may be done."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations import roles
from annotations.roles import Act
from evaluation.design import forecast
from evaluation.design.prices import Source
from evaluation.models import NormalisedFile, Score, StageWork, Submission
from evaluation.registry import task_of
from evaluation.scoring import finegrained
from evaluation.scoring.listing import chosen_words
from evaluation.scoring.stored import Counts, Measures, newest_scores
from evaluation.submissions import anonymity, lifecycle, links, normalised, problem_list, quota, standing_for
from evaluation.submissions.other_corpus import find_other_corpus
from evaluation.submissions.progress import (
    DOING,
    EVENTS,
    ago,
    heading,
    next_step,
    progress,
    sign_of_life,
    version,
)
from evaluation.submissions.visibility import find, is_operator, is_team_shown, may_change
from evaluation.task import Task
from evaluation.views import history
from evaluation.views.board import disagreement, fit_columns, offered_standards
from evaluation.views.files import written_anew
from evaluation.views.forms import LinksForm, midnight
from evaluation.views.snapshots import led_to
from kbpo.accounts.models import User
from kbpo.core.durations import in_words
from kbpo.core.errors import InvalidInput, TooMany, TryAgain
from kbpo.core.revalidating import public_page
from kbpo_estimators.resampling import REPLICATES
from kbpo_estimators.scores import VOTES

State = Submission.State
ERRORS = 5  # shown here; all problems have a page of their own
MOVING = (State.UPLOADED, State.JUDGING)
#: Which states let a team do what; a failed one depends on where it failed.
MAY: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "cancel": (State.UPLOADED, State.ACCEPTED),
        "withdraw": (State.JUDGING, State.SCORED),
        "publish": tuple(
            state for state in State if state not in (State.REFUSED, State.CANCELLED, State.WITHDRAWN)
        ),
        "choose": standing_for.ELIGIBLE,
    }
)


@dataclass(frozen=True, slots=True)
class ShownScore:
    """A score as the page shows it: `words` say how claims are averaged."""

    score: Score
    part: str
    words: str
    measures: Measures
    counts: Counts


@require_safe
@public_page
def submission(request: HttpRequest, pk: int, prices: Source) -> HttpResponse:
    """Show a submission: all of it to its team and operators, what is published to everybody.

    `prices` knows what its judging costs.
    """
    found = find(request.user, pk=pk)
    if (snapshot := led_to(request, found.corpus.tag, pk)) is not None:
        return snapshot
    task = task_of(found.corpus)
    own = may_change(request.user, found)
    now = timezone.now()
    done = progress(found) if own else None  # how much is sampled is the team's alone
    prepared = task.words_of_preparing(found)
    events = [(event, EVENTS[event.state]) for event in found.events.select_related("by")]
    problems = problem_list.find(found, severity="ERROR") if own else found.problems.none()
    first = list(problems[:ERRORS])
    context = {
        "submission": found,
        "corpus": found.corpus,
        "task": task,
        "own": own,
        "has_team_page": is_team_shown(found, now),
        "heading": heading(found),
        "next_step": next_step(found, units=task.choices.units),
        "progress": done,
        "answered_ago": ago(now - done.answered_at) if done and done.answered_at else "",
        "events": events,
        "version": version(found, len(events), done, normalised.state(found) if own else "", prepared),
        "prepared": prepared,
        "problems": first,
        "only_error": first[0] if found.state == State.REFUSED and len(first) == 1 else None,
        "is_moving": found.state in MOVING
        or (found.state == State.ACCEPTED and (found.go_ahead or bool(prepared))),
        "chosen_words": "" if found.chosen_after is None else chosen_words(found.chosen_after),
        # who is of its team competes, and organises nothing here
        "may_mark": is_operator(request.user)
        or (not own and roles.may(request.user, Act.KEEP, found.corpus)),
        **_scores(request, found, task),
        **history.context_of(request, found, task),
    }
    taken = finegrained.cost(found, task.choices)
    if taken and (own or taken.is_released):
        context["cost"] = taken  # in an open epoch how much is sampled is the team's alone
    if own:
        context["paid"] = prices.paid([found.pk]).get(found.pk)
        context |= _file(request, found, task)
        context["anonymous_latest"] = found.uploaded_at + timedelta(days=found.corpus.anonymous_days)
        context["is_anonymous"] = found.anonymous_until is not None and found.anonymous_until > now
        context["may_be_anonymous"] = context["anonymous_latest"] > now
        context["is_moving"] |= context["normalised_state"] == NormalisedFile.State.WAITING
        context |= {f"may_{name}": found.state in states for name, states in MAY.items()}
        context |= _failed(found) if found.state == State.FAILED else {}
        context |= (
            _before_it_costs(found, task, prices, cast(User, request.user), now)
            if found.state == State.ACCEPTED
            else {}
        )
        if found.state in DOING:
            work = StageWork.objects.filter(submission=found).first()
            context["work"] = sign_of_life(
                found, work, now, doing=task.preparing.doing if task.preparing and prepared else ""
            )
    return render(request, "evaluation/submission.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit_links(request: HttpRequest, pk: int) -> HttpResponse:
    """Let a team say where its system's paper and code are."""
    user = cast(User, request.user)
    found = find(user, pk=pk)
    if not may_change(user, found):
        raise Http404("no such submission")
    form = LinksForm(request.POST or None, initial={"paper_url": found.paper_url, "code_url": found.code_url})
    if request.method == "POST" and form.is_valid():
        links.set_links(submission=found, user=user, links=form.cleaned_data["links"])
        messages.success(request, "The addresses are saved.")
        return redirect(found)
    context = {"submission": found, "form": form, "own": True}
    return render(request, "evaluation/links.html", context, status=400 if form.errors else 200)


@login_required
@require_POST
def act(request: HttpRequest, pk: int, action: str) -> HttpResponse:
    """Do with a submission what its team may: the services say whether it is too late for it."""
    user = cast(User, request.user)
    found = find(user, pk=pk)
    if not may_act(user, found, action):
        raise Http404("no such submission")
    try:
        messages.success(request, ACTIONS[action](found, user))
    except TryAgain as error:
        messages.warning(request, str(error))  # above the same buttons
    return redirect(found)


@login_required
@require_POST
def set_anonymous(request: HttpRequest, pk: int) -> HttpResponse:
    """Keep a submission's names from others until a day, or show them."""
    user = cast(User, request.user)
    found = find(user, pk=pk)
    if not may_change(user, found):
        raise Http404("no such submission")
    said = request.POST.get("until", "")
    day = parse_date(said) if len(said) == len("2026-01-31") else None
    if said and day is None:
        raise InvalidInput(f"{said[:40]!r} is no day, such as 2026-01-31", where="until")
    until = midnight(day)
    anonymity.set_anonymous(submission=found, user=user, until=until, now=timezone.now())
    messages.success(
        request,
        f"Others know it by an alias until {day:%-d %B %Y}." if day else "Everybody sees its names now.",
    )
    return redirect(found)


def may_act(user: User, found: Submission, action: str) -> bool:
    """Say whether somebody may try an action: its team and operators, and organisers some."""
    if action in OF_ORGANISERS:
        return roles.may(user, Act.KEEP, found.corpus)
    return may_change(user, found)


def _go_ahead(found: Submission, user: User) -> str:
    lifecycle.give_go_ahead(submission=found, user=user)
    return "It goes to the judges."


def _resume(found: Submission, user: User) -> str:
    lifecycle.resume(submission=found, user=user)
    return "We try again where it stopped."


def _cancel(found: Submission, user: User) -> str:
    had_place = found.quota_taken_at is not None
    lifecycle.cancel(submission=found, user=user)
    return f"{found.name} is cancelled{'; its place in the quota is free again' if had_place else ''}."


def _withdraw(found: Submission, user: User) -> str:
    lifecycle.withdraw(submission=found, user=user)
    return f"{found.name} is withdrawn."


def _delete_file(found: Submission, user: User) -> str:
    lifecycle.delete_file(submission=found, user=user)
    return "The file is deleted; what was read from it stays."


def _publish(found: Submission, user: User) -> str:
    lifecycle.set_public(submission=found, user=user, is_public=True)
    return "Everybody can see it now."


def _hide(found: Submission, user: User) -> str:
    lifecycle.set_public(submission=found, user=user, is_public=False)
    return "Only your team and the operators see it now."


def _choose(found: Submission, user: User) -> str:
    standing_for.choose(submission=found, user=user)
    return f"{found.name} stands for {found.team} now."


def _give_up(found: Submission, user: User) -> str:
    standing_for.give_up(submission=found, user=user)
    return f"The best run of {found.team} stands for it now."


def _baseline(found: Submission, user: User) -> str:
    standing_for.set_baseline(submission=found, user=user, is_baseline=True)
    return f"{found.name} is a baseline now."


def _no_baseline(found: Submission, user: User) -> str:
    standing_for.set_baseline(submission=found, user=user, is_baseline=False)
    return f"{found.name} is no baseline any more."


#: What the organisers of a corpus may do with a submission of it that they see, whosever it is.
OF_ORGANISERS = ("baseline", "no-baseline")
ACTIONS: Mapping[str, Callable[[Submission, User], str]] = MappingProxyType(
    {
        "go-ahead": _go_ahead,
        "resume": _resume,
        "cancel": _cancel,
        "withdraw": _withdraw,
        "delete-file": _delete_file,
        "publish": _publish,
        "hide": _hide,
        "choose": _choose,
        "give-up": _give_up,
        "baseline": _baseline,
        "no-baseline": _no_baseline,
    }
)


def _file(request: HttpRequest, found: Submission, task: Task) -> dict[str, Any]:
    """Read what was found in the file, and whether it may be deleted."""
    return {
        "file": found,
        "other": find_other_corpus(found),
        "summary": task.summarise(found.counts),
        **written_anew(found, request),
        "codes": problem_list.count_codes(found, task.reader.codes),
        "may_delete_file": bool(found.file) and State.UPLOADED not in (found.state, found.failed_in),
    }


def _failed(found: Submission) -> dict[str, Any]:
    sampled = found.failed_in == State.JUDGING
    cause = found.events.filter(state=State.FAILED).last()
    return {
        "cause": cause.detail if cause else "",
        "may_withdraw": sampled,
        "may_cancel": not sampled,
    }


def _before_it_costs(
    found: Submission, task: Task, prices: Source, viewer: User, now: datetime
) -> dict[str, Any]:
    """Read what a team wants to know before it has a submission judged."""
    stands, may_compete = quota.standing(submission=found, now=now), quota.may_compete(found.team)
    free_at = stands.free_at if found.quota_taken_at is None else None
    return {
        "is_before": True,
        **_foreseen(found, task, prices, viewer, now),
        "quota_left": stands.left,
        "quota_free_at": free_at,
        "may_compete": may_compete,
        "heading": heading(found, free_at, may_compete=may_compete),
        "next_step": next_step(found, free_at, may_compete=may_compete, units=task.choices.units),
    }


def _foreseen(found: Submission, task: Task, prices: Source, viewer: User, now: datetime) -> dict[str, Any]:
    """Read what judging a submission would take, in full for operators."""
    if is_operator(viewer):
        full = forecast.forecast(found, task)
        left = forecast.time_to_judge(full.all_questions, now) if full else None
        ways = full.alternatives if full else ()
        return {
            "forecast": full,
            "price": prices.expected(found, full.questions) if full else None,
            "ways": [(one, prices.expected(found, one.questions)) for one in ways],
            "time_to_judge": in_words(left) if left else "",
        }
    context: dict[str, Any] = {"fewest_units": forecast.FEWEST_UNITS, "refused_forecast": ""}
    try:
        of_team = forecast.forecast_for_team(found, task, asked_by=viewer, now=now)
    except TooMany as error:
        return context | {"refused_forecast": str(error)}
    if of_team is None:
        return context
    price = prices.expected(found, of_team.questions)
    left = forecast.time_to_judge(sum(of_team.questions.values()), now, of_public=True)
    days = None if left is None else forecast.two_digits(left / timedelta(days=1))
    return context | {
        "team_forecast": of_team,
        "cents": None if price is None else round(forecast.two_digits(price.cents)),
        "hourly_cents": None if price is None else price.hourly_cents,
        "time_to_judge": "" if days is None else in_words(timedelta(days=days)),
    }


def _scores(request: HttpRequest, found: Submission, task: Task) -> dict[str, Any]:
    """Read the newest scores at one level and with one estimator, for every part and weighting."""
    choices = task.choices
    asked = request.GET.get("level", str(choices.level))
    if asked not in {str(level) for level in choices.levels}:
        raise InvalidInput(f"{asked!r} is none of {', '.join(map(str, choices.levels))}.", where="level")
    offered = choices.named_estimators(found.corpus.design)
    standards, first = offered_standards(found.corpus, choices)
    estimator = request.GET.get("estimator", next(iter(offered)))
    if estimator not in offered:
        raise InvalidInput(f"{estimator!r} is none of {', '.join(offered)}.", where="estimator")
    standard = request.GET.get("standard", first)
    if standard not in choices.standards_of[found.corpus.design]:
        known = ", ".join(choices.standards_of[found.corpus.design])
        raise InvalidInput(f"{standard!r} is none of {known}.", where="standard")
    parts, weightings = list(choices.parts), list(choices.weightings)
    newest = sorted(
        newest_scores(
            choices, "model", submission=found, level=int(asked), estimator=estimator, standard=standard
        ),
        key=lambda one: (parts.index(one.score.part), weightings.index(one.score.weighting)),
    )
    shown = [
        ShownScore(
            one.score,
            choices.parts[one.score.part].name,
            choices.weightings[one.score.weighting],
            one.measures,
            one.counts,
        )
        for one in newest
        if one.score.part in choices.parts_of_scores
    ]
    return {
        **(_subsets(request, found, task, standard) if shown else {}),
        "scores": shown,
        "all_labels": shown[0].score.labels if len({one.score.labels for one in shown}) == 1 else None,
        "few": next((why for one in newest if (why := choices.unranked(one.score.labels))), ""),
        "columns": fit_columns(choices, (one.measures for one in shown)),
        "level": int(asked),
        "levels": choices.levels,
        "estimator": estimator,
        "estimators": offered,
        "standard": standard,
        "standards": standards,
        "disagreement": disagreement(found.corpus, standard) if shown else None,
        "estimated": choices.estimated_name(found.corpus.design),
        "replicates": REPLICATES if estimator in choices.resampled else None,
    }


def _subsets(request: HttpRequest, found: Submission, task: Task, standard: str) -> dict[str, Any]:
    """Read the scores of parts of the submission."""
    choices = task.choices
    part = request.GET.get("part", choices.part)
    if part not in choices.parts:
        raise InvalidInput(f"{part!r} is none of {', '.join(choices.parts)}.", where="part")
    shown = finegrained.subset_standard(found, standard)
    tables = finegrained.subset_tables(found, task, part, shown)
    return {
        "is_subset_by_votes": shown == VOTES,
        "subsets": tables,
        "has_subset_rows": any(table.rows for table in tables),
        "subset_columns": fit_columns(choices, (row.measures for table in tables for row in table.rows)),
        "part": part,
        "part_names": choices.parts,
    }
