"""The pages on which people answer questions."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations import responses, roles
from annotations.models import Corpus, Question, Response
from annotations.roles import Act
from annotations.selectors import corpus_by_tag
from crowd import lessons
from crowd.annotators import queue
from crowd.models import Reservation
from crowd.pages.registry import pages_of
from crowd.pricing import expected
from kbpo.accounts.models import User
from kbpo.core.plain_text import replaced_in_forms


@require_safe
@login_required
@never_cache
def home(request: HttpRequest) -> HttpResponse:
    """Show what is waiting for this annotator, and how to judge it."""
    worker = _user(request)
    responses.check_role(worker=worker)
    now = timezone.now()
    waiting = queue.waiting(worker=worker, now=now)
    context = {
        "waiting": waiting,
        "own_tutorials": lessons.own_tutorials(
            (row.corpus, row.interfaces) for row in waiting if not row.barred
        ),
        "answered": Response.objects.filter(worker=worker).count(),
        "tutorial_takes": expected.of_tutorial().words,
        "unsettled": sum(
            row.questions for row in queue.waiting(worker=worker, now=now, as_expert=True) if not row.barred
        )
        if Act.REVIEW in roles.acts(worker)
        else 0,
    }
    return render(request, "crowd/home.html", context)


@require_safe
@login_required
@never_cache
def expert(request: HttpRequest) -> HttpResponse:
    """Show a reviewer, or an operator, what the votes did not settle."""
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


@replaced_in_forms
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def question(request: HttpRequest, question_id: int) -> HttpResponse:
    """Show a question to whoever holds it, and take the answers."""
    worker = _user(request)
    main = Question.objects.select_related("document__corpus").filter(pk=question_id).first()
    if main is None:
        raise Http404
    page = pages_of(main.kind).annotator
    reservation = Reservation.objects.filter(question=main, worker=worker).first()
    if reservation is None:
        answered = Response.objects.filter(question=main, worker=worker).first()
        if answered is None:
            raise Http404  # what is sampled is nobody's business
        if request.method == "POST":
            return _take(request, main, as_expert=answered.is_expert, is_held=False)
        messages.info(request, "You have answered that question; an answer that is sent stays as it is.")
        return redirect("annotate_expert" if answered.is_expert else "annotate")
    as_expert = reservation.as_expert
    if request.method == "POST":
        return _take(request, main, as_expert=as_expert, is_held=True)
    if main.state != (Question.State.EXPERT if as_expert else Question.State.OPEN):
        messages.info(request, "That question was settled without you in the meantime.")
        return redirect("annotate_expert" if as_expert else "annotate")
    now = timezone.now()
    is_over = reservation.expires_at <= now
    if is_over and not (page.read_draft and queue.hold_again(worker=worker, question=main, now=now)):
        messages.info(request, "Your time for that question ran out, so it went back to the others.")
        return redirect("annotate_expert" if as_expert else "annotate")
    return page.show(request, main, reservation)


def _take(request: HttpRequest, main: Question, *, as_expert: bool, is_held: bool) -> HttpResponse:
    corpus = main.document.corpus
    return pages_of(main.kind).annotator.take(
        request,
        main,
        as_expert=as_expert,
        is_held=is_held,
        go_on=lambda: _go_on(request, corpus, as_expert=as_expert),
    )


def _go_on(request: HttpRequest, corpus: Corpus | None, *, as_expert: bool) -> HttpResponse:
    following = queue.next_question(
        worker=_user(request), now=timezone.now(), corpus=corpus, as_expert=as_expert
    )
    if following is not None:
        return redirect("annotate_question", following.pk)
    messages.success(request, "Nothing more is waiting for you here. Thank you.")
    return redirect("annotate_expert" if as_expert else "annotate")


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # every view is behind login_required
    return request.user
