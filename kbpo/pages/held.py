"""Work that waits for a person, worker by worker, and the pieces of one of them to be looked at in one go."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Min, QuerySet

from crowd import qualifying, review
from crowd.interfaces.registry import INTERFACES
from crowd.models import Assignment
from kbpo.accounts.models import User
from kbpo.core import durations
from kbpo.core.errors import InvalidInput
from kbpo.pages import answers
from kbpo.pages.answers import ShownPart

MOST_REASONS = 3  # of a worker that are said in the list


@dataclass(frozen=True, slots=True)
class Waiting:
    """What of one worker's, at one kind of work, waits for a person.

    Attributes
    ----------
    user : User
    kind, title : str
        Of the interface.
    pieces, flagged : int
        Assignments; those that something speaks against.
    reasons : tuple of str
        Why they wait, at most `MOST_REASONS`.
    due : datetime
        By when the first was to be paid, as the worker was told.
    is_late : bool
        Whether that is past.
    """

    user: User
    kind: str
    title: str
    pieces: int
    flagged: int
    reasons: tuple[str, ...]
    due: datetime
    is_late: bool


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of work as it is looked at.

    Attributes
    ----------
    assignment : Assignment
        With the time by which it is `due`.
    reasons : tuple of str
        Why it waits.
    parts : list of ShownPart
    """

    assignment: Assignment
    reasons: tuple[str, ...]
    parts: list[ShownPart]


def waiting(*, now: datetime) -> list[Waiting]:
    """List the workers whose work waits, those first whose pay is due first."""
    rows = list(
        review.waits()
        .values("worker__user", "hit__batch__kind")
        .annotate(pieces=Count("pk"), first=Min("due"))
        .order_by("first", "worker__user")
    )
    reasons: dict[tuple[int, str], list[str]] = defaultdict(list)
    flagged: dict[tuple[int, str], int] = defaultdict(int)
    said = review.waits().order_by("pk").values_list("worker__user", "hit__batch__kind", "flag", "hold")
    for user, kind, flag, hold in said:
        assert user is not None  # the database says so of what was sent
        flagged[user, kind] += bool(flag)
        for words in (flag or hold).splitlines():
            if words not in reasons[user, kind]:
                reasons[user, kind].append(words)
    users = User.objects.in_bulk({row["worker__user"] for row in rows})
    return [
        Waiting(
            user=users[row["worker__user"]],
            kind=row["hit__batch__kind"],
            title=title_of(row["hit__batch__kind"]),
            pieces=row["pieces"],
            flagged=flagged[row["worker__user"], row["hit__batch__kind"]],
            reasons=tuple(reasons[row["worker__user"], row["hit__batch__kind"]][:MOST_REASONS]),
            due=row["first"],
            is_late=row["first"] <= now,
        )
        for row in rows
    ]


def of_worker(*, user_id: int, kind: str) -> QuerySet[Assignment]:
    """Select what of a worker's waits at a kind of work, the oldest first.

    Raises
    ------
    InvalidInput
        If there is no such kind.
    """
    if kind not in INTERFACES:
        raise InvalidInput(f"{kind!r} is none of {', '.join(INTERFACES)}.", where="kind")
    return (
        review.waits()
        .filter(worker__user=user_id, hit__batch__kind=kind)
        .select_related("hit__batch__corpus", "worker__user", "gold")
        .order_by("pk")
    )


def pieces(assignments: Sequence[Assignment]) -> list[Piece]:
    """Read a page of pieces of work, each with its answers beside the document."""
    return [
        Piece(one, (*(one.flag or one.hold).splitlines(), *_of_tutorial(one)), answers.parts(one))
        for one in assignments
    ]


def _of_tutorial(assignment: Assignment) -> list[str]:
    """Say how somebody went through a tutorial: it has no answers to be shown beside a document."""
    batch = assignment.hit.batch
    if not batch.is_tutorial:
        return []
    attempt = qualifying.latest_attempt(batch=batch, worker_id=assignment.provider_worker_id)
    if attempt is None:
        return ["Tutorial: never begun."]
    said = f"Tutorial, try {attempt.number}: {attempt.right} right of {len(attempt.answers)} answers"
    if attempt.ended_at is None:
        return [f"{said}; not finished."]
    return [f"{said}, in {durations.in_words(attempt.ended_at - attempt.begun_at)}."]


def title_of(kind: str) -> str:
    """Return what a kind of work is called at the desk."""
    return INTERFACES[kind].title if kind in INTERFACES else kind
