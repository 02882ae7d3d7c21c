"""Words of the operators' pages."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django import template
from django.utils.safestring import SafeString

from annotations.models import Question
from crowd.interfaces.registry import find_interface, interface_of
from crowd.models import Assignment, BatchMeasure, Budget, HitBatch
from kbpo.core import durations
from kbpo.pages import batches

register = template.Library()

_STATES = {
    HitBatch.State.PLANNING: "being put together",
    HitBatch.State.OPEN: "open",
    HitBatch.State.PAUSED: "paused",
    HitBatch.State.CANCELLED: "cancelled",
    HitBatch.State.FINISHED: "finished",
}
LEAST_QUESTIONS = 2
"""With two votes, of which Fleiss' κ is estimable."""
_PLACES = {"marketplace": "marketplace", "mturk": "MTurk", "prolific": "Prolific"}


@register.filter
def in_words(span: timedelta) -> str:
    """Say roughly how long something takes."""
    return durations.in_words(span)


@register.filter
def age(since: datetime, now: datetime) -> str:
    """Say roughly how long ago something began."""
    return durations.in_words(max(now - since, timedelta(0))).removeprefix("about ")


@register.filter
def state(batch: HitBatch) -> str:
    """Return a batch's state in one word."""
    return _STATES[HitBatch.State(batch.state)]


@register.filter
def called(batch: HitBatch) -> str:
    """Return what a batch is called at the desk: titles are for workers, and all alike."""
    title = find_interface(batch.kind).title
    return f"{'Tutorial' if batch.is_tutorial else title} {batch.pk}"


@register.filter
def pays_for(batch: HitBatch) -> str:
    """Say what a batch's reward is for."""
    if batch.is_tutorial:
        return "the tutorial"
    price = find_interface(batch.kind).price
    return price.unit(batch.questions_per_hit, by_sentence=batch.by_sentence).words


@register.filter
def asks(question: Question) -> SafeString:
    """Say what a question is about, in the words of its document, which is loaded with it and its corpus."""
    return interface_of(question.kind).summary(question)


@register.filter
def place(name: str) -> str:
    """Return a provider's name in a word."""
    return _PLACES.get(name, name)


@register.filter
def hours(seconds: float | str) -> str:
    """Write a time as hours with two decimals; a dash where none is known.

    Examples
    --------
    >>> hours(5400.0), hours("")
    ('1.50', '–')
    """
    return f"{seconds / 3600:,.2f}" if isinstance(seconds, int | float) else "–"


@register.filter
def cents(value: float) -> str:
    """Write a price that need not be whole cents, as an average is.

    Examples
    --------
    >>> cents(123.456), cents(2.26)
    ('$1.23', '2.3 cents')
    """
    return f"${value / 100:,.2f}" if value >= 100 else f"{value:.1f} cents"


@register.filter
def kappa(value: float | None) -> str:
    """Write κ with two decimals; a dash where there is none."""
    return "–" if value is None else f"{value:.2f}".replace("-", "−")


@register.simple_tag
def least_for_pace() -> int:
    """Return how many assignments must come in a day before it is said how long the rest takes."""
    return batches.ENOUGH


@register.filter
def no_kappa(measure: BatchMeasure | None, batch: HitBatch) -> str:
    """Say why a batch has no κ, and what would give it one.

    Examples
    --------
    >>> no_kappa(None, HitBatch(is_tutorial=True))
    'none: a tutorial'
    >>> no_kappa(None, HitBatch())
    'needs 2 questions with 2 votes'
    >>> no_kappa(BatchMeasure(questions=8), HitBatch())
    'needs votes that differ: all 8 questions have the same'
    """
    if batch.is_tutorial:
        return "none: a tutorial"
    if measure is None or measure.questions < LEAST_QUESTIONS:
        return f"needs {LEAST_QUESTIONS} questions with 2 votes"
    return f"needs votes that differ: all {measure.questions:,} questions have the same"


@register.filter
def purse(budget: Budget, names: Mapping[str, str] | None = None) -> str:
    """Return what a budget is for; a submission's with its name, out of `purses.names`.

    Examples
    --------
    >>> purse(Budget(scope="month", key="2026-11"))
    'November 2026'
    >>> purse(Budget(scope="submission", key="12"), {"12": "baseline"})
    'submission 12 · baseline'
    """
    name = (names or {}).get(budget.key) if budget.scope == Budget.Scope.SUBMISSION else None
    return f"{budget} · {name}" if name else str(budget)


@register.filter
def left(budget: Budget) -> int:
    """Return the cents that a budget has left."""
    return budget.cap_cents - budget.reserved_cents - budget.paid_cents


@register.filter
def spent(budget: Budget) -> int:
    """Return the cents of a budget that are promised or paid."""
    return budget.reserved_cents + budget.paid_cents


@register.filter
def taken(assignment: Assignment) -> str:
    """Say how long a worker had an assignment, by the provider's clock."""
    assert assignment.accepted_at is not None
    assert assignment.submitted_at is not None
    seconds = (assignment.submitted_at - assignment.accepted_at).total_seconds()
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} minutes"


@register.filter
def stands(assignment: Assignment) -> str:
    """Say in a few words where an assignment is."""
    if assignment.state == Assignment.State.SUBMITTED and assignment.decision:
        words = {"approve": "approved", "reject": "rejected", "override": "approved"}
        return f"{words[assignment.decision]}; the provider is told in a moment"
    if assignment.state == Assignment.State.SUBMITTED:
        return "to be looked at" if assignment.flag or assignment.hold else "waiting"
    if assignment.state == Assignment.State.REJECTED and assignment.decision == Assignment.Decision.OVERRIDE:
        return "rejected; that is being taken back"
    return assignment.get_state_display()
