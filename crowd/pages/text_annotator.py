"""The page on which an annotator answers a question about a text."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from annotations.kinds.registry import read_asked
from annotations.models import Question, Response
from crowd.annotators import answering, drafts
from crowd.hits import working
from crowd.models import Reservation
from crowd.pages.fields import Posted
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
        return AnnotatorPage(show=self.show, take=self.take, read_draft=self.read_draft)

    def show(self, request: HttpRequest, question: Question, reservation: Reservation) -> HttpResponse:
        """Show the page with what has been done so far."""
        return self._show(request, question, reservation)

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
        assert isinstance(request.user, User)  # every view is behind login_required
        try:
            asked = read_asked([question])[question.pk]
            answer = self.form.read(question.pk, asked, dict(request.POST.lists()))
            answering.submit(
                worker=request.user, answers={question.pk: answer}, now=timezone.now(), as_expert=as_expert
            )
        except KbpoError as error:
            held = answering.reservation_of(worker=request.user, question=question) if is_held else None
            if held is None:
                raise
            return self._show(request, question, held, dict(request.POST.lists()), error)
        return go_on()

    def read_draft(self, draft: object) -> dict[str, Any]:
        """Read what the page saves, a step and fields; `InvalidInput` if it is something else."""
        save = {**drafts.read_draft(draft), "number": 1}
        return working.read_draft(save, longest=self.form.longest_field)[1]

    def _show(
        self,
        request: HttpRequest,
        question: Question,
        held: Reservation,
        posted: Posted | None = None,
        error: KbpoError | None = None,
    ) -> HttpResponse:
        kept = held.draft or {"step": 0, "fields": {}}
        asked = read_asked([question])[question.pk]
        votes = None
        if held.as_expert:
            given = Response.objects.filter(question=question, is_valid=True, is_expert=False)
            votes = list(given.values_list("answer", flat=True))
        shown: Posted = kept["fields"] if posted is None else posted
        page = self.form.build(question.document, question.pk, asked, shown, votes)
        document, shows_source = question.document, self.form.shows_source
        context = {
            "question": question,
            "title": document.title or document.doc_id if shows_source else "The text",
            "date": document.date if shows_source else None,
            "page": page,
            "as_expert": held.as_expert,
            "state": {"step": kept["step"], "number": held.draft_number},
            "error": error,
            "keys_template": self.form.keys,
        }
        return render(request, "crowd/question.html", context, status=error.status if error else 200)
