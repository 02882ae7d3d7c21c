"""How long people take for each kind of question, by what they took, and what that makes a fair reward."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean, median

from django.conf import settings
from django.db.models import IntegerField, QuerySet, Sum
from django.db.models.expressions import Func

from annotations.models import Corpus, Question, Response, Sentence
from crowd import pricing
from crowd.lacking import KINDS, for_planning, lacking
from crowd.planning import Group, Lacking, group
from crowd.pricing import Pace

ENOUGH = 20  # answers, from which on a median is believed
LATEST = 2000  # answers that are looked at; people learn


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A reward for an assignment, and how it comes about.

    Attributes
    ----------
    reward_cents : int
    seconds : float
        That an assignment takes, on average over the HITs.
    hourly_cents : int
        The wage that was aimed at.
    pace : Pace
    """

    reward_cents: int
    seconds: float
    hourly_cents: int
    pace: Pace


def measure(corpus: Corpus) -> Pace:
    """Measure the pace at which a corpus' questions are answered, from its latest answers.

    Medians, so that a worker who went for lunch counts for no more than another.
    """
    found: dict[str, float] = {}
    for kind in KINDS["relation"]:
        seconds = [taken for taken, _ in _timed(corpus, kind)]
        if len(seconds) >= ENOUGH:
            found[kind] = median(seconds)
    timed = _timed(corpus, "entities")
    tokens = count_tokens({document for _, document in timed})
    by_token = [taken / tokens[document] for taken, document in timed if tokens.get(document)]
    if len(by_token) >= ENOUGH:
        found["token"] = median(by_token)
    return Pace(**found, measured=frozenset(found))


def suggest(
    *,
    corpus: Corpus,
    questions: QuerySet[Question],
    kind: str,
    now: datetime,
    questions_per_hit: int = 1,
    hourly_cents: int | None = None,
    found: Sequence[Lacking] | None = None,
) -> Suggestion:
    """Suggest a reward for the HITs that a batch would have.

    Parameters
    ----------
    corpus : Corpus
        Whose pace is taken.
    questions : QuerySet
        What would be asked, as for `crowd.posting.open_batch`.
    kind : {"relation", "entities"}
    now : datetime
    questions_per_hit : int
    hourly_cents : int, optional
        Unless given, the site's.
    found : sequence of Lacking, optional
        What was read of the questions already (`crowd.posting.free`).
    """
    pace, wage = measure(corpus), hourly_cents or settings.CROWD_HOURLY_CENTS
    if found is None:
        found = for_planning(lacking(questions.filter(kind__in=KINDS[kind]), now=now))
    groups = group(found, per_hit=questions_per_hit)
    seconds = average(corpus=corpus, kind=kind, questions=found, groups=groups, pace=pace)
    return Suggestion(
        reward_cents=pricing.reward(seconds=seconds, hourly_cents=wage),
        seconds=seconds,
        hourly_cents=wage,
        pace=pace,
    )


def suggested_reward(seconds: float) -> int:
    """Return what work of so many seconds pays at the site's wage, in cents."""
    return pricing.reward(seconds=seconds, hourly_cents=settings.CROWD_HOURLY_CENTS)


def average(
    *,
    corpus: Corpus,
    kind: str,
    questions: Sequence[Lacking],
    groups: Sequence[Group],
    pace: Pace | None = None,
) -> float:
    """Return how many seconds an assignment takes on average.

    Parameters
    ----------
    corpus : Corpus
        Whose pace is taken, unless `pace` is given.
    kind : {"relation", "entities"}
    questions : sequence of Lacking
    groups : sequence of Group
        The questions as HITs.
    pace : Pace, optional
    """
    pace = pace or measure(corpus)
    found = {one.pk: one for one in questions}
    tokens = count_tokens({one.document for one in questions}) if kind == "entities" else {}
    times = [seconds_for([found[pk] for pk in one.questions], pace, tokens) for one in groups]
    return fmean(times) if times else pace.relation


def seconds_for(questions: list[Lacking], pace: Pace, tokens: dict[int, int]) -> float:
    """Return how long a HIT with these questions takes; `tokens` of each document are needed for entities."""
    kinds = [question.kind for question in questions]
    documents = [question.document for question in questions if question.kind == "entities"]
    return pace.of_relations(
        relations=kinds.count("relation"), canonicals=kinds.count("canonical")
    ) + pace.of_document(tokens=sum(tokens.get(document, 0) for document in documents))


def count_tokens(documents: set[int]) -> dict[int, int]:
    """Count the tokens of documents."""
    size = Func("token_starts", function="cardinality", output_field=IntegerField())
    rows = Sentence.objects.filter(document__in=documents).order_by().values("document")
    return dict(rows.annotate(tokens=Sum(size)).values_list("document", "tokens"))


def _timed(corpus: Corpus, kind: str) -> list[tuple[float, int]]:
    """Return the seconds and the document of the latest answers to a kind of question."""
    rows = Response.objects.filter(
        question__document__corpus=corpus,
        question__kind=kind,
        is_valid=True,
        is_expert=False,
        seconds__isnull=False,
    )
    return [
        (seconds, document)
        for seconds, document in rows.order_by("-pk").values_list("seconds", "question__document")[:LATEST]
        if seconds is not None
    ]
