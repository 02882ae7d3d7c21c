"""The address to which Prolific tells what happened."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from crowd.providers.prolific import hooks
from kbpo.core.errors import KbpoError, TooLarge
from kbpo.core.numbers import whole_number

LARGEST = 64 * 1024  # bytes


@csrf_exempt  # each request is signed
@require_POST
def hook(request: HttpRequest) -> HttpResponse:
    """Take an event; Prolific tells it again unless it is answered with 2xx."""
    if not settings.PROLIFIC_WEBHOOK_SECRET:
        raise Http404("Nothing is expected from Prolific here.")
    now = timezone.now()
    try:
        if whole_number(request.headers.get("Content-Length") or "0", LARGEST) is None:
            raise TooLarge(f"An event has at most {LARGEST:,} bytes.")
        hooks.check(
            body=request.body,
            timestamp=request.headers.get(hooks.TIMESTAMP, ""),
            signature=request.headers.get(hooks.SIGNATURE, ""),
            secret=settings.PROLIFIC_WEBHOOK_SECRET,
            now=now,
        )
        is_new = hooks.receive(event_id=request.headers.get(hooks.EVENT, ""), body=request.body, now=now)
    except KbpoError as error:
        return HttpResponse(f"{error}\n", status=error.status, content_type="text/plain; charset=utf-8")
    return HttpResponse("taken\n" if is_new else "known already\n", content_type="text/plain")
