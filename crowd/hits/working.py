"""A worker's way through a HIT's page: begun, saved again and again, stored; then the provider hears."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from annotations import conflicts, ontologies
from crowd import shares
from crowd.hit_answers import LONGEST_COMMENT
from crowd.hits import places
from crowd.hits.arrivals import Arrival
from crowd.interfaces.registry import find_interface
from crowd.models import Assignment, Hit
from crowd.providers.page_rules import PAGE_RULES
from kbpo.core.database.bulk import read_rows
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed
from kbpo.core.plain_text import replace_faults

RETURN = "Return the task where you accepted it; nothing is counted against you."
MOST_FIELDS = 500  # of a draft
LONGEST_VALUE = LONGEST_COMMENT

_SENT = (Assignment.State.SUBMITTED, Assignment.State.APPROVED, Assignment.State.REJECTED)


class AlreadySent(Conflict):
    """The assignment's answer is with the provider."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comer:
    """What is known of a worker who comes to a HIT.

    Attributes
    ----------
    assignment : Assignment or None
        That they have there; None where it is not known.
    identity_id, user_id : int or None
        The rows of who they are; None while nothing of theirs was collected.
    has_answered : bool
        Whether they have answered one of its questions elsewhere, or what one of them audits.
    """

    assignment: Assignment | None
    identity_id: int | None
    user_id: int | None
    has_answered: bool


_COMER = """
    WITH asked AS (
        SELECT question_id AS pk FROM crowd_hitquestion WHERE hit_id = %(hit)s
        UNION  -- and what they audit: to ask again is to ask others
        SELECT question.audits_id FROM crowd_hitquestion
        JOIN annotations_question AS question ON question.id = question_id WHERE hit_id = %(hit)s
    )
    SELECT identity.id, identity.user_id, EXISTS(
        SELECT FROM crowd_assignment AS other JOIN crowd_hit AS hit ON hit.id = other.hit_id
        JOIN crowd_hitbatch AS batch ON batch.id = hit.batch_id AND batch.provider = %(provider)s
        WHERE other.provider_worker_id = %(worker)s AND other.hit_id <> %(hit)s
        AND other.state = ANY(%(sent)s)
        AND hit.id IN (SELECT hit_id FROM crowd_hitquestion WHERE question_id IN (SELECT pk FROM asked))
    ) OR EXISTS(
        SELECT FROM annotations_response AS response
        WHERE response.question_id IN (SELECT pk FROM asked) AND response.worker_id = identity.user_id
    ), EXISTS(
        SELECT FROM crowd_assignment
        WHERE hit_id = %(hit)s AND provider_id = %(assignment)s AND provider_worker_id = %(worker)s
    )
    FROM (VALUES (0)) AS one LEFT JOIN accounts_workeridentity AS identity
    ON identity.provider = %(provider)s AND identity.worker_id = %(worker)s
"""


def look_up(*, hit: Hit, arrival: Arrival) -> Comer:
    """Find out what is known of a worker who comes to a HIT: one query for who is new there."""
    given = {
        "hit": hit.pk,
        "provider": arrival.provider,
        "assignment": arrival.assignment_id,
        "worker": arrival.worker_id,
        "sent": [state.value for state in _SENT],
    }
    ((identity_id, user_id, has_answered, is_known),) = read_rows(_COMER, given)
    return Comer(
        assignment=_find(hit, arrival) if is_known else None,
        identity_id=identity_id,
        user_id=user_id,
        has_answered=has_answered,
    )


@transaction.atomic
def begin(*, hit: Hit, arrival: Arrival, comer: Comer, is_verified: bool, now: datetime) -> Assignment:
    """Find the assignment that a worker has accepted, or write down that they begin it.

    Parameters
    ----------
    hit : Hit
        With its batch and corpus.
    arrival : Arrival
        Of a worker, no preview.
    comer : Comer
        As `look_up` has returned it.
    is_verified : bool
        As `verifying.verify` says. Who may be anybody is asked no gold: of that two pages could tell.
    now : datetime

    Raises
    ------
    AlreadySent
        If its answer is with the provider.
    Conflict
        If the worker has answered one of its questions before, or as much as one person may; or nobody new is
        wanted.
    NotAllowed
        If a team of the worker's competes in the corpus.
    """
    known = comer.assignment
    if known is None or known.state == Assignment.State.BEGUN:
        _check_may_answer(hit, comer)
    if known is None:
        _check_share(hit, arrival, comer, now)
    if known is None and PAGE_RULES[arrival.provider].is_closed(hit):
        raise Conflict(f"This task has all the answers that it needs, or is over. {RETURN}")
    if hit.page_seed is None:
        places.settle(hit)  # the HIT is locked first, as whoever takes answers in does
    found = known or _write_down(hit, arrival, comer, is_verified, now)
    if found.state != Assignment.State.BEGUN:
        raise AlreadySent("Thank you; there is nothing more to do here.")
    if found.begun_at is None:
        found.guidelines = ontologies.newest_of(hit.batch.corpus)
    if found.begun_at is None or (is_verified and found.verified_at is None):
        found.begun_at = found.begun_at or now
        found.verified_at = found.verified_at or (now if is_verified else None)
        found.save(update_fields=["begun_at", "verified_at", "guidelines"])
    return found


def save_draft(
    *, hit: Hit, assignment_id: int, draft: Mapping[str, Any], number: int, now: datetime
) -> tuple[bool, int]:
    """Keep what has been typed so far, unless something later is kept already.

    Parameters
    ----------
    hit : Hit
    assignment_id : int
        The row's key.
    draft : mapping
        As `read_draft` returns it.
    number : int
        Of the save, from 1; each later one of a page is greater.
    now : datetime

    Returns
    -------
    (bool, int)
        Whether this save was kept, and the number of the one that is.

    Raises
    ------
    AlreadySent
        If the answer is with the provider.
    """
    begun = Assignment.objects.filter(pk=assignment_id, hit=hit, state=Assignment.State.BEGUN)
    earlier = begun.filter(draft_number__lt=number)
    if earlier.update(draft=draft, draft_number=number, draft_at=now):
        return True, number
    kept = begun.values_list("draft_number", flat=True).first()
    if kept is None:
        raise AlreadySent("This task's answer was sent already, so nothing more is saved.")
    return False, kept


def store_answer(
    *, assignment_id: int, data: Mapping[str, Any], steps: Sequence[Mapping[str, Any]], now: datetime
) -> None:
    """Keep an answer that is complete, before the provider hears of it. The last one of several stays.

    Parameters
    ----------
    assignment_id : int
    data : mapping
        As `crowd.hit_answers.to_data` returns it.
    steps : sequence of mapping
        Of each step its name and the seconds that it was looked at.
    now : datetime

    Raises
    ------
    AlreadySent
        If the answer is with the provider.
    """
    begun = Assignment.objects.filter(pk=assignment_id, state=Assignment.State.BEGUN)
    stored = begun.update(
        answer=dict(data),
        comment=str(data.get("comment", "")),
        steps=[dict(step) for step in steps],
        draft_at=now,
    )
    if not stored:
        raise AlreadySent("This task's answer was sent already; it stays as it is.")


def read_draft(data: object, *, longest: int = LONGEST_VALUE) -> tuple[int, dict[str, Any]]:
    """Read a save: its number, and what has been typed.

    Parameters
    ----------
    data : object
        ``{"number": 7, "step": 2, "fields": {"q12": ["none"], …}}``.
    longest : int
        Characters of a field.

    Raises
    ------
    InvalidInput
        If it is of another form, or larger than anything that a page holds.
    """
    match data:
        case {"number": int(number), "step": int(step), "fields": dict(fields), **rest} if not rest:
            pass
        case _:
            raise InvalidInput("a save must hold a number, a step and fields; reload the page")
    if not 1 <= number < 2**31 or not 0 <= step < 1000 or isinstance(number, bool) or isinstance(step, bool):
        raise InvalidInput("a save's number must be 1 or more, and its step 0 or more; reload the page")
    if len(fields) > MOST_FIELDS:
        raise InvalidInput(f"a save has {MOST_FIELDS} fields at most")
    kept: dict[str, list[str]] = {}
    for name, values in fields.items():
        is_list = isinstance(values, list) and all(isinstance(value, str) for value in values)
        if not is_list or len(name) > 100 or any(len(value) > longest for value in values):
            raise InvalidInput(
                f"the field {replace_faults(name)[:40]!r} must hold a list of texts of {longest:,} characters"
                " at most"
            )
        kept[replace_faults(name)] = [replace_faults(value) for value in values]
    return number, {"step": step, "fields": kept}


def _find(hit: Hit, arrival: Arrival) -> Assignment:
    return Assignment.objects.select_related("gold", "guidelines").get(
        hit=hit, provider_id=arrival.assignment_id, provider_worker_id=arrival.worker_id
    )


def _write_down(hit: Hit, arrival: Arrival, comer: Comer, is_verified: bool, now: datetime) -> Assignment:
    """Write down that a worker begins; return the row of another window that was first."""
    new = Assignment(
        hit=hit,
        provider_id=arrival.assignment_id,
        provider_worker_id=arrival.worker_id,
        begun_at=now,
        verified_at=now if is_verified else None,
        worker_id=comer.identity_id,
        # Its page shows these to the end, whatever comes after.
        guidelines=ontologies.newest_of(hit.batch.corpus),
    )
    try:
        with transaction.atomic():
            new.save(force_insert=True)
    except IntegrityError:
        return _find(hit, arrival)
    if is_verified:
        places.ask_gold(assignment=new)
    return new


def _check_share(hit: Hit, arrival: Arrival, comer: Comer, now: datetime) -> None:
    """Refuse who has given as much of such work as one person may; what they have begun goes on."""
    if hit.batch.is_tutorial:
        return
    if shares.is_full(
        find_interface(hit.batch.kind),
        hit.batch.corpus_id,
        more=len(hit.asked),
        now=now,
        user_id=comer.user_id,
        provider=arrival.provider,
        worker_id=arrival.worker_id,
    ):
        raise Conflict(
            "You have given as much of this work as one person may: many people are to have their say."
            f" Thank you; more may come another day. {RETURN}"
        )


def _check_may_answer(hit: Hit, comer: Comer) -> None:
    if hit.batch.is_tutorial:
        return
    competes = comer.user_id is not None and conflicts.exists(
        worker_id=comer.user_id, corpus_id=hit.batch.corpus_id
    )
    if competes:
        raise NotAllowed(f"A team of yours competes in this corpus, so you may not judge it. {RETURN}")
    if comer.has_answered:
        raise Conflict(f"You have answered this, or a part of it, before, so it is for others now. {RETURN}")
