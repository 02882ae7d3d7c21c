"""Gathering: questions that need votes beyond their first ones wait until they fill a HIT."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from django.db.models import Max, QuerySet

from annotations.models import Question, Response
from crowd.grouping import OpenQuestion, group
from crowd.models import HitBatch

GATHERED_FOR = timedelta(minutes=30)  # before a HIT goes out that is not full


def gather(asked: Sequence[OpenQuestion], batch: HitBatch, now: datetime) -> tuple[list[OpenQuestion], int]:
    """Return which questions of a batch are to be asked again now, and how many voters a HIT may have.

    Those that still need first votes are asked at once. The others, on which people differ, wait until a HIT
    is full of them, or one of it has waited for `GATHERED_FOR`. Whoever has answered one question of a HIT is
    not admitted to it; so that somebody is, its questions were answered by the same people, or by at most
    half of those who answer the batch's.

    Parameters
    ----------
    asked : sequence of OpenQuestion
        What lacks votes and is in no HIT.
    batch : HitBatch
        With its corpus.
    now : datetime
    """
    further = Question.objects.filter(
        pk__in=[one.pk for one in asked], votes_needed__gt=batch.corpus.judged_by.first_votes
    )
    voters = _voters(further)
    with_voters = [replace(one, voters=voters.get(one.pk, frozenset())) for one in asked]
    most_voters = _number_who_answer(batch) // 2 if voters else 0
    since = dict(
        Response.objects.filter(question__in=voters)
        .order_by()
        .values("question")
        .annotate(last=Max("answered_at"))
        .values_list("question", "last")
    )
    disputed = [one for one in with_voters if one.voters]
    waiting = {
        pk
        for hit in group(disputed, per_hit=batch.questions_per_hit, most_voters=most_voters)
        if hit.units < batch.questions_per_hit and all(now - since[pk] < GATHERED_FOR for pk in hit.questions)
        for pk in hit.questions
    }
    return [one for one in with_voters if one.pk not in waiting], most_voters


def _voters(questions: QuerySet[Question]) -> dict[int, frozenset[int]]:
    found: dict[int, set[int]] = defaultdict(set)
    for question, worker in Response.objects.filter(question__in=questions).values_list("question", "worker"):
        found[question].add(worker)
    return {question: frozenset(people) for question, people in found.items()}


def _number_who_answer(batch: HitBatch) -> int:
    """Count the people who have answered a question of a batch."""
    answers = Response.objects.filter(question__hit_questions__hit__batch=batch, is_expert=False)
    return answers.order_by().values("worker").distinct().count()
