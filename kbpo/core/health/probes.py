"""The addresses for whatever watches the service: ``/healthz`` and ``/readyz``.

They are answered before anything else, so by any host name, over plain HTTP, without a session, on the host
of HITs as on the site's: who asks is a balancer, or a container's own check.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseNotAllowed, JsonResponse
from django.http.response import HttpResponseBase

from kbpo.core.health.readiness import NAMES, Readiness

ALIVE, READY = "/healthz", "/readyz"

_readiness = Readiness()

Respond = Callable[[HttpRequest], HttpResponseBase]


def probes(get_response: Respond) -> Respond:
    """Answer the two addresses."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.path_info not in (ALIVE, READY):
            return get_response(request)
        if request.method not in ("GET", "HEAD"):
            response: HttpResponseBase = HttpResponseNotAllowed(["GET", "HEAD"])
        elif request.path_info == ALIVE:
            response = JsonResponse({"alive": True})
        else:
            response = _ready(request.GET.get("check", ""))
        response.headers["Cache-Control"] = "no-store"
        response.headers["X-Content-Type-Options"] = "nosniff"
        response._has_been_logged = True  # type: ignore[attr-defined]  # where Django looks
        return response

    return middleware


def _ready(only: str) -> JsonResponse:
    """Say what is ready; of everything, or of one check that is asked for."""
    if only and only not in NAMES:
        return JsonResponse({"detail": f"check is one of {', '.join(NAMES)}"}, status=400)
    found = [check for check in _readiness.checks() if only in ("", check.name)]
    is_ready = all(check.is_ok for check in found)
    checks = {
        check.name: {
            "state": "ok" if check.is_ok else "failed",
            "age_seconds": check.age,
            **({"detail": check.words} if check.words else {}),
        }
        for check in found
    }
    return JsonResponse({"ready": is_ready, "checks": checks}, status=200 if is_ready else 503)
