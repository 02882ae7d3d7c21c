"""The web application, for gunicorn."""

import json
import os
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from django.core.cache import cache
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver
from django.utils.http import parse_header_parameters

from kbpo.core.database import limits
from kbpo.core.numbers import whole_number
from kbpo.core.problems import MEDIA_TYPE, problem

UTF_8 = {"utf-8", "utf8"}
MOST = 10**15  # bytes that a request may announce; what it may have is for those to say who read it


def guard(application: WSGIApplication) -> WSGIApplication:
    """Refuse requests whose headers make Django fail before anything of ours is asked.

    A length must be a number. Text must be in UTF-8: by a ``charset`` Django would read the address too, fail
    where it is none of text, as ``hex`` is not, and take from ``unicode_escape`` lone surrogates, which
    nothing can store.
    """

    def guarded(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if whole_number(environ.get("CONTENT_LENGTH") or "0", MOST) is None:
            words = "Content-Length must be a number of bytes."
            return _refuse(environ, start_response, "400 Bad Request", words)
        if not _is_in_utf8(environ.get("CONTENT_TYPE", "")):
            words = "The Content-Type cannot be read; text must be in UTF-8."
            return _refuse(environ, start_response, "415 Unsupported Media Type", words)
        return application(environ, start_response)

    return guarded


def limited(application: WSGIApplication) -> WSGIApplication:
    """Have the requests of this process wait no longer for the database than people do."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        limits.set_limits(limits.WEB)
        return application(environ, start_response)

    return answer


def _is_in_utf8(content_type: str) -> bool:
    try:
        _, parameters = parse_header_parameters(content_type)
    except ValueError:
        return False
    return parameters.get("charset", "utf-8").lower() in UTF_8


def _refuse(environ: WSGIEnvironment, start_response: StartResponse, status: str, words: str) -> list[bytes]:
    kind, said = "text/plain; charset=utf-8", f"{words}\n"
    if environ.get("PATH_INFO", "").startswith("/api/"):
        kind, said = MEDIA_TYPE, json.dumps(problem(int(status[:3]), words))
    body = said.encode()
    start_response(status, [("Content-Type", kind), ("Content-Length", str(len(body)))])
    return [body]


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbpo.settings")
application = guard(limited(get_wsgi_application()))
cache.clear()  # of values that an earlier version made
get_resolver().url_patterns  # noqa: B018  # imports the views, which the first request would wait for
