"""Which questions somebody has to be asked: what is open, beyond the votes that are in or on their way."""

from bisect import bisect_right
from datetime import datetime

from django.db.models import Count, Exists, F, IntegerField, OuterRef, QuerySet, Subquery, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from annotations.kinds.canonical import CanonicalQuestion
from annotations.kinds.registry import read_question
from annotations.kinds.relation import RelationQuestion
from annotations.models import Question, Response, Sentence
from crowd.grouping import Lacking
from crowd.models import Assignment, HitQuestion, Reservation
from kbpo.core.spans import Span

#: The questions that each kind of batch asks.
KINDS = {"relation": ("relation", "canonical"), "entities": ("entities",)}


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


def lacking(questions: QuerySet[Question], *, now: datetime) -> QuerySet[Question]:
    """Select the open questions that lack votes and are in no HIT, with the number in `lacks`.

    Parameters
    ----------
    questions : QuerySet
    now : datetime
        Questions that somebody holds in the in-house queue then lack one vote less.
    """
    held = Reservation.objects.filter(question=OuterRef("pk"), as_expert=False, expires_at__gt=now)
    return (
        questions.filter(~is_in_hit(), state=Question.State.OPEN)
        .annotate(lacks=F("votes_needed") - votes_in() - number_of(held))
        .filter(lacks__gt=0)
    )


def for_planning(questions: QuerySet[Question], *, by_sentence: bool = False) -> list[Lacking]:
    """Read what `lacking` selects, with the sentence of each question if wanted: that of its last mention."""
    rows = list(
        questions.order_by("pk").values_list("pk", "document", "kind", "lacks", "payload")  # type: ignore[misc]
    )
    starts = _sentence_starts({document for _, document, *_ in rows}) if by_sentence else {}
    return [
        Lacking(
            pk,
            document,
            kind,
            lacks,
            mentions := _mentions(kind, payload),
            bisect_right(starts[document], mentions[-1].start) if starts and mentions else None,
        )
        for pk, document, kind, lacks, payload in rows
    ]


def number_of(rows: QuerySet[Response] | QuerySet[Reservation]) -> Coalesce:
    """Count the rows that belong to a question."""
    counted = rows.order_by().values("question").annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted, output_field=IntegerField()), Value(0))


def _sentence_starts(documents: set[int]) -> dict[int, list[int]]:
    starts: dict[int, list[int]] = {document: [] for document in documents}
    rows = Sentence.objects.filter(document__in=documents).order_by("document", "index")
    for document, start in rows.values_list("document", "start"):
        starts[document].append(start)
    return starts


def _mentions(kind: str, payload: dict[str, object]) -> tuple[Span, ...]:
    if kind not in KINDS["relation"]:
        return ()
    asked = read_question(kind, payload)
    if isinstance(asked, CanonicalQuestion):
        return (asked.mention,)
    assert isinstance(asked, RelationQuestion)
    return asked.spans
