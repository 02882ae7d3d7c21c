"""A worker's way through a HIT's page: begun, saved again and again, stored; then the provider hears."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from annotations import conflicts, ontologies
from annotations.models import Response
from crowd import shares
from crowd.hit_answers import LONGEST_COMMENT, storable
from crowd.hits import places
from crowd.hits.arrivals import Arrival
from crowd.interfaces.registry import find_interface
from crowd.models import Assignment, Hit
from crowd.providers.page_rules import PAGE_RULES
from kbpo.accounts.models import WorkerIdentity
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed

RETURN = "Return the task where you accepted it; nothing is counted against you."
MOST_FIELDS = 500  # of a draft
LONGEST_VALUE = LONGEST_COMMENT

_SENT = (Assignment.State.SUBMITTED, Assignment.State.APPROVED, Assignment.State.REJECTED)


class AlreadySent(Conflict):
    """The assignment's answer is with the provider."""


@transaction.atomic
def begin(
    *, hit: Hit, arrival: Arrival, known: Assignment | None, is_verified: bool, now: datetime
) -> Assignment:
    """Find the assignment that a worker has accepted, or write down that they begin it.

    Parameters
    ----------
    hit : Hit
        With its batch and corpus.
    arrival : Arrival
        Of a worker, no preview.
    known : Assignment or None
        As `find` has returned it.
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
    identity = WorkerIdentity.objects.filter(provider=arrival.provider, worker_id=arrival.worker_id).first()
    if known is None or known.state == Assignment.State.BEGUN:
        _check_may_answer(hit, arrival, identity)
    if known is None:
        _check_share(hit, arrival, identity, now)
    if known is None and PAGE_RULES[arrival.provider].is_closed(hit):
        raise Conflict(f"This task has all the answers that it needs, or is over. {RETURN}")
    if hit.page_seed is None:
        places.settle(hit)  # the HIT is locked first, as whoever takes answers in does
    found = known or _write_down(hit, arrival, identity, is_verified, now)
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
    if begun.filter(draft_number__lt=number).update(draft=draft, draft_number=number, draft_at=now):
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
    stored = Assignment.objects.filter(pk=assignment_id, state=Assignment.State.BEGUN).update(
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
                f"the field {storable(name)[:40]!r} must hold a list of texts of {longest:,} characters"
                " at most"
            )
        kept[storable(name)] = [storable(value) for value in values]
    return number, {"step": step, "fields": kept}


def find(*, hit: Hit, arrival: Arrival) -> Assignment | None:
    """Return the assignment that a worker has at a HIT, if it is known."""
    return _of(hit, arrival).first()


def _of(hit: Hit, arrival: Arrival) -> QuerySet[Assignment]:
    return Assignment.objects.select_related("gold__document", "guidelines").filter(
        hit=hit, provider_id=arrival.assignment_id, provider_worker_id=arrival.worker_id
    )


def _write_down(
    hit: Hit, arrival: Arrival, identity: WorkerIdentity | None, is_verified: bool, now: datetime
) -> Assignment:
    """Write down that a worker begins; return the row that another window of theirs wrote, if it was first."""
    new = Assignment(
        hit=hit,
        provider_id=arrival.assignment_id,
        provider_worker_id=arrival.worker_id,
        begun_at=now,
        verified_at=now if is_verified else None,
        worker=identity,
        # Its page shows these to the end, whatever comes after.
        guidelines=ontologies.newest_of(hit.batch.corpus),
    )
    try:
        with transaction.atomic():
            new.save(force_insert=True)
    except IntegrityError:
        return _of(hit, arrival).get()
    if is_verified:
        places.ask_gold(assignment=new)
    return new


def _check_share(hit: Hit, arrival: Arrival, identity: WorkerIdentity | None, now: datetime) -> None:
    """Refuse who has given as much of such work as one person may; what they have begun goes on."""
    if hit.batch.is_tutorial:
        return
    if shares.is_full(
        find_interface(hit.batch.kind),
        hit.batch.corpus_id,
        more=len(hit.asked),
        now=now,
        user_id=None if identity is None else identity.user_id,
        provider=arrival.provider,
        worker_id=arrival.worker_id,
    ):
        raise Conflict(
            "You have given as much of this work as one person may: many people are to have their say."
            f" Thank you; more may come another day. {RETURN}"
        )


def _check_may_answer(hit: Hit, arrival: Arrival, identity: WorkerIdentity | None) -> None:
    if hit.batch.is_tutorial:
        return
    if identity is not None and conflicts.exists(worker_id=identity.user_id, corpus_id=hit.batch.corpus_id):
        raise NotAllowed(f"A team of yours competes in this corpus, so you may not judge it. {RETURN}")
    # And what they audit: to ask again is to ask others.
    asked = {pk for one in hit.asked for pk in (one.pk, one.audits_id) if pk is not None}
    sent = Q(
        hit__hit_questions__question__in=asked,
        hit__batch__provider=arrival.provider,
        provider_worker_id=arrival.worker_id,
        state__in=_SENT,
    )
    before = Assignment.objects.filter(sent).exclude(hit=hit).exists()
    if not before and identity is not None:
        before = Response.objects.filter(question__in=asked, worker=identity.user_id).exists()
    if before:
        raise Conflict(f"You have answered this, or a part of it, before, so it is for others now. {RETURN}")
