"""What workers see: the work that there is, their own, and what it paid. Reads only."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Aggregate, Count, DurationField, F, Max, Q, QuerySet, Sum
from django.db.models.functions import TruncMonth

from marketplace import lifecycle, qualifying
from marketplace.models import Assignment, Hit, HitType, LedgerEntry, Worker
from marketplace.qualifying import Unmet

FEWEST = 5  # approved assignments from which on their median time is shown
ENOUGH = 20  # from which on it is believed; with fewer it is an estimate


class Median(Aggregate):
    """The median of an expression, by interpolation."""

    function = "PERCENTILE_CONT"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"


@dataclass(frozen=True, slots=True)
class Group:
    """Work of one type, as one worker finds it.

    Attributes
    ----------
    hit_type : HitType
    available : int
        HITs that the worker could take.
    median : timedelta or None
        The measured time from accepting to answering, of work that was approved: what a requester still
        looks at, or has rejected, is left out. None where fewer than `FEWEST` were.
    measured : int
        The number of answers behind it.
    unmet : list of Unmet
        Requirements that the worker does not meet.
    """

    hit_type: HitType
    available: int
    median: timedelta | None
    measured: int
    unmet: list[Unmet]

    @property
    def hourly_cents(self) -> int | None:
        """Return what an hour pays at the median time, in cents; None where it is not measured."""
        if self.median is None:
            return None
        return round(3600 * self.hit_type.reward_cents / max(self.median.total_seconds(), 1))

    @property
    def is_estimate(self) -> bool:
        """Tell whether too few answers are behind the median for it to be more than an estimate."""
        return self.measured < ENOUGH

    @property
    def may_preview(self) -> bool:
        """Tell whether the worker may see the task before accepting it."""
        return all(one.guards == "Accept" for one in self.unmet)

    @property
    def is_hidden(self) -> bool:
        """Tell whether a requirement keeps the worker from finding it at all."""
        return any(one.guards == "DiscoverPreviewAndAccept" for one in self.unmet)


@dataclass(frozen=True, slots=True)
class Month:
    """What a worker was paid in a month, in cents."""

    month: date
    rewards: int
    bonuses: int

    @property
    def total(self) -> int:
        """Return rewards and bonuses together."""
        return self.rewards + self.bonuses


def find_groups(worker: Worker, now: datetime) -> list[Group]:
    """List the types of work that a worker may find, the newest first."""
    rows = (
        lifecycle.open_hits(worker, now)
        .values("hit_type")
        .annotate(available=Count("pk"), newest=Max("created_at"))
        .order_by("-newest", "hit_type")
    )
    counts = {row["hit_type"]: row["available"] for row in rows}
    types = HitType.objects.select_related("requester").in_bulk(counts)
    times = _times(list(counts))
    unmet = qualifying.unmet(worker, types.values())
    groups = [_group(types[pk], available, times, unmet) for pk, available in counts.items()]
    return [group for group in groups if not group.is_hidden]


def find_group(worker: Worker, hit_type: HitType, now: datetime) -> Group:
    """Return one type of work, also where nothing of it is left."""
    available = lifecycle.open_hits(worker, now).filter(hit_type=hit_type).count()
    return _group(hit_type, available, _times([hit_type.pk]), qualifying.unmet(worker, [hit_type]))


def next_hit(worker: Worker, hit_type: HitType, now: datetime) -> Hit | None:
    """Return the HIT of a type that a worker would be given next."""
    return lifecycle.open_hits(worker, now).filter(hit_type=hit_type).order_by("pk").first()


def own_work(worker: Worker) -> QuerySet[Assignment]:
    """Return a worker's assignments but those that went back, the newest first."""
    return (
        Assignment.objects.filter(worker=worker, state__in=Assignment.TAKING)
        .select_related("hit__hit_type__requester")
        .order_by(F("submitted_at").desc(nulls_first=True), "-accepted_at", "-pk")
    )


def count_states(worker: Worker) -> dict[str, int]:
    """Count a worker's assignments in each state."""
    rows = Assignment.objects.filter(worker=worker).values("state").annotate(number=Count("pk"))
    return dict(rows.values_list("state", "number"))


def payments(worker: Worker) -> QuerySet[LedgerEntry]:
    """Return what a worker was paid, the latest first."""
    return (
        LedgerEntry.objects.filter(worker=worker, kind__in=[LedgerEntry.Kind.REWARD, LedgerEntry.Kind.BONUS])
        .select_related("requester", "hit__hit_type")
        .order_by("-at", "-pk")
    )


def earnings(worker: Worker) -> list[Month]:
    """Sum what a worker was paid in each month, the latest first."""
    paid = -F("available_cents") - F("held_cents")
    rows = (
        LedgerEntry.objects.filter(worker=worker)
        .annotate(month=TruncMonth("at"))
        .values("month")
        .annotate(
            rewards=Sum(paid, filter=Q(kind=LedgerEntry.Kind.REWARD), default=0),
            bonuses=Sum(paid, filter=Q(kind=LedgerEntry.Kind.BONUS), default=0),
        )
        .order_by("-month")
    )
    return [Month(row["month"].date(), row["rewards"], row["bonuses"]) for row in rows]


def pending_cents(worker: Worker) -> int:
    """Sum the rewards of a worker's answers that nobody has decided yet, in cents."""
    found = Assignment.objects.filter(worker=worker, state=Assignment.State.SUBMITTED)
    total: int = found.aggregate(total=Sum("hit__hit_type__reward_cents", default=0))["total"]
    return total


def _group(
    hit_type: HitType,
    available: int,
    times: dict[int, tuple[timedelta, int]],
    unmet: dict[int, list[Unmet]],
) -> Group:
    median, measured = times.get(hit_type.pk, (None, 0))
    if measured < FEWEST:
        median = None
    return Group(hit_type, available, median, measured, unmet[hit_type.pk])


def _times(types: list[int]) -> dict[int, tuple[timedelta, int]]:
    """Return median time and number of the approved answers to each of these types' HITs."""
    rows = (
        Assignment.objects.filter(hit__hit_type__in=types, state=Assignment.State.APPROVED)
        .values("hit__hit_type")
        .annotate(
            median=Median(F("submitted_at") - F("accepted_at"), output_field=DurationField()),
            number=Count("pk"),
        )
    )
    return {row["hit__hit_type"]: (row["median"], row["number"]) for row in rows}
