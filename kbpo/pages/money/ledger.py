"""The ledger: what was promised and paid, summed up one way or another, and entry by entry."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.cache import cache
from django.db import connection, transaction
from django.db.models import Q, QuerySet, Sum
from django.db.models.functions import TruncMonth

from annotations.models import Corpus
from crowd import budget
from crowd.models import LedgerEntry
from evaluation.models import Submission
from evaluation.submissions.visibility import with_names
from kbpo.core.errors import InvalidInput

#: By what the ledger may be summed up, and how it is called.
DIVISIONS: Mapping[str, str] = {
    "corpus": "corpus",
    "submission": "submission",
    "worker": "worker",
    "month": "month",
}
AUDITED = "desk.ledger.audit"
KEPT = 24 * 3600  # seconds that an audit is remembered
SHORT = 10_000  # entries that are checked whenever somebody looks
_Kind = LedgerEntry.Kind
Of = QuerySet[Corpus] | None
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Line:
    """A sum of entries, in cents.

    Attributes
    ----------
    name : str
        Of whom or what; empty for the sum of all.
    key : object
        Of the submission or the worker's user; None where there is none.
    reserved : int
        Promised, and neither paid nor released.
    rewards, fees, bonuses : int
        Fees are those for rewards and for bonuses.
    """

    name: str
    key: object
    reserved: int
    rewards: int
    fees: int
    bonuses: int

    @property
    def paid(self) -> int:
        """All that was paid."""
        return self.rewards + self.fees + self.bonuses


@dataclass(frozen=True, slots=True)
class Checked:
    """What an audit found, and when."""

    at: datetime
    problems: tuple[str, ...]


def lines(by: str, of: Of = None) -> list[Line]:
    """Sum the ledger up.

    Parameters
    ----------
    by : str
        One of `DIVISIONS`.
    of : QuerySet of Corpus or None
        Of which corpora; None for all.

    Raises
    ------
    InvalidInput
        If it is none of them.
    """
    if by not in DIVISIONS:
        raise InvalidInput(f"{by!r} is none of {', '.join(DIVISIONS)}.", where="by")
    return _lines(by, of)


def total(of: Of = None) -> Line:
    """Sum all of the ledger up."""
    return _line("", None, _sums(_of(of)))


def of_corpus(corpus: Corpus) -> Line:
    """Sum up what was promised and paid for a corpus."""
    return _line(corpus.tag, corpus.tag, _sums(LedgerEntry.objects.filter(corpus=corpus)))


def entries(of: Of = None) -> QuerySet[LedgerEntry]:
    """Select every entry, the newest first."""
    return _of(of).select_related("corpus", "worker__user", "hit").order_by("-pk")


def audit(*, now: datetime) -> Checked:
    """Check the books, every entry of them, as they stand at this moment, and remember what was found."""
    with transaction.atomic():
        if not connection.savepoint_ids:  # within another transaction its level stays
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        found = Checked(now, budget.audit().problems)
    cache.set(AUDITED, found, KEPT)
    return found


def last_audit() -> Checked | None:
    """Return what the last audit found, if there was one of late."""
    found = cache.get(AUDITED)
    return found if isinstance(found, Checked) else None


def lines_as_csv(by: str, of: Of = None) -> Iterator[str]:
    """Write the sums as CSV, in dollars, with the sum of all at the end."""
    found = lines(by, of)
    return _csv(
        [by, "reserved_usd", "rewards_usd", "fees_usd", "bonuses_usd", "paid_usd"],
        (
            [plain(line.name), *map(usd, (line.reserved, line.rewards, line.fees, line.bonuses, line.paid))]
            for line in [*found, _line("total", None, _add(found))]
        ),
    )


def entries_as_csv(of: Of = None) -> Iterator[str]:
    """Write every entry as CSV, in dollars, the oldest first."""
    rows = (
        _of(of)
        .order_by("pk")
        .values_list(
            *("at", "kind", "key", "corpus__tag", "submission_id", "worker__provider", "worker__worker_id"),
            *("hit", "assignment", "reserved_change_cents", "paid_change_cents"),
        )
        .iterator(chunk_size=5000)
    )
    yield from _csv(
        [
            *("at", "kind", "key", "corpus", "submission", "provider", "worker", "hit", "assignment"),
            *("reserved_change_usd", "paid_change_usd"),
        ],
        (
            [
                at.isoformat(),
                kind,
                *(plain(value) for value in named),
                *(usd(cents) for cents in (reserved, paid)),
            ]
            for at, kind, *named, reserved, paid in rows
        ),
    )


def _of(corpora: Of) -> QuerySet[LedgerEntry]:
    found = LedgerEntry.objects.all()
    return found if corpora is None else found.filter(corpus__in=corpora)


_PATHS: Mapping[str, str] = {"corpus": "corpus__tag", "submission": "submission_id", "worker": "worker__user"}


def _lines(by: str, of: Of) -> list[Line]:
    found = _of(of)
    path = _PATHS.get(by, "month")
    if by == "month":
        found = found.annotate(month=TruncMonth("at"))
    grouped = _sums_by(found.order_by().values(path))
    names = _names(by, [row[path] for row in grouped])
    if by == "worker":  # whom a promise is for shows when it is paid; till then it is nobody's
        whole = sum(row["reserved"] for row in grouped)
        grouped = [row | {"reserved": 0 if row[path] else whole} for row in grouped]
    made = [_line(names[row[path]], row[path], row) for row in grouped]
    return sorted(
        made, key=lambda line: (line.key is None, line.name if by == "month" else -line.paid, line.name)
    )


def _names(by: str, keys: Sequence[Any]) -> dict[Any, str]:
    if by == "submission":
        rows = with_names(Submission.objects.filter(pk__in=[key for key in keys if key is not None]), None)
        names: dict[Any, str] = {row.pk: f"{row.shown_name}, {row.shown_team} ({row.pk})" for row in rows}
        return {key: names.get(key, f"submission {key}") for key in keys} | {None: "for no one submission"}
    if by == "worker":
        from kbpo.accounts.models import WorkerIdentity

        known: dict[int, list[str]] = {}
        for identity in WorkerIdentity.objects.filter(user__in=[key for key in keys if key]).order_by("pk"):
            known.setdefault(identity.user_id, []).append(identity.worker_id)
        return {key: ", ".join(known.get(key, [])) for key in keys} | {None: "nobody yet"}
    if by == "month":
        return {key: f"{key:%Y-%m}" for key in keys}
    return {key: str(key) for key in keys}


def _sums_by(grouped: Any) -> list[dict[str, Any]]:
    return list(grouped.annotate(**_columns()))


def _sums(found: QuerySet[LedgerEntry]) -> dict[str, Any]:
    return found.aggregate(**_columns())


def _columns() -> dict[str, Sum]:
    def paid(*kinds: str) -> Sum:
        return Sum("paid_change_cents", filter=Q(kind__in=kinds))

    return {
        "reserved": Sum("reserved_change_cents"),
        "rewards": paid(_Kind.REWARD),
        "fees": paid(_Kind.FEE, _Kind.BONUS_FEE),
        "bonuses": paid(_Kind.BONUS),
    }


def _line(name: str, key: object, sums: Mapping[str, Any]) -> Line:
    return Line(name, key, *(int(sums[column] or 0) for column in ("reserved", "rewards", "fees", "bonuses")))


def _add(found: Iterable[Line]) -> dict[str, int]:
    sums = dict.fromkeys(("reserved", "rewards", "fees", "bonuses"), 0)
    for line in found:
        for column in sums:
            sums[column] += getattr(line, column)
    return sums


class _Echo:
    """A file that hands back what is written."""

    def write(self, text: str) -> str:
        return text


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    writer = csv.writer(_Echo())
    yield writer.writerow(header)
    for row in rows:
        yield writer.writerow(row)


def usd(cents: int) -> str:
    """Write cents as dollars for a spreadsheet.

    Examples
    --------
    >>> usd(-105)
    '-1.05'
    """
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02}"


def plain(value: object) -> str:
    """Write a text so that no spreadsheet takes it for a formula."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
