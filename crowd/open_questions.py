"""Which questions somebody has to be asked: what is open, beyond the votes that are in or on their way."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection
from datetime import datetime

from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    IntegerField,
    OuterRef,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from annotations.models import Question, Response, Sentence
from annotations.policies.policy import Policy
from crowd.grouping import OpenQuestion
from crowd.interfaces.registry import ASKED_KINDS, interface_of
from crowd.models import Assignment, HitQuestion, Reservation
from kbpo.core.database.leases import CLOCKS_DIFFER


def is_in_hit() -> Exists:
    """Say of a question whether a HIT covers all the votes that it lacks."""
    return Exists(HitQuestion.objects.filter(question=OuterRef("pk"), is_active=True))


def votes_in() -> Combinable:
    """Count a question's votes: those that count, and those in work that a person is to look at first."""
    return number_of(
        Response.objects.filter(question=OuterRef("pk"), is_valid=True, is_expert=False)
    ) + number_of(
        Response.objects.filter(
            question=OuterRef("pk"),
            is_valid=False,
            is_expert=False,
            assignments__state=Assignment.State.SUBMITTED,
        )
    )


def held_now(now: datetime) -> QuerySet[Reservation]:
    """Select what annotators hold: not what they took in the future, by a clock that has been put right."""
    return Reservation.objects.filter(taken_at__lte=now + CLOCKS_DIFFER, expires_at__gt=now)


def open_questions(questions: QuerySet[Question], *, now: datetime) -> QuerySet[Question]:
    """Select the open questions that lack votes and are in no HIT, with the number in `lacks`.

    Parameters
    ----------
    questions : QuerySet
    now : datetime
        Questions that somebody holds in the in-house queue then lack one vote less.
    """
    held = held_now(now).filter(question=OuterRef("pk"), as_expert=False)
    return (
        questions.filter(~is_in_hit(), state=Question.State.OPEN, document__takedown=None)
        .annotate(lacks=F("votes_needed") - votes_in() - number_of(held))
        .filter(lacks__gt=0)
    )


def for_planning(
    questions: QuerySet[Question], policy: Policy, *, by_sentence: bool = False
) -> list[OpenQuestion]:
    """Read what `open_questions` selects, each with the sentence of its last mention if wanted.

    Where their corpus' policy gathers votes beyond the first ones, those that need such have their voters;
    and those that audit others, the voters of these: they are not asked again.
    """
    rows = list(
        questions.order_by("pk").values_list(
            "pk",
            "document",
            "kind",
            "lacks",  # type: ignore[misc]
            "payload",
            "votes_needed",
            "audits",
        )
    )
    starts = _sentence_starts({document for _, document, *_ in rows}) if by_sentence else {}
    disputed = [pk for pk, *_, needed, of in rows if of or (policy.gathers and needed > policy.first_votes)]
    voters = _voters(disputed) if disputed else {}
    return [
        OpenQuestion(
            pk,
            document,
            kind,
            lacks,
            mentions := interface_of(kind).mentions(kind, payload),
            bisect_right(starts[document], mentions[-1].start) if starts and mentions else None,
            ASKED_KINDS[kind].is_companion,
            voters.get(pk, frozenset()),
        )
        for pk, document, kind, lacks, payload, *_ in rows
    ]


def number_of(rows: QuerySet[Response] | QuerySet[Reservation]) -> Coalesce:
    """Count the rows that belong to a question."""
    counted = rows.order_by().values("question").annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted, output_field=IntegerField()), Value(0))


def rank_of_kind() -> Case:
    """Rank questions by what they ask: companions come last, since they are shown with others."""
    ranked = sorted(ASKED_KINDS.values(), key=lambda kind: kind.is_companion)
    return Case(
        *(When(kind=kind.name, then=place) for place, kind in enumerate(ranked)),
        default=len(ranked),
        output_field=IntegerField(),
    )


def _voters(questions: Collection[int]) -> dict[int, frozenset[int]]:
    """Return who has answered each question, or what it audits: whatever became of the answer."""
    found: dict[int, set[int]] = defaultdict(set)
    for of, place in (
        ({"question__in": questions}, "question"),
        ({"question__audit__in": questions}, "question__audit"),
    ):
        for question, worker in Response.objects.filter(**of).order_by().values_list(place, "worker"):
            found[question].add(worker)
    return {question: frozenset(people) for question, people in found.items()}


def _sentence_starts(documents: set[int]) -> dict[int, list[int]]:
    starts: dict[int, list[int]] = {document: [] for document in documents}
    rows = Sentence.objects.filter(document__in=documents).order_by("document", "index")
    for document, start in rows.values_list("document", "start"):
        starts[document].append(start)
    return starts
