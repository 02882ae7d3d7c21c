"""What workers sent, for an operator: lists of it, and each answer as its interface shows it."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from annotations.models import Question
from crowd.interfaces.registry import INTERFACES, interface_of
from crowd.models import Assignment
from crowd.pages.registry import PAGES
from kbpo.core.errors import InvalidInput
from kbpo.pages.batches import waits_for_a_person

_State = Assignment.State
#: What may be listed, and how it is called.
SHOWN: Mapping[str, str] = {
    "flagged": "waiting for a person",
    "waiting": "waiting",
    "approved": "approved",
    "rejected": "rejected",
    "all": "all",
}
_FILTERS: Mapping[str, Q] = {
    "flagged": waits_for_a_person(),
    "waiting": Q(state=_State.SUBMITTED),
    "approved": Q(state=_State.APPROVED),
    "rejected": Q(state=_State.REJECTED),
    "all": ~Q(state=_State.BEGUN),
}


@dataclass(frozen=True, slots=True)
class ShownPart:
    """A part of what was sent, as its interface reads it, and the template that shows it."""

    part: Any
    template: str


def listed(*, show: str, batch_id: int | None = None, user_id: int | None = None) -> QuerySet[Assignment]:
    """Select assignments, the newest first; those that wait for a person, the oldest.

    Raises
    ------
    InvalidInput
        If `show` is none of `SHOWN`.
    """
    if show not in SHOWN:
        raise InvalidInput(f"{show!r} is none of {', '.join(SHOWN)}.", where="show")
    found = Assignment.objects.filter(_FILTERS[show])
    if batch_id is not None:
        found = found.filter(hit__batch=batch_id)
    if user_id is not None:
        found = found.filter(worker__user=user_id)
    # By key, which an index has: rows come about in the order in which work is begun or sent.
    return found.select_related("hit__batch__corpus", "worker__user").order_by(
        "pk" if show == "flagged" else "-pk"
    )


def parts(assignment: Assignment) -> list[ShownPart]:
    """Read an assignment's answers, its gold one too, as the interfaces that ask them show them.

    Raises
    ------
    InvalidInput
        If a question is of a kind that no interface asks.
    """
    questions = list(assignment.hit.questions.order_by("hit_questions__position").distinct())
    if assignment.gold is not None:
        questions.append(assignment.gold)
    by_interface: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        by_interface[interface_of(question.kind).name].append(question)
    return [
        ShownPart(part, PAGES[name].desk.template)
        for name in INTERFACES
        if name in by_interface
        for part in PAGES[name].desk.read(assignment, by_interface[name])
    ]
