"""How far workers agree on questions of one kind."""

from dataclasses import dataclass

import numpy as np
from django.db.models import Count, Q, QuerySet

from annotations.aggregation.agreement import Kappa, fleiss_kappa
from annotations.models import KindAgreement, Question
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
        Fleiss' κ with its interval; None where it is not estimable.
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
