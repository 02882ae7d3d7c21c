"""What a batch would ask, cost and buy, before anything is posted."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Q, QuerySet

from annotations.models import Corpus, Question
from crowd import budget, lessons, pay, posting
from crowd.interfaces.offers import promise
from crowd.interfaces.price import Unit
from crowd.models import Budget, HitBatch
from crowd.pricing import timing
from crowd.pricing.terms import BatchTerms
from crowd.providers import registry
from evaluation.models import Submission
from evaluation.registry import task_of
from evaluation.submissions.visibility import with_names
from kbpo.accounts.models import User
from kbpo.core.errors import InvalidInput, OverBudget
from kbpo.pages.money.votes import votes_a_question

MOST_SUBMISSIONS = 10  # named


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What an operator wants to open.

    Attributes
    ----------
    terms : BatchTerms
        Without a reward: as suggested.
    submission : Submission or None
        Only the questions of its sample.
    """

    terms: BatchTerms
    submission: Submission | None


@dataclass(frozen=True, slots=True)
class Room:
    """A budget that the money would come from, and what it has left.

    Attributes
    ----------
    budget : Budget
    left_cents : int
    suffices : bool
        For what is set aside at once.
    lasts : bool
        For what is expected in the end.
    """

    budget: Budget
    left_cents: int
    suffices: bool
    lasts: bool


@dataclass(frozen=True, slots=True)
class Bought:
    """What the answers do for a submission.

    Attributes
    ----------
    submission : Submission
    open : int
        Its questions that are not settled yet.
    half_width, level : float
        Of the interval of its measure, once all of them are.
    measure : str
        The one that samples are designed for, for people.
    """

    submission: Submission
    open: int
    half_width: float
    level: float
    measure: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What would be posted.

    Attributes
    ----------
    preview : posting.Preview
    suggestion : timing.Suggestion
    unit : Unit
        What the reward is for.
    by_length : bool
        Whether a HIT pays by the length of its document.
    questions_per_hit, reward_cents, fee_cents : int
        The fee is for an assignment that pays just the reward.
    hourly_cents : int
        What the reward makes of an hour.
    is_estimate : bool
        Whether the time that this goes by is not measured yet.
    promise : str
        What workers are told of when they are paid.
    first_votes : int
        That a question is asked for at first.
    votes : float
        That questions take on average.
    expected_cents : int
        With the further votes that some will need.
    rooms : tuple of Room
    bought : tuple of Bought
        At most ten.
    obstacle : str
        Why it cannot be posted; empty: it can.
    warning : str
        Why it may have to be paused for want of money; empty: nothing is expected to pause it.
    """

    preview: posting.Preview
    suggestion: timing.Suggestion
    unit: Unit
    by_length: bool
    questions_per_hit: int
    reward_cents: int
    fee_cents: int
    hourly_cents: int
    is_estimate: bool
    promise: str
    first_votes: int
    votes: float
    expected_cents: int
    rooms: tuple[Room, ...]
    bought: tuple[Bought, ...]
    obstacle: str
    warning: str

    @property
    def takes_more_votes(self) -> bool:
        """Whether questions take noticeably more than their first votes."""
        return self.votes > self.first_votes + 0.005

    @property
    def pays_by_length(self) -> bool:
        """Whether an assignment pays something else than the reward."""
        return (self.preview.least_cents, self.preview.most_cents) != (self.reward_cents,) * 2

    @property
    def least_time(self) -> timedelta:
        """How long the shortest HIT is expected to take."""
        return timedelta(seconds=min(self.preview.seconds, default=0.0))

    @property
    def most_time(self) -> timedelta:
        """How long the longest HIT is expected to take."""
        return timedelta(seconds=max(self.preview.seconds, default=0.0))


def plan(wanted: Wanted, *, by: User, now: datetime) -> Plan:
    """Say what opening a batch would ask, cost and buy. Nothing is written.

    Parameters
    ----------
    wanted : Wanted
    by : User
        Who would open it: who is no operator sees the budgets of the corpus alone.
    now : datetime

    Raises
    ------
    Unavailable
        If the site has no account with the provider.
    """
    terms = posting.within_share(wanted.terms)
    found = posting.free(terms, _questions(wanted), now=now)
    suggestion = timing.suggest(terms, found)
    reward = terms.reward_cents or suggestion.reward_cents
    terms = replace(terms, reward_cents=reward)
    preview = posting.preview(terms, found, unit_seconds=suggestion.seconds)
    first_votes = terms.corpus.judged_by.first_votes
    votes = votes_a_question(terms.corpus, terms.interface.main)
    expected = round(preview.cost_cents * max(1.0, votes / first_votes))
    room = rooms(
        corpus=terms.corpus,
        submission_id=terms.submission_id,
        cents=preview.cost_cents,
        expected_cents=expected,
        now=now,
    )
    return Plan(
        preview=preview,
        suggestion=suggestion,
        questions_per_hit=terms.most_questions,
        unit=terms.interface.price.unit(terms.most_questions, by_sentence=terms.by_sentence),
        by_length=terms.interface.price.by_length,
        reward_cents=reward,
        fee_cents=registry.provider(terms.provider).fee_cents(reward_cents=reward, places=first_votes),
        hourly_cents=pay.hourly(reward_cents=reward, seconds=suggestion.seconds),
        is_estimate=terms.interface.main not in suggestion.pace.measured,
        promise=promise(terms.auto_approval, held_answers=terms.held_answers, holds_all=terms.holds_all),
        first_votes=first_votes,
        votes=votes,
        expected_cents=expected,
        rooms=seen_by(by, room),
        bought=_bought(wanted),
        obstacle=lessons.why_for_nobody(terms.kind, terms.corpus, provider=terms.provider)
        or _obstacle(preview, room)
        or none_to_spend(by, room)
        or too_little(
            (preview.least_cents, preview.most_cents),
            provider=terms.provider,
            reward_cents=reward,
            seconds=suggestion.seconds,
        ),
        warning=_warning(seen_by(by, room), expected),
    )


def open_batch(wanted: Wanted, *, agreed_cents: int, by: User, now: datetime) -> HitBatch:
    """Open a batch, if it costs no more than the operator has agreed to.

    Parameters
    ----------
    wanted : Wanted
        With its reward and its questions a HIT as they were shown; as suggested where they are open.
    agreed_cents : int
        What was shown to be set aside.
    by : User
    now : datetime

    Raises
    ------
    Conflict
        If it would cost more by now, or asks nothing.
    NotAllowed, InvalidInput, OverBudget, Unavailable
        As `crowd.posting.open_batch` says.
    """
    check_month(by, rooms(corpus=wanted.terms.corpus, submission_id=None, cents=agreed_cents, now=now))
    return posting.open_batch(
        wanted.terms, by=by, now=now, questions=_questions(wanted), at_most_cents=agreed_cents
    )


def read(data: dict[str, Any]) -> Wanted:
    """Read what a valid `forms.OpenForm` holds."""
    submission = data["submission"]
    terms = BatchTerms(
        corpus=data["corpus"],
        kind=data["kind"],
        provider=data["provider"],
        reward_cents=data["reward_cents"],
        questions_per_hit=data["questions_per_hit"],
        submission_id=submission.pk if submission else None,
        lifetime=timedelta(hours=data["lifetime_hours"]),
        auto_approval=timedelta(hours=data["auto_approval_hours"]),
        asks_links=data["asks_links"],
        by_sentence=data["by_sentence"],
        held_answers=data["held_answers"],
        holds_all=data["holds_all"],
    )
    return Wanted(terms=terms, submission=submission)


def _questions(wanted: Wanted) -> QuerySet[Question]:
    found = Question.objects.filter(document__corpus=wanted.terms.corpus)
    if wanted.submission is not None:
        theirs = Question.objects.filter(batches__submission=wanted.submission).values("pk")
        found = found.filter(Q(pk__in=theirs) | Q(audits__in=theirs))
    return found


def rooms(
    *, corpus: Corpus, submission_id: int | None, cents: int, expected_cents: int | None = None, now: datetime
) -> tuple[Room, ...]:
    """Return the budgets that so many cents would come from, as many as are expected in the end included."""
    found, most = [], max(cents, expected_cents or 0)
    for one in budget.matching(corpus=corpus, submission_id=submission_id, now=now):
        left = one.cap_cents - one.reserved_cents - one.paid_cents
        found.append(Room(one, left, left >= cents, left >= most))
    return tuple(found)


def seen_by(by: User, found: tuple[Room, ...]) -> tuple[Room, ...]:
    """Return the budgets whose money somebody may see: a month's, over all corpora, is for operators."""
    if by.is_operator:
        return found
    return tuple(room for room in found if room.budget.scope != Budget.Scope.MONTH)


def check_month(by: User, found: tuple[Room, ...]) -> None:
    """Tell who is no operator that a month has too little left, and not how much."""
    if by.is_operator:
        return
    for room in found:
        if room.budget.scope == Budget.Scope.MONTH and not room.suffices:
            raise OverBudget("The site may not spend so much this month: ask an operator to raise its cap.")


def none_to_spend(by: User, found: tuple[Room, ...]) -> str:
    """Say why somebody may not spend of any budget that matches; empty: they may."""
    if seen_by(by, found):
        return ""
    return "There is no budget for this corpus: its paymaster, or an operator, makes one."


def too_little(rewards: Iterable[int], *, provider: str, reward_cents: int, seconds: float) -> str:
    """Say why a provider would not take such pay; empty: it does. The arguments are `posting.check_pay`'s."""
    try:
        posting.check_pay(rewards, provider=provider, reward_cents=reward_cents, seconds=seconds)
    except InvalidInput as error:
        return str(error)
    return ""


def _bought(wanted: Wanted) -> tuple[Bought, ...]:
    corpus = wanted.terms.corpus
    if not wanted.terms.interface.is_sampled:
        return ()
    judged = Submission.objects.filter(corpus=corpus, state=Submission.State.JUDGING)
    if wanted.submission is not None:
        judged = judged.filter(pk=wanted.submission.pk)
    waiting = Count("batch__questions", filter=~Q(batch__questions__state=Question.State.SETTLED)) + Count(
        "batch__questions__audit",
        filter=Q(batch__questions__audit__state__in=[Question.State.OPEN, Question.State.EXPERT]),
    )
    rows = with_names(judged, None).annotate(waiting=waiting).order_by("pk")[:MOST_SUBMISSIONS]
    measure = task_of(corpus).choices.designed_name
    return tuple(
        Bought(row, row.waiting, corpus.target_half_width, corpus.target_level, measure) for row in rows
    )


def _obstacle(preview: posting.Preview, rooms: tuple[Room, ...]) -> str:
    if not preview.questions:
        return "No question lacks votes that nobody is asked for: there is nothing to post."
    if not rooms:
        return "No budget matches: make one for the corpus, the submission or this month."
    short = [room for room in rooms if not room.suffices]
    if short:
        return f"It costs {budget.dollars(preview.cost_cents)}, more than {_have_left(short)}."
    return ""


def _warning(rooms: tuple[Room, ...], expected_cents: int) -> str:
    short = [room for room in rooms if room.suffices and not room.lasts]
    if not short:
        return ""
    return (
        f"It is expected to cost about {budget.dollars(expected_cents)} in the end, more than"
        f" {_have_left(short)}: the batch will be paused when money for further votes is missing."
    )


def _have_left(short: list[Room]) -> str:
    names = " and ".join(f"the budget for {room.budget}" for room in short)
    return f"{names} {'has' if len(short) == 1 else 'have'} left"
