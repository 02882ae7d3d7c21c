"""Opening: what a batch would ask and cost, and its rows with the money for them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from math import ceil

from django.db import transaction
from django.db.models import QuerySet

from annotations.models import Question
from annotations.ontologies import ontology_of
from crowd import budget, lessons, pay, shares
from crowd.grouping import Group, OpenQuestion, group
from crowd.interfaces.offers import WorkOffer, promise
from crowd.interfaces.registry import find_teaching
from crowd.models import HitBatch
from crowd.open_questions import for_planning, open_questions
from crowd.posting.gathering import at_least_taken, gathered_ids
from crowd.posting.planning import begin_plan, cost, reserved_ids, write_hits
from crowd.posting.rows import check_poster
from crowd.pricing import expected, timing
from crowd.pricing.expected import ExpectedTime
from crowd.pricing.terms import BatchTerms
from crowd.providers import registry
from kbpo.accounts.models import User
from kbpo.core.acts import What, record
from kbpo.core.clock.nudge import nudge
from kbpo.core.errors import Conflict, InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a batch would ask and cost, before anything is written.

    Attributes
    ----------
    questions, hits, places : int
        `places` are assignments, over all HITs.
    cost_cents : int
        Rewards and fees of all of them.
    least_cents, most_cents : int
        What assignments pay, from the least to the most.
    seconds : tuple of float
        That each HIT is expected to take.
    """

    questions: int
    hits: int
    places: int
    cost_cents: int
    least_cents: int
    most_cents: int
    seconds: tuple[float, ...]


def preview(terms: BatchTerms, found: Sequence[OpenQuestion], *, unit_seconds: float) -> Preview:
    """Say what `open_batch` would post, and what it would cost if every place is filled and paid.

    Parameters
    ----------
    terms : BatchTerms
        With its reward, `within_share`.
    found : sequence of OpenQuestion
        As `free` reads them.
    unit_seconds : float
        That the reward is for.

    Raises
    ------
    Unavailable
        If there is no account with the provider.
    """
    groups = group(found, per_hit=terms.most_questions)
    rewards = _rewards(terms, found, groups)
    return Preview(
        questions=sum(len(one.questions) for one in groups),
        hits=len(groups),
        places=sum(one.places for one in groups),
        cost_cents=cost(groups, rewards, registry.provider(terms.provider)),
        least_cents=min(rewards, default=terms.reward),
        most_cents=max(rewards, default=terms.reward),
        seconds=tuple(_seconds(terms, groups, unit_seconds)),
    )


def within_share(terms: BatchTerms) -> BatchTerms:
    """Return terms whose HITs have no more questions than one person may answer, where that is bounded.

    A person's first HIT is always allowed, so a large one would be more than their share.
    """
    most = shares.allowed(terms.interface, terms.corpus.pk)
    return terms if most is None or terms.most_questions <= most else replace(terms, questions_per_hit=most)


def free(terms: BatchTerms, questions: QuerySet[Question], *, now: datetime) -> list[OpenQuestion]:
    """Read which questions a batch could ask: they lack votes, and no batch asks or is about to."""
    asked = open_questions(questions.filter(kind__in=terms.interface.kinds), now=now)
    found = for_planning(asked, terms.corpus.judged_by, by_sentence=terms.by_sentence)
    taken = reserved_ids() | gathered_ids(found)
    return [question for question in found if question.pk not in taken]


@transaction.atomic
def open_batch(
    terms: BatchTerms,
    *,
    by: User | None,
    now: datetime,
    questions: QuerySet[Question] | None = None,
    at_most_cents: int | None = None,
) -> HitBatch:
    """Ask all questions of a corpus, or of those given, that lack votes, and set the money for them aside.

    The batch asks these questions until they have their votes, and no others. The first HITs are planned at
    once, the others by `plan_next`; while some are left its state is ``planning``, and nothing is posted.

    Parameters
    ----------
    terms : BatchTerms
        Without a reward: it pays what the time is worth, as `pricing.timing.suggest` has it.
    by : User or None
        Who is no operator opens batches only from a budget of the corpus, or of a submission to it.
        None: the service itself.
    now : datetime
    questions : QuerySet, optional
        Those of a submission, for example.
    at_most_cents : int, optional
        What somebody has agreed to.

    Raises
    ------
    NotAllowed
        If `by` may not post work on the corpus.
    InvalidInput
        If the provider would not take so little for a HIT, or nobody can learn such work.
    Conflict
        If no question lacks votes, or it would cost more than was agreed to.
    OverBudget
        If it would cost more than a budget has left, or there is none that `by` may spend.
    Unavailable
        If there is no account with the provider.
    """
    check_poster(by, terms.corpus)
    _check_own_budget(terms, by)
    terms = within_share(terms)
    account = registry.provider(terms.provider)
    if why := lessons.why_for_nobody(terms.kind, terms.corpus, provider=terms.provider):
        raise InvalidInput(why, where="corpus")
    asked = Question.objects.all() if questions is None else Question.objects.filter(pk__in=questions)
    found = free(terms, asked.filter(document__corpus=terms.corpus), now=now)
    groups = group(found, per_hit=terms.most_questions)
    if not groups:
        raise Conflict(f"No question of {terms.corpus} lacks votes that nobody is asked for.")
    if terms.reward_cents is None:
        terms = replace(terms, reward_cents=timing.suggest(terms, found).reward_cents)
    rewards = _rewards(terms, found, groups)
    cents = cost(groups, rewards, account)
    if at_most_cents is not None and cents > at_most_cents:
        raise Conflict(
            f"More is to be asked by now: it would cost {budget.dollars(cents)}, not"
            f" {budget.dollars(at_most_cents)}. Look at it again."
        )
    pace = timing.measure(terms.corpus)
    seconds = timing.unit_seconds(terms, found, groups, pace=pace)
    check_pay(rewards, provider=terms.provider, reward_cents=terms.reward, seconds=seconds)
    takes = ExpectedTime(seconds, terms.interface.main in pace.measured)
    longest = max(_seconds(terms, groups, seconds))
    batch = _write_batch(terms, terms.interface.offer, by=by, takes=takes, longest=longest)
    begin_plan(batch=batch, groups=groups, now=now)
    nudge("kbpo.pipeline.post_hits")
    return batch


@transaction.atomic
def open_tutorial(terms: BatchTerms, *, places: int, by: User | None, now: datetime) -> HitBatch:
    """Plan a tutorial: one HIT without questions, for workers who have not passed it.

    Parameters
    ----------
    terms : BatchTerms
        The corpus' budget pays. Without a reward: it pays what the time is worth.
    places : int
        How many workers may take it.
    by : User or None
    now : datetime

    Raises
    ------
    NotAllowed, InvalidInput, OverBudget, Unavailable
        As `open_batch` says; `InvalidInput` too where the interface has no tutorial.
    """
    check_poster(by, terms.corpus)
    _check_own_budget(terms, by)
    registry.provider(terms.provider)
    if not 1 <= places <= 1000:
        raise InvalidInput(f"is {places}; it must be from 1 to 1,000", where="places")
    teaching, takes = find_teaching(terms.kind), expected.of_tutorial()
    if why := lessons.why_untaught(terms.kind, terms.corpus):
        raise InvalidInput(why, where="corpus")
    if terms.reward_cents is None:
        terms = replace(terms, reward_cents=timing.suggested_reward(takes.seconds))
    check_pay([terms.reward], provider=terms.provider, reward_cents=terms.reward, seconds=takes.seconds)
    batch = _write_batch(terms, teaching.offer, by=by, takes=takes, longest=takes.seconds, is_tutorial=True)
    write_hits(batch, [Group((), places)], now)
    nudge("kbpo.pipeline.post_hits")
    return batch


def check_pay(rewards: Iterable[int], *, provider: str, reward_cents: int, seconds: float) -> None:
    """Refuse, as `InvalidInput`, what the provider would not take for HITs: better now than one by one.

    Parameters
    ----------
    rewards : iterable of int
        What assignments pay.
    provider : str
    reward_cents : int
    seconds : float
        That `reward_cents` are for.
    """
    account = registry.provider(provider)
    for cents in sorted(set(rewards)):
        takes = pay.seconds_for(cents, reward_cents=reward_cents, seconds=seconds)
        account.check_pay(reward_cents=cents, seconds=takes)


def _check_own_budget(terms: BatchTerms, by: User | None) -> None:
    if by is not None and not by.is_operator:
        budget.check_own(corpus=terms.corpus, submission_id=terms.submission_id)


def _rewards(terms: BatchTerms, found: Sequence[OpenQuestion], groups: Sequence[Group]) -> list[int]:
    rewards = timing.rewards(
        terms.interface, groups, reward_cents=terms.reward, by_sentence=terms.by_sentence
    )
    if terms.by_sentence:
        return rewards
    return at_least_taken(
        rewards,
        groups,
        provider=terms.provider,
        reward_cents=terms.reward,
        seconds=partial(timing.unit_seconds, terms, found, groups),
    )


def _seconds(terms: BatchTerms, groups: Sequence[Group], unit_seconds: float) -> list[float]:
    return expected.seconds_of(
        terms.interface, groups, unit_seconds=unit_seconds, by_sentence=terms.by_sentence
    )


def _write_batch(
    terms: BatchTerms,
    offer: WorkOffer,
    *,
    by: User | None,
    takes: ExpectedTime,
    longest: float,
    is_tutorial: bool = False,
) -> HitBatch:
    """Write a batch down: what its reward is for `takes` so long, and its longest HIT `longest` seconds."""
    most = 1 if is_tutorial else terms.most_questions
    held = min(1, terms.held_answers) if is_tutorial else terms.held_answers
    promised = promise(
        terms.auto_approval, held_answers=held, holds_all=terms.holds_all, is_tutorial=is_tutorial
    )
    types = [one.word for one in ontology_of(terms.corpus).mention_types]
    batch = HitBatch.objects.create(
        corpus=terms.corpus,
        submission_id=terms.submission_id,
        kind=terms.kind,
        is_tutorial=is_tutorial,
        provider=terms.provider,
        title=offer.title_for(types),
        description=f"{offer.description} {promised}",
        keywords=offer.keywords,
        reward_cents=terms.reward,
        questions_per_hit=most,
        duration_seconds=_whole_seconds(expected.allowed(offer, most_questions=most, longest=longest)),
        estimated_seconds=ceil(takes.seconds),
        is_time_measured=takes.is_measured,
        lifetime_seconds=_whole_seconds(terms.lifetime),
        auto_approval_seconds=_whole_seconds(terms.auto_approval),
        asks_links=terms.asks_links,
        by_sentence=terms.by_sentence,
        held_answers=held,
        holds_all=terms.holds_all,
        created_by=by,
    )
    after = {"corpus": terms.corpus.tag, "kind": terms.kind, "reward_cents": terms.reward}
    record(What.BATCH_OPENED, by=by, about=batch, after=after)
    return batch


def _whole_seconds(time: timedelta) -> int:
    return int(time.total_seconds())
