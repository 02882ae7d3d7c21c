"""Trying the interfaces on examples: for everybody, without an account, and nothing is stored.

The examples are those that the start of each tutorial shows with their answers; its practice questions stay for
those who take it.
"""

import json
from dataclasses import replace
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from crowd.interfaces import entities
from crowd.interfaces.entities.page import build_page
from crowd.interfaces.entities.trial import compare, is_all_right, read_trial
from crowd.interfaces.practising import Review
from crowd.interfaces.registry import INTERFACES, find_tutorial
from crowd.tutorials import pages
from crowd.tutorials.lesson import Tutorial
from kbpo.core.errors import InvalidInput
from kbpo.core.numbers import whole_number
from kbpo_formats.ontologies import builtin

LARGEST = 100_000  # characters of what was marked


@require_safe
def choose(request: HttpRequest) -> HttpResponse:
    """List the interfaces that can be tried."""
    found = [(one, one.description) for one in INTERFACES.values() if _is_open(one.name)]
    return render(request, "crowd/trying/choose.html", {"interfaces": found})


@require_http_methods(["GET", "HEAD", "POST"])
def try_out(request: HttpRequest, kind: str) -> HttpResponse:
    """Show an example as those see it who judge, and say what an answer would have been taken for."""
    if not _is_open(kind):
        raise Http404("no such interface")
    return _mark(request) if kind == entities.NAME else _answer(request, _lesson(kind))


def _is_open(kind: str) -> bool:
    return kind in INTERFACES and INTERFACES[kind].teaching is not None


def _lesson(kind: str) -> Tutorial:
    """Return a tutorial that asks what the other shows."""
    lesson = find_tutorial(kind, builtin.read_builtin(builtin.DEFAULT))
    return replace(lesson, practice=lesson.examples, examples=())


def _answer(request: HttpRequest, lesson: Tutorial) -> HttpResponse:
    """Show one example, or what was answered to it."""
    number = whole_number(request.GET.get("example", "1"), len(lesson.practice))
    if not number:
        raise Http404("no such example")
    index, here = number - 1, reverse("try_out", args=[lesson.kind])
    context: dict[str, Any] = {"base": "base.html", "is_hit": False, "here": request.get_full_path()}
    if request.method != "POST":
        return render(request, "crowd/trying/question.html", context | pages.practice(lesson, index))
    posted = {field: [str(value) for value in values] for field, values in request.POST.lists()}
    try:
        answer = lesson.practice[index].read(posted)
    except InvalidInput as error:
        context |= pages.practice(lesson, index, posted, error)
        return render(request, "crowd/trying/question.html", context, status=error.status)
    context |= pages.explained(lesson, index, answer)
    context |= {
        "taken": _taken(context["review"]),
        "next": f"{here}?example={number + 1}" if number < len(lesson.practice) else "",
        "again": request.get_full_path(),
    }
    return render(request, "crowd/trying/explained.html", context)


def _taken(review: object) -> dict[str, Any] | None:
    """Return what an answer says yes to, and to how much it says no; None where it is no choice."""
    if not isinstance(review, Review):
        return None
    ticked = [one for one in review.choices if one.is_ticked]
    return {"ticked": ticked, "others": len(review.choices) - len(ticked)}


def _mark(request: HttpRequest) -> HttpResponse:
    """Show the document that is to be marked, or what was marked in it."""
    trial = read_trial()
    context: dict[str, Any] = {
        "title": trial.title,
        "ontology": trial.ontology,
        "tokens": len(trial.passage.tokens),
        "data": {**build_page(trial.passage, (), trial.ontology), "number": 0, "draft": None},
    }
    if request.method != "POST":
        return render(request, "crowd/trying/document.html", context)
    try:
        answer = trial.asked.read_answer(_read_json(request.POST.get("answer", "")))
    except InvalidInput as error:
        context["error"] = error
        return render(request, "crowd/trying/document.html", context, status=error.status)
    compared = compare(trial, answer)
    context |= {
        "rows": compared,
        "right": sum(one.is_right for one in compared),
        "all": len(trial.mentions),
        "entities": len(answer["entities"]),
        "mentions": len(answer["mentions"]),
        "is_right": is_all_right(compared),
    }
    return render(request, "crowd/trying/marked.html", context)


def _read_json(given: str) -> object:
    if len(given) > LARGEST:
        raise InvalidInput("What was marked is more than the document can hold; reload the page.")
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        raise InvalidInput("Nothing was marked that could be read; reload the page.") from None
