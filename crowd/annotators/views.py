"""The pages on which people answer questions."""

from collections.abc import Mapping

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations import responses
from annotations.kinds import kind_names
from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.entities import EntitiesQuestion
from annotations.kinds.registry import read_question
from annotations.kinds.relation import RelationQuestion
from annotations.models import Corpus, Question, Response, Sentence
from annotations.selectors import corpus_by_tag
from crowd.annotators import answering, queue
from crowd.annotators.document_views import show as show_document
from crowd.annotators.document_views import take as take_document
from crowd.interfaces import relation
from crowd.models import Reservation
from kbpo.accounts.models import User
from kbpo.core.errors import KbpoError
from kbpo.core.spans import Span


@require_safe
@login_required
@never_cache
def home(request: HttpRequest) -> HttpResponse:
    """Show what is waiting for this annotator, and how to judge it."""
    worker = _user(request)
    responses.check_role(worker=worker)
    now = timezone.now()
    context = {
        "waiting": queue.waiting(worker=worker, now=now),
        "answered": Response.objects.filter(worker=worker).count(),
        "unsettled": sum(
            row.questions for row in queue.waiting(worker=worker, now=now, as_expert=True) if not row.barred
        )
        if worker.is_operator
        else 0,
    }
    return render(request, "crowd/home.html", context)


@require_safe
@login_required
@never_cache
def expert(request: HttpRequest) -> HttpResponse:
    """Show an operator what the votes did not settle."""
    worker = _user(request)
    responses.check_role(worker=worker, as_expert=True)
    context = {
        "waiting": queue.waiting(worker=worker, now=timezone.now(), as_expert=True),
        "voted_on": Question.objects.filter(
            state=Question.State.EXPERT, responses__worker=worker, responses__is_expert=False
        ).count(),
    }
    return render(request, "crowd/expert.html", context)


@require_POST
@login_required
def start(request: HttpRequest) -> HttpResponse:
    """Hold the next question and go there."""
    tag = request.POST.get("corpus", "")
    corpus = corpus_by_tag(tag) if tag else None
    return _go_on(request, corpus, as_expert="expert" in request.POST)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def question(request: HttpRequest, question_id: int) -> HttpResponse:
    """Show a question to whoever holds it, and take the answers."""
    worker = _user(request)
    main = Question.objects.select_related("document__corpus").filter(pk=question_id).first()
    if main is None:
        raise Http404
    corpus = main.document.corpus
    is_document = main.kind == kind_names.ENTITIES
    reservation = Reservation.objects.filter(question=main, worker=worker).first()
    if reservation is None:
        answered = Response.objects.filter(question=main, worker=worker).first()
        if answered is None:
            raise Http404  # what is sampled is nobody's business
        if request.method == "POST" and is_document:
            as_expert = answered.is_expert
            return take_document(
                request, main, as_expert, lambda: _go_on(request, corpus, as_expert=as_expert)
            )
        if request.method == "POST":
            _take(request, main, answered.is_expert)
            return _go_on(request, corpus, as_expert=answered.is_expert)
        messages.info(request, "You have answered that question; an answer that is sent stays as it is.")
        return redirect("annotate_expert" if answered.is_expert else "annotate")
    as_expert = reservation.as_expert
    if request.method == "POST" and is_document:
        return take_document(request, main, as_expert, lambda: _go_on(request, corpus, as_expert=as_expert))
    if request.method == "POST":
        try:
            _take(request, main, as_expert)
        except KbpoError as error:
            return _show(request, main, as_expert, error)
        return _go_on(request, corpus, as_expert=as_expert)
    if main.state != (Question.State.EXPERT if as_expert else Question.State.OPEN):
        messages.info(request, "That question was settled without you in the meantime.")
        return redirect("annotate_expert" if as_expert else "annotate")
    now = timezone.now()
    if is_document and (
        reservation.expires_at > now or queue.hold_again(worker=worker, question=main, now=now)
    ):
        return show_document(request, main, reservation)
    if reservation.expires_at <= now:
        messages.info(request, "Your time for that question ran out, so it went back to the others.")
        return redirect("annotate_expert" if as_expert else "annotate")
    return _show(request, main, as_expert)


def _take(request: HttpRequest, main: Question, as_expert: bool) -> None:
    """Record what the form says of the question and of those that were asked with it."""
    worker = _user(request)
    asked = {
        main.pk: main,
        **{one.pk: one for one in _with_it(main, worker, as_expert)},
        **{
            one.pk: one
            for one in Question.objects.filter(pk__in=_posted_ids(request.POST), document=main.document_id)
        },
    }
    answers = {
        pk: relation.read_answer(_read(one), request.POST.getlist(relation.field_name(pk)))
        for pk, one in asked.items()
    }
    answering.submit(worker=worker, answers=answers, now=timezone.now(), as_expert=as_expert)


def _show(
    request: HttpRequest, main: Question, as_expert: bool, error: KbpoError | None = None
) -> HttpResponse:
    worker = _user(request)
    questions = {one.pk: _read(one) for one in (main, *_with_it(main, worker, as_expert))}
    page = relation.build_page(
        main.document.text,
        _sentences(main, questions[main.pk]),
        questions,
        dict(request.POST.lists()),
        _votes(questions) if as_expert else {},
    )
    context = {"question": main, "page": page, "as_expert": as_expert, "error": error}
    return render(request, "crowd/question.html", context, status=error.status if error else 200)


def _go_on(request: HttpRequest, corpus: Corpus | None, *, as_expert: bool) -> HttpResponse:
    following = queue.next_question(
        worker=_user(request), now=timezone.now(), corpus=corpus, as_expert=as_expert
    )
    if following is not None:
        return redirect("annotate_question", following.pk)
    messages.success(request, "Nothing more is waiting for you here. Thank you.")
    return redirect("annotate_expert" if as_expert else "annotate")


def _with_it(main: Question, worker: User, as_expert: bool) -> list[Question]:
    """List what the worker holds beside a relation question and may still answer: relations first."""
    state = Question.State.EXPERT if as_expert else Question.State.OPEN
    return list(
        queue.beside(main)
        .filter(state=state, reservations__worker=worker, reservations__as_expert=as_expert)
        .order_by("-kind", "pk")
    )


def _sentences(main: Question, asked: relation.Asked) -> list[Span]:
    touching = Q()
    for span in asked.spans:
        touching |= Q(start__lt=span.end, end__gt=span.start)
    rows = Sentence.objects.filter(touching, document=main.document_id).order_by("index")
    return [Span(start, end) for start, end in rows.values_list("start", "end")]


def _votes(questions: Mapping[int, relation.Asked]) -> dict[int, dict[str, int]]:
    """Count the votes on each value of each question's field, for an expert to see."""
    votes: dict[int, dict[str, int]] = {pk: {} for pk in questions}
    for response in Response.objects.filter(question__in=questions, is_valid=True, is_expert=False):
        for value in relation.ticked_values(questions[response.question_id], response.answer):
            counts = votes[response.question_id]
            counts[value] = counts.get(value, 0) + 1
    return votes


def _posted_ids(form: QueryDict) -> list[int]:
    names = (name.removeprefix("q") for name in form if name.startswith("q"))
    return [int(name) for name in names if name.isascii() and name.isdecimal() and len(name) < 19]


def _read(one: Question) -> RelationQuestion | CanonicalQuestion:
    asked = read_question(one.kind, one.payload)
    assert not isinstance(asked, EntitiesQuestion), "it has a page of its own"
    return asked


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # every view is behind login_required
    return request.user
