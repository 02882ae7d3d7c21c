"""The page on which an annotator marks a whole document: shown, and sent."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone

from annotations import ontologies, selectors
from annotations.models import Question
from crowd.annotators import answering, drafts
from crowd.annotators.refusals import answers_json
from crowd.bodies import json_object
from crowd.interfaces.entities.interface import INTERFACE
from crowd.interfaces.entities.page import build_page
from crowd.models import Reservation
from crowd.pages.page import AnnotatorPage
from crowd.pricing import expected, timing
from kbpo.accounts.models import User


def show(request: HttpRequest, question: Question, reservation: Reservation) -> HttpResponse:
    """Show the page, with what has been done so far."""
    document = question.document
    passage = selectors.read_passages([document])[document.pk]
    ontology = ontologies.ontology_under(document.corpus, reservation.guidelines)
    context = {
        "question": question,
        "document": document,
        "as_expert": reservation.as_expert,
        "ontology": ontology,
        "tokens": len(passage.tokens),
        "takes": expected.of_question(question, INTERFACE, timing.measure(document.corpus, [INTERFACE])),
        "data": {
            **build_page(passage, document.suggestions, ontology),
            "name": f"{question.pk}-{reservation.worker_id}",
            "number": reservation.draft_number,
            "draft": reservation.draft,
        },
    }
    return render(request, "crowd/entities.html", context)


@answers_json
def take(
    request: HttpRequest,
    question: Question,
    *,
    as_expert: bool,
    is_held: bool,
    go_on: Callable[[], HttpResponse],
) -> HttpResponse:
    """Record the answer, ``{"answer"}``, and say where to go on, ``{"next"}``: where `go_on` redirects to."""
    assert isinstance(request.user, User)
    answering.submit(
        worker=request.user,
        answers={question.pk: json_object(request, largest=drafts.LARGEST).get("answer")},
        now=timezone.now(),
        as_expert=as_expert,
    )
    return JsonResponse({"next": go_on().headers["Location"]})


PAGE = AnnotatorPage(show=show, take=take, read_draft=drafts.read_draft)
