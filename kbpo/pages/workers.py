"""Workers and how they work: a list, and each by themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import (
    Count,
    Exists,
    F,
    FilteredRelation,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
)
from django.db.models.functions import Coalesce

from annotations.aggregation.shares import share
from annotations.models import Response
from crowd.interfaces.registry import ASKED_KINDS
from crowd.models import Assignment, LedgerEntry, WorkerBlock, WorkerMeasure
from crowd.pricing import timing
from evaluation.scoring import axis
from evaluation.scoring.stored import Measure
from kbpo.accounts.models import User, WorkerIdentity
from kbpo.core.errors import InvalidInput
from kbpo.pages.batches import waits_for_a_person

#: By what workers may be ordered, and how it is called.
ORDERS: Mapping[str, str] = {
    "votes": "most votes",
    "agreement": "least agreement",
    "gold": "least gold right",
    "seconds": "fastest",
    "flagged": "most to look at",
}
_NONE_YET = "nothing to compare yet"


@dataclass(frozen=True, slots=True)
class Quality:
    """How somebody works at one kind of question.

    Attributes
    ----------
    kind : str
    measure : WorkerMeasure or None
    agreement, gold : Measure
        As fractions, with Wilson's 95% interval.
    """

    kind: str
    measure: WorkerMeasure | None
    agreement: Measure
    gold: Measure

    @property
    def is_estimate(self) -> bool:
        """Whether too few answers are behind the median time for it to be more than an estimate."""
        return self.measure is not None and self.measure.timed < timing.ENOUGH


@dataclass(frozen=True, slots=True)
class Row:
    """A worker in the list.

    Attributes
    ----------
    user : User
    identities : tuple of WorkerIdentity
    is_blocked : bool
        Under any of their names.
    quality : Quality
    sent, flagged, rejected : int
        Assignments.
    paid_cents : int
        Rewards and bonuses.
    """

    user: User
    identities: tuple[WorkerIdentity, ...]
    is_blocked: bool
    quality: Quality
    sent: int
    flagged: int
    rejected: int
    paid_cents: int


def workers(*, kind: str, order: str) -> QuerySet[User]:
    """Select everybody who has answered, or is known to a provider.

    Raises
    ------
    InvalidInput
        If the kind or the order is none there is.
    """
    if kind not in ASKED_KINDS:
        raise InvalidInput(f"{kind!r} is none of {', '.join(ASKED_KINDS)}.", where="kind")
    if order not in ORDERS:
        raise InvalidInput(f"{order!r} is none of {', '.join(ORDERS)}.", where="order")
    found = User.objects.filter(
        Exists(WorkerIdentity.objects.filter(user=OuterRef("pk")))
        | Exists(Response.objects.filter(worker=OuterRef("pk"), is_expert=False))
    ).annotate(measured=FilteredRelation("work_measures", condition=Q(work_measures__kind=kind)))
    votes = F("measured__votes").desc(nulls_last=True)
    if order == "agreement":
        least = 1.0 * F("measured__agreed") / F("measured__compared")
        found = found.filter(measured__compared__gt=0).order_by(least, votes, "pk")
    elif order == "gold":
        least = 1.0 * F("measured__gold_right") / F("measured__gold_asked")
        found = found.filter(measured__gold_asked__gt=0).order_by(least, votes, "pk")
    elif order == "seconds":
        found = found.filter(measured__timed__gt=0).order_by("measured__seconds", "pk")
    elif order == "flagged":
        flagged = Assignment.objects.filter(waits_for_a_person(), worker__user=OuterRef("pk")).order_by()
        counted = flagged.values("worker__user").annotate(number=Count("pk")).values("number")
        most = Coalesce(Subquery(counted, output_field=IntegerField()), 0)
        found = found.annotate(flagged=most).order_by("-flagged", votes, "pk")
    else:
        found = found.order_by(votes, "pk")
    return found


def rows(users: Sequence[User], *, kind: str) -> list[Row]:
    """Read what the list says of a page of workers, in as many queries for many as for one."""
    identities: dict[int, list[WorkerIdentity]] = {}
    for identity in WorkerIdentity.objects.filter(user__in=users).order_by("provider", "pk"):
        identities.setdefault(identity.user_id, []).append(identity)
    measures = {one.worker_id: one for one in WorkerMeasure.objects.filter(worker__in=users, kind=kind)}
    blocked = set(
        WorkerBlock.objects.filter(worker__user__in=users, is_blocked=True).values_list(
            "worker__user", flat=True
        )
    )
    nothing = {"sent": 0, "flagged": 0, "rejected": 0}
    work = {
        row["worker__user"]: row
        for row in Assignment.objects.filter(worker__user__in=users)
        .exclude(state=Assignment.State.BEGUN)
        .values("worker__user")
        .annotate(
            sent=Count("pk"),
            flagged=Count("pk", filter=waits_for_a_person()),
            rejected=Count("pk", filter=Q(state=Assignment.State.REJECTED)),
        )
        .order_by()
    }
    paid = dict(
        LedgerEntry.objects.filter(
            worker__user__in=users, kind__in=[LedgerEntry.Kind.REWARD, LedgerEntry.Kind.BONUS]
        )
        .values_list("worker__user")
        .annotate(cents=Sum("paid_change_cents"))
        .order_by()
    )
    return [
        Row(
            user,
            tuple(identities.get(user.pk, ())),
            user.pk in blocked,
            quality_of(kind, measures.get(user.pk)),
            work.get(user.pk, nothing)["sent"],
            work.get(user.pk, nothing)["flagged"],
            work.get(user.pk, nothing)["rejected"],
            paid.get(user.pk, 0),
        )
        for user in users
    ]


def together(kind: str) -> Quality:
    """Read the same of all workers together."""
    return quality_of(kind, WorkerMeasure.objects.filter(worker=None, kind=kind).first())


def qualities(user: User) -> list[Quality]:
    """Read how a worker works at each kind of question."""
    measures = {one.kind: one for one in WorkerMeasure.objects.filter(worker=user)}
    return [quality_of(kind, measures.get(kind)) for kind in ASKED_KINDS]


def quality_of(kind: str, measure: WorkerMeasure | None) -> Quality:
    """Put intervals around what was measured."""
    if measure is None:
        nothing = Measure(None, None, None, _NONE_YET)
        return Quality(kind, None, nothing, nothing)
    return Quality(
        kind,
        measure,
        _share(measure.agreed, measure.compared),
        _share(measure.gold_right, measure.gold_asked),
    )


def axes(qualities: Sequence[Quality]) -> Mapping[str, axis.Axis]:
    """Fit one axis to each of the two columns of shares, and one to both."""
    columns = {
        "agreement": [one.agreement for one in qualities],
        "gold": [one.gold for one in qualities],
        "all": [measure for one in qualities for measure in (one.agreement, one.gold)],
    }
    return {
        name: axis.fit(end for measure in measures for end in (measure.low, measure.high) if end is not None)
        for name, measures in columns.items()
    }


def _share(right: int, of: int) -> Measure:
    found = share(right, of)
    if found is None:
        return Measure(None, None, None, _NONE_YET)
    return Measure(found.estimate, found.low, found.high)
