"""Questions that do not settle, and sending them to an expert."""

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotations import labels
from annotations.models import Question
from annotations.roles import Act
from kbpo.core.errors import InvalidInput
from kbpo.pages import stalled
from kbpo.pages.access import for_role, narrowed, person
from kbpo.pages.forms import QuestionsForm
from kbpo.pages.reading import paged

PAGE = 50


@require_http_methods(["GET", "HEAD", "POST"])
@for_role(Act.REVIEW)
def questions(request: HttpRequest) -> HttpResponse:
    """List the questions that were asked and do not get on; send those that were chosen to an expert."""
    error = None
    if request.method == "POST":
        form = QuestionsForm(request.POST, questions=_theirs(request, Question.objects.all()))
        if form.is_valid():
            sent = labels.send_to_experts(questions=list(form.cleaned_data["question"]), by=person(request))
            messages.success(request, _sent(sent))
            return redirect("desk_questions")
        error = InvalidInput("Choose the questions that an expert is to decide.", where="question")
    page = paged(request, _theirs(request, stalled.stalled(now=timezone.now())), PAGE)
    context = {
        "page": page,
        "error": error,
        "with_experts": _theirs(request, Question.objects.filter(state=Question.State.EXPERT)).count(),
    }
    return render(request, "desk/questions.html", context, status=400 if error else 200)


def _theirs(request: HttpRequest, rows: QuerySet[Question]) -> QuerySet[Question]:
    return narrowed(request, Act.REVIEW, rows, "document__corpus")


def _sent(number: int) -> str:
    if number == 1:
        return "One question is for an expert now. Work on it that is out is paid as ever."
    return f"{number:,} questions are for an expert now. Work on them that is out is paid as ever."
