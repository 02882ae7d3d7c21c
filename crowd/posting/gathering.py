"""Gathering: questions that need votes beyond their first ones wait until they fill a HIT."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta

from django.db.models import Max

from annotations.models import Question, Response
from crowd import pay
from crowd.grouping import Group, OpenQuestion, group
from crowd.models import Hit, HitBatch, HitQuestion
from crowd.providers import registry
from kbpo.core.errors import InvalidInput

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
    disputed = [one for one in asked if one.voters]
    if not disputed:
        return list(asked), 0
    most_voters = _number_who_answer(batch) // 2
    since = waiting_since(batch, [one.pk for one in disputed])
    waiting = {
        pk
        for hit in group(disputed, per_hit=batch.questions_per_hit, most_voters=most_voters)
        if hit.units < batch.questions_per_hit and all(now - since[pk] < GATHERED_FOR for pk in hit.questions)
        for pk in hit.questions
    }
    return [one for one in asked if one.pk not in waiting], most_voters


def waiting_since(batch: HitBatch, questions: Collection[int]) -> dict[int, datetime]:
    """Return when those questions of a batch were answered last that have their first votes.

    Of those that audit others and have none: when they were asked.
    """
    audits = Question.objects.filter(pk__in=list(questions), audits__isnull=False)
    rows = Response.objects.filter(
        question__in=list(questions), question__votes_needed__gt=batch.corpus.judged_by.first_votes
    )
    last = rows.order_by().values("question").annotate(last=Max("answered_at"))
    return {**dict(audits.values_list("pk", "asked_at")), **dict(last.values_list("question", "last"))}


def gathered_ids(asked: Sequence[OpenQuestion]) -> set[int]:
    """Return those disputed questions that open batches gather, or are about to ask again."""
    disputed = [one.pk for one in asked if one.voters]
    if not disputed:
        return set()
    rows = HitQuestion.objects.filter(
        question__in=disputed,
        hit__batch__state=HitBatch.State.OPEN,
        hit__batch__provider__in=registry.configured(),
    )
    last = dict(
        rows.order_by()
        .values("question", "hit__batch")
        .annotate(last=Max("hit"))
        .values_list("last", "question")
    )
    refused = Hit.objects.filter(pk__in=last, state=Hit.State.FAILED)  # those are left alone
    return {last[pk] for pk in last.keys() - set(refused.values_list("pk", flat=True))}


def at_least_taken(
    rewards: Sequence[int],
    groups: Sequence[Group],
    *,
    provider: str,
    reward_cents: int,
    seconds: Callable[[], float],
) -> list[int]:
    """Return what HITs pay, in cents: those that are not full at least what the provider takes for them.

    Parameters
    ----------
    rewards : sequence of int
        By the interface's price.
    groups : sequence of Group
    provider : str
    reward_cents : int
        For a full HIT.
    seconds : callable
        Returns how long that takes.
    """
    if all(one.share == 1 for one in groups):
        return list(rewards)
    account, takes = registry.provider(provider), seconds()

    def _is_taken(cents: int) -> bool:
        try:
            account.check_pay(
                reward_cents=cents, seconds=pay.seconds_for(cents, reward_cents=reward_cents, seconds=takes)
            )
        except InvalidInput:
            return False
        return True

    return [
        cents if one.share == 1 else next(filter(_is_taken, range(cents, reward_cents)), reward_cents)
        for cents, one in zip(rewards, groups, strict=True)
    ]


def _number_who_answer(batch: HitBatch) -> int:
    """Count the people who have answered a question of a batch."""
    answers = Response.objects.filter(question__hit_questions__hit__batch=batch, is_expert=False)
    return answers.order_by().values("worker").distinct().count()
