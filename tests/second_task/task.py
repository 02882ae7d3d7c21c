"""The task: units by key, one question each, accuracy by Horvitz and Thompson."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from types import MappingProxyType
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import QuerySet
from scipy.special import ndtri

from annotations import questions
from annotations.models import Corpus, Document
from evaluation.choices import Choices, Part
from evaluation.models import Epoch, SampleBatch, SampledUnit, Submission, Unit
from evaluation.reading.reader import Reader
from evaluation.scores import Choice, Divided, ReadSide, Scored, ScoredPart, ScoreRow
from evaluation.scoring.pool import read_values
from evaluation.task import Pages, Sample, Task
from evaluation.units import BoolArray, FloatArray, Foreseen, Groups, IntArray, Pool
from kbpo.core.database.bulk import read_rows
from kbpo_estimators.differences import Differences
from kbpo_estimators.intervals import Interval
from kbpo_estimators.pooled import UnitFeatures
from kbpo_estimators.scores import CoordinatedSample
from tests.second_task import child
from tests.second_task.kind import CLAIM, NAME, GradeQuestion

LEVELS = (80, 90, 95)


@dataclass(frozen=True, eq=False)
class Texts:
    keys: Sequence[str]
    ids: IntArray
    p: FloatArray
    confidence: FloatArray
    asked: Sequence[tuple[int, GradeQuestion]]


def make_table() -> None:
    """Make the table of its predictions, which a task of the house has by a migration."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE second_prediction (submission_id bigint, unit_id bigint, document_id bigint,"
            " text text, confidence float8, probability float8)"
        )


def store_predictions(submission: Submission, predictions: Sequence[Sequence[str]]) -> None:
    documents = dict(Document.objects.filter(corpus=submission.corpus).values_list("doc_id", "pk"))
    keys = ["|".join(row) for row in predictions]
    Unit.objects.bulk_create(
        (Unit(corpus=submission.corpus, key=key) for key in sorted(keys)), ignore_conflicts=True
    )
    units = dict(Unit.objects.filter(corpus=submission.corpus, key__in=keys).values_list("key", "pk"))
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO second_prediction VALUES (%s, %s, %s, %s, 1, %s)",
            [
                (submission.pk, units[key], documents[doc_id], text, 1 / len(keys))
                for key, (doc_id, text) in zip(keys, predictions, strict=True)
            ],
        )


def read_units(submission: Submission) -> Texts:
    rows = read_rows(
        "SELECT unit.key, unit.id, probability, confidence, document_id, text FROM second_prediction"
        " JOIN evaluation_unit AS unit ON unit.id = unit_id WHERE submission_id = %s",
        [submission.pk],
    )
    keys, ids, p, confidence, documents, texts = zip(*sorted(rows), strict=True)
    asked = [(document, GradeQuestion(text)) for document, text in zip(documents, texts, strict=True)]
    return Texts(keys, np.array(ids), np.array(p), np.array(confidence), asked)


def known(submission: Submission, units: Texts) -> BoolArray:
    return np.zeros(len(units.keys), dtype=np.bool_)


def ask(batch: SampleBatch, units: Texts, sampled: Mapping[int, int | None]) -> Collection[int]:
    asked = questions.ask([units.asked[row] for row in sampled])
    SampledUnit.objects.bulk_create(
        SampledUnit(
            batch=batch,
            epoch=batch.epoch,
            unit_id=units.ids[row],
            question=asked[units.asked[row]],
            claim=CLAIM,
            draws=draws,
        )
        for row, draws in sampled.items()
    )
    return {question.pk for question in asked.values()}


def asked_beside(epoch: Epoch, through: int, asked: Collection[int]) -> Collection[int]:
    return ()


def foresee(submission: Submission, epoch: Epoch, batches: QuerySet[SampleBatch]) -> Foreseen:
    units = read_units(submission)
    every = np.arange(len(units.keys))
    groups = Groups(NAME, every, every, np.ones(every.size, dtype=np.bool_))
    return Foreseen(units.ids, units.p, known(submission, units), (groups,))


CHOICES = Choices(
    unit="text",
    units="texts",
    measures=MappingProxyType({"accuracy": "accuracy"}),
    parts=MappingProxyType({"text": Part("text", ("accuracy",), "accuracy")}),
    weightings=MappingProxyType({"text": "micro-average"}),
    weightings_of=MappingProxyType({"coordinated": ("text",), "iid": ("text",)}),
    estimators=MappingProxyType({"sampled": "from its sample"}),
    estimators_of=MappingProxyType({"coordinated": ("sampled",), "iid": ("sampled",)}),
    standards=MappingProxyType({"votes": "votes taken for the truth"}),
    standards_of=MappingProxyType({"coordinated": ("votes",), "iid": ("votes",)}),
    estimated="accuracy",
    designed="accuracy",
    of_truth=(),
    few_true="",
    ranked_from=10,
    levels=LEVELS,
    level=95,
    missing=lambda part, measure: "none of its texts is judged",
)
CHOICE = Choice("sampled", "text", "text", "votes")


def score(pool: Pool, sample: Sample, features: UnitFeatures) -> Scored:
    assert isinstance(sample, CoordinatedSample)
    values = read_values(pool)
    contributions = np.zeros((len(pool.systems), pool.size))
    for system, own in enumerate(pool.systems):
        drawn = own.rows[sample.sampled[own.rows]]
        p = own.weights["text"][sample.sampled[own.rows]]
        contributions[system, drawn] = p * values[drawn] / sample.pi[drawn]
    left = np.where(sample.sampled, 1 - np.nan_to_num(sample.pi, nan=1.0), 0.0)
    estimates, covariance = contributions.sum(axis=1), (contributions * left) @ contributions.T
    labels = [int(sample.sampled[own.rows].sum()) for own in pool.systems]

    def rows() -> Iterator[ScoreRow]:
        for system, estimate in enumerate(estimates.tolist()):
            for level in LEVELS:
                reach = ndtri(0.5 + level / 200) * np.sqrt(covariance[system, system])
                interval = Interval(estimate, max(0.0, estimate - reach), min(1.0, estimate + reach))
                yield ScoreRow(system, CHOICE, level, {"accuracy": interval}, labels[system], {})

    packed = BytesIO()
    np.savez(packed, estimates=estimates, covariance=covariance)
    return Scored([ScoredPart(rows(), [(CHOICE, packed.getvalue())], "text")], "")


@dataclass(frozen=True, eq=False)
class Side:
    estimates: FloatArray
    covariance: FloatArray

    def differences(self, other: "Side", measure: str) -> Differences:
        assert measure == "accuracy"
        own, others = np.diagonal(self.covariance), np.diagonal(other.covariance)
        shared = self.covariance if other is self else 0.0
        variances = own[:, None] + others - 2 * shared
        return Differences(self.estimates[:, None] - other.estimates, variances, own, others, None)

    def difference_of(self, place: int, other: "Side", other_place: int, measure: str) -> Differences:
        return self.differences(other, measure).take(np.array([place]), np.array([other_place]))


def sides() -> ReadSide:
    def read(arrays: bytes | memoryview, epoch: Epoch) -> Side:
        with np.load(BytesIO(arrays), allow_pickle=False) as stored:
            return Side(stored["estimates"], stored["covariance"])

    return read


def divide(pool: Pool, sample: Sample, features: UnitFeatures) -> Iterator[Divided]:
    return iter(())


def nothing(*given: Any) -> None:
    return None


def nothing_drawn(corpus: Corpus) -> list[str]:
    return []


TASK = Task(
    name="second",
    label="texts that people grade",
    words="they grade texts",
    reader=Reader(
        child=child.__name__,
        formats=MappingProxyType({"lines": "lines"}),
        codes=MappingProxyType({}),
        no_counts=MappingProxyType({"lines": 0}),
        receive=lambda answer: json.loads(answer.read()),
        nothing=(),
    ),
    summarise=nothing,
    store_predictions=store_predictions,
    read_units=read_units,
    key_version="second 1",
    known=known,
    plan=None,
    plan_again=None,
    ask=ask,
    asked_beside=asked_beside,
    needed_beside=lambda epoch, through, units: (),
    weights=lambda units, version: {"text": units.p},
    weights_version="1",
    columns=lambda units: {},
    foresee=foresee,
    retire=None,
    retired=nothing,
    audit=nothing_drawn,
    choices=CHOICES,
    features=lambda pool: UnitFeatures.nothing(pool.size),
    score=score,
    count_names=lambda corpus: 0,
    divide=divide,
    subsets=MappingProxyType({}),
    sides=sides,
    pages=Pages(system=None, documents=None, summary=None, compared="Both are paired.", compared_apart=""),
    scored_by=(child,),
)
