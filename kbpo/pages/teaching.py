"""What a tutorial would cost, before it is posted."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from crowd import budget, lessons, pay, posting
from crowd.models import HitBatch
from crowd.pricing import expected, timing
from crowd.pricing.terms import BatchTerms
from crowd.providers import registry
from crowd.qualifying import BONUS_CENTS
from kbpo.accounts.models import User
from kbpo.pages.opening import Room, none_to_spend, rooms, seen_by, too_little


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A tutorial that an operator wants to open; without a reward: it pays what its time is worth."""

    terms: BatchTerms
    places: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What it would cost, in cents.

    Attributes
    ----------
    reward_cents, fee_cents, hourly_cents : int
        For each worker.
    bonus_cents : int
        For each who passes, its fee with it.
    cost_cents : int
        Rewards and fees, set aside at once.
    most_cents : int
        With the bonuses, if everybody passes.
    rooms : tuple of Room
    obstacle : str
        Why it cannot be posted; empty: it can.
    """

    reward_cents: int
    fee_cents: int
    hourly_cents: int
    bonus_cents: int
    cost_cents: int
    most_cents: int
    rooms: tuple[Room, ...]
    obstacle: str


def plan(wanted: Wanted, *, by: User, now: datetime) -> Plan:
    """Say what opening a tutorial would cost. Nothing is written.

    Raises
    ------
    Unavailable
        If the site has no account with the provider.
    """
    account, seconds = registry.provider(wanted.terms.provider), expected.of_tutorial().seconds
    reward = wanted.terms.reward_cents or timing.suggested_reward(seconds)
    fee = account.fee_cents(reward_cents=reward, places=wanted.places)
    bonus = BONUS_CENTS + account.bonus_fee_cents(cents=BONUS_CENTS)
    cost = wanted.places * (reward + fee)
    found = rooms(corpus=wanted.terms.corpus, submission_id=None, cents=cost, now=now)
    if obstacle := lessons.why_untaught(wanted.terms.kind, wanted.terms.corpus):
        pass
    elif not found:
        obstacle = "No budget matches: make one for the corpus or this month."
    elif obstacle := none_to_spend(by, found):
        pass
    elif short := [room.budget for room in found if not room.suffices]:
        obstacle = f"It costs {budget.dollars(cost)}, more than the budget for {short[0]} has left."
    else:
        obstacle = too_little([reward], provider=wanted.terms.provider, reward_cents=reward, seconds=seconds)
    return Plan(
        reward_cents=reward,
        fee_cents=fee,
        hourly_cents=pay.hourly(reward_cents=reward, seconds=seconds),
        bonus_cents=bonus,
        cost_cents=cost,
        most_cents=cost + wanted.places * bonus,
        rooms=seen_by(by, found),
        obstacle=obstacle,
    )


def open_tutorial(wanted: Wanted, *, by: User, now: datetime) -> HitBatch:
    """Open a tutorial.

    Raises
    ------
    NotAllowed, InvalidInput, OverBudget, Unavailable
        As `crowd.posting.open_tutorial` says.
    """
    return posting.open_tutorial(wanted.terms, places=wanted.places, by=by, now=now)


def read(data: dict[str, Any]) -> Wanted:
    """Read what a valid `forms.TutorialForm` holds."""
    terms = BatchTerms(
        corpus=data["corpus"],
        kind=data["kind"],
        provider=data["provider"],
        reward_cents=data["reward_cents"],
        lifetime=timedelta(hours=data["lifetime_hours"]),
    )
    return Wanted(terms=terms, places=data["places"])
