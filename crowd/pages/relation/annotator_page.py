"""The page on which an annotator answers a relation question with what is asked beside it."""

from collections.abc import Callable, Mapping

from django.db.models import Q
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone

from annotations import ontologies
from annotations.kinds.registry import read_claim_question
from annotations.models import Question, Response, Sentence
from crowd.annotators import answering
from crowd.interfaces.relation import CANONICAL, RELATION
from crowd.interfaces.relation.companions import companions
from crowd.interfaces.relation.form import Asked, read_answer, ticked_values
from crowd.interfaces.relation.page import build_page
from crowd.interfaces.steps import field_name
from crowd.models import Reservation
from crowd.open_questions import rank_of_kind
from crowd.pages.page import AnnotatorPage
from kbpo.accounts.models import User
from kbpo.core.errors import KbpoError
from kbpo_formats.spans import Span


def show(request: HttpRequest, question: Question, reservation: Reservation) -> HttpResponse:
    """Show the page."""
    return _show(request, question, reservation)


def take(
    request: HttpRequest,
    question: Question,
    *,
    as_expert: bool,
    is_held: bool,
    go_on: Callable[[], HttpResponse],
) -> HttpResponse:
    """Record the answers and go on, or show the page again with what is wrong."""
    try:
        _record(request, question, as_expert)
    except KbpoError as error:
        held = answering.reservation_of(worker=_user(request), question=question) if is_held else None
        if held is None:
            raise
        return _show(request, question, held, error)
    return go_on()


def _record(request: HttpRequest, main: Question, as_expert: bool) -> None:
    """Record what the form says of the question and of those that were asked with it."""
    worker = _user(request)
    asked = {
        main.pk: main,
        **{one.pk: one for one in _with_it(main, worker, as_expert)},
        **{
            one.pk: one
            for one in Question.objects.filter(
                pk__in=_posted_ids(request.POST), document=main.document_id, kind__in=(RELATION, CANONICAL)
            )
        },
    }
    answers = {pk: read_answer(_read(one), request.POST.getlist(field_name(pk))) for pk, one in asked.items()}
    answering.submit(worker=worker, answers=answers, now=timezone.now(), as_expert=as_expert, page_of=main.pk)


def _show(
    request: HttpRequest, main: Question, held: Reservation, error: KbpoError | None = None
) -> HttpResponse:
    worker, as_expert = _user(request), held.as_expert
    ontology = ontologies.ontology_under(main.document.corpus, held.guidelines)
    questions = {one.pk: _read(one) for one in (main, *_with_it(main, worker, as_expert))}
    page = build_page(
        main.document.text,
        _sentences(main, questions[main.pk]),
        questions,
        dict(request.POST.lists()),
        _votes(questions) if as_expert and not main.document.corpus.audit_share else {},
        ontology=ontology,
    )
    context = {
        "question": main,
        "title": main.document.title or main.document.doc_id,
        "date": main.document.date,
        "page": page,
        "as_expert": as_expert,
        "error": error,
    }
    return render(request, "crowd/question.html", context, status=error.status if error else 200)


def _with_it(main: Question, worker: User, as_expert: bool) -> list[Question]:
    """List what the worker holds beside a relation question and may still answer: relations first."""
    state = Question.State.EXPERT if as_expert else Question.State.OPEN
    return list(
        companions(main)
        .filter(state=state, reservations__worker=worker, reservations__as_expert=as_expert)
        .order_by(rank_of_kind(), "pk")
    )


def _sentences(main: Question, asked: Asked) -> list[Span]:
    touching = Q()
    for span in asked.spans:
        touching |= Q(start__lt=span.end, end__gt=span.start)
    rows = Sentence.objects.filter(touching, document=main.document_id).order_by("index")
    return [Span(start, end) for start, end in rows.values_list("start", "end")]


def _votes(questions: Mapping[int, Asked]) -> dict[int, dict[str, int]]:
    """Count the votes on each value of each question's field, for an expert to see.

    Not where labels are audited: what nobody has voted on yet would be known for an audit by that.
    """
    votes: dict[int, dict[str, int]] = {pk: {} for pk in questions}
    for response in Response.objects.filter(question__in=questions, is_valid=True, is_expert=False):
        for value in ticked_values(questions[response.question_id], response.answer):
            counts = votes[response.question_id]
            counts[value] = counts.get(value, 0) + 1
    return votes


def _posted_ids(form: QueryDict) -> list[int]:
    names = (name.removeprefix("q") for name in form if name.startswith("q"))
    return [int(name) for name in names if name.isascii() and name.isdecimal() and len(name) < 19]


def _read(one: Question) -> Asked:
    return read_claim_question(one.kind, one.payload)


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # every view is behind login_required
    return request.user


PAGE = AnnotatorPage(show=show, take=take, read_draft=None)
