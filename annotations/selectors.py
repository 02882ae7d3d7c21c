"""Reads that several callers share."""

from dataclasses import dataclass

import numpy as np
from django.db.models import QuerySet

from annotations.aggregation.agreement import Kappa, fleiss_kappa
from annotations.models import Corpus, Question
from kbpo.core.columns import array_literal, read_columns
from kbpo.core.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far workers agree on one kind of question.

    Attributes
    ----------
    kind : Question.Kind
    questions : int
        Those with at least two valid votes, on which κ rests.
    kappa : Kappa or None
        Fleiss' κ with its interval; None where it is not estimable.
    """

    kind: Question.Kind
    questions: int
    kappa: Kappa | None


def corpus_by_tag(tag: str) -> Corpus:
    """Find a corpus.

    Raises
    ------
    InvalidInput
        If there is none of that tag; the message lists those there are.
    """
    corpus = None if "\0" in tag else Corpus.objects.filter(tag=tag).first()
    if corpus is None:
        tags = ", ".join(Corpus.objects.values_list("tag", flat=True)) or "none is loaded"
        raise InvalidInput(f"there is no corpus {tag!r}; there are: {tags}", where="--corpus")
    return corpus


def agreement(corpus: Corpus, *, level: float = 0.95) -> list[Agreement]:
    """Measure how far workers agree in a corpus, for each kind of question.

    Over the valid votes of those who are no experts, on the questions that the votes have settled or sent to
    an expert: those still open would count too little disagreement or too much. The category of a vote is the
    whole answer: the relations ticked, with their directions, or none; right or wrong.

    Parameters
    ----------
    corpus : Corpus
    level : float
        Of the interval, between 0 and 1.

    Returns
    -------
    list of Agreement
        One for each kind, in the order of `Question.Kind`.
    """
    asked = Question.objects.filter(document__corpus=corpus)
    return [agreement_on(asked.filter(kind=kind), kind, level=level) for kind in Question.Kind]


def agreement_on(questions: QuerySet[Question], kind: Question.Kind, *, level: float = 0.95) -> Agreement:
    """Measure how far workers agree on some questions of one kind, as `agreement` does.

    Parameters
    ----------
    questions : QuerySet of Question
        Of that kind; those still open are left out.
    kind : Question.Kind
    level : float
    """
    closed = questions.exclude(state=Question.State.OPEN)
    asked = array_literal([pk for _, _, pk in sorted(closed.values_list("document_id", "key", "pk"))])
    answer = "answer ->> 'right'" if kind == Question.Kind.CANONICAL else "(answer -> 'relations')::text"
    votes = read_columns(
        "SELECT dense_rank() OVER (ORDER BY asked.place) - 1,"  # noqa: S608 - an expression of ours
        f' dense_rank() OVER (ORDER BY ({answer}) COLLATE "C") - 1'
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
