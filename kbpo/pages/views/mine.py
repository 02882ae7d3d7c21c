"""The first page of somebody who is signed in: what waits for them, and how their submissions stand."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotations.models import Corpus
from evaluation.models import Submission
from evaluation.registry import task_of
from evaluation.scoring.own import read_own
from evaluation.submissions import quota
from evaluation.submissions.quota import Quota
from evaluation.submissions.visibility import owned
from kbpo.accounts.models import Team, User
from kbpo.pages.waiting import read_corpora, read_waiting

NEWEST = 5  # submissions that are shown
CORPORA = 3  # of which quotas are shown

Page = Callable[[HttpRequest], HttpResponse]


@require_safe
def first_page(request: HttpRequest, board: Page, visitors: Page) -> HttpResponse:
    """Show who is signed in what is theirs, others what the service is; who asks for a corpus, its board."""
    if request.GET:
        return board(request)
    return mine(request) if request.user.is_authenticated else visitors(request)


def mine(request: HttpRequest) -> HttpResponse:
    """Show what waits for the reader, their newest submissions, and what is left of their quotas."""
    user, now = cast(User, request.user), timezone.now()
    found = Submission.objects.filter(owned(user)).order_by("-pk").defer("counts")
    newest = list(found.select_related("team", "corpus", "batch__epoch")[: NEWEST + 1])
    teams = list(Team.objects.filter(memberships__user=user).order_by("name"))
    context: dict[str, Any] = {
        "waiting": read_waiting(user, now=now),
        "listed": read_own(newest[:NEWEST], find_task=task_of, now=now),
        "has_more": len(newest) > NEWEST,
        "teams": teams,
        "unapproved": [team for team in teams if not quota.may_compete(team)],
        "quotas": _quotas(user, teams, newest, now) if teams else [],
        "window": quota.WINDOW.days,
        "followed": list(read_corpora(user)),
        "has_corpus": Corpus.objects.exists(),
    }
    return render(request, "mine.html", context)


def _quotas(user: User, teams: list[Team], newest: list[Submission], now: datetime) -> list[Quota]:
    """Return what is left in the corpora of the newest submissions; without any, in the newest corpora."""
    corpora = list({one.corpus_id: one.corpus for one in newest}.values())[:CORPORA]
    if not corpora:
        corpora = list(Corpus.objects.order_by("-pk")[:CORPORA])
    return [
        one for corpus in corpora for one in quota.read_quotas(corpus=corpus, teams=teams, user=user, now=now)
    ]
