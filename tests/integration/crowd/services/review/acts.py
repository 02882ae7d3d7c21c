"""What is done to work again and again."""

from crowd import review
from crowd.models import Hit
from tests import crowd
from tests.integration.crowd.services.conftest import Desk

UNIT = 18


def sent(desk: Desk, votes: int = 3) -> tuple[Hit, str]:
    """Return a HIT and an assignment of it that was collected."""
    [hit] = desk.posted(votes=votes)
    ident = desk.send(hit)
    desk.collect()
    return hit, ident


def reject(desk: Desk, ident: str, reason: str = "It is random") -> None:
    review.reject(assignment=desk.assignment(ident), by=desk.operator, reason=reason, now=desk.now)
    crowd.tell(desk.now)


def flag(ident: str, desk: Desk) -> None:
    assignment = desk.assignment(ident)
    assignment.flag = "far too fast"
    assignment.save()
    assignment.responses.update(is_valid=False)
