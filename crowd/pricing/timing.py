"""How long people take for each kind of question, by what they took, and what that makes a fair reward."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from django.conf import settings
from django.db.models import IntegerField, QuerySet, Sum
from django.db.models.expressions import Func

from annotations.models import Corpus, Question, Response, Sentence
from crowd.grouping import Group, Lacking, group
from crowd.models import HitBatch
from crowd.open_questions import KINDS, for_planning, lacking
from crowd.pricing import pay
from crowd.pricing.pay import Pace

ENOUGH = 20  # answers, from which on a median is believed
LATEST = 2000  # answers that are looked at; people learn


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A reward, and how it comes about.

    Attributes
    ----------
    reward_cents : int
        For an assignment, for one question of a sentence, or for a thousand tokens of a document.
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
    by_sentence: bool = False,
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
    by_sentence : bool
    hourly_cents : int, optional
        Unless given, the site's.
    found : sequence of Lacking, optional
        What was read of the questions already (`crowd.posting.free`).
    """
    pace, wage = measure(corpus), hourly_cents or settings.CROWD_HOURLY_CENTS
    if found is None:
        asked = lacking(questions.filter(kind__in=KINDS[kind]), now=now)
        found = for_planning(asked, by_sentence=by_sentence)
    groups = group(found, per_hit=questions_per_hit)
    seconds = unit_seconds(
        corpus=corpus, kind=kind, questions=found, groups=groups, by_sentence=by_sentence, pace=pace
    )
    return Suggestion(
        reward_cents=pay.reward(seconds=seconds, hourly_cents=wage),
        seconds=seconds,
        hourly_cents=wage,
        pace=pace,
    )


def suggested_reward(seconds: float) -> int:
    """Return what work of so many seconds pays at the site's wage, in cents."""
    return pay.reward(seconds=seconds, hourly_cents=settings.CROWD_HOURLY_CENTS)


def unit_seconds(
    *,
    corpus: Corpus,
    kind: str,
    questions: Sequence[Lacking],
    groups: Sequence[Group],
    by_sentence: bool = False,
    pace: Pace | None = None,
) -> float:
    """Return how many seconds that takes which a batch's reward is for, on average.

    That is an assignment; or, where what HITs pay depends on what is in them, one question with its
    companions (by sentence), or a thousand tokens (documents).

    Parameters
    ----------
    corpus : Corpus
        Whose pace is taken, unless `pace` is given.
    kind : {"relation", "entities"}
    questions : sequence of Lacking
    groups : sequence of Group
        The questions as HITs.
    by_sentence : bool
    pace : Pace, optional
    """
    pace = pace or measure(corpus)
    if kind == HitBatch.Kind.ENTITIES:
        return pace.of_document(tokens=pay.THOUSAND)
    found = {one.pk: one for one in questions}
    times = [_seconds_for([found[pk] for pk in one.questions], pace) for one in groups]
    units = sum(one.units for one in groups) if by_sentence else len(groups)
    return sum(times) / units if times else pace.relation


def rewards(*, kind: str, reward_cents: int, by_sentence: bool, groups: Sequence[Group]) -> list[int]:
    """Return what an assignment of each HIT pays, in cents.

    Parameters
    ----------
    kind : {"relation", "entities"}
    reward_cents : int
        For an assignment; by sentence for each question with its companions; for documents for a thousand
        tokens.
    by_sentence : bool
    groups : sequence of Group
        A tutorial's has no questions, and pays what is given.
    """
    if by_sentence:
        return [one.units * reward_cents for one in groups]
    if kind != HitBatch.Kind.ENTITIES:
        return [reward_cents] * len(groups)
    asked = Question.objects.filter(pk__in=[pk for one in groups for pk in one.questions])
    documents = dict(asked.values_list("pk", "document"))
    tokens = count_tokens(set(documents.values()))
    return [
        pay.document_reward(
            tokens=sum(tokens.get(documents[pk], 0) for pk in one.questions), cents=reward_cents
        )
        if one.questions
        else reward_cents
        for one in groups
    ]


def _seconds_for(questions: Sequence[Lacking], pace: Pace) -> float:
    kinds = [question.kind for question in questions]
    return pace.of_relations(relations=kinds.count("relation"), canonicals=kinds.count("canonical"))


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
