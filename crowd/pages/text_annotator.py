"""The page on which an annotator answers a question about a text."""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from annotations.kinds.registry import read_asked
from annotations.models import Question, Response
from crowd.annotators import answering
from crowd.models import Reservation
from crowd.pages.page import AnnotatorPage
from crowd.pages.text_form import TextForm
from kbpo.accounts.models import User
from kbpo.core.errors import KbpoError


@dataclass(frozen=True, slots=True)
class TextAnnotator:
    """The page of questions that a form shows and reads."""

    form: TextForm

    @property
    def page(self) -> AnnotatorPage:
        """Return what the page does."""
        return AnnotatorPage(show=self.show, take=self.take, keeps_drafts=False)

    def show(self, request: HttpRequest, question: Question, reservation: Reservation) -> HttpResponse:
        """Show the page."""
        return self._show(request, question, reservation.as_expert)

    def take(
        self,
        request: HttpRequest,
        question: Question,
        *,
        as_expert: bool,
        is_held: bool,
        go_on: Callable[[], HttpResponse],
    ) -> HttpResponse:
        """Record the answer and go on, or show the page again with what is wrong."""
        try:
            asked = read_asked([question])[question.pk]
            answer = self.form.read(question.pk, asked, dict(request.POST.lists()))
            assert isinstance(request.user, User)  # every view is behind login_required
            answering.submit(
                worker=request.user, answers={question.pk: answer}, now=timezone.now(), as_expert=as_expert
            )
        except KbpoError as error:
            if not is_held:
                raise
            return self._show(request, question, as_expert, error)
        return go_on()

    def _show(
        self, request: HttpRequest, question: Question, as_expert: bool, error: KbpoError | None = None
    ) -> HttpResponse:
        asked = read_asked([question])[question.pk]
        votes = None
        if as_expert:
            given = Response.objects.filter(question=question, is_valid=True, is_expert=False)
            votes = list(given.values_list("answer", flat=True))
        page = self.form.build(question.document, question.pk, asked, dict(request.POST.lists()), votes)
        document, shows_source = question.document, self.form.shows_source
        context = {
            "question": question,
            "title": document.title or document.doc_id if shows_source else "The text",
            "date": document.date if shows_source else None,
            "page": page,
            "as_expert": as_expert,
            "error": error,
            "keys_template": self.form.keys,
        }
        return render(request, "crowd/question.html", context, status=error.status if error else 200)
