"""How batches of work stand: counts for a page of them, and when each should be done."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, DateTimeField, ExpressionWrapper, F, Min, Q, Sum, Value
from django.db.models.expressions import Combinable

from annotations.models import Question
from crowd import review
from crowd.models import Assignment, BatchMeasure, BatchPlan, Hit, HitBatch, HitQuestion, LedgerEntry

PACE_WINDOW = timedelta(hours=24)
LIVE = (HitBatch.State.PLANNING, HitBatch.State.OPEN, HitBatch.State.PAUSED)
ENOUGH = 5  # assignments within the window before a pace says anything
_Kind = LedgerEntry.Kind
_State = Assignment.State
_OUT = Q(hit__state=Hit.State.POSTED, hit__ended_at=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """Cents: promised and not yet paid, and paid."""

    reserved: int = 0
    rewards: int = 0
    fees: int = 0
    bonuses: int = 0

    @property
    def paid(self) -> int:
        """All that was paid."""
        return self.rewards + self.fees + self.bonuses


@dataclass(frozen=True, slots=True)
class Progress:
    """How many of so many HITs are put together."""

    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a batch stands.

    Attributes
    ----------
    batch : HitBatch
    questions, settled, with_experts : int
        Questions that it asked; those that are settled; those that an expert is to settle.
    places, open, held, sent : int
        Assignments that were sent or may still come; those that a worker may accept now; those on a worker's
        screen, as far as we know; those that were sent.
    flagged, waiting, approved, rejected : int
        Of those sent: waiting for a person, waiting, and as decided.
    hits : mapping of str to int
        By state.
    plan : Progress or None
        While its HITs are being put together.
    money : Money
    agreement : BatchMeasure or None
    left : timedelta or None
        Until its places are filled, at the pace of the last day; None if that cannot be said.
    """

    batch: HitBatch
    questions: int = 0
    settled: int = 0
    with_experts: int = 0
    places: int = 0
    open: int = 0
    held: int = 0
    sent: int = 0
    flagged: int = 0
    waiting: int = 0
    approved: int = 0
    rejected: int = 0
    hits: Mapping[str, int]
    money: Money
    agreement: BatchMeasure | None
    left: timedelta | None
    plan: Progress | None = None

    @property
    def is_live(self) -> bool:
        """Whether anything more may come of it."""
        return self.batch.state in LIVE


def standings(batches: Sequence[HitBatch], *, now: datetime) -> list[Standing]:
    """Read how batches stand, in as many queries for many as for one.

    Parameters
    ----------
    batches : sequence of HitBatch
    now : datetime
        Aware.
    """
    pks = [batch.pk for batch in batches]
    hits, places, out = _hits(pks)
    questions = _questions(pks)
    work = _work(pks, now)
    money = _money(pks)
    measures = {one.batch_id: one for one in BatchMeasure.objects.filter(batch__in=pks)}
    plans = {
        pk: Progress(done, total)
        for pk, done, total in BatchPlan.objects.filter(batch__in=pks).values_list("batch", "done", "total")
    }
    found = []
    for batch in batches:
        done, asked = work.get(batch.pk, {}), questions.get(batch.pk, {})
        held = min(done.get("held", 0), out.get(batch.pk, 0))
        # What a HIT did not get before it ended is asked again in another, whose places count.
        all_places = places.get(batch.pk, 0) + done.get("ended", 0)
        found.append(
            Standing(
                batch=batch,
                questions=asked.get("questions", 0),
                settled=asked.get("settled", 0),
                with_experts=asked.get("with_experts", 0),
                places=all_places,
                open=max(0, out.get(batch.pk, 0) - held),
                held=held,
                sent=done.get("sent", 0),
                flagged=done.get("flagged", 0),
                waiting=done.get("waiting", 0),
                approved=done.get("approved", 0),
                rejected=done.get("rejected", 0),
                hits=hits.get(batch.pk, {}),
                plan=plans.get(batch.pk),
                money=money.get(batch.pk, Money()),
                agreement=measures.get(batch.pk),
                left=time_left(
                    all_places - done.get("sent", 0),
                    done.get("recent", 0),
                    done.get("first"),
                    now,
                )
                if batch.state == HitBatch.State.OPEN
                else None,
            )
        )
    return found


def time_left(missing: int, recent: int, first: datetime | None, now: datetime) -> timedelta | None:
    """Say how long until so many assignments more are in, at the pace of the last day.

    Parameters
    ----------
    missing : int
        Assignments still to come.
    recent : int
        Those that came within `PACE_WINDOW`.
    first : datetime or None
        When the first of these came.
    now : datetime

    Returns
    -------
    timedelta or None
        None where fewer than `ENOUGH` came, or nothing is missing.

    Examples
    --------
    Six in the last hour, 12 to come:

    >>> from datetime import UTC
    >>> now = datetime(2026, 11, 20, 12, tzinfo=UTC)
    >>> time_left(12, 6, now - timedelta(hours=1), now)
    datetime.timedelta(seconds=7200)
    """
    if missing <= 0 or recent < ENOUGH or first is None or first >= now:
        return None
    return missing * (now - first) / recent


def _hits(pks: Sequence[int]) -> tuple[dict[int, dict[str, int]], dict[int, int], dict[int, int]]:
    """Count HITs by state; places of HITs that have not ended; those with a provider and not filled."""
    states: dict[int, dict[str, int]] = defaultdict(dict)
    places: dict[int, int] = defaultdict(int)
    out: dict[int, int] = {}
    rows = (
        Hit.objects.filter(batch__in=pks)
        .values("batch", "state")
        .annotate(
            number=Count("pk"),
            to_fill=Sum("places", filter=Q(ended_at=None)),
            at_provider=Sum("posted_places", filter=Q(ended_at=None)),
        )
        .order_by()
    )
    for row in rows:
        states[row["batch"]][row["state"]] = row["number"]
        if row["state"] not in (Hit.State.CANCELLED, Hit.State.FAILED):
            places[row["batch"]] += row["to_fill"] or 0
        if row["state"] == Hit.State.POSTED:
            out[row["batch"]] = row["at_provider"] or 0
    sent = (
        Assignment.objects.filter(_OUT, hit__batch__in=pks)
        .exclude(state=_State.BEGUN)
        .values_list("hit__batch")
        .annotate(number=Count("pk"))
        .order_by()
    )
    for batch, number in sent:
        out[batch] = max(0, out.get(batch, 0) - number)
    return states, places, out


def _questions(pks: Sequence[int]) -> dict[int, dict[str, Any]]:
    rows = (
        HitQuestion.objects.filter(hit__batch__in=pks)
        .values("hit__batch")
        .annotate(
            questions=Count("question", distinct=True),
            settled=Count("question", distinct=True, filter=Q(question__state=Question.State.SETTLED)),
            with_experts=Count("question", distinct=True, filter=Q(question__state=Question.State.EXPERT)),
        )
        .order_by()
    )
    return {row["hit__batch"]: {**row} for row in rows}


def _work(pks: Sequence[int], now: datetime) -> dict[int, dict[str, Any]]:
    recently = Q(submitted_at__gt=now - PACE_WINDOW, submitted_at__lte=now)
    rows = (
        Assignment.objects.filter(hit__batch__in=pks)
        .values("hit__batch")
        .annotate(
            sent=Count("pk", filter=~Q(state=_State.BEGUN)),
            ended=Count("pk", filter=~Q(state=_State.BEGUN) & Q(hit__ended_at__isnull=False)),
            held=Count("pk", filter=_OUT & Q(state=_State.BEGUN, begun_at__gt=_held_since(now))),
            flagged=Count("pk", filter=waits_for_a_person()),
            waiting=Count("pk", filter=Q(state=_State.SUBMITTED)),
            approved=Count("pk", filter=Q(state=_State.APPROVED)),
            rejected=Count("pk", filter=Q(state=_State.REJECTED)),
            recent=Count("pk", filter=recently),
            first=Min("submitted_at", filter=recently),
        )
        .order_by()
    )
    return {row["hit__batch"]: {**row} for row in rows}


def waits_for_a_person() -> Q:
    """Select assignments that somebody should look at before they are paid."""
    return review.waiting()


def _held_since(now: datetime) -> Combinable:
    """Return since when work may have been on a worker's screen that is not over its time."""
    return ExpressionWrapper(
        Value(now) - F("hit__batch__duration_seconds") * Value(timedelta(seconds=1)),
        output_field=DateTimeField(),
    )


def _money(pks: Sequence[int]) -> dict[int, Money]:
    """Sum the ledger for batches: entries for their HITs, and for bonuses to their workers."""
    sums: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for path in ("hit__batch", "assignment__hit__batch", "batch"):
        rows = LedgerEntry.objects.filter(**{f"{path}__in": pks})
        if path.startswith("assignment"):
            rows = rows.filter(hit=None)
        totals = (
            rows.values(path, "kind")
            .annotate(reserved=Sum("reserved_change_cents"), paid=Sum("paid_change_cents"))
            .order_by()
        )
        for row in totals:
            sums[row[path]]["reserved"] += row["reserved"]
            sums[row[path]][row["kind"]] += row["paid"]
    return {
        batch: Money(
            reserved=found["reserved"],
            rewards=found[_Kind.REWARD],
            fees=found[_Kind.FEE] + found[_Kind.BONUS_FEE],
            bonuses=found[_Kind.BONUS],
        )
        for batch, found in sums.items()
    }
