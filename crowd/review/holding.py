"""What no rule pays before a person has looked, though nothing speaks against it: held work.

Held is all work of a batch that says so; of a newcomer, until a person has approved so many answers as the
batch says; and of a worker other work of whom is flagged and waits. A newcomer again is whose work a person
has rejected. A tutorial is held until a person has approved anything of its worker's: who has taken it may
never be given work by which they could become known. Once the reason is gone a rule lets the work go; votes
of held work count.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, OuterRef, Q

from crowd.models import Assignment

State = Assignment.State
Decision = Assignment.Decision

ALL = "All work of this batch is looked at."
FLAGGED = "Other work of this worker waits for a person."
UNSEEN = "New here: a person has approved no work of this worker yet."
#: User and kind of work.
_Worker = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Known:
    """What persons have seen of workers at kinds of work.

    Attributes
    ----------
    approved : mapping
        Answers in work that a person approved, since one last rejected any.
    flagged : collection
        Those with flagged work that waits.
    seen : collection of int
        Users of whom a person has approved anything, of whatever kind, since one last rejected any.
    """

    approved: Mapping[_Worker, int]
    flagged: Collection[_Worker]
    seen: Collection[int]


def waiting() -> Q:
    """Select work that waits for a person: flagged, or held."""
    return Q(state=State.SUBMITTED, decision="") & (~Q(flag="") | ~Q(hold=""))


def reason(assignment: Assignment) -> str:
    """Say why a counted assignment is held; empty: it is not."""
    batch = assignment.hit.batch
    if assignment.worker is None:
        return ""
    user = assignment.worker.user_id
    terms = _Terms(batch.is_tutorial, batch.holds_all, batch.held_answers)
    return _reason((user, batch.kind), terms, _known([user]))


def look_again(*, now: datetime) -> int:
    """Hold what has to wait by now, and let go of what has not; return how much changed.

    Safe to run twice, and at the same time as itself.
    """
    waits = Assignment.objects.filter(state=State.SUBMITTED, decision="", flag="", counted_at__isnull=False)
    flagged = Assignment.objects.filter(
        ~Q(flag=""),
        state=State.SUBMITTED,
        decision="",
        worker__user=OuterRef("worker__user"),
        hit__batch__kind=OuterRef("hit__batch__kind"),
    )
    changed = waits.filter(Exists(flagged), hold="").update(hold=FLAGGED)
    held = list(
        waits.exclude(hold="").values_list(
            "pk",
            "hold",
            "worker__user",
            "hit__batch__kind",
            "hit__batch__is_tutorial",
            "hit__batch__holds_all",
            "hit__batch__held_answers",
        )
    )
    known = _known({user for _, _, user, *_ in held if user is not None})
    words: dict[str, list[int]] = {}
    for pk, hold, user, kind, is_tutorial, holds_all, held_answers in held:
        terms = _Terms(is_tutorial, holds_all, held_answers)
        if user is not None and (found := _reason((user, kind), terms, known)) != hold:
            words.setdefault(found, []).append(pk)
    for found, pks in words.items():
        changed += waits.filter(pk__in=pks).update(hold=found)
    return changed


@dataclass(frozen=True, slots=True)
class _Terms:
    """Of the batch."""

    is_tutorial: bool
    holds_all: bool
    held_answers: int


def _reason(worker: _Worker, terms: _Terms, known: Known) -> str:
    if terms.holds_all:
        return ALL
    if worker in known.flagged:
        return FLAGGED
    if terms.is_tutorial:
        return "" if worker[0] in known.seen or not terms.held_answers else UNSEEN
    approved = known.approved.get(worker, 0)
    if approved >= terms.held_answers:
        return ""
    return f"New to this: a person has approved {approved} of the first {terms.held_answers} answers."


def _known(users: Iterable[int]) -> Known:
    users = list(users)
    theirs = Assignment.objects.filter(worker__user__in=users).order_by()
    flagged = theirs.filter(~Q(flag=""), state=State.SUBMITTED, decision="")
    decided = theirs.filter(decided_by__isnull=False)
    later = Assignment.objects.filter(
        worker__user=OuterRef("worker__user"),
        decision=Decision.REJECT,
        decided_by__isnull=False,
        decided_at__gte=OuterRef("decided_at"),
    )
    of_kind = later.filter(hit__batch__kind=OuterRef("hit__batch__kind"))
    approvals = decided.filter(decision__in=[Decision.APPROVE, Decision.OVERRIDE])
    approved = (
        approvals.filter(~Exists(of_kind))
        .values_list("worker__user", "hit__batch__kind")
        .annotate(answers=Count("responses"))
    )
    return Known(
        {(user, kind): answers for user, kind, answers in approved},
        set(flagged.values_list("worker__user", "hit__batch__kind")),
        set(approvals.filter(~Exists(later)).values_list("worker__user", flat=True)),
    )
