"""Opening: what a batch would ask and cost, and its rows with the money for them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from django.db import transaction
from django.db.models import QuerySet

from annotations.models import Corpus, Question
from crowd import budget
from crowd.grouping import Group, Lacking, group
from crowd.interfaces.offers import (
    AUTO_APPROVAL,
    LIFETIME,
    LONGEST_DURATION,
    OFFERS,
    TUTORIAL_TAKES,
    TUTORIALS,
)
from crowd.models import HitBatch
from crowd.open_questions import KINDS, for_planning, lacking
from crowd.posting.planning import begin_plan, cost, spoken_for, write_hits
from crowd.posting.rows import check_operator
from crowd.pricing import pay, timing
from crowd.providers import registry
from kbpo.accounts.models import User, WorkerIdentity
from kbpo.core.errors import Conflict, InvalidInput
from kbpo.core.nudge import nudge

QUESTIONS_PER_HIT = {WorkerIdentity.Provider.PROLIFIC: 10}
QUESTIONS_OF_SENTENCE = 10  # at most, in a HIT


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
    """

    questions: int
    hits: int
    places: int
    cost_cents: int
    least_cents: int
    most_cents: int


def preview(
    *,
    questions: QuerySet[Question],
    kind: str,
    provider: str,
    reward_cents: int,
    now: datetime,
    questions_per_hit: int | None = None,
    by_sentence: bool = False,
    found: Sequence[Lacking] | None = None,
) -> Preview:
    """Say what `open_batch` would post, and what it would cost if every place is filled and paid.

    `found` is what `free` has read of the questions already.
    """
    most = most_questions(
        kind=kind, provider=provider, by_sentence=by_sentence, questions_per_hit=questions_per_hit
    )
    account = registry.provider(provider)
    if found is None:
        found = free(questions, kind=kind, now=now, by_sentence=by_sentence)
    groups = group(found, per_hit=most)
    rewards = timing.rewards(kind=kind, reward_cents=reward_cents, by_sentence=by_sentence, groups=groups)
    return Preview(
        questions=sum(len(one.questions) for one in groups),
        hits=len(groups),
        places=sum(one.places for one in groups),
        cost_cents=cost(groups, rewards, account),
        least_cents=min(rewards, default=reward_cents),
        most_cents=max(rewards, default=reward_cents),
    )


def most_questions(
    *, kind: str, provider: str, by_sentence: bool = False, questions_per_hit: int | None = None
) -> int:
    """Return how many questions a HIT has at most, companions not counted; a document is asked about alone.

    Raises
    ------
    InvalidInput
        If HITs of documents are to have several.
    """
    if kind == HitBatch.Kind.ENTITIES:
        if questions_per_hit not in (None, 1):
            raise InvalidInput(
                f"is {questions_per_hit}; a HIT has one document to be marked", where="questions per HIT"
            )
        return 1
    if questions_per_hit:
        return questions_per_hit
    if by_sentence:
        return QUESTIONS_OF_SENTENCE
    return QUESTIONS_PER_HIT.get(WorkerIdentity.Provider(provider), 1)


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
    by_sentence: bool = False,
    at_most_cents: int | None = None,
) -> HitBatch:
    """Ask all questions of a corpus, or of those given, that lack votes, and set the money for them aside.

    The batch asks these questions until they have their votes, and no others. The first HITs are planned at
    once, the others by `plan_next`; while some are left its state is ``planning``, and nothing is posted.

    Parameters
    ----------
    corpus : Corpus
    kind : {"relation", "entities"}
    provider : {"marketplace", "mturk", "prolific"}
    reward_cents : int
        For each assignment, that is for `questions_per_hit` questions with their companions. By sentence: for
        each question; for documents: for a thousand tokens (`pricing.document_reward`).
    by : User or None
        An operator; None: the service itself.
    now : datetime
    questions : QuerySet, optional
        Those of a submission, for example.
    submission_id : int, optional
        Whose budget, if there is one, must have room too.
    questions_per_hit : int, optional
        Unless given, 10 at Prolific, where many small pieces are slow, and by sentence; 1 elsewhere.
    lifetime, auto_approval : timedelta
    asks_links : bool
        Whether mentions are linked to Wikipedia.
    by_sentence : bool
        Whether a HIT asks about one sentence alone, which a worker then reads once. Relations only.
    at_most_cents : int, optional
        What somebody has agreed to.

    Raises
    ------
    NotAllowed
        If `by` is no operator.
    InvalidInput
        If the reward or a time is out of range, or the provider would not take so little for a HIT.
    Conflict
        If no question lacks votes, or it would cost more than was agreed to.
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
        questions_per_hit=most_questions(
            kind=kind, provider=provider, by_sentence=by_sentence, questions_per_hit=questions_per_hit
        ),
        lifetime=lifetime,
        auto_approval=auto_approval,
        asks_links=asks_links,
        by_sentence=by_sentence,
        by=by,
    )
    asked = Question.objects.all() if questions is None else Question.objects.filter(pk__in=questions)
    asked = asked.filter(document__corpus=corpus)
    found = free(asked, kind=kind, now=now, by_sentence=by_sentence)
    groups = group(found, per_hit=batch.questions_per_hit)
    if not groups:
        raise Conflict(f"No question of {corpus} lacks votes that nobody is asked for.")
    rewards = timing.rewards(kind=kind, reward_cents=reward_cents, by_sentence=by_sentence, groups=groups)
    cents = cost(groups, rewards, registry.provider(provider))
    if at_most_cents is not None and cents > at_most_cents:
        raise Conflict(
            f"More is to be asked by now: it would cost {budget.dollars(cents)}, not"
            f" {budget.dollars(at_most_cents)}. Look at it again."
        )
    seconds = timing.unit_seconds(
        corpus=corpus, kind=kind, questions=found, groups=groups, by_sentence=by_sentence
    )
    _estimate(batch, seconds, rewards)
    begin_plan(batch=batch, groups=groups, now=now)
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
    _estimate(batch, TUTORIAL_TAKES.total_seconds(), [reward_cents])
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


def free(
    questions: QuerySet[Question], *, kind: str, now: datetime, by_sentence: bool = False
) -> list[Lacking]:
    """Read which questions a kind of batch could ask: they lack votes, and no batch asks or is about to."""
    asked = lacking(questions.filter(kind__in=KINDS[kind]), now=now)
    found = for_planning(asked, by_sentence=by_sentence)
    spoken = spoken_for()
    return [question for question in found if question.pk not in spoken]


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
    by_sentence: bool = False,
    is_tutorial: bool = False,
) -> HitBatch:
    check_operator(by)
    if kind not in OFFERS:
        raise InvalidInput(f"is {kind!r}; it must be {' or '.join(OFFERS)}", where="kind")
    if by_sentence and kind != HitBatch.Kind.RELATION:
        raise InvalidInput("only questions about relations are asked by sentence", where="by sentence")
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
        by_sentence=by_sentence,
        created_by=by,
    )


def _estimate(batch: HitBatch, seconds: float, rewards: Iterable[int]) -> None:
    """Note how long what the batch's reward is for takes, if the provider takes such pay for each HIT."""
    batch.estimated_seconds = ceil(seconds)
    batch.save(update_fields=["estimated_seconds"])
    check_pay(rewards, provider=batch.provider, reward_cents=batch.reward_cents, seconds=seconds)


def _seconds(time: timedelta) -> int:
    return int(time.total_seconds())
