"""The pages on which workers answer HITs, on an origin of their own.

No session, no cookie and no CSRF cookie: an address of the provider's brings a worker here, and a signed
token stands in the page for all that follows.
"""

from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from typing import Concatenate, ParamSpec

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from crowd import wikipedia
from crowd.bodies import json_object
from crowd.hits import forms, policy, tokens, verifying, working
from crowd.hits.arrivals import Arrival, read_arrival
from crowd.models import Assignment, Hit
from crowd.pages import preview
from crowd.pages.registry import hit_page
from kbpo.core import rate_limits
from kbpo.core.clients import client_address
from kbpo.core.errors import KbpoError, NotAllowed, TooLarge
from kbpo.core.health import logs
from kbpo.core.numbers import whole_number

P = ParamSpec("P")
HitView = Callable[Concatenate[HttpRequest, Hit, P], HttpResponse]


#: What each save of a page needs of its HIT, and what else the page does; what is needed seldom is asked for
#: then. To read all that there is of a HIT, its batch and its corpus would be half of what a save takes.
OF_SAVES = ("batch__provider", "batch__kind", "batch__is_tutorial")
OF_PAGES = (
    *OF_SAVES,
    *("annotation", "provider_id", "page_seed", "places", "reward_cents"),
    *("batch__title", "batch__asks_links", "batch__duration_seconds", "batch__reward_cents"),
    *("batch__estimated_seconds", "batch__by_sentence", "batch__is_time_measured"),
    *("batch__corpus__ontology", "batch__corpus__language", "batch__corpus__policy"),
)


def hit_view(*needed: str) -> Callable[[HitView[P]], Callable[..., HttpResponse]]:
    """Make a view of a HIT's: find it, keep requests small, answer refusals, let its provider frame it.

    Parameters
    ----------
    *needed : str
        Of `OF_SAVES` or `OF_PAGES`.
    """
    related = "batch__corpus" if needed == OF_PAGES else "batch"
    hits = Hit.objects.select_related(related).only(*needed)

    def decorate(view: HitView[P]) -> Callable[..., HttpResponse]:
        @csrf_exempt
        @never_cache
        @gzip_page
        @wraps(view)
        def act(request: HttpRequest, annotation: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            hit = hits.filter(annotation=annotation).first()
            if hit is None:
                raise Http404
            logs.note(hit=hit.pk, batch=hit.batch_id)
            try:
                _check_size(request)
                response = view(request, hit, *args, **kwargs)
            except KbpoError as error:
                response = _refuse(request, error)
            policy.set_policy(response, hit.batch.provider)
            return response

        return act

    return decorate


@require_http_methods(["GET", "HEAD", "POST"])
@hit_view(*OF_PAGES)
def task(request: HttpRequest, hit: Hit) -> HttpResponse:
    """Show a HIT to who has accepted it, and take the answer; show everybody else what such work is like."""
    page, arrival = hit_page(hit.batch), read_arrival(request.GET.dict(), hit.batch.provider)
    if request.method == "POST":
        assignment = _own_assignment(request, hit, arrival)
        return page.take(request, hit, arrival, assignment)
    if arrival.is_preview:
        return preview.show(request, hit)
    return page.show(request, hit, arrival, _begun(request, hit, arrival))


@require_safe
@hit_view(*OF_PAGES)
def passage(request: HttpRequest, hit: Hit, number: int) -> HttpResponse:
    """Show the whole document of one of a page's parts."""
    page = hit_page(hit.batch)
    if page.show_passage is None:
        raise Http404
    arrival = read_arrival(request.GET.dict(), hit.batch.provider)
    if arrival.is_preview:
        raise NotAllowed("The document is shown to who has accepted the task.")
    return page.show_passage(request, hit, _begun(request, hit, arrival), number)


@require_POST
@hit_view(*OF_SAVES)
def draft(request: HttpRequest, hit: Hit) -> HttpResponse:
    """Keep what has been typed so far."""
    pk, _ = tokens.read(request)
    data = json_object(request, largest=forms.MAX_BODY_BYTES)
    number, content = hit_page(hit.batch).read_save(data)
    saved, kept = working.save_draft(
        hit=hit, assignment_id=pk, draft=content, number=number, now=timezone.now()
    )
    return JsonResponse({"saved": saved, "number": kept})


@require_safe
@hit_view(*OF_PAGES)
def pages(request: HttpRequest, hit: Hit) -> HttpResponse:
    """Find pages of Wikipedia, for a worker who links a mention."""
    pk, _ = tokens.read(request)
    rate_limits.require(rate_limits.WIKIPEDIA_SEARCHES, f"assignment-{pk}", now=timezone.now())
    found = wikipedia.find_pages(request.GET.get("q", ""), hit.batch.corpus.written_in)
    return JsonResponse({"pages": [asdict(page) for page in found]})


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say that there is no such task."""
    return _plain_refusal(request, "There is no such task. Return it where you accepted it.", 404)


def not_allowed(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say that something may not be done."""
    return _plain_refusal(request, "This may not be done. Open the task again where you accepted it.", 403)


def not_understood(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say that a request makes no sense."""
    return _plain_refusal(request, "That was not understood. Open the task again where you accepted it.", 400)


def _begun(request: HttpRequest, hit: Hit, arrival: Arrival) -> Assignment:
    """Return the assignment of a worker of whom the provider says that they have accepted the HIT."""
    now = timezone.now()
    comer = working.look_up(hit=hit, arrival=arrival)
    is_verified = verifying.verify(
        hit, arrival, known=comer.assignment, now=now, client_address=client_address(request)
    )
    assignment = working.begin(hit=hit, arrival=arrival, comer=comer, is_verified=is_verified, now=now)
    logs.note(assignment=assignment.pk)
    return assignment


def _own_assignment(request: HttpRequest, hit: Hit, arrival: Arrival) -> Assignment:
    """Return the assignment that both the token and the address name."""
    pk, worker_id = tokens.read(request)
    needed = ("hit", "provider_id", "provider_worker_id", "gold", "guidelines", "draft", "draft_number")
    found = hit.assignments.only(*needed).filter(pk=pk).first()
    if (
        found is None
        or worker_id != arrival.worker_id
        or (found.provider_id, found.provider_worker_id) != (arrival.assignment_id, arrival.worker_id)
    ):
        raise NotAllowed("This page was made for another task than its address says: reload it.")
    logs.note(assignment=found.pk)
    return found


def _check_size(request: HttpRequest) -> None:
    """Refuse what is too large before any of it is read."""
    if whole_number(request.META.get("CONTENT_LENGTH") or "0", forms.MAX_BODY_BYTES) is None:
        raise TooLarge(
            f"That is more than a page can send: {forms.MAX_BODY_BYTES:,} bytes at most."
            " Shorten what you have typed."
        )


def _refuse(request: HttpRequest, error: KbpoError) -> HttpResponse:
    if forms.wants_json(request):
        detail = {"detail": str(error)}
        if isinstance(error, forms.NotAnswered):
            detail["field"] = error.field
        return JsonResponse(detail, status=error.status)
    is_sent = isinstance(error, working.AlreadySent)
    context = {"message": str(error), "is_sent": is_sent}
    return render(request, "hits/refused.html", context, status=200 if is_sent else error.status)


def _plain_refusal(request: HttpRequest, message: str, status: int) -> HttpResponse:
    response = render(request, "hits/refused.html", {"message": message}, status=status)
    policy.set_policy(response, policy.default_provider())
    return response
