"""What people said of outputs, where that is published. What is not published is never read here."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotations.models import Label, Response
from evaluation.models import Submission
from evaluation.units import FloatArray, IntArray
from kbpo.core.database.bulk import array_literal, read_columns


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The outputs of a submission of which judgements are published, by one measure.

    Attributes
    ----------
    places : int[n]
        Where each stands in its file, from 0.
    questions : int[n]
        The row id of what was asked about it.
    values : float[n]
        The mean of what people said.
    """

    places: IntArray
    questions: IntArray
    values: FloatArray

    @property
    def size(self) -> int:
        """How many there are."""
        return self.places.size


def read_judged(submissions: Sequence[Submission], measure: str) -> list[Judged]:
    """Read what is published of each submission's outputs, by one measure, in the order of its file."""
    found = read_columns(
        "SELECT DISTINCT output.submission_id, output.place, question.id, label.value"
        " FROM evaluation_output AS output"
        " JOIN evaluation_sampledunit AS sampled ON sampled.unit_id = output.unit_id"
        " JOIN annotations_question AS question"
        " ON question.id = sampled.question_id AND question.published_at IS NOT NULL"
        " JOIN annotations_label AS label ON label.question_id = question.id AND label.claim = %s"
        " WHERE output.submission_id = ANY(%s::bigint[])",
        [measure, array_literal(one.pk for one in submissions)],
        {"submission": "bigint", "place": "bigint", "question": "bigint", "value": "float8"},
    )
    order = np.lexsort((found["place"], found["submission"]))
    columns = {name: values[order] for name, values in found.items()}
    judged = []
    for one in submissions:
        own = slice(*np.searchsorted(columns["submission"], [one.pk, one.pk + 1]))
        judged.append(Judged(columns["place"][own], columns["question"][own], columns["value"][own]))
    return judged


def read_means(questions: Collection[int]) -> Mapping[int, Mapping[str, float]]:
    """Read the means of what people said to published questions, by question and measure."""
    means: dict[int, dict[str, float]] = defaultdict(dict)
    rows = Label.objects.filter(question__in=questions, question__published_at__isnull=False)
    for question, claim, value in rows.values_list("question", "claim", "value"):
        means[question][claim] = value
    return means


def read_votes(questions: Collection[int]) -> Mapping[int, Sequence[Response]]:
    """Read the answers to published questions that count, by question, in the order in which they came.

    Who gave them is not read.
    """
    votes: dict[int, list[Response]] = defaultdict(list)
    rows = Response.objects.filter(
        question__in=questions, question__published_at__isnull=False, is_valid=True
    )
    for row in rows.only("question_id", "answer", "is_expert").order_by("pk"):
        votes[row.question_id].append(row)
    return votes
