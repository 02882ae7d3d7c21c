"""Planning: HITs written down with their money, and asked again where votes are still lacking."""

import logging
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, QuerySet

from annotations.models import Question
from crowd import budget
from crowd.grouping import Group, OpenQuestion, group
from crowd.interfaces.registry import find_interface
from crowd.models import Assignment, BatchPlan, Hit, HitBatch, HitQuestion
from crowd.open_questions import for_planning, open_questions
from crowd.posting.gathering import at_least_taken, gather, waiting_since
from crowd.posting.rows import pause
from crowd.pricing import timing
from crowd.providers import registry
from crowd.providers.base import Provider
from kbpo.core.database.outages import is_outage
from kbpo.core.errors import OverBudget

logger = logging.getLogger(__name__)

AT_ONCE = 500  # HITs that are planned in one transaction
MOST_BY_EXTENSION = 9  # places; a HIT created with fewer than ten cannot have ten
EXTENDED_WITHIN = timedelta(days=30)


@transaction.atomic
def begin_plan(*, batch: HitBatch, groups: Sequence[Group], now: datetime) -> None:
    """Plan a batch's HITs with their money: a few at once, many by `plan_next` when their money is set aside.

    Raises
    ------
    OverBudget
        If a budget has too little left for all of them.
    """
    if len(groups) <= AT_ONCE:
        _write_open(batch, [one.questions for one in groups], now)
        return
    account = registry.provider(batch.provider)
    whole = budget.Promise(
        key=f"reserve|batch {batch.pk}", cents=cost(groups, rewards_of(batch, groups), account), batch=batch
    )
    budget.reserve(promises=[whole], batch=batch, now=now)
    plan = BatchPlan.objects.create(batch=batch, groups=[one.questions for one in groups], total=len(groups))
    batch.state = HitBatch.State.PLANNING
    batch.save(update_fields=["state"])
    _plan_some(batch, plan, now)


@transaction.atomic
def plan_next(*, now: datetime) -> bool:
    """Plan the next HITs of a batch that is being planned, at most `AT_ONCE`; return whether there was one.

    Safe to run anywhere, at any time, twice.
    """
    batch = (
        HitBatch.objects.filter(state=HitBatch.State.PLANNING, provider__in=registry.configured())
        .select_related("corpus")
        .order_by("pk")
        .select_for_update(no_key=True, skip_locked=True, of=("self",))
        .first()
    )
    if batch is None:
        return False
    _plan_some(batch, batch.plan, now)
    return True


def reserved_ids() -> set[int]:
    """Return the questions that batches are about to put into HITs."""
    plans = BatchPlan.objects.values_list("groups", "done")
    return {pk for groups, done in plans for one in groups[done:] for pk in one}


def cost(groups: Sequence[Group], rewards: Sequence[int], account: Provider) -> int:
    """Return what HITs cost if every place is filled and paid as `rewards` says, in cents."""
    return sum(
        one.places * (reward + account.fee_cents(reward_cents=reward, places=one.places))
        for one, reward in zip(groups, rewards, strict=True)
    )


def rewards_of(batch: HitBatch, groups: Sequence[Group]) -> list[int]:
    """Return what an assignment of each HIT of a batch pays, in cents."""
    rewards = timing.rewards(
        find_interface(batch.kind), groups, reward_cents=batch.reward_cents, by_sentence=batch.by_sentence
    )
    if batch.by_sentence or batch.estimated_seconds is None:
        return rewards
    return at_least_taken(
        rewards,
        groups,
        provider=batch.provider,
        reward_cents=batch.reward_cents,
        seconds=partial(float, batch.estimated_seconds),
    )


def plan_batches(*, now: datetime) -> int:
    """Plan anew, in each open batch, what still lacks votes, and finish those in which nothing does.

    Returns
    -------
    int
        How many HITs were planned or extended, and batches finished.
    """
    names = registry.configured()
    if not names:
        return 0
    open_batches = HitBatch.objects.filter(state=HitBatch.State.OPEN, is_tutorial=False, provider__in=names)
    planned = 0
    for pk in list(open_batches.values_list("pk", flat=True)):
        try:
            while done := plan_more(batch_id=pk, now=now):
                planned += done
        except Exception as error:
            if is_outage(error):
                raise
            logger.exception("batch %s: planning failed", pk)  # the others are planned and posted
    return planned + _finish_batches()


@transaction.atomic
def plan_more(*, batch_id: int, now: datetime) -> int:
    """Ask again those of a batch's questions that lack votes: their HIT expired, or an answer did not count.

    Those of `AT_ONCE` HITs that asked them, what needs first votes or has waited for long before the rest;
    the others are for the next call.

    A HIT whose questions all lack the same number is given more places, as far as the provider lets it grow;
    so nobody is shown what they have answered. The others get new HITs; where the corpus' policy has it so,
    disputed questions wait for each other (`gathering.gather`). Questions whose HIT the provider refused are
    left alone. Where the budget does not suffice the batch is paused.

    Returns
    -------
    int
        How many HITs were planned or extended.
    """
    mine = _asked_by(batch_id)
    if not open_questions(mine, now=now).exists():
        return 0
    batch = (
        HitBatch.objects.select_for_update(no_key=True, of=("self",))
        .select_related("corpus")
        .get(pk=batch_id)
    )
    if batch.state != HitBatch.State.OPEN:
        return 0
    candidates = list(open_questions(mine, now=now).order_by("pk").values_list("pk", flat=True))
    latest = _latest_hits(batch, candidates)
    due = Hit.objects.filter(pk__in=_due_first(batch, latest)).order_by("pk").select_for_update(no_key=True)
    hits = {hit.pk: hit for hit in due if hit.state != Hit.State.FAILED}
    locked = lock_questions([pk for pk in candidates if latest[pk] in hits])
    asked, most_voters = gather(_read_open(batch, locked, now), batch, now)
    found = {question.pk: question for question in asked}
    if not found:
        return 0
    extended = [
        (hit, votes)
        for hit in hits.values()
        if (votes := _may_grow_by(hit, _votes_of_latest(found.values(), latest, hit), now))
    ]
    for hit, _ in extended:
        for pk in hit.hit_questions.values_list("question", flat=True):
            del found[pk]
    groups = group(found.values(), per_hit=batch.questions_per_hit, most_voters=most_voters)
    try:
        with transaction.atomic():
            for hit, votes in extended:
                _grow(batch, hit, votes, now)
            write_hits(batch, groups, now)
    except OverBudget as error:
        pause(batch, str(error))
        return 0
    return len(extended) + len(groups)


def _plan_some(batch: HitBatch, plan: BatchPlan, now: datetime) -> None:
    """Plan the next part of a locked batch: what still lacks votes of it, as it does now."""
    part = plan.groups[plan.done : plan.done + AT_ONCE]
    try:
        with transaction.atomic():
            _write_open(batch, part, now)
    except OverBudget as error:  # more votes are wanted by now than money was set aside for
        pause(batch, str(error))
        return
    if plan.done + len(part) < plan.total:
        plan.done += len(part)
        plan.save(update_fields=["done"])
        return
    plan.delete()
    budget.release_batch(batch=batch, now=now)
    batch.state = HitBatch.State.OPEN
    batch.save(update_fields=["state"])


def _write_open(batch: HitBatch, groups: Sequence[Sequence[int]], now: datetime) -> None:
    """Write down HITs for those of the questions that lack votes, now that they are locked."""
    locked = lock_questions(pk for questions in groups for pk in questions)
    found = {one.pk: one for one in _read_open(batch, locked, now)}
    voters = [frozenset[int]().union(*(found[pk].voters for pk in one if pk in found)) for one in groups]
    most_voters = max(map(len, voters), default=0)  # so that a part makes the HITs that all of them made
    write_hits(batch, group(found.values(), per_hit=batch.questions_per_hit, most_voters=most_voters), now)


def _read_open(batch: HitBatch, locked: QuerySet[Question], now: datetime) -> list[OpenQuestion]:
    """Read those of the locked questions that lack votes."""
    policy = batch.corpus.judged_by
    return for_planning(open_questions(locked, now=now), policy, by_sentence=batch.by_sentence)


def write_hits(batch: HitBatch, groups: Sequence[Group], now: datetime) -> list[Hit]:
    """Write down HITs with their money; the questions are locked."""
    account = registry.provider(batch.provider)
    rewards = rewards_of(batch, groups)
    hits = Hit.objects.bulk_create(
        (
            Hit(
                batch=batch,
                request_token=secrets.token_hex(16),
                annotation=f"kbpo-{secrets.token_hex(16)}",
                created_at=now,
                places=one.places,
                reward_cents=reward,
                fee_cents=account.fee_cents(reward_cents=reward, places=one.places),
            )
            for one, reward in zip(groups, rewards, strict=True)
        ),
        batch_size=1000,
    )
    HitQuestion.objects.bulk_create(
        (
            HitQuestion(hit=hit, question_id=pk, position=position)
            for hit, one in zip(hits, groups, strict=True)
            for position, pk in enumerate(one.questions)
        ),
        batch_size=2000,
    )
    budget.hand_out(
        promises=[
            budget.Promise(
                key=f"reserve|hit {hit.pk}", cents=hit.places * (hit.reward_cents + hit.fee_cents), hit=hit
            )
            for hit in hits
        ],
        batch=batch,
        now=now,
    )
    return hits


def lock_questions(ids: Iterable[int]) -> QuerySet[Question]:
    """Lock questions in the order in which all lock them, and return them to be looked at again."""
    locked = list(
        Question.objects.filter(pk__in=list(ids))
        .order_by("pk")
        .select_for_update(no_key=True)
        .values_list("pk", flat=True)
    )
    return Question.objects.filter(pk__in=locked)


def _asked_by(batch_id: int) -> QuerySet[Question]:
    return Question.objects.filter(
        Exists(HitQuestion.objects.filter(question=OuterRef("pk"), hit__batch=batch_id))
    )


def _latest_hits(batch: HitBatch, questions: Collection[int]) -> dict[int, int]:
    """Return the last of the batch's HITs that asked each question."""
    rows = HitQuestion.objects.filter(hit__batch=batch, question__in=questions)
    return dict(rows.values("question").annotate(last=Max("hit")).values_list("question", "last"))


def _votes_of_latest(asked: Iterable[OpenQuestion], latest: Mapping[int, int], hit: Hit) -> dict[int, int]:
    """Return the votes that those questions lack which were asked by this HIT last."""
    return {one.pk: one.votes for one in asked if latest[one.pk] == hit.pk}


def _due_first(batch: HitBatch, latest: Mapping[int, int]) -> list[int]:
    """Return at most `AT_ONCE` HITs that asked questions last: those whose questions are due before the rest.

    What needs first votes is due at once, a disputed question the sooner the longer it has waited.
    """
    refused = Hit.objects.filter(pk__in=set(latest.values()), state=Hit.State.FAILED)
    left_alone = set(refused.values_list("pk", flat=True))
    asked = {pk: hit for pk, hit in latest.items() if hit not in left_alone}
    hits = set(asked.values())
    if len(hits) <= AT_ONCE or not batch.corpus.judged_by.gathers:
        return sorted(hits)[:AT_ONCE]
    since = waiting_since(batch, asked)
    in_order = sorted(asked.items(), key=lambda both: (both[0] in since, since.get(both[0]), both[1]))
    return list(dict.fromkeys(hit for _, hit in in_order))[:AT_ONCE]


def _may_grow_by(hit: Hit, votes: dict[int, int], now: datetime) -> int:
    """Return how many places more a HIT may be given, to ask all of its questions again; else 0."""
    asked = list(hit.hit_questions.values_list("question", flat=True))
    wanted = {votes.get(pk, 0) for pk in asked}
    more = wanted.pop() if len(wanted) == 1 else 0
    full = hit.assignments.exclude(state=Assignment.State.BEGUN).count() >= hit.places
    can_grow = hit.can_grow and (hit.places > MOST_BY_EXTENSION or hit.places + more <= MOST_BY_EXTENSION)
    is_fresh = hit.posted_at is not None and now - hit.posted_at < EXTENDED_WITHIN
    is_quiet = hit.posted_places == hit.places and hit.wanted_until is None
    is_done = hit.state in (Hit.State.POSTED, Hit.State.CLOSED) and hit.ended_at is not None
    return more if is_done and full and can_grow and is_fresh and is_quiet else 0


def _grow(batch: HitBatch, hit: Hit, more: int, now: datetime) -> None:
    hit.places += more
    promise = budget.Promise(
        key=budget.next_key("reserve", hit),
        cents=more * (hit.reward_cents + hit.fee_cents),
        hit=hit,
    )
    budget.reserve(promises=[promise], batch=batch, now=now)
    hit.state = Hit.State.POSTED
    hit.ended_at = hit.closed_at = None
    hit.wanted_until = now + timedelta(seconds=batch.lifetime_seconds)
    hit.tries = 0
    hit.claimed_until = None
    hit.save()
    hit.hit_questions.update(is_active=True)


def _finish_batches() -> int:
    """Finish the open batches in which nothing is out and no question waits for votes; return how many."""
    live = Hit.objects.filter(batch=OuterRef("pk"), state__in=[Hit.State.PLANNED, Hit.State.POSTED])
    waiting = HitQuestion.objects.filter(
        hit__batch=OuterRef("pk"), question__state=Question.State.OPEN
    ).exclude(hit__state=Hit.State.FAILED)
    return HitBatch.objects.filter(~Exists(live), ~Exists(waiting), state=HitBatch.State.OPEN).update(
        state=HitBatch.State.FINISHED
    )
