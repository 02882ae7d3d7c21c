"""Taking the answers of somebody who holds questions."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from annotations.models import Question, Response
from annotations.responses import Answer, Under, record_many
from crowd.models import Reservation
from kbpo.accounts.models import User
from kbpo.core.errors import NotAllowed


@transaction.atomic
def submit(
    *,
    worker: User,
    answers: Mapping[int, object],
    now: datetime,
    as_expert: bool = False,
    page_of: int | None = None,
) -> list[Response]:
    """Record a page's answers, all or none, each timed from when its question was held.

    An answer that comes after the time is up is taken all the same; the same answers sent again are the
    responses that there already are.

    Parameters
    ----------
    worker : User
    answers : mapping of int to object
        What is said to each question, by its id; JSON as its kind (`annotations.kinds`) wants it.
    now : datetime
        Aware.
    as_expert : bool
        Whether the answers settle their questions.
    page_of : int, optional
        The question whose page showed them all, under the guidelines with which it was held.

    Raises
    ------
    NotAllowed
        If a question was never given to this worker.
    InvalidInput, Conflict
        As `annotations.responses.record_many` says.
    """
    held = {
        reservation.question_id: reservation
        for reservation in Reservation.objects.filter(
            worker=worker, question__in=answers, as_expert=as_expert
        )
    }
    answered = set(
        Response.objects.filter(worker=worker, question__in=answers).values_list("question_id", flat=True)
    )
    if any(question_id not in held and question_id not in answered for question_id in answers):
        raise NotAllowed("That question was not given to you; go on with the next one.")
    responses = record_many(
        answers=[
            Answer(
                question=Question(pk=question_id),
                worker=worker,
                answer=answer,
                seconds=_seconds(held.get(question_id), now),
                as_expert=as_expert,
                guidelines=_guidelines(held.get(question_id if page_of is None else page_of)),
            )
            for question_id, answer in answers.items()
        ]
    )
    Reservation.objects.filter(worker=worker, question__in=answers).delete()
    return responses


def reservation_of(*, worker: User, question: Question) -> Reservation | None:
    """Return what a question is held by for a worker, if it is."""
    found = Reservation.objects.filter(worker=worker, question=question)
    return found.select_related("guidelines").first()


def _guidelines(reservation: Reservation | None) -> int | Under | None:
    return Under.NEWEST if reservation is None else reservation.guidelines_id


def _seconds(reservation: Reservation | None, now: datetime) -> float | None:
    if reservation is None:
        return None
    return max(0.0, (now - reservation.taken_at).total_seconds())
