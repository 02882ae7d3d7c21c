"""The entity interface tried on a document of our own: by anybody, and nothing is stored."""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from crowd.interfaces.entities.page import build_page
from crowd.interfaces.entities.trial import compare, is_all_right, read_trial
from kbpo.core.errors import InvalidInput

LARGEST = 100_000  # characters of what was marked
DOCUMENT = "crowd/trying/document.html"


def show(request: HttpRequest) -> HttpResponse:
    """Show the document that is to be marked, or what was marked in it."""
    trial = read_trial()
    context: dict[str, Any] = {
        "title": trial.title,
        "ontology": trial.ontology,
        "tokens": len(trial.passage.tokens),
        "data": {**build_page(trial.passage, (), trial.ontology), "number": 0, "draft": None},
    }
    if request.method != "POST":
        return render(request, DOCUMENT, context)
    try:
        answer = trial.asked.read_answer(_read_json(request.POST.get("answer", "")))
    except InvalidInput as error:
        context["error"] = error
        return render(request, DOCUMENT, context, status=error.status)
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
