"""Budgets: what they are for, and how much may be spent."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Q

from annotations import roles
from annotations.models import Corpus
from annotations.roles import Act
from crowd.models import Budget
from kbpo.accounts.models import User
from kbpo.core.acts import What, record
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed, OverBudget

MOST_CENTS = 10**12


@transaction.atomic
def create_budget(
    *, scope: str, key: str, cap_cents: int, by: User, submitted_to: Corpus | None = None
) -> Budget:
    """Open a budget.

    Parameters
    ----------
    scope : {"corpus", "submission", "month"}
    key : str
        A corpus' tag, a submission's id, or a month such as ``"2026-11"``.
    cap_cents : int
    by : User
    submitted_to : Corpus, optional
        Of the submission, for whom a budget is, as the caller has found it; without it only operators make
        one for a submission.

    Raises
    ------
    NotAllowed
        If they may not say what is spent on the corpus; operators alone, for a month.
    InvalidInput
        If scope, key or cap is none.
    Conflict
        If there is such a budget.
    """
    if scope not in Budget.Scope.values:
        raise InvalidInput(f"is {scope!r}; it must be {', '.join(Budget.Scope.values)}", where="scope")
    _check_key(scope, key)
    _check_payer(by, scope, key, submitted_to)
    _check_cap(cap_cents)
    try:
        with transaction.atomic():
            budget = Budget.objects.create(scope=scope, key=key, cap_cents=cap_cents)
    except IntegrityError:
        there = Budget(scope=scope, key=key)
        raise Conflict(f"There is a budget for {there}; change its cap.") from None
    record(
        What.BUDGET_OPENED, by=by, about=budget, after={"scope": scope, "key": key, "cap_cents": cap_cents}
    )
    return budget


@transaction.atomic
def change_cap(*, budget: Budget, cap_cents: int, by: User, submitted_to: Corpus | None = None) -> Budget:
    """Raise or lower a budget's cap. Parameters are those of `create_budget`.

    Raises
    ------
    NotAllowed
        As `create_budget` says.
    InvalidInput
        If the cap is no sum of money, or less than is promised and paid already.
    """
    _check_payer(by, budget.scope, budget.key, submitted_to)
    _check_cap(cap_cents)
    budget = Budget.objects.select_for_update(no_key=True).get(pk=budget.pk)
    spent = budget.reserved_cents + budget.paid_cents
    if cap_cents < spent:
        raise InvalidInput(
            f"A cap of {dollars(cap_cents)} is too low: {dollars(spent)} of {budget} are promised or paid."
        )
    before = {"cap_cents": budget.cap_cents}
    budget.cap_cents = cap_cents
    budget.save(update_fields=["cap_cents"])
    record(What.BUDGET_CHANGED, by=by, about=budget, before=before, after={"cap_cents": cap_cents})
    return budget


def matching(*, corpus: Corpus, submission_id: int | None, now: datetime) -> list[Budget]:
    """List the budgets that work for a corpus and a submission counts against now."""
    scopes = Q(scope=Budget.Scope.CORPUS, key=corpus.tag) | Q(scope=Budget.Scope.MONTH, key=month(now))
    if submission_id is not None:
        scopes |= Q(scope=Budget.Scope.SUBMISSION, key=str(submission_id))
    return list(Budget.objects.filter(scopes).order_by("pk"))


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


def check_own(*, corpus: Corpus, submission_id: int | None) -> None:
    """Refuse what no budget of the corpus itself, or of a submission to it, would pay.

    Raises
    ------
    OverBudget
        If there is none: a month's is for the site's operators to spend.
    """
    scopes = Q(scope=Budget.Scope.CORPUS, key=corpus.tag)
    if submission_id is not None:
        scopes |= Q(scope=Budget.Scope.SUBMISSION, key=str(submission_id))
    if not Budget.objects.filter(scopes).exists():
        raise OverBudget(f"There is no budget for {corpus.tag}: its paymaster, or an operator, makes one.")


def _check_payer(by: User, scope: str, key: str, submitted_to: Corpus | None) -> None:
    if by.is_operator:
        return
    corpus = Corpus.objects.get(tag=key) if scope == Budget.Scope.CORPUS else submitted_to
    if scope == Budget.Scope.MONTH or corpus is None:
        raise NotAllowed("Only operators say what may be spent in a month, over all corpora.")
    roles.check(by, Act.PAY, corpus)


def _check_key(scope: str, key: str) -> None:
    if scope == Budget.Scope.CORPUS and not Corpus.objects.filter(tag=key).exists():
        raise InvalidInput(f"there is no corpus {key!r}", where="key")
    is_id = key.isascii() and key.isdecimal() and len(key) < 19 and str(int(key)) == key != "0"
    if scope == Budget.Scope.SUBMISSION and not is_id:
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
