"""The page on which a whole document is annotated: shown, saved as one goes, and sent."""

from collections.abc import Callable
from dataclasses import asdict
from functools import wraps

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotations import responses, selectors
from annotations.languages import DEFAULT, read_language
from annotations.models import Question
from crowd import wikipedia
from crowd.annotators import answering, drafts
from crowd.bodies import json_object
from crowd.hits import limits
from crowd.interfaces import entities
from crowd.models import Reservation
from kbpo.accounts.models import User
from kbpo.core.errors import KbpoError, NotAllowed

LARGEST = 1 << 20  # bytes of what a page sends

View = Callable[..., HttpResponse]


def answers_json(view: View) -> View:
    """Make refusals JSON, ``{"detail": …}``, and ask for signing in with a status instead of a page."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        try:
            if not isinstance(request.user, User):
                raise NotAllowed("You are signed out. Sign in in another window; nothing here is lost.")
            return view(request, *args, **kwargs)
        except KbpoError as error:
            return JsonResponse({"detail": str(error)}, status=error.status)

    return wrapped


def show(request: HttpRequest, question: Question, reservation: Reservation) -> HttpResponse:
    """Show the page, with what has been done so far."""
    document = question.document
    passage = selectors.read_passages([document])[document.pk]
    context = {
        "question": question,
        "document": document,
        "as_expert": reservation.as_expert,
        "types": entities.TYPES,
        "tokens": len(passage.tokens),
        "minutes": entities.minutes(passage),
        "data": {
            **entities.build_page(passage, document.suggestions),
            "name": f"{question.pk}-{reservation.worker_id}",
            "number": reservation.draft_number,
            "draft": reservation.draft,
        },
    }
    return render(request, "crowd/entities.html", context)


@require_POST
@answers_json
def save(request: HttpRequest, question_id: int) -> HttpResponse:
    """Keep a draft: ``{"number", "draft"}``."""
    assert isinstance(request.user, User)
    question = Question.objects.filter(pk=question_id, kind=Question.Kind.ENTITIES).first()
    if question is None:
        raise Http404
    data = json_object(request, largest=LARGEST)
    done = drafts.save_draft(
        worker=request.user,
        question=question,
        number=data.get("number"),
        draft=data.get("draft"),
        now=timezone.now(),
    )
    return JsonResponse({"saved": done.saved, "number": done.number})


@require_safe
@answers_json
def pages(request: HttpRequest, language: str = DEFAULT) -> HttpResponse:
    """Find pages of a language's Wikipedia, ``?q=``, for an annotator who links an entity."""
    assert isinstance(request.user, User)
    responses.check_role(worker=request.user)
    limits.count_search(who=f"annotator-{request.user.pk}", now=timezone.now())
    found = wikipedia.find_pages(request.GET.get("q", ""), read_language(language))
    return JsonResponse({"pages": [asdict(page) for page in found]})


@answers_json
def take(
    request: HttpRequest, question: Question, as_expert: bool, go_on: Callable[[], HttpResponse]
) -> HttpResponse:
    """Record the answer, ``{"answer"}``, and say where to go on, ``{"next"}``: where `go_on` redirects to."""
    assert isinstance(request.user, User)
    answering.submit(
        worker=request.user,
        answers={question.pk: json_object(request, largest=LARGEST).get("answer")},
        now=timezone.now(),
        as_expert=as_expert,
    )
    return JsonResponse({"next": go_on().headers["Location"]})
