"""How far workers agree on questions of one kind."""

from dataclasses import dataclass

import numpy as np
from django.db.models import QuerySet

from annotations.aggregation.agreement import Kappa, fleiss_kappa
from annotations.models import KindAgreement, Question
from kbpo.core.columns import array_literal, read_columns

Aspect = KindAgreement.Aspect


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


def on_whole_answers(questions: QuerySet[Question], level: float, *, kind: str, category: str) -> Agreement:
    """Measure how far workers agree where an answer is one category.

    Parameters
    ----------
    questions : QuerySet of Question
        Of one kind; those still open are left out.
    level : float
        Of the interval, between 0 and 1.
    kind : str
        The kind's name.
    category : str
        SQL for the category of the column `answer`.
    """
    closed = questions.exclude(state=Question.State.OPEN)
    asked = array_literal([pk for _, _, pk in sorted(closed.values_list("document_id", "key", "pk"))])
    votes = read_columns(
        "SELECT dense_rank() OVER (ORDER BY asked.place) - 1,"  # noqa: S608 - an expression of ours
        f' dense_rank() OVER (ORDER BY ({category}) COLLATE "C") - 1'
        " FROM unnest(%s::bigint[]) WITH ORDINALITY AS asked (id, place)"
        " JOIN annotations_response AS response ON response.question_id = asked.id"
        " WHERE response.is_valid AND NOT response.is_expert",
        [asked],
        {"question": "bigint", "category": "bigint"},
    )
    shape = (votes["question"].max(initial=-1) + 1, votes["category"].max(initial=-1) + 1)
    counts = np.zeros(shape, dtype=np.int64)
    np.add.at(counts, (votes["question"], votes["category"]), 1)
    compared = int((counts.sum(axis=1) >= 2).sum())
    return Agreement(kind, compared, fleiss_kappa(counts, level=level))
