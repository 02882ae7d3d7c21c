"""An interface tried on examples: by anybody, without an account, and nothing is stored.

The examples are those that the start of its tutorial shows with their answers; the practice questions stay
for those who take that.
"""

from dataclasses import replace
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from crowd.interfaces.practising import Review
from crowd.interfaces.registry import find_tutorial
from crowd.pages.page import TrialPage
from crowd.tutorials import pages
from crowd.tutorials.lesson import Tutorial
from kbpo.core.errors import InvalidInput
from kbpo.core.numbers import whole_number
from kbpo_formats.ontologies import builtin

QUESTION = "crowd/trying/question.html"


def of_examples(name: str) -> TrialPage:
    """Return the page that asks what the examples of an interface's tutorial ask."""

    def show(request: HttpRequest) -> HttpResponse:
        shown = find_tutorial(name, builtin.read_builtin(builtin.DEFAULT))
        return _show(request, replace(shown, practice=shown.examples, examples=()))

    return show


def _show(request: HttpRequest, lesson: Tutorial) -> HttpResponse:
    """Show one example, or what was answered to it."""
    number = whole_number(request.GET.get("example", "1"), len(lesson.practice))
    if not number:
        raise Http404("no such example")
    index = number - 1
    context: dict[str, Any] = {"base": "base.html", "is_hit": False, "here": request.get_full_path()}
    if request.method != "POST":
        return render(request, QUESTION, context | pages.practice(lesson, index))
    posted = {field: [str(value) for value in values] for field, values in request.POST.lists()}
    try:
        answer = lesson.practice[index].read(posted)
    except InvalidInput as error:
        context |= pages.practice(lesson, index, posted, error)
        return render(request, QUESTION, context, status=error.status)
    context |= pages.explained(lesson, index, answer)
    context |= {
        "taken": _taken(context["review"]),
        "next": f"{request.path}?example={number + 1}" if number < len(lesson.practice) else "",
    }
    return render(request, "crowd/trying/explained.html", context)


def _taken(review: object) -> dict[str, Any] | None:
    """Return what an answer says yes to, and to how much it says no; None where it is no choice."""
    if not isinstance(review, Review):
        return None
    ticked = [one for one in review.choices if one.is_ticked]
    return {"ticked": ticked, "others": len(review.choices) - len(ticked)}
