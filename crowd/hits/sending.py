"""Handing an answer that is stored here to the provider: by a form, or by a way back to its site."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from crowd import collecting, hit_answers, page_names, seals
from crowd.hits import working
from crowd.hits.arrivals import Arrival
from crowd.models import Assignment, Hit
from crowd.providers.page_rules import PAGE_RULES
from kbpo.core.errors import Unavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """What the page does next.

    Attributes
    ----------
    action : str
        Where a form with `fields` is posted; empty where none is.
    fields : mapping of str to str
    next : str
        Where the worker goes without a form; empty where there is one.
    """

    action: str = ""
    fields: Mapping[str, str]
    next: str = ""


def keep_and_hand_over(
    hit: Hit,
    arrival: Arrival,
    assignment: Assignment,
    answer: Mapping[str, Any],
    steps: Sequence[Mapping[str, Any]],
) -> Handover:
    """Store an answer that is complete, have the HIT looked at soon, and return how it reaches the provider.

    Raises
    ------
    AlreadySent, Unavailable
        As `working.store_answer` says; `Unavailable` if nobody knows where the worker goes.
    """
    now = timezone.now()
    working.store_answer(assignment_id=assignment.pk, data=answer, steps=steps, now=now)
    collecting.look_soon(hit_id=hit.pk, now=now)
    return _hand_over(hit, arrival, {**answer, **hit_answers.under(assignment.guidelines)})


def _hand_over(hit: Hit, arrival: Arrival, answer: Mapping[str, Any]) -> Handover:
    if arrival.submit_to:
        text = hit_answers.write(page_names.conceal(hit, answer) if "answers" in answer else answer)
        who = {"assignment_id": arrival.assignment_id, "worker_id": arrival.worker_id}
        fields = {
            "assignmentId": arrival.assignment_id,
            hit_answers.FIELD: text,
            seals.FIELD: seals.seal(hit, **who, text=text),
        }
        return Handover(action=arrival.submit_to, fields=fields)
    completion_url = PAGE_RULES[arrival.provider].completion_url
    if completion_url is None:
        raise Unavailable("Your answer is stored, but the way back is not known: close this page.")
    return Handover(fields={}, next=completion_url(hit, arrival.study_id))
