"""The web application, for gunicorn."""

import os
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from django.core.wsgi import get_wsgi_application
from django.utils.http import parse_header_parameters

UTF_8 = {"utf-8", "utf8"}
REFUSAL = b"The request's Content-Type cannot be read; text must be in UTF-8.\n"


def in_utf8(application: WSGIApplication) -> WSGIApplication:
    """Refuse requests that say that they are in another encoding than UTF-8.

    Django would read the address by it too, fail where it is none of text, as ``charset=hex`` is not, and
    take lone surrogates, which nothing can store, from ``charset=unicode_escape``.
    """

    def guarded(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        try:
            _, parameters = parse_header_parameters(environ.get("CONTENT_TYPE", ""))
        except ValueError:
            parameters = {"charset": ""}
        if parameters.get("charset", "utf-8").lower() not in UTF_8:
            headers = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(REFUSAL)))]
            start_response("415 Unsupported Media Type", headers)
            return [REFUSAL]
        return application(environ, start_response)

    return guarded


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbpo.settings")
application = in_utf8(get_wsgi_application())
