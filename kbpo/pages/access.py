"""Who may see which page of the desk, and of which corpora: the one place where pages ask.

Operators of the site see every page, of every corpus. Others see the pages that a role of theirs opens
(`annotations.roles`), and on these nothing but what is of the corpora in which they have it.
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from django.contrib.auth.decorators import login_required
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.cache import never_cache

from annotations import roles
from annotations.models import Corpus
from annotations.roles import Act
from kbpo.accounts.models import User
from kbpo.core.errors import NotAllowed

P = ParamSpec("P")
Row = TypeVar("Row", bound=Model)
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def for_operators(view: View[P]) -> View[P]:
    """Let operators alone see a page; others are asked to sign in, or told why not."""
    return _guarded(view, lambda request: operator(request))


def for_role(*acts: Act) -> Callable[[View[P]], View[P]]:
    """Let those see a page who may do one of the acts for some corpus; the view narrows what it shows."""

    def check(request: HttpRequest) -> None:
        if not roles.acts(person(request)).intersection(acts):
            raise NotAllowed(
                "The desk is for operators; this page of it, too, for those whose role for a corpus opens it"
                " and whose teams do not compete there. Ask an operator if you should be one."
            )

    def decorate(view: View[P]) -> View[P]:
        return _guarded(view, check)

    return decorate


def for_makers(view: View[P]) -> View[P]:
    """Let those see a page who may make corpora."""

    def check(request: HttpRequest) -> None:
        if not roles.may_make(person(request)):
            raise NotAllowed("You may not make corpora; ask an operator to let you.")

    return _guarded(view, check)


def for_desk(view: View[P]) -> View[P]:
    """Let those see a page who have a role for some corpus, or may make one."""

    def check(request: HttpRequest) -> None:
        if not roles.has_any(person(request)):
            raise NotAllowed(
                "The desk is for operators, and for those who have a role for a corpus or may make one; ask"
                " an operator if you should."
            )

    return _guarded(view, check)


def person(request: HttpRequest) -> User:
    """Return who asks: somebody who is signed in."""
    assert isinstance(request.user, User)  # every view is behind login_required
    return request.user


def operator(request: HttpRequest) -> User:
    """Return the operator who asks.

    Raises
    ------
    NotAllowed
        If it is somebody else.
    """
    if not isinstance(request.user, User) or not request.user.is_operator:
        raise NotAllowed("The desk is for operators; ask one of them if you should be one.")
    return request.user


def may(request: HttpRequest, act: Act, corpus: Corpus) -> bool:
    """Say whether who asks may do an act for a corpus."""
    return roles.may(person(request), act, corpus)


def corpora(request: HttpRequest, act: Act) -> QuerySet[Corpus]:
    """Select the corpora for which who asks may do an act."""
    return roles.corpora(person(request), act)


def narrowed(request: HttpRequest, act: Act, rows: QuerySet[Row], path: str) -> QuerySet[Row]:
    """Leave those rows that are of a corpus for which who asks may do an act; an operator's are all.

    Parameters
    ----------
    request : HttpRequest
    act : Act
    rows : QuerySet
    path : str
        From a row to its corpus, as ``"hit__batch__corpus"``.
    """
    if person(request).is_operator:
        return rows
    return rows.filter(**{f"{path}__in": corpora(request, act)})


def corpus_for(request: HttpRequest, act: Act, tag: str) -> Corpus:
    """Find a corpus for which who asks may do an act; 404 where they have no role there at all.

    Raises
    ------
    NotAllowed
        If another role of theirs shows them the corpus, but does not open the act.
    """
    found = get_object_or_404(Corpus, tag=tag)
    if not roles.holds(person(request), found):
        get_object_or_404(Corpus.objects.none())
    roles.check(person(request), act, found)
    return found


def _guarded(view: View[P], check: Callable[[HttpRequest], object]) -> View[P]:
    @never_cache
    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        check(request)
        return view(request, *args, **kwargs)

    return guarded
