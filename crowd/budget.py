"""Money: promised before anything is asked, settled when it is paid, given back when it is not needed.

Every cent stands in the ledger, with the budgets that it counts against. Whoever changes budgets locks their
rows first, in the order of their ids, so that sums and caps hold whoever spends at the same time; the
database's own constraint stands behind that. Repeating an act is harmless: an entry's key comes once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.postgres.aggregates import ArrayAgg
from django.db import IntegrityError, transaction
from django.db.models import F, Q, Sum
from django.db.models.functions import Coalesce

from annotations.models import Corpus
from crowd.models import Assignment, Bonus, Budget, Hit, HitBatch, LedgerEntry
from kbpo.accounts.models import User
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed, OverBudget

Kind = LedgerEntry.Kind
MOST_CENTS = 10**12


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
    """

    key: str
    cents: int
    hit: Hit | None = None
    assignment: Assignment | None = None


@dataclass(frozen=True, slots=True)
class Audit:
    """What is wrong with the books, in words; nothing where they balance."""

    problems: tuple[str, ...]

    @property
    def balances(self) -> bool:
        """Tell whether nothing is wrong."""
        return not self.problems


@transaction.atomic
def create_budget(*, scope: str, key: str, cap_cents: int, by: User) -> Budget:
    """Open a budget.

    Parameters
    ----------
    scope : {"corpus", "submission", "month"}
    key : str
        A corpus' tag, a submission's id, or a month such as ``"2026-11"``.
    cap_cents : int
    by : User

    Raises
    ------
    NotAllowed
        If they are no operator.
    InvalidInput
        If scope, key or cap is none.
    Conflict
        If there is such a budget.
    """
    _check_operator(by)
    if scope not in Budget.Scope.values:
        raise InvalidInput(f"is {scope!r}; it must be {', '.join(Budget.Scope.values)}", where="scope")
    _check_key(scope, key)
    _check_cap(cap_cents)
    try:
        with transaction.atomic():
            return Budget.objects.create(scope=scope, key=key, cap_cents=cap_cents)
    except IntegrityError:
        raise Conflict(f"There is a budget for {Budget.Scope(scope).label} {key}; change its cap.") from None


@transaction.atomic
def change_cap(*, budget: Budget, cap_cents: int, by: User) -> Budget:
    """Raise or lower a budget's cap.

    Raises
    ------
    NotAllowed
        If they are no operator.
    InvalidInput
        If the cap is no sum of money, or less than is promised and paid already.
    """
    _check_operator(by)
    _check_cap(cap_cents)
    budget = Budget.objects.select_for_update(no_key=True).get(pk=budget.pk)
    spent = budget.reserved_cents + budget.paid_cents
    if cap_cents < spent:
        raise InvalidInput(
            f"A cap of {dollars(cap_cents)} is too low: {dollars(spent)} of {budget} are promised or paid."
        )
    budget.cap_cents = cap_cents
    budget.save(update_fields=["cap_cents"])
    return budget


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
    _write(
        [
            LedgerEntry(
                kind=Kind.RESERVED,
                key=promise.key,
                reserved_change_cents=promise.cents,
                paid_change_cents=0,
                corpus_id=batch.corpus_id,
                submission_id=batch.submission_id,
                hit=promise.hit,
                assignment=promise.assignment,
                at=now,
            )
            for promise in new
        ],
        [budget.pk for budget in budgets],
    )
    return total


@transaction.atomic
def release(*, key: str, hit: Hit, cents: int, now: datetime, assignment: Assignment | None = None) -> None:
    """Give back money that was set aside for a HIT, to the budgets that it came from, the oldest first."""
    if cents == 0 or LedgerEntry.objects.filter(key=key).exists():
        return
    unit = hit.reward_cents + hit.fee_cents
    assert cents % unit == 0, "money is set aside by the assignment"
    for number, source in enumerate(_take(hit, cents // unit), 1):
        entry = LedgerEntry(
            kind=Kind.RELEASED,
            key=key if number == 1 else f"{key}|{number}",
            reserved_change_cents=-unit * source.units,
            paid_change_cents=0,
            corpus_id=hit.batch.corpus_id,
            submission_id=hit.batch.submission_id,
            hit=hit,
            assignment=assignment,
            at=now,
        )
        _write([entry], source.ids)


@transaction.atomic
def pay(*, assignment: Assignment, now: datetime) -> None:
    """Settle an assignment: its reward and fee were set aside, and are paid now.

    Raises
    ------
    OverBudget
        If nothing is set aside for it any more, and no budget has room.
    """
    hit = assignment.hit
    if LedgerEntry.objects.filter(key=f"reward|assignment {assignment.pk}").exists():
        return
    unit = hit.reward_cents + hit.fee_cents
    if outstanding(hit) < unit:
        again = Promise(key=f"reserve|assignment {assignment.pk} late", cents=unit, hit=hit)
        reserve(promises=[again], batch=hit.batch, now=now)
    [source] = _take(hit, 1)
    _write(
        [
            _payment(kind, f"{kind}|assignment {assignment.pk}", cents, assignment, now)
            for kind, cents in ((Kind.REWARD, hit.reward_cents), (Kind.FEE, hit.fee_cents))
            if cents
        ],
        source.ids,
    )


@transaction.atomic
def reserve_bonus(*, bonus: Bonus, now: datetime) -> None:
    """Set aside a bonus and its fee, once.

    Raises
    ------
    OverBudget
        As `reserve` says.
    """
    promise = Promise(
        key=f"reserve|bonus {bonus.pk}", cents=bonus.cents + bonus.fee_cents, assignment=bonus.assignment
    )
    reserve(promises=[promise], batch=bonus.assignment.hit.batch, now=now)


@transaction.atomic
def pay_bonus(*, bonus: Bonus, now: datetime) -> None:
    """Settle a bonus: it was set aside by `reserve_bonus`, and is paid now."""
    if LedgerEntry.objects.filter(key=f"bonus|bonus {bonus.pk}").exists():
        return
    reserved = LedgerEntry.objects.get(key=f"reserve|bonus {bonus.pk}")
    _write(
        [
            _payment(kind, f"{kind}|bonus {bonus.pk}", cents, bonus.assignment, now, for_hit=False)
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


def next_key(what: str, hit: Hit) -> str:
    """Return a key for a further entry of a HIT, which the caller has locked."""
    return f"{what}|hit {hit.pk}|{1 + LedgerEntry.objects.filter(hit=hit).count()}"


def audit() -> Audit:
    """Compare every sum with what it is made of.

    Each budget with its entries; what is set aside for each HIT with the places that may still be paid; each
    approved assignment and paid bonus with its payments. Reads a consistent state only within one snapshot:
    call it in a transaction of isolation level REPEATABLE READ, or while nobody works.
    """
    return Audit((*_wrong_budgets(), *_wrong_hits(), *_wrong_assignments(), *_wrong_bonuses(), *_astray()))


def month(now: datetime) -> str:
    """Return a month as budgets are named by it.

    Examples
    --------
    >>> from datetime import UTC
    >>> month(datetime(2026, 11, 20, tzinfo=UTC))
    '2026-11'
    """
    return f"{now:%Y-%m}"


def dollars(cents: int) -> str:
    """Write a sum for people.

    Examples
    --------
    >>> dollars(123456)
    '$1,234.56'
    """
    return f"${cents // 100:,}.{cents % 100:02}"


def matching(*, corpus: Corpus, submission_id: int | None, now: datetime) -> list[Budget]:
    """List the budgets that work for a corpus and a submission counts against now."""
    return list(_matching(corpus.tag, submission_id, now))


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


def _payment(
    kind: LedgerEntry.Kind,
    key: str,
    cents: int,
    assignment: Assignment,
    now: datetime,
    *,
    for_hit: bool = True,
) -> LedgerEntry:
    hit = assignment.hit
    return LedgerEntry(
        kind=kind,
        key=key,
        reserved_change_cents=-cents,
        paid_change_cents=cents,
        corpus_id=hit.batch.corpus_id,
        submission_id=hit.batch.submission_id,
        hit=hit if for_hit else None,
        assignment=assignment,
        worker_id=assignment.worker_id,
        at=now,
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


def _matching(tag: str, submission_id: int | None, now: datetime) -> "Iterable[Budget]":
    scopes = Q(scope=Budget.Scope.CORPUS, key=tag) | Q(scope=Budget.Scope.MONTH, key=month(now))
    if submission_id is not None:
        scopes |= Q(scope=Budget.Scope.SUBMISSION, key=str(submission_id))
    return Budget.objects.filter(scopes).order_by("pk")


def _lock_matching(batch: HitBatch, now: datetime) -> list[Budget]:
    ids = [budget.pk for budget in _matching(batch.corpus.tag, batch.submission_id, now)]
    return list(Budget.objects.filter(pk__in=ids).order_by("pk").select_for_update(no_key=True))


def _check_operator(by: User) -> None:
    if not by.is_operator:
        raise NotAllowed("Only operators change budgets.")


def _check_key(scope: str, key: str) -> None:
    if scope == Budget.Scope.CORPUS and not Corpus.objects.filter(tag=key).exists():
        raise InvalidInput(f"there is no corpus {key!r}", where="key")
    if scope == Budget.Scope.SUBMISSION and not (key.isascii() and key.isdecimal() and len(key) < 19):
        raise InvalidInput(f"is {key!r}; a submission's budget has its id, such as 42", where="key")
    if scope == Budget.Scope.MONTH:
        try:
            is_month = month(datetime.strptime(key, "%Y-%m")) == key  # noqa: DTZ007  (a month has no zone)
        except ValueError:
            is_month = False
        if not is_month:
            raise InvalidInput(f"is {key!r}; a month is written like 2026-11", where="key")


def _check_cap(cap_cents: int) -> None:
    if not 0 <= cap_cents <= MOST_CENTS:
        raise InvalidInput(f"is {dollars(cap_cents)}; it must be $0.00 or more", where="cap")


def _wrong_budgets() -> Iterable[str]:
    rows = Budget.objects.annotate(
        reserved_in_entries=Coalesce(Sum("entries__reserved_change_cents"), 0),
        paid_in_entries=Coalesce(Sum("entries__paid_change_cents"), 0),
    )
    for budget in rows:
        for what, kept, entered in (
            ("promised", budget.reserved_cents, budget.reserved_in_entries),
            ("paid", budget.paid_cents, budget.paid_in_entries),
        ):
            if kept != entered:
                yield (
                    f"The budget for {budget} says that {dollars(kept)} are {what}; its entries say"
                    f" {dollars(entered)}."
                )


def _wrong_hits() -> Iterable[str]:
    """Compare what is set aside for each HIT with the assignments that may still be paid."""
    state, count = Assignment.State, _counts()
    kept = dict(
        LedgerEntry.objects.filter(hit__isnull=False)
        .order_by()
        .values("hit")
        .annotate(total=Sum("reserved_change_cents"))
        .values_list("hit", "total")
    )
    rows = Hit.objects.values_list("pk", "state", "places", "ended_at", "reward_cents", "fee_cents")
    for pk, hit_state, places, ended_at, reward, fee in rows.iterator(chunk_size=5000):
        here = count.get(pk, {})
        submitted, decided = (
            here.get(state.SUBMITTED, 0),
            here.get(state.APPROVED, 0) + here.get(state.REJECTED, 0),
        )
        waiting = here.get("overridden", 0)
        if hit_state in (Hit.State.PLANNED, Hit.State.POSTED):
            waiting += submitted + (0 if ended_at else max(0, places - submitted - decided))
        if kept.get(pk, 0) != waiting * (reward + fee):
            yield (
                f"{dollars(kept.get(pk, 0))} are set aside for HIT {pk}; {waiting} assignments may still be"
                f" paid, which cost {dollars(waiting * (reward + fee))}."
            )


def _counts() -> dict[int, dict[str, int]]:
    counts: dict[int, dict[str, int]] = {}
    rows = Assignment.objects.order_by().exclude(state=Assignment.State.BEGUN)
    for hit_id, state, decision in rows.values_list("hit", "state", "decision").iterator(chunk_size=5000):
        here = counts.setdefault(hit_id, {})
        here[state] = here.get(state, 0) + 1
        if state == Assignment.State.REJECTED and decision == Assignment.Decision.OVERRIDE:
            here["overridden"] = here.get("overridden", 0) + 1
    return counts


def _wrong_assignments() -> Iterable[str]:
    paid = _paid((Kind.REWARD, Kind.FEE))
    approved = Assignment.objects.filter(state=Assignment.State.APPROVED)
    owed = {
        pk: (reward, fee)
        for pk, reward, fee in approved.values_list("pk", "hit__reward_cents", "hit__fee_cents")
    }
    yield from _differences("assignment", owed, paid)


def _wrong_bonuses() -> Iterable[str]:
    owed = {bonus.pk: (bonus.cents, bonus.fee_cents) for bonus in Bonus.objects.filter(paid_at__isnull=False)}
    paid: dict[int, tuple[int, int]] = {}
    for key, cents in LedgerEntry.objects.filter(kind__in=(Kind.BONUS, Kind.BONUS_FEE)).values_list(
        "key", "paid_change_cents"
    ):
        kind, _, name = key.partition("|bonus ")
        reward, fee = paid.get(int(name), (0, 0))
        paid[int(name)] = (reward + cents, fee) if kind == Kind.BONUS else (reward, fee + cents)
    yield from _differences("bonus", owed, paid)


def _paid(kinds: tuple[LedgerEntry.Kind, LedgerEntry.Kind]) -> dict[int, tuple[int, int]]:
    paid: dict[int, tuple[int, int]] = {}
    rows = LedgerEntry.objects.filter(kind__in=kinds).values_list("assignment", "kind", "paid_change_cents")
    for pk, kind, cents in rows:
        assert pk is not None
        reward, fee = paid.get(pk, (0, 0))
        paid[pk] = (reward + cents, fee) if kind == kinds[0] else (reward, fee + cents)
    return paid


def _differences(
    what: str, owed: Mapping[int, tuple[int, int]], paid: Mapping[int, tuple[int, int]]
) -> Iterable[str]:
    for pk in sorted(owed.keys() | paid.keys()):
        due, given = owed.get(pk, (0, 0)), paid.get(pk, (0, 0))
        if due != given:
            yield (
                f"For {what} {pk}, {dollars(given[0])} and a fee of {dollars(given[1])} are in the ledger;"
                f" {dollars(due[0])} and {dollars(due[1])} were due."
            )


def _astray() -> Iterable[str]:
    for entry in LedgerEntry.objects.filter(budgets=None):
        yield f"The entry {entry} counts against no budget."
