"""A tutorial as a HIT: its pages, one at a time, each a plain form."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from crowd import qualifying
from crowd.hits import sending, tokens, working
from crowd.hits.arrivals import Arrival
from crowd.hits.forms import posted
from crowd.lessons import lesson_of, lesson_of_attempt
from crowd.models import Assignment, Hit, TutorialAttempt
from crowd.pages.page import HitPage
from crowd.pricing import expected
from crowd.tutorials import pages
from crowd.tutorials.lesson import Tutorial
from kbpo.core.errors import Conflict, InvalidInput

RESULT = "crowd/tutorial/result.html"


def show(request: HttpRequest, hit: Hit, arrival: Arrival, assignment: Assignment) -> HttpResponse:
    """Show where the worker is: at the start, at a question, or at the end."""
    attempt = _attempt(hit, arrival, assignment)
    if attempt is None:
        return _start(request, hit, arrival, assignment)
    tutorial = lesson_of_attempt(attempt)
    if attempt.ended_at is None:
        return _render(request, pages.PRACTICE, pages.practice(tutorial, len(attempt.answers)), assignment)
    return _result(request, tutorial, hit, arrival, assignment, attempt)


def take(request: HttpRequest, hit: Hit, arrival: Arrival, assignment: Assignment) -> HttpResponse:
    """Begin a try, or take the answer to a question and explain it."""
    now, sent = timezone.now(), posted(request)
    if "begin" in sent:
        qualifying.begin_attempt(batch=hit.batch, worker_id=arrival.worker_id, now=now)
        return show(request, hit, arrival, assignment)
    attempt = _attempt(hit, arrival, assignment)
    if attempt is None:
        raise Conflict("The tutorial has not begun; reload the page.")
    tutorial, index = lesson_of_attempt(attempt), read_index(sent)
    try:
        _, answer = qualifying.answer_practice(attempt_id=attempt.pk, index=index, posted=sent, now=now)
    except InvalidInput as error:
        context = pages.practice(tutorial, index, sent, error)
        return _render(request, pages.PRACTICE, context, assignment, status=error.status)
    return _render(request, pages.EXPLAINED, pages.explained(tutorial, index, answer), assignment)


def read_index(sent: Mapping[str, list[str]]) -> int:
    """Return which question a form answers.

    Raises
    ------
    InvalidInput
        If it names none.
    """
    given = next(iter(sent.get("practice", ())), "")
    if not (given.isascii() and given.isdecimal() and len(given) < 4):
        raise InvalidInput("The form does not say which question it answers; reload the page.")
    return int(given)


def _attempt(hit: Hit, arrival: Arrival, assignment: Assignment) -> TutorialAttempt | None:
    """Return the try that this assignment goes on with; None if a new one is to begin.

    Raises
    ------
    Conflict
        If there is nothing to be done any more.
    """
    if qualifying.is_qualified(batch=hit.batch, worker_id=arrival.worker_id):
        raise Conflict(f"You have passed this tutorial before. {working.RETURN}")
    attempt = qualifying.latest_attempt(batch=hit.batch, worker_id=arrival.worker_id)
    if attempt is None or attempt.ended_at is None or attempt.has_passed:
        return attempt
    assert assignment.begun_at is not None  # begun on the page
    if attempt.ended_at >= assignment.begun_at:
        return attempt
    if attempt.number >= lesson_of(hit.batch.kind, hit.batch.corpus).tries:
        raise Conflict(f"You have used all your tries at this tutorial. {working.RETURN}")
    return None  # failed in an earlier assignment


def _start(request: HttpRequest, hit: Hit, arrival: Arrival, assignment: Assignment) -> HttpResponse:
    tutorial = lesson_of(hit.batch.kind, hit.batch.corpus)
    latest = qualifying.latest_attempt(batch=hit.batch, worker_id=arrival.worker_id)
    tries_left = tutorial.tries - (latest.number if latest is not None else 0)
    return _render(request, pages.START, pages.start(tutorial) | {"tries_left": tries_left}, assignment)


def _result(
    request: HttpRequest,
    tutorial: Tutorial,
    hit: Hit,
    arrival: Arrival,
    assignment: Assignment,
    attempt: TutorialAttempt,
) -> HttpResponse:
    answer = {
        "version": 1,
        "tutorial": tutorial.kind,
        "attempt": attempt.number,
        "right": attempt.right,
        "passed": attempt.has_passed,
    }
    context = {
        "tutorial": tutorial,
        "right": attempt.right,
        "has_passed": attempt.has_passed,
        "tries_left": tutorial.tries - attempt.number,
        "handover": sending.keep_and_hand_over(hit, arrival, assignment, answer, []),
    }
    return _render(request, RESULT, context, assignment)


def _render(
    request: HttpRequest,
    template: str,
    context: dict[str, Any],
    assignment: Assignment,
    status: int = 200,
) -> HttpResponse:
    common = {
        "base": "hits/base.html",
        "is_hit": True,
        "here": request.get_full_path(),
        "takes": expected.of_tutorial().words,
        "token": tokens.issue(assignment),
    }
    return render(request, template, common | context, status=status)


PAGE = HitPage(show=show, take=take, read_save=working.read_draft)
