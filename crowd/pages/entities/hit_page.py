"""A HIT of a whole document: its page, what the page keeps, and what it sends."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from annotations import ontologies, selectors
from annotations.models import Question
from crowd import hit_answers
from crowd.annotators import drafts
from crowd.bodies import json_object
from crowd.hits import sending, tokens
from crowd.hits.arrivals import Arrival
from crowd.hits.forms import MAX_BODY_BYTES
from crowd.interfaces.entities.page import build_page
from crowd.models import Assignment, Hit
from crowd.pages.page import HitPage
from crowd.pricing import expected
from kbpo.core.errors import InvalidInput
from kbpo.core.plain_text import replace_faults

STEPS = ("mark", "check")  # what the page times: the marking, and the last look at it
LONGEST_STEP = 1e6  # seconds


def show(request: HttpRequest, hit: Hit, arrival: Arrival, assignment: Assignment) -> HttpResponse:
    """Show the document with what has been done so far."""
    document = question_of(hit).document
    passage = selectors.read_passages([document])[document.pk]
    kept = assignment.draft or {}
    ontology = ontologies.ontology_under(hit.batch.corpus, assignment.guidelines)
    context = {
        "hit": hit,
        "document": document,
        "ontology": ontology,
        "tokens": len(passage.tokens),
        "takes": expected.of_hit(hit),
        "token": tokens.issue(assignment),
        "comment": kept.get("comment", ""),
        "longest_comment": hit_answers.LONGEST_COMMENT,
        "data": {
            **build_page(passage, document.suggestions, ontology),
            "name": f"hit-{assignment.pk}",
            "number": assignment.draft_number,
            "draft": kept.get("draft"),
            "seconds": kept.get("seconds", {}),
        },
    }
    return render(request, "hits/entities.html", context)


def take(request: HttpRequest, hit: Hit, arrival: Arrival, assignment: Assignment) -> HttpResponse:
    """Keep the answer, ``{"answer", "comment", "seconds"}``, and say how it reaches the provider."""
    question, sent = question_of(hit), json_object(request, largest=MAX_BODY_BYTES)
    seconds = read_seconds(sent.get("seconds", {}))
    data = {
        "version": hit_answers.VERSION,
        "answers": [
            {"question": question.pk, "answer": sent.get("answer")}
            | ({"seconds": round(sum(seconds.values()), 1)} if seconds else {})
        ],
        "comment": sent.get("comment", ""),
    }
    answers = hit_answers.to_data(hit_answers.read_answers(data, [question]))
    steps = [{"step": step, "seconds": value} for step, value in seconds.items()]
    handover = sending.keep_and_hand_over(hit, arrival, assignment, answers, steps)
    return JsonResponse(asdict(handover))


def read_save(data: Mapping[str, object]) -> tuple[int, dict[str, Any]]:
    """Read a save of the page: its number, and what has been done.

    Parameters
    ----------
    data : mapping
        ``{"number": 7, "draft": {…}, "comment": "…", "seconds": {"mark": 12.5}}``; the last two may be
        missing, and nobody but the page reads the draft.

    Raises
    ------
    InvalidInput
        If it is of another form.
    """
    if unknown := data.keys() - {"number", "draft", "comment", "seconds"}:
        raise InvalidInput(f"a save has no field {replace_faults(min(unknown))[:40]!r}; reload the page")
    comment = data.get("comment", "")
    if not isinstance(comment, str) or len(comment) > hit_answers.LONGEST_COMMENT:
        raise InvalidInput(f"a comment is a text of at most {hit_answers.LONGEST_COMMENT:,} characters")
    return drafts.read_number(data.get("number")), {
        "draft": drafts.read_draft(data.get("draft")),
        "comment": replace_faults(comment),
        "seconds": read_seconds(data.get("seconds", {})),
    }


def read_seconds(data: object) -> dict[str, float]:
    """Return how long each of `STEPS` was looked at, of those that the page tells.

    Raises
    ------
    InvalidInput
        If it is no mapping of steps to numbers of seconds.
    """
    if not isinstance(data, Mapping):
        raise InvalidInput("seconds must be an object with a number for each step")
    found = {}
    for step in STEPS:
        value = data.get(step)
        if value is None:
            continue
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not 0 <= value < LONGEST_STEP:
            raise InvalidInput(f"the seconds of {step} must be a number from 0 on")
        found[step] = float(value)
    return found


def question_of(hit: Hit) -> Question:
    """Return the one question that such a HIT asks, with its document."""
    (question,) = hit.asked
    return question


PAGE = HitPage(show=show, take=take, read_save=read_save)
