"""What pages of questions ask as one goes: to keep a draft, and to find pages of Wikipedia."""

from dataclasses import asdict

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotations import responses
from annotations.models import Question
from annotations.texts.languages import DEFAULT, read_language
from crowd import wikipedia
from crowd.annotators import drafts
from crowd.annotators.refusals import answers_json
from crowd.bodies import json_object
from crowd.pages.registry import pages_of
from kbpo.accounts.models import User
from kbpo.core import rate_limits


@require_POST
@answers_json
def save(request: HttpRequest, question_id: int) -> HttpResponse:
    """Keep a draft: ``{"number", "draft"}``."""
    assert isinstance(request.user, User)
    question = Question.objects.filter(pk=question_id).first()
    read = None if question is None else pages_of(question.kind).annotator.read_draft
    if question is None or read is None:
        raise Http404
    data = json_object(request, largest=drafts.LARGEST)
    done = drafts.save_draft(
        worker=request.user,
        question=question,
        number=data.get("number"),
        draft=read(data.get("draft")),
        now=timezone.now(),
    )
    return JsonResponse({"saved": done.saved, "number": done.number})


@require_safe
@answers_json
def pages(request: HttpRequest, language: str = DEFAULT) -> HttpResponse:
    """Find pages of a language's Wikipedia, ``?q=``, for an annotator who links an entity."""
    assert isinstance(request.user, User)
    responses.check_role(worker=request.user)
    owner = f"annotator-{request.user.pk}"
    rate_limits.require(rate_limits.WIKIPEDIA_SEARCHES, owner, now=timezone.now())
    found = wikipedia.find_pages(request.GET.get("q", ""), read_language(language))
    return JsonResponse({"pages": [asdict(page) for page in found]})
