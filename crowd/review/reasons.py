"""Who may review, and what they have to say."""

from annotations import roles
from annotations.roles import Act
from crowd.models import Assignment
from kbpo.accounts.models import User
from kbpo.core.errors import InvalidInput, NotAllowed

LONGEST_FEEDBACK = 1024  # characters


def check_operator(by: User) -> None:
    """Let operators of the site pass: a worker works for every corpus."""
    if not by.is_operator:
        raise NotAllowed("Only operators block workers: they work for every corpus.")


def check_reviewer(by: User, assignment: Assignment) -> None:
    """Let those pass who may review work on a corpus, but not on their own."""
    roles.check(by, Act.REVIEW, assignment.hit.batch.corpus)
    if assignment.worker is not None and assignment.worker.user_id == by.pk:
        raise NotAllowed("This is your own work: somebody else decides about it.")


def check_reason(reason: str) -> None:
    """Refuse a reason that says nothing, or too much."""
    if not reason.strip():
        raise InvalidInput(
            "give a reason: the worker is told, and the next operator wants to know", where="reason"
        )
    check_feedback(reason)


def check_feedback(feedback: str) -> None:
    """Refuse what is longer than providers take."""
    if len(feedback.strip()) > LONGEST_FEEDBACK:
        raise InvalidInput(
            f"has {len(feedback):,} characters; it may have {LONGEST_FEEDBACK:,}", where="feedback"
        )
