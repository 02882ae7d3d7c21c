"""Auditing: every sum compared with what it is made of."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import CharField, Count, Exists, F, OuterRef, Q, QuerySet, Sum, Value
from django.db.models.functions import Cast, Coalesce, Concat

from annotations.models import Corpus
from crowd.budget.caps import dollars
from crowd.models import Assignment, Bonus, Budget, Hit, HitBatch, LedgerEntry

Kind = LedgerEntry.Kind


@dataclass(frozen=True, slots=True)
class Audit:
    """What is wrong with the books, in words; nothing where they balance."""

    problems: tuple[str, ...]

    @property
    def balances(self) -> bool:
        """Tell whether nothing is wrong."""
        return not self.problems


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """Work and bonuses that no budget had room for, and that are to be paid all the same."""

    assignments: int
    bonuses: int
    cents: int


def owed(corpora: QuerySet[Corpus] | None = None) -> Owed:
    """Return what waits for room in a budget: of those corpora, or all. No provider is told of it before."""
    within, for_bonuses = (
        (Q(), Q())
        if corpora is None
        else (Q(hit__batch__corpus__in=corpora), Q(assignment__hit__batch__corpus__in=corpora))
    )
    work = Assignment.objects.filter(within, state=Assignment.State.SUBMITTED, is_covered=False).aggregate(
        number=Count("pk"), cents=Coalesce(Sum(F("hit__reward_cents") + F("hit__fee_cents")), 0)
    )
    key = Concat(Value("reserve|bonus "), Cast(OuterRef("pk"), CharField()))
    unpaid = Bonus.objects.filter(
        for_bonuses, ~Exists(LedgerEntry.objects.filter(key=key)), paid_at=None
    ).exclude(assignment__decision=Assignment.Decision.REJECT)
    bonuses = unpaid.aggregate(number=Count("pk"), cents=Coalesce(Sum(F("cents") + F("fee_cents")), 0))
    return Owed(assignments=work["number"], bonuses=bonuses["number"], cents=work["cents"] + bonuses["cents"])


def audit() -> Audit:
    """Compare every sum with what it is made of.

    Each budget with its entries; what is set aside for a batch as a whole with whether it is still being
    planned; what is set aside for each HIT with the places that may still be paid; each
    approved assignment and paid bonus with its payments. Reads a consistent state only within one snapshot:
    call it in a transaction of isolation level REPEATABLE READ, or while nobody works.
    """
    parts = (_wrong_budgets, _wrong_batches, _wrong_hits, _wrong_assignments, _wrong_bonuses, _astray)
    return Audit(tuple(problem for part in parts for problem in part()))


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


def _wrong_batches() -> Iterable[str]:
    rows = HitBatch.objects.filter(ledger_entries__isnull=False, plan=None)
    for batch in rows.annotate(kept=Sum("ledger_entries__reserved_change_cents")).exclude(kept=0):
        yield f"{dollars(batch.kept)} are set aside for batch {batch.pk}, all of whose HITs are planned."


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
            waiting += here.get("covered", 0) + (0 if ended_at else max(0, places - submitted - decided))
        if kept.get(pk, 0) != waiting * (reward + fee):
            yield (
                f"{dollars(kept.get(pk, 0))} are set aside for HIT {pk}; {waiting} assignments may still be"
                f" paid, which cost {dollars(waiting * (reward + fee))}."
            )


def _counts() -> dict[int, dict[str, int]]:
    counts: dict[int, dict[str, int]] = {}
    rows = Assignment.objects.order_by().exclude(state=Assignment.State.BEGUN)
    found = rows.values_list("hit", "state", "decision", "is_covered")
    for hit_id, state, decision, is_covered in found.iterator(chunk_size=5000):
        here = counts.setdefault(hit_id, {})
        here[state] = here.get(state, 0) + 1
        if state == Assignment.State.SUBMITTED and is_covered:
            here["covered"] = here.get("covered", 0) + 1
        if state == Assignment.State.REJECTED and decision == Assignment.Decision.OVERRIDE:
            here["overridden"] = here.get("overridden", 0) + 1
    return counts


def _wrong_assignments() -> Iterable[str]:
    paid = LedgerEntry.objects.filter(kind__in=(Kind.REWARD, Kind.FEE))
    approved = Assignment.objects.filter(state=Assignment.State.APPROVED)
    owed = {
        pk: (reward, fee)
        for pk, reward, fee in approved.values_list("pk", "hit__reward_cents", "hit__fee_cents")
    }
    rows = paid.values_list("assignment", "kind", "paid_change_cents")
    yield from _differences("assignment", owed, _summed(rows, Kind.REWARD))


def _wrong_bonuses() -> Iterable[str]:
    owed = {bonus.pk: (bonus.cents, bonus.fee_cents) for bonus in Bonus.objects.filter(paid_at__isnull=False)}
    paid = LedgerEntry.objects.filter(kind__in=(Kind.BONUS, Kind.BONUS_FEE))
    rows = (
        (int(key.partition("|bonus ")[2]), kind, cents)
        for key, kind, cents in paid.values_list("key", "kind", "paid_change_cents")
    )
    yield from _differences("bonus", owed, _summed(rows, Kind.BONUS))


def _summed(rows: Iterable[tuple[int | None, str, int]], reward: Kind) -> dict[int, tuple[int, int]]:
    """Add up what was paid of each, and the fees for that."""
    paid: dict[int, tuple[int, int]] = {}
    for pk, kind, cents in rows:
        assert pk is not None
        own, fee = paid.get(pk, (0, 0))
        paid[pk] = (own + cents, fee) if kind == reward else (own, fee + cents)
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
