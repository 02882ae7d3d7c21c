"""How far workers agree on questions of one kind."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from django.db.models import Count, Q, QuerySet

from annotations.aggregation.agreement import Kappa, fleiss_kappa, interval_alpha
from annotations.models import KindAgreement, Question, Response
from kbpo.core.database.bulk import array_literal, read_columns

Aspect = KindAgreement.Aspect

_ALL = " JOIN annotations_response AS response ON response.question_id = asked.id"
_FIRST = """
JOIN LATERAL (
    SELECT * FROM annotations_response AS vote
    WHERE vote.question_id = asked.id AND vote.is_valid AND NOT vote.is_expert ORDER BY vote.id LIMIT %s
) AS response ON true
"""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far workers agree on one kind of question.

    Attributes
    ----------
    kind : str
        Its name.
    questions : int
        Those with at least two valid votes, on which κ rests.
    kappa : Kappa or None
        Fleiss' κ, or interval α where answers are numbers, with its interval; None where it is not estimable.
    aspect : KindAgreement.Aspect
        Of what an answer says.
    """

    kind: str
    questions: int
    kappa: Kappa | None
    aspect: KindAgreement.Aspect = Aspect.WHOLE


def those_measured(questions: QuerySet[Question], first: int | None) -> QuerySet[Question]:
    """Select the questions whose votes tell how far workers agree.

    Where all votes do, those still open are left out: they would count too little disagreement or too much.
    The first ones are complete whether or not more are asked for.
    """
    if first is None:
        return questions.exclude(state=Question.State.OPEN)
    votes = Count("responses", filter=Q(responses__is_valid=True, responses__is_expert=False))
    counted = Question.objects.filter(pk__in=questions.order_by().values("pk")).annotate(votes=votes)
    return counted.filter(votes__gte=first)


def on_whole_answers(
    questions: QuerySet[Question], first: int | None, level: float, *, kind: str, category: str
) -> Agreement:
    """Measure how far workers agree where an answer is one category.

    Parameters
    ----------
    questions : QuerySet of Question
        Of one kind.
    first : int or None
        How many votes on each are measured by, in the order in which they came; None: all of them, on
        questions that are no longer open.
    level : float
        Of the interval, between 0 and 1.
    kind : str
        The kind's name.
    category : str
        SQL for the category of the column `answer`.
    """
    measured = those_measured(questions, first)
    asked = array_literal([pk for _, _, pk in sorted(measured.values_list("document_id", "key", "pk"))])
    votes = read_columns(
        "SELECT dense_rank() OVER (ORDER BY asked.place) - 1,"  # noqa: S608 - an expression of ours
        f' dense_rank() OVER (ORDER BY ({category}) COLLATE "C") - 1'
        " FROM unnest(%s::bigint[]) WITH ORDINALITY AS asked (id, place)"
        + (_ALL if first is None else _FIRST)
        + " WHERE response.is_valid AND NOT response.is_expert",
        [asked, *([] if first is None else [first])],
        {"question": "bigint", "category": "bigint"},
    )
    shape = (votes["question"].max(initial=-1) + 1, votes["category"].max(initial=-1) + 1)
    counts = np.zeros(shape, dtype=np.int64)
    np.add.at(counts, (votes["question"], votes["category"]), 1)
    compared = int((counts.sum(axis=1) >= 2).sum())
    return Agreement(kind, compared, fleiss_kappa(counts, level=level))


class Scored(Protocol):
    """A question whose answers say a number of each claim."""

    def values(self, answer: Mapping[str, Any]) -> dict[str, float]:
        """Return what a stored answer says of each claim."""


def on_values(
    questions: QuerySet[Question],
    first: int | None,
    level: float,
    *,
    kind: str,
    aspects: Mapping[str, KindAgreement.Aspect],
    read: Callable[[Mapping[str, Any]], Scored],
) -> list[Agreement]:
    """Measure how far workers agree where an answer says a number of each claim, by interval α.

    Parameters
    ----------
    questions, first, level, kind
        As `on_whole_answers`.
    aspects : mapping of str to KindAgreement.Aspect
        The claims that are measured, each as an aspect.
    read : callable
        Makes a question of its payload.
    """
    measured = dict(those_measured(questions, first).values_list("pk", "payload"))
    given: dict[int, list[Mapping[str, Any]]] = {}
    votes = Response.objects.filter(question__in=measured, is_valid=True, is_expert=False).order_by("pk")
    for question_id, answer in votes.values_list("question_id", "answer"):
        given.setdefault(question_id, []).append(answer)
    said: list[tuple[int, Mapping[str, float]]] = []
    for question_id, answers in given.items():
        asked = read(measured[question_id])
        said += [(question_id, asked.values(answer)) for answer in answers[:first]]
    items = [item for item, _ in said]
    compared = int((np.unique(items, return_counts=True)[1] >= 2).sum()) if items else 0
    return [
        Agreement(kind, compared, interval_alpha([one[claim] for _, one in said], items, level=level), aspect)
        for claim, aspect in aspects.items()
    ]
