"""The page on which an annotator chooses the class of a text."""

from collections import Counter
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from annotations.kinds.choice import ChoiceQuestion
from annotations.kinds.registry import read_asked
from annotations.models import Question, Response
from crowd.annotators import answering
from crowd.interfaces.choice.page import build_page, read_answer, ticked_value
from crowd.interfaces.steps import field_name
from crowd.models import Reservation
from crowd.pages.choice.hit_page import KEYS
from crowd.pages.page import AnnotatorPage
from kbpo.accounts.models import User
from kbpo.core.errors import KbpoError


def show(request: HttpRequest, question: Question, reservation: Reservation) -> HttpResponse:
    """Show the page."""
    return _show(request, question, reservation.as_expert)


def take(
    request: HttpRequest,
    question: Question,
    *,
    as_expert: bool,
    is_held: bool,
    go_on: Callable[[], HttpResponse],
) -> HttpResponse:
    """Record the answer and go on, or show the page again with what is wrong."""
    try:
        answer = read_answer(_read(question), request.POST.getlist(field_name(question.pk)))
        answers = {question.pk: answer}
        assert isinstance(request.user, User)  # every view is behind login_required
        answering.submit(worker=request.user, answers=answers, now=timezone.now(), as_expert=as_expert)
    except KbpoError as error:
        if not is_held:
            raise
        return _show(request, question, as_expert, error)
    return go_on()


def _show(
    request: HttpRequest, question: Question, as_expert: bool, error: KbpoError | None = None
) -> HttpResponse:
    asked = _read(question)
    votes = None
    if as_expert:
        given = Response.objects.filter(question=question, is_valid=True, is_expert=False)
        votes = Counter(ticked_value(asked, one.answer) for one in given)
    page = build_page(question.document.text, question.pk, asked, dict(request.POST.lists()), votes)
    context = {"question": question, "page": page, "as_expert": as_expert, "error": error}
    context["keys_template"] = KEYS
    return render(request, "crowd/question.html", context, status=error.status if error else 200)


def _read(question: Question) -> ChoiceQuestion:
    asked = read_asked([question])[question.pk]
    assert isinstance(asked, ChoiceQuestion)
    return asked


PAGE = AnnotatorPage(show=show, take=take, keeps_drafts=False)
