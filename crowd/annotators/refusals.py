"""Refusals as a page's script reads them."""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse, JsonResponse

from kbpo.accounts.models import User
from kbpo.core.errors import KbpoError, NotAllowed

View = Callable[..., HttpResponse]


def answers_json(view: View) -> View:
    """Make refusals JSON, ``{"detail": …}``, and ask for signing in with a status instead of a page."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        try:
            if not isinstance(request.user, User):
                raise NotAllowed("You are signed out. Sign in in another window; nothing here is lost.")
            return view(request, *args, **kwargs)
        except KbpoError as error:
            return JsonResponse({"detail": str(error)}, status=error.status)

    return wrapped
