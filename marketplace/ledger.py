"""Money: amounts in cents, fees, and the ledger that every movement goes through."""

import re
from datetime import datetime

from django.db import transaction

from kbpo.core.acts import What, record
from kbpo.core.errors import InvalidInput
from marketplace.models import Assignment, Hit, LedgerEntry, Requester
from marketplace.protocol.errors import RequestError, out_of_range

MOST_CENTS = 10_000_00  # for one assignment or bonus
MANY_ASSIGNMENTS = 10  # from which on the fee is doubled

Kind = LedgerEntry.Kind


def read_amount(name: str, amount: str, *, least: int = 0) -> int:
    """Read an amount of the API's, such as ``"0.15"``, ``"5"`` or ``"5."``, in cents.

    Parameters
    ----------
    name : str
        The parameter's, for the refusal.
    amount : str
        Digits, and at most two more after a point.
    least : int
        The smallest that is allowed, in cents.

    Raises
    ------
    RequestError
        If it is too small or too large.
    """
    dollars, _, cents = amount.partition(".")
    total = 100 * int(dollars[:20]) + int(cents.ljust(2, "0"))
    if not least <= total <= MOST_CENTS:
        raise out_of_range(name, amount, f"from {write_amount(least)} to {write_amount(MOST_CENTS)}")
    return total


def read_deposit(amount: str) -> int:
    """Read a sum of dollars that somebody typed, such as ``"100"`` or ``"99.50"``, in cents.

    Raises
    ------
    InvalidInput
        If it is none.
    """
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{2})?", amount):
        raise InvalidInput(f"is {amount!r}; it must be a sum of dollars, such as 100.00", where="--deposit")
    dollars, _, cents = amount.partition(".")
    return 100 * int(dollars) + int(cents or "0")


def write_amount(cents: int) -> str:
    """Write an amount as the API does: dollars with two decimals.

    Examples
    --------
    >>> write_amount(5)
    '0.05'
    """
    return f"{cents // 100}.{cents % 100:02}"


def fee_cents(cents: int, assignments: int = 1) -> int:
    """Return the fee on a reward or a bonus, in cents.

    20%, 40% from ten assignments on, rounded half up, and at least one cent.

    Parameters
    ----------
    cents : int
        The reward or bonus.
    assignments : int
        How many the HIT asks for.
    """
    percent = 40 if assignments >= MANY_ASSIGNMENTS else 20
    return max(1, (cents * percent + 50) // 100)


def lock_requester(requester_id: int) -> Requester:
    """Lock a requester's row, which comes before any HIT's and any assignment's, and return it."""
    return Requester.objects.select_for_update(no_key=True).get(pk=requester_id)


@transaction.atomic
def deposit(*, requester: Requester, cents: int, now: datetime) -> None:
    """Add to a requester's available balance."""
    if cents <= 0:
        raise out_of_range("The deposit", write_amount(max(cents, 0)), "at least 0.01")
    post(lock_requester(requester.pk), Kind.DEPOSIT, available=cents, now=now)
    record(What.MONEY_DEPOSITED, by=None, about=requester, after={"cents": cents})
    requester.refresh_from_db()


def post(
    requester: Requester,
    kind: str,
    *,
    now: datetime,
    available: int = 0,
    held: int = 0,
    hit: Hit | None = None,
    assignment: Assignment | None = None,
    reason: str = "",
) -> LedgerEntry:
    """Write an entry and change the two balances by it.

    Parameters
    ----------
    requester : Requester
        Locked by this transaction.
    kind : str
        A member of `LedgerEntry.Kind`.
    now : datetime
    available, held : int
        What is added to each balance, in cents.
    hit : Hit, optional
        What it is for.
    assignment : Assignment, optional
        Whose worker it pays.
    reason : str
        What the worker is told.

    Raises
    ------
    RequestError
        If there is not as much.
    """
    if requester.available_cents + available < 0:
        raise RequestError(
            "InsufficientFunds",
            "This Requester has insufficient funds in their account to complete this transaction: "
            f"{write_amount(-available)} is needed and {write_amount(requester.available_cents)} available.",
        )
    requester.available_cents += available
    requester.held_cents += held
    requester.save(update_fields=["available_cents", "held_cents"])
    return LedgerEntry.objects.create(
        requester=requester,
        kind=kind,
        available_cents=available,
        held_cents=held,
        hit=hit,
        assignment=assignment,
        worker=None if assignment is None else assignment.worker,
        reason=reason,
        at=now,
    )


def hold_for(requester: Requester, hit: Hit, *, now: datetime) -> None:
    """Set aside what a HIT can still cost, no more and no less.

    That is reward and fee for every place that waits for a decision, and, until it expires, for those that
    are free.

    Parameters
    ----------
    requester : Requester
    hit : Hit
        Both locked by this transaction. Saves the HIT's `held_cents` and `is_released`.

    Raises
    ------
    RequestError
        If the available balance does not suffice.
    """
    waiting = hit.pending + hit.assignments.filter(state=Assignment.State.SUBMITTED).count()
    is_open = hit.disposed_at is None and hit.expires_at > now
    free = hit.max_assignments - hit.taken if is_open else 0
    needed = (waiting + free) * (hit.hit_type.reward_cents + hit.fee_cents)
    if more := needed - hit.held_cents:
        kind = Kind.HOLD if more > 0 else Kind.RELEASE
        post(requester, kind, available=-more, held=more, hit=hit, now=now)
    hit.held_cents = needed
    hit.is_released = not is_open
    hit.save(update_fields=["held_cents", "is_released"])


def pay(requester: Requester, assignment: Assignment, *, now: datetime) -> None:
    """Pay an assignment's reward and fee out of what is on hold for its HIT.

    Parameters
    ----------
    requester : Requester
    assignment : Assignment
        Both, and the assignment's HIT, locked by this transaction.
    """
    hit = assignment.hit
    reward, fee = hit.hit_type.reward_cents, hit.fee_cents
    post(requester, Kind.REWARD, held=-reward, hit=hit, assignment=assignment, now=now)
    post(requester, Kind.FEE, held=-fee, hit=hit, assignment=assignment, now=now)
    hit.held_cents -= reward + fee
    hit.save(update_fields=["held_cents"])


def pay_bonus(
    requester: Requester, assignment: Assignment, cents: int, *, reason: str, now: datetime
) -> None:
    """Pay an assignment's worker a bonus, and its fee, out of the available balance.

    Parameters
    ----------
    requester : Requester
        Locked by this transaction.
    assignment : Assignment
    cents : int
        1 or more.
    reason : str
        What the worker is told.
    now : datetime

    Raises
    ------
    RequestError
        If the available balance does not suffice for both.
    """
    fee = fee_cents(cents)
    hit = assignment.hit
    post(requester, Kind.BONUS, available=-cents, hit=hit, assignment=assignment, reason=reason, now=now)
    post(requester, Kind.BONUS_FEE, available=-fee, hit=hit, assignment=assignment, now=now)
