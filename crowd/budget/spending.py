"""Spending: set aside, paid or given back, each entry once, under the locks of its budgets."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.postgres.aggregates import ArrayAgg
from django.db import transaction
from django.db.models import F, Model, Q, Sum
from django.db.models.functions import Coalesce

from crowd.budget.caps import dollars, matching, month
from crowd.models import Assignment, Bonus, Budget, Hit, HitBatch, LedgerEntry
from kbpo.core.errors import OverBudget

Kind = LedgerEntry.Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """Something that money is set aside for.

    Attributes
    ----------
    key : str
        Of the ledger's entry.
    cents : int
        Reward and fee.
    hit : Hit or None
    assignment : Assignment or None
    batch : HitBatch or None
        As a whole, before its HITs are planned.
    """

    key: str
    cents: int
    hit: Hit | None = None
    assignment: Assignment | None = None
    batch: HitBatch | None = None


@transaction.atomic
def reserve(*, promises: Sequence[Promise], batch: HitBatch, now: datetime) -> int:
    """Set money aside, all of it or none.

    Every budget that matches must have room: the corpus', the submission's, and this month's, as far as
    there are such budgets; at least one there must be. What was set aside under the same key stays as it is.

    Parameters
    ----------
    promises : sequence of Promise
    batch : HitBatch
        For whose corpus and submission it is.
    now : datetime
        Whose month it counts in.

    Returns
    -------
    int
        Cents that were set aside by this call.

    Raises
    ------
    OverBudget
        If no budget matches, or one has too little left; it says which and how much.
    """
    budgets = _lock_matching(batch, now)
    known = set(
        LedgerEntry.objects.filter(key__in=[promise.key for promise in promises]).values_list(
            "key", flat=True
        )
    )
    new = [promise for promise in promises if promise.key not in known]
    total = sum(promise.cents for promise in new)
    if not total:
        return 0
    if not budgets:
        raise OverBudget(
            f"No budget matches: make one for the corpus {batch.corpus.tag}"
            + (f", the submission {batch.submission_id}" if batch.submission_id else "")
            + f" or the month {month(now)}."
        )
    for budget in budgets:
        left = budget.cap_cents - budget.reserved_cents - budget.paid_cents
        if total > left:
            raise OverBudget(f"{dollars(total)} are needed, and the budget for {budget} has {dollars(left)}.")
    _write([_reserved(promise, batch, now) for promise in new], [budget.pk for budget in budgets])
    return total


@transaction.atomic
def hand_out(*, promises: Sequence[Promise], batch: HitBatch, now: datetime) -> None:
    """Set money aside for HITs out of what was set aside for their batch, and beyond that anew.

    Parameters
    ----------
    promises : sequence of Promise
    batch : HitBatch
        Locked by the caller.
    now : datetime

    Raises
    ------
    OverBudget
        If more is wanted than was set aside, and no budget has room.
    """
    left, number = _left_of(batch), 0
    while number < len(promises) and promises[number].cents <= left:
        left -= promises[number].cents
        number += 1
    covered = promises[:number]
    if covered:
        cents = sum(promise.cents for promise in covered)
        entries = [
            _given_back(batch, cents, now),
            *(_reserved(promise, batch, now) for promise in covered),
        ]
        _write(entries, _sources(batch))
    reserve(promises=promises[number:], batch=batch, now=now)


@transaction.atomic
def release_batch(*, batch: HitBatch, now: datetime) -> None:
    """Give back what was set aside for a locked batch and not handed out to its HITs."""
    if left := _left_of(batch):
        _write([_given_back(batch, left, now)], _sources(batch))


@transaction.atomic
def release(*, key: str, hit: Hit, cents: int, now: datetime, assignment: Assignment | None = None) -> None:
    """Give back money that was set aside for a HIT, to the budgets that it came from, the oldest first."""
    if cents == 0 or LedgerEntry.objects.filter(key=key).exists():
        return
    unit = hit.reward_cents + hit.fee_cents
    assert cents % unit == 0, "money is set aside by the assignment"
    for number, source in enumerate(_take(hit, cents // unit), 1):
        own_key = key if number == 1 else f"{key}|{number}"
        change = -unit * source.units
        entry = _entry(Kind.RELEASED, own_key, change, hit.batch, now, hit=hit, assignment=assignment)
        _write([entry], source.ids)


@transaction.atomic
def pay(*, assignment: Assignment, now: datetime) -> None:
    """Settle an assignment: its reward and fee were set aside, and are paid now."""
    hit = assignment.hit
    if LedgerEntry.objects.filter(key=f"reward|assignment {assignment.pk}").exists():
        return
    [source] = _take(hit, 1)
    _write(
        [
            _payment(kind, f"{kind}|assignment {assignment.pk}", cents, assignment, now, hit=hit)
            for kind, cents in ((Kind.REWARD, hit.reward_cents), (Kind.FEE, hit.fee_cents))
            if cents
        ],
        source.ids,
    )


@transaction.atomic
def reserve_bonus(*, bonus: Bonus, now: datetime) -> None:
    """Set aside a bonus and its fee, once; and once more where it was given back since.

    Raises
    ------
    OverBudget
        As `reserve` says.
    """
    promise = Promise(
        key=_reserve_key(bonus), cents=bonus.cents + bonus.fee_cents, assignment=bonus.assignment
    )
    reserve(promises=[promise], batch=bonus.assignment.hit.batch, now=now)


@transaction.atomic
def release_bonus(*, bonus: Bonus, now: datetime) -> None:
    """Give back what is set aside for a bonus that is not paid, to the budgets that it came from."""
    reserved = LedgerEntry.objects.filter(key=_reserve_key(bonus)).first()
    if reserved is None:
        return  # no budget had room, or it was given back already
    entry = LedgerEntry(
        kind=Kind.RELEASED,
        key=f"release|bonus {bonus.pk}|{1 + _given_back_for(bonus)}",
        reserved_change_cents=-reserved.reserved_change_cents,
        paid_change_cents=0,
        corpus_id=reserved.corpus_id,
        submission_id=reserved.submission_id,
        assignment=bonus.assignment,
        at=now,
    )
    _write([entry], list(reserved.budgets.order_by("pk").values_list("pk", flat=True)))


@transaction.atomic
def pay_bonus(*, bonus: Bonus, now: datetime) -> None:
    """Settle a bonus: it was set aside by `reserve_bonus`, and is paid now."""
    if LedgerEntry.objects.filter(key=f"bonus|bonus {bonus.pk}").exists():
        return
    reserved = LedgerEntry.objects.get(key=_reserve_key(bonus))
    _write(
        [
            _payment(kind, f"{kind}|bonus {bonus.pk}", cents, bonus.assignment, now)
            for kind, cents in ((Kind.BONUS, bonus.cents), (Kind.BONUS_FEE, bonus.fee_cents))
            if cents
        ],
        list(reserved.budgets.order_by("pk").values_list("pk", flat=True)),
    )


def outstanding(hit: Hit) -> int:
    """Return what is set aside for a HIT now, in cents."""
    total: int = LedgerEntry.objects.filter(hit=hit).aggregate(
        total=Coalesce(Sum("reserved_change_cents"), 0)
    )["total"]
    return total


def awaited(hit: Hit) -> int:
    """Return what a HIT's money must suffice for now, in cents: work that waits, its places aside."""
    waiting = Q(state=Assignment.State.SUBMITTED, is_covered=True) | Q(
        state=Assignment.State.REJECTED, decision=Assignment.Decision.OVERRIDE
    )
    return hit.assignments.filter(waiting).count() * (hit.reward_cents + hit.fee_cents)


def next_key(what: str, hit: Hit) -> str:
    """Return a key for a further entry of a HIT, which the caller has locked."""
    return f"{what}|hit {hit.pk}|{1 + LedgerEntry.objects.filter(hit=hit).count()}"


@dataclass(frozen=True, slots=True)
class _Source:
    """Budgets against which the money for some of a HIT's assignments counts."""

    ids: tuple[int, ...]
    units: int


def _take(hit: Hit, units: int) -> list[_Source]:
    """Find where a HIT's money lies, the oldest first, and lock those budgets."""
    unit = hit.reward_cents + hit.fee_cents
    every = LedgerEntry.objects.filter(hit=hit).values_list("budgets", flat=True).distinct()
    list(Budget.objects.filter(pk__in=every).order_by("pk").select_for_update(no_key=True))
    left: dict[tuple[int, ...], int] = {}
    rows = (
        LedgerEntry.objects.filter(hit=hit)
        .annotate(against=ArrayAgg("budgets", order_by="budgets"))
        .order_by("pk")
        .values_list("against", "reserved_change_cents")
    )
    for against, change in rows:
        ids = tuple(against)
        left[ids] = left.get(ids, 0) + change
    found = []
    for ids, cents in left.items():
        some = min(units, cents // unit)
        if some > 0:
            found.append(_Source(ids, some))
            units -= some
    assert units == 0, f"HIT {hit.pk}: {units} assignments are not covered by what was set aside"
    return found


def _reserve_key(bonus: Bonus) -> str:
    """Return the key under which a bonus is set aside now: another one each time after it was given back."""
    given_back = _given_back_for(bonus)
    return f"reserve|bonus {bonus.pk}" + (f"|{1 + given_back}" if given_back else "")


def _given_back_for(bonus: Bonus) -> int:
    return LedgerEntry.objects.filter(key__startswith=f"release|bonus {bonus.pk}|").count()


def _left_of(batch: HitBatch) -> int:
    total: int = batch.ledger_entries.aggregate(total=Coalesce(Sum("reserved_change_cents"), 0))["total"]
    return total


def _sources(batch: HitBatch) -> list[int]:
    """Return the budgets that a batch's money came from: it was all set aside at once."""
    return sorted(set(Budget.objects.filter(entries__batch=batch).values_list("pk", flat=True)))


def _given_back(batch: HitBatch, cents: int, now: datetime) -> LedgerEntry:
    key = f"release|batch {batch.pk}|{1 + batch.ledger_entries.count()}"
    return _entry(Kind.RELEASED, key, -cents, batch, now, batch=batch)


def _reserved(promise: Promise, batch: HitBatch, now: datetime) -> LedgerEntry:
    about = {"hit": promise.hit, "assignment": promise.assignment, "batch": promise.batch}
    return _entry(Kind.RESERVED, promise.key, promise.cents, batch, now, **about)


def _payment(
    kind: LedgerEntry.Kind, key: str, cents: int, assignment: Assignment, now: datetime, **about: Hit
) -> LedgerEntry:
    """Return the entry by which money that was set aside is paid."""
    entry = _entry(kind, key, -cents, assignment.hit.batch, now, assignment=assignment, **about)
    entry.paid_change_cents, entry.worker_id = cents, assignment.worker_id
    return entry


def _entry(
    kind: LedgerEntry.Kind, key: str, change: int, of: HitBatch, now: datetime, **about: Model | None
) -> LedgerEntry:
    """Return an entry that changes what is set aside, for the corpus and the submission of a batch."""
    return LedgerEntry(
        kind=kind,
        key=key,
        reserved_change_cents=change,
        paid_change_cents=0,
        corpus_id=of.corpus_id,
        submission_id=of.submission_id,
        at=now,
        **about,
    )


def _write(entries: Sequence[LedgerEntry], budget_ids: Sequence[int]) -> None:
    """Add entries, and change the sums of the budgets, which are locked or are locked here."""
    list(Budget.objects.filter(pk__in=budget_ids).order_by("pk").select_for_update(no_key=True))
    LedgerEntry.objects.bulk_create(entries, batch_size=1000)
    through = LedgerEntry.budgets.through
    through.objects.bulk_create(
        (
            through(ledgerentry_id=entry.pk, budget_id=budget_id)
            for entry in entries
            for budget_id in budget_ids
        ),
        batch_size=1000,
    )
    Budget.objects.filter(pk__in=budget_ids).update(
        reserved_cents=F("reserved_cents") + sum(entry.reserved_change_cents for entry in entries),
        paid_cents=F("paid_cents") + sum(entry.paid_change_cents for entry in entries),
    )


def _lock_matching(batch: HitBatch, now: datetime) -> list[Budget]:
    ids = [budget.pk for budget in matching(corpus=batch.corpus, submission_id=batch.submission_id, now=now)]
    return list(Budget.objects.filter(pk__in=ids).order_by("pk").select_for_update(no_key=True))
