"""Who may see the operators' pages."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache

from kbpo.accounts.models import User
from kbpo.core.errors import NotAllowed

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def for_operators(view: View[P]) -> View[P]:
    """Let operators alone see a page; others are asked to sign in, or told why not."""

    @never_cache
    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        operator(request)
        return view(request, *args, **kwargs)

    return guarded


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
