"""A HIT of texts as a page: each text with what is asked about it beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from django.db.models import prefetch_related_objects
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from annotations.kinds.registry import read_asked
from annotations.models import Document, Question
from crowd import hit_answers
from crowd.hits import places, sending, tokens, working
from crowd.hits.arrivals import Arrival
from crowd.hits.forms import NotAnswered, posted, wants_json
from crowd.interfaces.steps import Page, StepOpen, field_name
from crowd.models import Assignment, Hit
from crowd.page_names import page_names
from crowd.pages.fields import COMMENT, Posted, renumbered, seconds_of, seconds_of_steps, seconds_so_far
from crowd.pages.page import HitPage
from crowd.pages.text_form import TextForm
from kbpo.core.errors import InvalidInput, KbpoError


@dataclass(frozen=True, slots=True)
class Group:
    """A text with its question, as `hits/task.html` shows it; `number` is from 1."""

    number: int
    document: Document
    page: Page
    shows_source: bool

    @property
    def title(self) -> str:
        """Return what stands over the text."""
        title = self.document.title if self.shows_source else ""
        return title or f"{'Answer' if self.page.facts else 'Text'} {self.number}"

    @property
    def date(self) -> date | None:
        """Return what stands under it."""
        return self.document.date if self.shows_source else None


@dataclass(frozen=True, slots=True)
class TextHit:
    """The page of HITs whose questions a form shows and reads."""

    form: TextForm

    @property
    def page(self) -> HitPage:
        """Return what the page does."""
        return HitPage(show=self.show, take=self.take, read_save=self.read_save)

    def show(self, request: HttpRequest, hit: Hit, arrival: Arrival, assignment: Assignment) -> HttpResponse:
        """Show the page with what has been done so far."""
        return self._show(request, hit, assignment)

    def take(self, request: HttpRequest, hit: Hit, arrival: Arrival, assignment: Assignment) -> HttpResponse:
        """Take the form: keep the answers, and say how they reach the provider; or show what is missing."""
        questions = questions_of(hit, assignment)
        names = page_names(hit, [question.pk for question in questions])
        sent = renumbered(posted(request), names)
        try:
            data = self._read_form(questions, sent, names)
            answers = hit_answers.to_data(hit_answers.read_answers(data, questions))
        except InvalidInput as error:
            if wants_json(request):
                raise
            return self._show(request, hit, assignment, sent=sent, error=error)
        steps = seconds_of_steps(renumbered(sent, {name: pk for pk, name in names.items()}))
        handover = sending.keep_and_hand_over(hit, arrival, assignment, answers, steps)
        if wants_json(request):
            return JsonResponse(asdict(handover))
        return render(request, "hits/send.html", {"handover": handover})

    def read_save(self, data: Mapping[str, object]) -> tuple[int, dict[str, Any]]:
        """Read a save of the page; `InvalidInput` if it is of another form."""
        return working.read_draft(data, longest=self.form.longest_field)

    def _show(
        self,
        request: HttpRequest,
        hit: Hit,
        assignment: Assignment,
        *,
        sent: Posted | None = None,
        error: KbpoError | None = None,
    ) -> HttpResponse:
        kept = assignment.draft or {"step": 0, "fields": {}}
        questions = questions_of(hit, assignment)
        names = page_names(hit, [question.pk for question in questions])
        shown: Posted = renumbered(kept["fields"], names) if sent is None else sent
        asked = read_asked(questions)
        groups = [
            Group(
                number,
                one.document,
                self.form.build(one.document, names[one.pk], asked[one.pk], shown, None),
                self.form.shows_source,
            )
            for number, one in enumerate(questions, 1)
        ]
        context = {
            "hit": hit,
            "groups": groups,
            "query": request.GET.urlencode(),
            "seconds": seconds_so_far([group.page for group in groups], shown),
            "comment": next(iter(shown.get(COMMENT, ())), ""),
            "longest_comment": hit_answers.LONGEST_COMMENT,
            "keys_template": self.form.keys,
            "token": tokens.issue(assignment),
            "state": {"step": kept["step"], "number": assignment.draft_number},
            "error": error,
        }
        return render(request, "hits/task.html", context, status=error.status if error else 200)

    def _read_form(
        self, questions: Sequence[Question], sent: Posted, names: Mapping[int, int]
    ) -> dict[str, Any]:
        """Turn the form into what `hit_answers.read_answers` reads; `NotAnswered` at the first gap."""
        asked = read_asked(questions)
        answers = []
        for number, question in enumerate(questions, 1):
            name = names[question.pk]
            try:
                answer = self.form.read(name, asked[question.pk], sent)
            except StepOpen as error:
                where = f"Question {number} of {len(questions)}" if len(questions) > 1 else ""
                raise NotAnswered(str(error), field=error.step, where=where) from None
            answers.append({"question": question.pk, "answer": answer, **seconds_of(field_name(name), sent)})
        return {
            "version": hit_answers.VERSION,
            "answers": answers,
            "comment": next(iter(sent.get(COMMENT, ())), ""),
        }


def questions_of(hit: Hit, assignment: Assignment) -> list[Question]:
    """List what is asked, in order: the gold question too, at a place that is the same for all who come."""
    questions = list(hit.asked)
    if assignment.gold is not None:
        last = len(questions)
        place = last if hit.page_seed is None else places.rng_of(hit, "place").randint(0, last)
        questions.insert(place, assignment.gold)
    prefetch_related_objects(questions, "document")
    return questions
