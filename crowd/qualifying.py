"""Who may do which work: tutorials, what passing them grants, and that providers know of it."""

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from random import Random
from typing import Any

from django.db import transaction
from django.db.models import Q

from annotations import ontologies
from crowd import outbox, review
from crowd.leases import take_first
from crowd.lessons import lesson_of, lesson_of_attempt, skill_of
from crowd.models import Assignment, HitBatch, TutorialAttempt, WorkerQualification
from crowd.models.qualification import Skill
from crowd.providers import registry
from crowd.providers.base import NoAnswer, Refused
from crowd.tutorials.lesson import Posted, Tutorial
from kbpo.core.clock.nudge import nudge
from kbpo.core.errors import Conflict

BONUS_CENTS = 75  # once, for passing a tutorial

logger = logging.getLogger(__name__)


def latest_attempt(*, batch: HitBatch, worker_id: str) -> TutorialAttempt | None:
    """Return a worker's last way through the tutorial for a batch's work; None if they have not begun it."""
    return TutorialAttempt.objects.filter(_learned_by(batch, worker_id)).order_by("-number").first()


def is_qualified(*, batch: HitBatch, worker_id: str) -> bool:
    """Say whether a worker has passed the tutorial for a batch's work; its provider was or will be told."""
    return WorkerQualification.objects.filter(_learned_by(batch, worker_id)).exists()


@transaction.atomic
def begin_attempt(*, batch: HitBatch, worker_id: str, now: datetime) -> TutorialAttempt:
    """Begin the tutorial that a batch is; who is in the middle of it stays there.

    Raises
    ------
    Conflict
        If it is passed, or all tries are used.
    """
    tutorial, skill = lesson_of(batch.kind, batch.corpus), skill_of(batch)
    latest = latest_attempt(batch=batch, worker_id=worker_id)
    if latest is not None and latest.ended_at is None:
        return latest
    if latest is not None and latest.has_passed:
        raise Conflict("You have passed this tutorial already.")
    number = 1 if latest is None else latest.number + 1
    if number > tutorial.tries:
        raise Conflict(f"You have used all {tutorial.tries} tries at this tutorial.")
    attempt, _ = TutorialAttempt.objects.get_or_create(
        provider=batch.provider,
        provider_worker_id=worker_id,
        kind=skill.kind,
        ontology_id=skill.ontology,
        number=number,
        defaults={"begun_at": now, "guidelines": ontologies.newest_of(batch.corpus)},
    )
    return attempt


@transaction.atomic
def answer_practice(
    *, attempt_id: int, index: int, posted: Posted, now: datetime
) -> tuple[TutorialAttempt, dict[str, Any]]:
    """Record the answer to a practice question; the first one given stays, or the first right one.

    Which of the two is for the tutorial to say (`Tutorial.is_repeated`).

    Parameters
    ----------
    attempt_id : int
    index : int
        Of the question, from 0.
    posted : mapping of str to sequence of str
        The form.
    now : datetime

    Returns
    -------
    (TutorialAttempt, dict)
        And the answer: the one that stays, or that was given and does not.

    Raises
    ------
    InvalidInput
        If nothing was answered.
    Conflict
        If another question is to be answered first.
    """
    attempt = TutorialAttempt.objects.select_for_update().get(pk=attempt_id)
    tutorial = lesson_of_attempt(attempt)
    given = len(attempt.answers)
    if 0 <= index < given:
        return attempt, attempt.answers[index]
    if index != given or index >= len(tutorial.practice):
        raise Conflict("Another question comes first; reload the page.")
    answer = tutorial.practice[index].read(posted)
    if not tutorial.keeps(index, answer):
        return attempt, answer
    attempt.answers.append(answer)
    attempt.right = count_right(tutorial, attempt.answers)
    if len(attempt.answers) == len(tutorial.practice):
        attempt.ended_at = now
        attempt.has_passed = attempt.right >= tutorial.pass_mark
    attempt.save(update_fields=["answers", "right", "ended_at", "has_passed"])
    return attempt, answer


def count_right(tutorial: Tutorial, answers: Sequence[Mapping[str, Any]]) -> int:
    """Count the right answers among those to the first practice questions."""
    return sum(
        practice.is_right(answer) for practice, answer in zip(tutorial.practice, answers, strict=False)
    )


def settle_tutorial(*, assignment: Assignment, now: datetime) -> None:
    """Take in a tutorial that was sent: `settle_attempt`.

    Raises
    ------
    Conflict
        If the worker has not gone through it.
    """
    settle_attempt(assignment=assignment, now=now)
    if not _is_finished(assignment):
        raise Conflict("It was sent without the tutorial having been gone through.")


@transaction.atomic
def settle_attempt(*, assignment: Assignment, now: datetime) -> None:
    """Grant what a worker has earned by a tutorial whose assignment the provider lists: safe to run twice.

    What the worker's browser sent is not asked: what was answered is on record here. That the provider lists
    the assignment shows that the worker is who the page was told.

    Parameters
    ----------
    assignment : Assignment
        With its HIT's batch and its worker.
    now : datetime
    """
    batch = assignment.hit.batch
    worker_id = assignment.provider_worker_id
    passed = TutorialAttempt.objects.filter(_learned_by(batch, worker_id), has_passed=True)
    if not passed.exists():
        return
    skill = skill_of(batch)
    qualify(provider=batch.provider, worker_id=worker_id, skill=skill, now=now)
    review.promise_bonus(
        assignment=assignment,
        cents=BONUS_CENTS,
        reason=f"tutorial {skill}",
        message="For passing the tutorial. Thank you for learning it.",
        now=now,
    )


@transaction.atomic
def qualify(*, provider: str, worker_id: str, skill: Skill, now: datetime) -> None:
    """Let a worker do a kind of work; the provider is told in a moment. Who may already, still may.

    Parameters
    ----------
    provider : str
    worker_id : str
        The provider's name of the worker.
    skill : Skill
        What they have learned.
    now : datetime
    """
    WorkerQualification.objects.get_or_create(
        provider=provider,
        provider_worker_id=worker_id,
        kind=skill.kind,
        ontology_id=skill.ontology,
        defaults={"granted_at": now},
    )
    nudge("kbpo.pipeline.grant_qualifications")


def grant_next(*, now: datetime, rng: Random) -> bool:
    """Tell a provider of the next qualification that it does not know; return whether there was one."""
    found = _claim(now)
    if found is None:
        return False
    try:
        registry.provider(found.provider).grant(found.provider_worker_id, kind=str(found.skill))
        done: dict[str, Any] = {"told_at": now, "claimed_until": None, "error": ""}
    except NoAnswer as error:
        until = now + outbox.wait(found.tries, rng, retry_after=error.retry_after)
        done = {"claimed_until": until, "error": str(error)}
    except Refused as error:
        logger.warning("qualification %s: %s", found.pk, error)
        done = {"claimed_until": now + outbox.DECLINED_FOR, "error": str(error)}
    WorkerQualification.objects.filter(pk=found.pk).update(**done)
    return True


def _claim(now: datetime) -> WorkerQualification | None:
    due = WorkerQualification.objects.filter(told_at=None, provider__in=registry.configured())
    return take_first(due.order_by("pk"), now=now)


def _is_finished(assignment: Assignment) -> bool:
    """Say whether the worker went through the tutorial with this assignment, or has passed it before."""
    ended = Q(has_passed=True)
    if assignment.begun_at is not None:
        ended |= Q(ended_at__gte=assignment.begun_at)
    batch = assignment.hit.batch
    return TutorialAttempt.objects.filter(ended, _learned_by(batch, assignment.provider_worker_id)).exists()


def _learned_by(batch: HitBatch, worker_id: str) -> Q:
    """Select what a worker did to learn a batch's work."""
    skill = skill_of(batch)
    return Q(provider=batch.provider, provider_worker_id=worker_id, kind=skill.kind, ontology=skill.ontology)
