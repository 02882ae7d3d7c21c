"""HITs that do not get on, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Case, Count, Exists, Max, Min, OuterRef, Q, QuerySet, When

from crowd.models import Assignment, Hit, HitBatch
from crowd.providers import registry
from kbpo.core.durations import in_words
from kbpo.pages.batches import waits_for_a_person

POSTED_WITHIN = timedelta(minutes=10)
LONGEST_SILENCE = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Stuck:
    """A HIT that does not get on.

    Attributes
    ----------
    hit : Hit
    sent : int
        Assignments that were sent.
    reason : str
        A sentence.
    """

    hit: Hit
    sent: int
    reason: str


def silence(batch: HitBatch) -> timedelta:
    """Return how long a batch's HITs may be without an answer: a day, or a quarter of their lifetime."""
    return min(LONGEST_SILENCE, timedelta(seconds=batch.lifetime_seconds / 4))


def stuck(batch: HitBatch, *, now: datetime) -> QuerySet[Hit]:
    """Select a batch's HITs that are slow or stuck, the worst first. `explain` says why each is.

    Those that the provider refused or did not answer for; those that wait to be posted for more than ten
    minutes; those whose answers wait for a person, or whose decisions do not come through; and those that
    nobody has answered for long.
    """
    since = now - silence(batch)
    work = Assignment.objects.filter(hit=OuterRef("pk"))
    return (
        Hit.objects.filter(batch=batch)
        .filter(
            Q(state=Hit.State.FAILED)
            | Q(state__in=[Hit.State.PLANNED, Hit.State.POSTED]) & ~Q(error="")
            | Q(state=Hit.State.PLANNED, created_at__lt=now - POSTED_WITHIN)
            | Q(state=Hit.State.POSTED, ended_at=None, posted_at__lt=since)
            & ~Exists(work.filter(submitted_at__gt=since))
            | Q(state=Hit.State.POSTED) & Exists(work.filter(waits_for_a_person() | _not_told()))
        )
        .annotate(
            rank=Case(
                When(state=Hit.State.FAILED, then=0),
                When(~Q(error=""), then=1),
                When(Exists(work.filter(_not_told())), then=2),
                When(state=Hit.State.PLANNED, then=3),
                When(Exists(work.filter(waits_for_a_person())), then=5),
                default=4,
            )
        )
        .order_by("rank", "pk")
    )


def explain(hits: Sequence[Hit], batch: HitBatch, *, now: datetime) -> list[Stuck]:
    """Say of HITs that `stuck` selected why they are.

    Parameters
    ----------
    hits : sequence of Hit
        A page of them, all of the batch.
    batch : HitBatch
    now : datetime
    """
    rows = (
        Assignment.objects.filter(hit__in=hits)
        .values("hit")
        .annotate(
            sent=Count("pk", filter=~Q(state=Assignment.State.BEGUN)),
            last=Max("submitted_at"),
            flagged_since=Min("submitted_at", filter=waits_for_a_person()),
            error=Max("error", filter=_not_told()),
        )
        .order_by()
    )
    work: dict[int, dict[str, Any]] = {row["hit"]: {**row} for row in rows}
    nothing: dict[str, Any] = {"sent": 0, "last": None, "flagged_since": None, "error": None}
    return [
        Stuck(hit, work.get(hit.pk, nothing)["sent"], _reason(hit, batch, work.get(hit.pk, nothing), now))
        for hit in hits
    ]


def _not_told() -> Q:
    return ~Q(decision="") & Q(told_at=None) & ~Q(error="")


def _reason(hit: Hit, batch: HitBatch, work: Mapping[str, Any], now: datetime) -> str:
    if hit.state == Hit.State.FAILED:
        return f"The provider refused it: {hit.error}"
    if hit.error:
        return f"The provider has not taken it yet, at try {hit.tries}: {hit.error}"
    if hit.state == Hit.State.PLANNED:
        return f"It waits to be posted for {_long(now - hit.created_at)}: {_why_not_posted(batch)}."
    if work["error"]:
        return f"A decision on its work has not come through: {work['error']}"
    if work["flagged_since"]:
        return f"Its work waits for a person for {_long(now - work['flagged_since'])}."
    if work["last"]:
        quiet = _long(now - work["last"])
        return f"Nobody has sent anything for {quiet}; {work['sent']} of {hit.places} are in."
    assert hit.posted_at is not None  # the database says so
    return f"Nobody has sent anything since it was posted, {_long(now - hit.posted_at)} ago."


def _why_not_posted(batch: HitBatch) -> str:
    if batch.state == HitBatch.State.PLANNING:
        return "the rest of its batch is being put together"
    if batch.state == HitBatch.State.PAUSED:
        return "its batch is paused"
    if batch.provider not in registry.configured():
        return f"there are no keys for {batch.get_provider_display()}"
    return "the pipeline does not run, or has much to post"


def _long(span: timedelta) -> str:
    return in_words(span).removeprefix("about ")
