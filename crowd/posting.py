"""Asking through a provider: batches of HITs, planned with their money, and an outbox that posts them.

A HIT's row and the money for it are committed before the provider hears of it. From then on the row says what
is wanted (to be posted, more places, another end), and `post_next` makes it so, one HIT at a time: claimed by
a lease, called without a transaction, recorded. Whatever is lost on the way is found again by the request
token while the provider knows it, and by the HIT's annotation after that.

Rows are locked in one order: batch, HIT, assignment, question, budget.
"""

import logging
import secrets
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from random import Random

from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet

from annotations.models import Corpus, Question
from crowd import budget, outbox, paces
from crowd.interfaces.addresses import hit_url
from crowd.lacking import KINDS, for_planning, lacking
from crowd.models import Assignment, Hit, HitBatch, HitQuestion
from crowd.offers import AUTO_APPROVAL, LIFETIME, LONGEST_DURATION, OFFERS, TUTORIAL_TAKES, TUTORIALS
from crowd.planning import Group, group
from crowd.providers import registry
from crowd.providers.base import (
    NewHit,
    NoAnswer,
    NotEnoughMoney,
    Provider,
    PublishedHit,
    Refused,
    first_of,
)
from kbpo.accounts.models import User, WorkerIdentity
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed, OverBudget
from kbpo.core.nudge import nudge

logger = logging.getLogger(__name__)

TOKENS_LAST = timedelta(hours=23)  # at the provider, a little less than they do
#: After which nothing is on its way any more: a signature holds for five minutes, the clocks may differ.
IN_FLIGHT = timedelta(minutes=16)
CLOCKS_DIFFER = timedelta(hours=1)
FIRST_LOOK = timedelta(seconds=10)
QUESTIONS_PER_HIT = {WorkerIdentity.Provider.PROLIFIC: 10}
MOST_BY_EXTENSION = 9  # places; a HIT created with fewer than ten cannot have ten
EXTENDED_WITHIN = timedelta(days=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a batch would ask and cost, before anything is written.

    Attributes
    ----------
    questions, hits, places : int
        `places` are assignments, over all HITs.
    cost_cents : int
        Rewards and fees of all of them.
    """

    questions: int
    hits: int
    places: int
    cost_cents: int


def preview(
    *,
    questions: QuerySet[Question],
    kind: str,
    provider: str,
    reward_cents: int,
    now: datetime,
    questions_per_hit: int | None = None,
) -> Preview:
    """Say what `open_batch` would post, and what it would cost if every place is filled and paid."""
    per_hit = questions_per_hit or QUESTIONS_PER_HIT.get(WorkerIdentity.Provider(provider), 1)
    account = registry.provider(provider)
    groups = group(for_planning(lacking(questions.filter(kind__in=KINDS[kind]), now=now)), per_hit=per_hit)
    return Preview(
        questions=sum(len(one.questions) for one in groups),
        hits=len(groups),
        places=sum(one.places for one in groups),
        cost_cents=sum(
            one.places * (reward_cents + account.fee_cents(reward_cents=reward_cents, places=one.places))
            for one in groups
        ),
    )


@transaction.atomic
def open_batch(
    *,
    corpus: Corpus,
    kind: str,
    provider: str,
    reward_cents: int,
    by: User | None,
    now: datetime,
    questions: QuerySet[Question] | None = None,
    submission_id: int | None = None,
    questions_per_hit: int | None = None,
    lifetime: timedelta = LIFETIME,
    auto_approval: timedelta = AUTO_APPROVAL,
    asks_links: bool = False,
) -> HitBatch:
    """Plan HITs for all questions of a corpus, or of those given, that lack votes, and set their money aside.

    The batch asks these questions until they have their votes, and no others.

    Parameters
    ----------
    corpus : Corpus
    kind : {"relation", "entities"}
    provider : {"marketplace", "mturk", "prolific"}
    reward_cents : int
        For each assignment, that is for `questions_per_hit` questions with their companions.
    by : User or None
        An operator; None: the service itself.
    now : datetime
    questions : QuerySet, optional
        Those of a submission, for example.
    submission_id : int, optional
        Whose budget, if there is one, must have room too.
    questions_per_hit : int, optional
        Unless given, 10 at Prolific, where many small pieces are slow, and 1 elsewhere.
    lifetime, auto_approval : timedelta
    asks_links : bool
        Whether mentions are linked to Wikipedia.

    Raises
    ------
    NotAllowed
        If `by` is no operator.
    InvalidInput
        If the reward or a time is out of range.
    Conflict
        If no question lacks votes.
    OverBudget
        If it would cost more than a budget has left.
    Unavailable
        If there is no account with the provider.
    """
    batch = _new_batch(
        corpus=corpus,
        submission_id=submission_id,
        kind=kind,
        provider=provider,
        reward_cents=reward_cents,
        questions_per_hit=questions_per_hit or QUESTIONS_PER_HIT.get(WorkerIdentity.Provider(provider), 1),
        lifetime=lifetime,
        auto_approval=auto_approval,
        asks_links=asks_links,
        by=by,
    )
    asked = Question.objects.all() if questions is None else Question.objects.filter(pk__in=questions)
    asked = asked.filter(document__corpus=corpus, kind__in=KINDS[kind])
    locked = _lock_questions(lacking(asked, now=now).values_list("pk", flat=True))
    found = for_planning(lacking(locked, now=now))
    groups = group(found, per_hit=batch.questions_per_hit)
    if not groups:
        raise Conflict(f"No question of {corpus} lacks votes that nobody is asked for.")
    batch.estimated_seconds = ceil(paces.average(corpus=corpus, kind=kind, questions=found, groups=groups))
    batch.save(update_fields=["estimated_seconds"])
    _plan(batch, groups, now)
    nudge("kbpo.pipeline.post_hits")
    return batch


@transaction.atomic
def open_tutorial(
    *,
    corpus: Corpus,
    kind: str,
    provider: str,
    reward_cents: int,
    places: int,
    by: User | None,
    now: datetime,
    lifetime: timedelta = LIFETIME,
) -> HitBatch:
    """Plan a tutorial: one HIT without questions, for workers who have not passed it.

    Parameters
    ----------
    corpus : Corpus
        Whose budget pays.
    places : int
        How many workers may take it.

    Raises
    ------
    NotAllowed, InvalidInput, OverBudget, Unavailable
        As `open_batch` says.
    """
    if not 1 <= places <= 1000:
        raise InvalidInput(f"is {places}; it must be from 1 to 1,000", where="places")
    batch = _new_batch(
        corpus=corpus,
        kind=kind,
        provider=provider,
        reward_cents=reward_cents,
        questions_per_hit=1,
        lifetime=lifetime,
        auto_approval=AUTO_APPROVAL,
        by=by,
        is_tutorial=True,
    )
    batch.estimated_seconds = _seconds(TUTORIAL_TAKES)
    batch.save(update_fields=["estimated_seconds"])
    _plan(batch, [Group((), places)], now)
    nudge("kbpo.pipeline.post_hits")
    return batch


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
    planned = sum(plan_more(batch_id=pk, now=now) for pk in list(open_batches.values_list("pk", flat=True)))
    return planned + _finish_batches()


@transaction.atomic
def plan_more(*, batch_id: int, now: datetime) -> int:
    """Ask again those of a batch's questions that lack votes: their HIT expired, or an answer did not count.

    A HIT whose questions all lack the same number is given more places, as far as the provider lets it grow;
    so nobody is shown what they have answered. The others get new HITs. Questions whose HIT the provider
    refused are left alone. Where the budget does not suffice the batch is paused.

    Returns
    -------
    int
        How many HITs were planned or extended.
    """
    mine = _asked_by(batch_id)
    if not lacking(mine, now=now).exists():
        return 0
    batch = (
        HitBatch.objects.select_for_update(no_key=True, of=("self",))
        .select_related("corpus")
        .get(pk=batch_id)
    )
    if batch.state != HitBatch.State.OPEN:
        return 0
    candidates = list(lacking(mine, now=now).order_by("pk").values_list("pk", flat=True))
    latest = _latest_hits(batch, candidates)
    hits = {
        hit.pk: hit
        for hit in Hit.objects.filter(pk__in=set(latest.values()))
        .order_by("pk")
        .select_for_update(no_key=True)
    }
    refused = {pk for pk, hit_id in latest.items() if hits[hit_id].state == Hit.State.FAILED}
    locked = _lock_questions([pk for pk in candidates if pk not in refused])
    found = {question.pk: question for question in for_planning(lacking(locked, now=now))}
    if not found:
        return 0
    extended = [
        (hit, votes)
        for hit in hits.values()
        if (votes := _may_grow_by(hit, {pk: one.votes for pk, one in found.items()}, now))
    ]
    for hit, _ in extended:
        for pk in hit.hit_questions.values_list("question", flat=True):
            del found[pk]
    groups = group(found.values(), per_hit=batch.questions_per_hit)
    try:
        with transaction.atomic():
            for hit, votes in extended:
                _grow(batch, hit, votes, now)
            _plan(batch, groups, now)
    except OverBudget as error:
        _pause(batch, str(error))
        return 0
    return len(extended) + len(groups)


def post_next(*, now: datetime, rng: Random) -> bool:
    """Tell a provider of the next HIT what it does not know: that it is to be posted, to grow, or to end.

    Safe to run anywhere, at any time, twice.

    Parameters
    ----------
    now : datetime
    rng : Random
        Spreads what is tried again.

    Returns
    -------
    bool
        Whether there was one to tell, however it went.
    """
    hit = _claim(now)
    if hit is None:
        return False
    try:
        _tell(hit, registry.provider(hit.batch.provider), now)
    except NoAnswer as error:
        until = now + outbox.wait(hit.tries, rng, retry_after=error.retry_after)
        if hit.batch.state == HitBatch.State.CANCELLED:
            until = max(until, now + IN_FLIGHT)
        Hit.objects.filter(pk=hit.pk).update(error=str(error), claimed_until=until, next_look_at=until)
    except NotEnoughMoney as error:
        _out_of_money(hit, error)
    except Refused as error:
        _refused(hit, error, now)
    return True


@transaction.atomic
def pause_batch(*, batch: HitBatch, by: User, reason: str, now: datetime) -> HitBatch:
    """Post nothing more of a batch; what is out stays out, and is collected and paid.

    Raises
    ------
    NotAllowed
        If `by` is no operator.
    InvalidInput
        If there is no reason.
    Conflict
        If the batch is not open.
    """
    batch = _lock_batch(batch, by, HitBatch.State.OPEN)
    if not reason.strip():
        raise InvalidInput("say why it is paused; the next operator wants to know", where="reason")
    _pause(batch, f"{reason.strip()} ({by}, {now:%d %B %Y, %H:%M} UTC)")
    return batch


@transaction.atomic
def resume_batch(*, batch: HitBatch, by: User, now: datetime) -> HitBatch:
    """Go on with a paused batch: post what is planned, and plan what lacks votes.

    Raises
    ------
    NotAllowed, Conflict
        If `by` is no operator, or the batch is not paused.
    """
    batch = _lock_batch(batch, by, HitBatch.State.PAUSED)
    batch.state = HitBatch.State.OPEN
    batch.paused_because = ""
    batch.save(update_fields=["state", "paused_because"])
    # what waited for its next try is tried now; what somebody is at this moment is not
    batch.hits.filter(state=Hit.State.PLANNED, claimed_until=F("next_look_at")).update(claimed_until=None)
    nudge("kbpo.pipeline.post_hits")
    return batch


@transaction.atomic
def expire_batch(*, batch: HitBatch, by: User, now: datetime) -> HitBatch:
    """Let nobody accept a batch's HITs any more, and pause it; who is at one may finish, and is paid.

    Places that stay empty are given back, and their questions are free; resumed, the batch asks them again.

    Raises
    ------
    NotAllowed, Conflict
        If `by` is no operator, or the batch is neither open nor paused.
    """
    batch = _lock_batch(batch, by, HitBatch.State.OPEN, HitBatch.State.PAUSED)
    _pause(batch, f"Taken back ({by}, {now:%d %B %Y, %H:%M} UTC)")
    _take_back(batch, now)
    nudge("kbpo.pipeline.post_hits")
    return batch


@transaction.atomic
def extend_batch(*, batch: HitBatch, by: User, until: datetime, now: datetime) -> HitBatch:
    """Let the HITs of a batch that are out be found until another time.

    Raises
    ------
    NotAllowed, Conflict
        If `by` is no operator, or the batch is neither open nor paused.
    InvalidInput
        If the time is past, or more than a year away.
    """
    batch = _lock_batch(batch, by, HitBatch.State.OPEN, HitBatch.State.PAUSED)
    if not now < until <= now + timedelta(days=365):
        raise InvalidInput(f"is {until:%Y-%m-%d %H:%M}; it must be in the coming year", where="until")
    _lock_hits(batch).filter(state=Hit.State.POSTED, ended_at=None).update(wanted_until=until)
    nudge("kbpo.pipeline.post_hits")
    return batch


@transaction.atomic
def cancel_batch(*, batch: HitBatch, by: User, now: datetime) -> HitBatch:
    """End a batch: what is not posted never is, what is out is taken back, what was done is paid.

    Raises
    ------
    NotAllowed, Conflict
        If `by` is no operator, or the batch is cancelled or finished.
    """
    batch = _lock_batch(batch, by, HitBatch.State.OPEN, HitBatch.State.PAUSED)
    batch.state = HitBatch.State.CANCELLED
    batch.paused_because = ""
    batch.save(update_fields=["state", "paused_because"])
    hits = _lock_hits(batch)
    for hit in hits.filter(state=Hit.State.PLANNED):
        hit.batch = batch
        if hit.tries == 0:
            _drop(hit, Hit.State.CANCELLED, "", now)
        else:  # it may be out: looked for when nothing is on its way any more
            hit.claimed_until = max(hit.claimed_until or now, now) + IN_FLIGHT
            hit.save(update_fields=["claimed_until"])
    _take_back(batch, now)
    nudge("kbpo.pipeline.post_hits")
    return batch


# Planning


def _new_batch(
    *,
    corpus: Corpus,
    kind: str,
    provider: str,
    reward_cents: int,
    questions_per_hit: int,
    lifetime: timedelta,
    auto_approval: timedelta,
    by: User | None,
    submission_id: int | None = None,
    asks_links: bool = False,
    is_tutorial: bool = False,
) -> HitBatch:
    _check_operator(by)
    if kind not in OFFERS:
        raise InvalidInput(f"is {kind!r}; it must be {' or '.join(OFFERS)}", where="kind")
    registry.provider(provider)
    if not 1 <= reward_cents <= 100_00:
        raise InvalidInput(
            f"is {budget.dollars(reward_cents)}; it must be from $0.01 to $100.00", where="reward"
        )
    if not 1 <= questions_per_hit <= 100:
        raise InvalidInput(f"is {questions_per_hit}; it must be from 1 to 100", where="questions per HIT")
    if not timedelta(minutes=1) <= lifetime <= timedelta(days=365):
        raise InvalidInput("must be from a minute to a year", where="lifetime")
    if not timedelta(minutes=1) <= auto_approval <= timedelta(days=30):
        raise InvalidInput("must be from a minute to 30 days", where="automatic approval")
    offer = (TUTORIALS if is_tutorial else OFFERS)[kind]
    return HitBatch.objects.create(
        corpus=corpus,
        submission_id=submission_id,
        kind=kind,
        is_tutorial=is_tutorial,
        provider=provider,
        title=offer.title,
        description=offer.description,
        keywords=offer.keywords,
        reward_cents=reward_cents,
        questions_per_hit=questions_per_hit,
        duration_seconds=_seconds(min(questions_per_hit * offer.duration, LONGEST_DURATION)),
        lifetime_seconds=_seconds(lifetime),
        auto_approval_seconds=_seconds(auto_approval),
        asks_links=asks_links,
        created_by=by,
    )


def _plan(batch: HitBatch, groups: Sequence[Group], now: datetime) -> list[Hit]:
    """Write down HITs with their money; the questions are locked."""
    account = registry.provider(batch.provider)
    hits = Hit.objects.bulk_create(
        (
            Hit(
                batch=batch,
                request_token=secrets.token_hex(16),
                annotation=f"kbpo-{secrets.token_hex(16)}",
                created_at=now,
                places=one.places,
                reward_cents=batch.reward_cents,
                fee_cents=account.fee_cents(reward_cents=batch.reward_cents, places=one.places),
            )
            for one in groups
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
    budget.reserve(
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


def _asked_by(batch_id: int) -> QuerySet[Question]:
    return Question.objects.filter(
        Exists(HitQuestion.objects.filter(question=OuterRef("pk"), hit__batch=batch_id))
    )


def _latest_hits(batch: HitBatch, questions: Collection[int]) -> dict[int, int]:
    """Return the last of the batch's HITs that asked each question."""
    rows = HitQuestion.objects.filter(hit__batch=batch, question__in=questions)
    return dict(rows.values("question").annotate(last=Max("hit")).values_list("question", "last"))


def _lock_questions(ids: Iterable[int]) -> QuerySet[Question]:
    """Lock questions in the order in which all lock them, and return them to be looked at again."""
    locked = list(
        Question.objects.filter(pk__in=list(ids))
        .order_by("pk")
        .select_for_update(no_key=True)
        .values_list("pk", flat=True)
    )
    return Question.objects.filter(pk__in=locked)


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


def _pause(batch: HitBatch, reason: str) -> None:
    batch.state = HitBatch.State.PAUSED
    batch.paused_because = reason
    batch.save(update_fields=["state", "paused_because"])


def _lock_batch(batch: HitBatch, by: User, *states: HitBatch.State) -> HitBatch:
    _check_operator(by)
    found = (
        HitBatch.objects.select_related("corpus")
        .select_for_update(no_key=True, of=("self",))
        .get(pk=batch.pk)
    )
    if found.state not in states:
        raise Conflict(f"This batch is {found.get_state_display()}.")
    return found


def _lock_hits(batch: HitBatch) -> QuerySet[Hit]:
    list(batch.hits.order_by("pk").select_for_update(no_key=True).values_list("pk", flat=True))
    return batch.hits.all()


def _take_back(batch: HitBatch, now: datetime) -> None:
    _lock_hits(batch).filter(state=Hit.State.POSTED, ended_at=None).update(wanted_until=now)


def _check_operator(by: User | None) -> None:
    if by is not None and not by.is_operator:
        raise NotAllowed("Only operators post work.")


def _seconds(time: timedelta) -> int:
    return int(time.total_seconds())


# The outbox


def _claim(now: datetime) -> Hit | None:
    """Take the oldest HIT of which a provider does not know what it should, for a while."""
    names = registry.configured()
    if not names:
        return None
    with transaction.atomic():
        open_ = Q(batch__state=HitBatch.State.OPEN)
        to_tell = (
            Q(state=Hit.State.PLANNED) & (open_ | Q(batch__state=HitBatch.State.CANCELLED))
            | Q(state=Hit.State.POSTED, wanted_until__isnull=False)
            | Q(state=Hit.State.POSTED, posted_places__lt=F("places")) & open_
        )
        hit = (
            Hit.objects.filter(to_tell, batch__provider__in=names)
            .filter(Q(claimed_until=None) | Q(claimed_until__lte=now))
            .select_related("batch__corpus")
            .order_by("pk")
            .select_for_update(no_key=True, skip_locked=True, of=("self",))
            .first()
        )
        if hit is not None:
            hit.claimed_until = now + outbox.LEASE
            hit.tries += 1
            hit.save(update_fields=["claimed_until", "tries"])
        return hit


def _tell(hit: Hit, provider: Provider, now: datetime) -> None:
    if hit.state == Hit.State.PLANNED:
        if hit.batch.state == HitBatch.State.CANCELLED:
            found = _look_for(hit, provider)
        elif hit.tries > 1 and now - hit.created_at > TOKENS_LAST:
            # The provider may have forgotten the token: what it made of it would be made again.
            found = _look_for(hit, provider) or provider.publish(_offer(hit))
        else:
            found = provider.publish(_offer(hit))
        if found is None:
            _give_up(hit, now)
        else:
            _record_posted(hit, found, now)
        return
    assert hit.provider_id is not None
    if hit.posted_places < hit.places and hit.batch.state == HitBatch.State.OPEN:
        missing = hit.places - provider.get(hit.provider_id).places
        if missing > 0:
            provider.extend(hit.provider_id, places=missing, token=f"{hit.annotation}+{hit.places}")
    if hit.wanted_until is not None and hit.wanted_until > now:
        provider.prolong(hit.provider_id, until=hit.wanted_until)
    elif hit.wanted_until is not None:
        provider.expire(hit.provider_id)
    _record_told(hit, now)


def _offer(hit: Hit) -> NewHit:
    batch = hit.batch
    return NewHit(
        token=hit.request_token,
        annotation=hit.annotation,
        title=batch.title,
        description=batch.description,
        keywords=batch.keywords,
        url=hit_url(hit),
        reward_cents=hit.reward_cents,
        places=hit.places,
        duration_seconds=batch.duration_seconds,
        lifetime_seconds=batch.lifetime_seconds,
        auto_approval_seconds=batch.auto_approval_seconds,
        qualified_for=None if batch.is_tutorial else batch.kind,
        unqualified_for=batch.kind if batch.is_tutorial else None,
        group=f"batch {batch.pk}",
        estimated_seconds=batch.estimated_seconds,
    )


def _look_for(hit: Hit, provider: Provider) -> PublishedHit | None:
    since = hit.created_at - CLOCKS_DIFFER
    return first_of(provider.published_since(since), [hit.annotation]).get(hit.annotation)


@transaction.atomic
def _record_posted(hit: Hit, found: PublishedHit, now: datetime) -> None:
    batch = HitBatch.objects.select_for_update(no_key=True).get(pk=hit.batch_id)
    hit = Hit.objects.select_for_update(no_key=True).get(pk=hit.pk)
    if hit.state != Hit.State.PLANNED:
        return  # somebody else was here while the answer was on its way
    hit.state = Hit.State.POSTED
    hit.provider_id = found.provider_id
    hit.posted_at = now
    hit.expires_at = found.expires_at
    hit.posted_places = found.places
    hit.next_look_at = now + FIRST_LOOK
    if batch.state == HitBatch.State.CANCELLED:
        hit.wanted_until = now
    _quiet(hit)
    hit.save()


@transaction.atomic
def _record_told(told: Hit, now: datetime) -> None:
    hit = Hit.objects.select_for_update(no_key=True).get(pk=told.pk)
    if told.batch.state == HitBatch.State.OPEN:
        hit.posted_places = told.places
    if told.wanted_until is not None and hit.wanted_until == told.wanted_until:
        hit.expires_at, hit.wanted_until = told.wanted_until, None
    hit.next_look_at = now
    _quiet(hit)
    hit.save()


def _quiet(hit: Hit) -> None:
    hit.claimed_until, hit.tries, hit.error = None, 0, ""


@transaction.atomic
def _give_up(hit: Hit, now: datetime) -> None:
    """Drop a HIT of a cancelled batch that the provider never got."""
    locked = _lock_hit(hit)
    if locked.state == Hit.State.PLANNED:
        _drop(locked, Hit.State.CANCELLED, "", now)


@transaction.atomic
def _out_of_money(hit: Hit, error: NotEnoughMoney) -> None:
    """Pause a batch that the account at the provider does not cover; its HITs stay as they are."""
    batch = HitBatch.objects.select_for_update(no_key=True).get(pk=hit.batch_id)
    if batch.state == HitBatch.State.OPEN:
        _pause(batch, f"The account at {batch.get_provider_display()} is short of money: {error}")
    # It was declined, so this try has left nothing behind.
    Hit.objects.filter(pk=hit.pk).update(claimed_until=None, tries=F("tries") - 1, error=str(error))


def _refused(hit: Hit, error: Refused, now: datetime) -> None:
    if hit.state == Hit.State.PLANNED and hit.tries > 1:
        # An earlier try may have gone through, its answer lost.
        try:
            found = _look_for(hit, registry.provider(hit.batch.provider))
        except NoAnswer:
            return  # when the lease has run out
        if found is not None:
            _record_posted(hit, found, now)
            return
    logger.warning("HIT %s was refused: %s", hit.pk, error)
    _record_refused(hit, str(error), now)


@transaction.atomic
def _record_refused(hit: Hit, error: str, now: datetime) -> None:
    told = hit
    hit = _lock_hit(hit)
    if hit.state == Hit.State.PLANNED:
        _drop(hit, Hit.State.FAILED, error, now)
    elif hit.state == Hit.State.POSTED:  # it stays as the provider has it
        more = hit.places - told.posted_places
        if more > 0:
            budget.release(
                key=budget.next_key("release", hit),
                hit=hit,
                cents=more * (hit.reward_cents + hit.fee_cents),
                now=now,
            )
            hit.places, hit.can_grow = told.posted_places, False
        _quiet(hit)
        hit.wanted_until = None
        hit.error = error
        hit.next_look_at = now
        hit.save()


def _drop(hit: Hit, state: Hit.State, error: str, now: datetime) -> None:
    """Let go of a locked HIT that is not at the provider: its money and its questions are free."""
    hit.state = state
    hit.error = error
    hit.claimed_until = None
    hit.save(update_fields=["state", "error", "claimed_until"])
    hit.hit_questions.update(is_active=False)
    budget.release(key=f"release|hit {hit.pk}", hit=hit, cents=budget.outstanding(hit), now=now)


def _lock_hit(hit: Hit) -> Hit:
    return (
        Hit.objects.select_related("batch__corpus")
        .select_for_update(no_key=True, of=("self",))
        .get(pk=hit.pk)
    )
