"""How long people take for each kind of question, by what they took, and what that makes a fair reward."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from django.conf import settings
from django.db.models import Exists, OuterRef, Q

from annotations.models import Corpus, Response
from crowd import pay
from crowd.grouping import Group, OpenQuestion, group
from crowd.interfaces.interface import Interface
from crowd.interfaces.registry import ASKED_KINDS, INTERFACES
from crowd.models import Assignment
from crowd.pay import Pace
from crowd.pricing import expected
from crowd.pricing.terms import MOST_REWARD, BatchTerms

ENOUGH = 20  # answers, from which on a median is believed
LATEST = 2000  # answers that are looked at; people learn
_UNSEEN = ~Q(flag="") | ~Q(hold="") & Q(state=Assignment.State.SUBMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A reward, and how it comes about.

    Attributes
    ----------
    reward_cents : int
        For what the interface's price has as its unit.
    seconds : float
        That this takes, on average over the HITs.
    hourly_cents : int
        The wage that was aimed at.
    pace : Pace
    """

    reward_cents: int
    seconds: float
    hourly_cents: int
    pace: Pace


def usual_pace() -> Pace:
    """Return the pace where nothing was measured."""
    return Pace(seconds={kind.name: kind.seconds for kind in ASKED_KINDS.values()})


def measure(corpus: Corpus, interfaces: Iterable[Interface] = INTERFACES.values()) -> Pace:
    """Measure the pace at which a corpus' questions are answered, from its latest answers.

    Medians, so that a worker who went for lunch counts for no more than another. Work that something spoke
    against is left out, and what is held as long as no person has seen it.
    """
    found: dict[str, float] = {}
    for interface in interfaces:
        for kind in interface.kinds:
            timed = _timed(corpus, kind)
            seconds = _by_word(interface, timed) if interface.price.by_length else [one for one, _ in timed]
            if len(seconds) >= ENOUGH:
                found[kind] = median(seconds)
    return Pace(seconds={**usual_pace().seconds, **found}, measured=frozenset(found))


def suggest(
    terms: BatchTerms, found: Sequence[OpenQuestion], *, hourly_cents: int | None = None
) -> Suggestion:
    """Suggest a reward for the HITs that a batch would have.

    Parameters
    ----------
    terms : BatchTerms
        Its corpus' pace is taken.
    found : sequence of OpenQuestion
        What would be asked.
    hourly_cents : int, optional
        Unless given, the site's.
    """
    pace, wage = measure(terms.corpus), hourly_cents or settings.CROWD_HOURLY_CENTS
    groups = group(found, per_hit=terms.most_questions)
    seconds = unit_seconds(terms, found, groups, pace=pace)
    return Suggestion(
        reward_cents=min(pay.reward(seconds=seconds, hourly_cents=wage), MOST_REWARD),
        seconds=seconds,
        hourly_cents=wage,
        pace=pace,
    )


def suggested_reward(seconds: float) -> int:
    """Return what work of so many seconds pays at the site's wage, in cents."""
    return pay.reward(seconds=seconds, hourly_cents=settings.CROWD_HOURLY_CENTS)


def unit_seconds(
    terms: BatchTerms, questions: Sequence[OpenQuestion], groups: Sequence[Group], *, pace: Pace | None = None
) -> float:
    """Return how many seconds that takes which a batch's reward is for, on average.

    Parameters
    ----------
    terms : BatchTerms
        Its corpus' pace is taken, unless `pace` is given.
    questions : sequence of OpenQuestion
    groups : sequence of Group
        The questions as HITs.
    pace : Pace, optional
    """
    pace = pace or measure(terms.corpus)
    return terms.interface.price.seconds(questions, groups, pace, by_sentence=terms.by_sentence)


def rewards(
    interface: Interface, groups: Sequence[Group], *, reward_cents: int, by_sentence: bool
) -> list[int]:
    """Return what an assignment of each HIT pays, in cents.

    Parameters
    ----------
    interface : Interface
    groups : sequence of Group
        A tutorial's has no questions, and pays what is given.
    reward_cents : int
        For what the interface's price has as its unit.
    by_sentence : bool
    """
    tokens = expected.tokens_of(interface, groups)
    return interface.price.rewards(groups, tokens, reward_cents=reward_cents, by_sentence=by_sentence)


def _by_word(interface: Interface, timed: Sequence[tuple[float, int]]) -> list[float]:
    """Return the seconds that each answer took for each word by which its question's price goes."""
    lengths = interface.lengths({question for _, question in timed})
    return [taken / lengths[question] for taken, question in timed if lengths.get(question)]


def _timed(corpus: Corpus, kind: str) -> list[tuple[float, int]]:
    """Return the seconds and the question of the latest answers to a kind of question."""
    rows = Response.objects.filter(
        question__document__corpus=corpus,
        question__kind=kind,
        is_valid=True,
        is_expert=False,
        seconds__isnull=False,
    ).exclude(Exists(Assignment.objects.filter(_UNSEEN, responses=OuterRef("pk"))))
    return [
        (seconds, question)
        for seconds, question in rows.order_by("-pk").values_list("seconds", "question")[:LATEST]
        if seconds is not None
    ]
