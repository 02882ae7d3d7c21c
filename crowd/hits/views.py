"""The pages on which workers answer HITs, on an origin of their own.

No session, no cookie and no CSRF cookie: an address of the provider's brings a worker here, and a signed
token stands in the page for all that follows.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import wraps
from typing import Concatenate, ParamSpec

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from crowd import wikipedia
from crowd.bodies import json_object
from crowd.hits import (
    entity_page,
    hit_answers,
    limits,
    policy,
    relation_page,
    sending,
    tokens,
    tutorial,
    working,
)
from crowd.hits.arrivals import Arrival, read_arrival
from crowd.models import Assignment, Hit, HitBatch
from kbpo.core.errors import InvalidInput, KbpoError, NotAllowed, TooLarge
from kbpo.core.numbers import whole_number

P = ParamSpec("P")
HitView = Callable[Concatenate[HttpRequest, Hit, P], HttpResponse]
Posted = Mapping[str, Sequence[str]]


def hit_view(view: HitView[P]) -> Callable[..., HttpResponse]:
    """Make a view of a HIT's: find it, keep requests small, answer refusals, let its provider frame it."""

    @csrf_exempt
    @never_cache
    @gzip_page
    @wraps(view)
    def act(request: HttpRequest, annotation: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        hit = Hit.objects.select_related("batch__corpus").filter(annotation=annotation).first()
        if hit is None:
            raise Http404
        try:
            _check_size(request)
            response = view(request, hit, *args, **kwargs)
        except KbpoError as error:
            response = _refuse(request, error)
        policy.set_policy(response, hit.batch.provider)
        return response

    return act


@require_http_methods(["GET", "HEAD", "POST"])
@hit_view
def task(request: HttpRequest, hit: Hit) -> HttpResponse:
    """Show a HIT to whoever previews or has accepted it, and take the answer."""
    arrival = read_arrival(request.GET.dict(), hit.batch.provider)
    if request.method == "POST":
        assignment = _own_assignment(request, hit, arrival)
        if hit.batch.is_tutorial:
            return tutorial.take(request, hit, arrival, assignment, _posted(request))
        if _is_document(hit):
            return entity_page.take(request, hit, arrival, assignment)
        return _take(request, hit, arrival, assignment)
    begun = None if arrival.is_preview else working.begin(hit=hit, arrival=arrival, now=timezone.now())
    if hit.batch.is_tutorial:
        return tutorial.show(request, hit, arrival, begun)
    if _is_document(hit):
        return entity_page.show(request, hit, begun)
    return _show(request, hit, arrival, begun)


@require_safe
@hit_view
def passage(request: HttpRequest, hit: Hit, number: int) -> HttpResponse:
    """Show the whole document of one of a page's groups."""
    if _is_document(hit):
        raise Http404  # it is on the page
    arrival = read_arrival(request.GET.dict(), hit.batch.provider)
    assignment = None
    if not arrival.is_preview:
        assignment = working.begin(hit=hit, arrival=arrival, now=timezone.now())
    groups = relation_page.build_groups(
        relation_page.questions_of(hit, assignment),
        asks_links=hit.batch.asks_links,
        posted={},
        whole=number,
    )
    if not groups:
        raise Http404
    return render(request, "hits/passage.html", {"group": groups[0]})


@require_POST
@hit_view
def draft(request: HttpRequest, hit: Hit) -> HttpResponse:
    """Keep what has been typed so far."""
    pk, _ = tokens.read(request)
    data = json_object(request, largest=limits.LARGEST)
    number, content = entity_page.read_save(data) if _is_document(hit) else working.read_draft(data)
    saved, kept = working.save_draft(
        hit=hit, assignment_id=pk, draft=content, number=number, now=timezone.now()
    )
    return JsonResponse({"saved": saved, "number": kept})


@require_safe
@hit_view
def pages(request: HttpRequest, hit: Hit) -> HttpResponse:
    """Find pages of Wikipedia, for a worker who links a mention."""
    pk, _ = tokens.read(request)
    limits.count_search(who=f"assignment-{pk}", now=timezone.now())
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


def _take(request: HttpRequest, hit: Hit, arrival: Arrival, assignment: Assignment) -> HttpResponse:
    posted = _posted(request)
    questions = relation_page.questions_of(hit, assignment)
    try:
        data = relation_page.read_form(questions, posted, asks_links=hit.batch.asks_links)
        answers = hit_answers.to_data(hit_answers.read_answers(data, questions))
    except InvalidInput as error:
        if _wants_json(request):
            raise
        return _show(request, hit, arrival, assignment, posted=posted, error=error)
    steps = relation_page.seconds_of_steps(posted)
    handover = sending.keep_and_hand_over(hit, arrival, assignment, answers, steps)
    if _wants_json(request):
        return JsonResponse(asdict(handover))
    return render(request, "hits/send.html", {"handover": handover})


def _show(
    request: HttpRequest,
    hit: Hit,
    arrival: Arrival,
    assignment: Assignment | None,
    *,
    posted: Posted | None = None,
    error: KbpoError | None = None,
) -> HttpResponse:
    kept = (assignment.draft if assignment is not None else None) or {"step": 0, "fields": {}}
    shown: Posted = kept["fields"] if posted is None else posted
    groups = relation_page.build_groups(
        relation_page.questions_of(hit, assignment), asks_links=hit.batch.asks_links, posted=shown
    )
    context = {
        "hit": hit,
        "groups": groups,
        "query": request.GET.urlencode(),
        "seconds": _seconds_so_far(groups, shown),
        "comment": next(iter(shown.get(relation_page.COMMENT, ())), ""),
        "longest_comment": hit_answers.LONGEST_COMMENT,
        "is_preview": arrival.is_preview,
        "token": tokens.issue(assignment) if assignment is not None else "",
        "state": {"step": kept["step"], "number": assignment.draft_number if assignment is not None else 0},
        "error": error,
    }
    return render(request, "hits/task.html", context, status=error.status if error else 200)


def _seconds_so_far(
    groups: Sequence[relation_page.Group], posted: Mapping[str, Sequence[str]]
) -> list[tuple[str, str]]:
    names = [f"seconds-{step.name}" for group in groups for step in group.page.steps]
    return [(name, next(iter(posted.get(name, ())), "")) for name in names]


def _own_assignment(request: HttpRequest, hit: Hit, arrival: Arrival) -> Assignment:
    """Return the assignment that both the token and the address name."""
    pk, worker_id = tokens.read(request)
    found = Assignment.objects.select_related("gold__document").filter(pk=pk, hit=hit).first()
    if (
        found is None
        or worker_id != arrival.worker_id
        or (found.provider_id, found.provider_worker_id) != (arrival.assignment_id, arrival.worker_id)
    ):
        raise NotAllowed("This page was made for another task than its address says: reload it.")
    return found


def _check_size(request: HttpRequest) -> None:
    """Refuse what is too large before any of it is read."""
    if whole_number(request.META.get("CONTENT_LENGTH") or "0", limits.LARGEST) is None:
        raise TooLarge(
            f"That is more than a page can send: {limits.LARGEST:,} bytes at most."
            " Shorten what you have typed."
        )


def _is_document(hit: Hit) -> bool:
    return hit.batch.kind == HitBatch.Kind.ENTITIES


def _posted(request: HttpRequest) -> dict[str, list[str]]:
    try:
        return {
            hit_answers.storable(name): [hit_answers.storable(str(value)) for value in values]
            for name, values in request.POST.lists()
        }
    except (RequestDataTooBig, TooManyFieldsSent):
        raise TooLarge("The form has more fields than the page that was sent to you: reload it.") from None


def _wants_json(request: HttpRequest) -> bool:
    return "application/json" in request.headers.get("Accept", "")


def _refuse(request: HttpRequest, error: KbpoError) -> HttpResponse:
    if _wants_json(request):
        detail = {"detail": str(error)}
        if isinstance(error, relation_page.NotAnswered):
            detail["field"] = error.field
        return JsonResponse(detail, status=error.status)
    is_sent = isinstance(error, working.AlreadySent)
    context = {"message": str(error), "is_sent": is_sent}
    return render(request, "hits/refused.html", context, status=200 if is_sent else error.status)


def _plain_refusal(request: HttpRequest, message: str, status: int) -> HttpResponse:
    response = render(request, "hits/refused.html", {"message": message}, status=status)
    policy.set_policy(response, policy.default_provider())
    return response
