"""Keeping what somebody has done of a question before they send it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from math import isfinite
from typing import Any

from django.db import transaction

from annotations.models import Question, Response
from crowd.annotators import queue
from crowd.models import Reservation
from kbpo.accounts.models import User
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed
from kbpo.core.plain_text import replace_faults

LARGEST = 1 << 20  # bytes of what a page sends
LARGEST_NUMBER = 2**31 - 1
DEEPEST = 20  # objects and lists in each other


@dataclass(frozen=True, slots=True)
class Save:
    """What became of a draft: whether it was saved, and the number of the draft that is there now."""

    saved: bool
    number: int


@transaction.atomic
def save_draft(*, worker: User, question: Question, number: object, draft: object, now: datetime) -> Save:
    """Keep a draft, unless a later one is there; the question is held for as long again.

    Parameters
    ----------
    worker : User
    question : Question
    number : object
        Of the draft: it grows with each save, and a page goes on from that of the draft that it began with.
    draft : object
        A JSON object, which nobody but the page reads.
    now : datetime
        Aware.

    Raises
    ------
    NotAllowed
        If the worker was never given the question.
    Conflict
        If they have answered it.
    InvalidInput
        If the number is none, or the draft is no object, or none that can be stored.
    """
    number, kept = read_number(number), read_draft(draft)
    held = Reservation.objects.select_for_update().filter(worker=worker, question=question).first()
    if held is None and Response.objects.filter(worker=worker, question=question).exists():
        raise Conflict("You have sent your answer to this question already.")
    if held is None:
        raise NotAllowed("That question was not given to you.")
    if number <= held.draft_number:
        return Save(saved=False, number=held.draft_number)
    held.draft, held.draft_number, held.draft_at = kept, number, now
    if held.expires_at > now:  # a place that went back to others is not taken from them again
        held.expires_at = now + queue.held_for(question)
    held.save(update_fields=["draft", "draft_number", "draft_at", "expires_at"])
    return Save(saved=True, number=number)


def read_number(number: object) -> int:
    """Return the number of a save; `InvalidInput` if it is none."""
    if isinstance(number, bool) or not isinstance(number, int) or not 0 < number <= LARGEST_NUMBER:
        raise InvalidInput(f"the draft's number is {number!r:.40}; it must be a whole number from 1 on")
    return number


def read_draft(draft: object) -> dict[str, Any]:
    """Return a draft as Postgres can keep it; `InvalidInput` if it is no JSON object, or cannot be kept."""
    if not isinstance(draft, Mapping):
        raise InvalidInput("a draft must be a JSON object")
    return {replace_faults(str(key)): _plain(value, 1) for key, value in draft.items()}


def _plain(value: object, depth: int) -> object:
    """Return JSON as Postgres can keep it."""
    if depth > DEEPEST:
        raise InvalidInput(f"the draft is nested more than {DEEPEST} deep")
    match value:
        case str():
            return replace_faults(value)
        case float() if not isfinite(value):
            raise InvalidInput(f"the draft holds {value}, which is no number of JSON")
        case Mapping():
            return {replace_faults(str(key)): _plain(one, depth + 1) for key, one in value.items()}
        case list():
            return [_plain(one, depth + 1) for one in value]
    return value
