"""Who may review, and what they have to say."""

from kbpo.accounts.models import User
from kbpo.core.errors import InvalidInput, NotAllowed

LONGEST_FEEDBACK = 1024  # characters


def check_operator(by: User) -> None:
    """Let operators pass."""
    if not by.is_operator:
        raise NotAllowed("Only operators review work.")


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
