"""Items: the documents of a corpus, each a unit that all systems share, and what systems give them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import QuerySet

from annotations import questions
from annotations.kinds.choice import NAME, ChoiceQuestion
from annotations.models import Corpus, Document, Question
from evaluation.models import ClassPrediction, Epoch, SampleBatch, SampledUnit, Submission, Unit
from evaluation.units import BoolArray, FloatArray, Foreseen, Groups, IntArray
from kbpo.core.database.analysing import analyse
from kbpo.core.database.bulk import read_rows
from kbpo.core.database.coded import code_names

KEY_VERSION = "item 1"
"""An item's key is its document's id."""
WEIGHTING = "class"
LABELS = "label"


@dataclass(frozen=True, eq=False)
class Items:
    """What a submission gives the items, in the order of their keys.

    Attributes
    ----------
    keys : sequence of str
    ids, documents : int[n]
    p, confidence : float[n]
    labels : sequence of str
        The class of each.
    """

    keys: Sequence[str]
    ids: IntArray
    documents: IntArray
    p: FloatArray
    confidence: FloatArray
    labels: Sequence[str]


def about(corpus: Corpus) -> Mapping[str, Sequence[str]]:
    """Return the names of a corpus' classes, for its reader."""
    return {"classes": corpus.classes.names if corpus.classes else []}


def store_predictions(submission: Submission, lines: Sequence[tuple[str, str, float, int]]) -> None:
    """Store what a submission gives the items, and the items that are new."""
    documents = dict(Document.objects.filter(corpus=submission.corpus).values_list("doc_id", "pk"))
    keys = sorted(line[0] for line in lines)
    Unit.objects.bulk_create(
        (Unit(corpus=submission.corpus, key=key) for key in keys), ignore_conflicts=True, batch_size=5000
    )
    units = dict(Unit.objects.filter(corpus=submission.corpus).values_list("key", "pk"))
    stored = ClassPrediction.objects.bulk_create(
        (
            ClassPrediction(
                submission=submission,
                unit_id=units[doc_id],
                document_id=documents[doc_id],
                label=label,
                confidence=confidence,
                probability=1 / len(lines),
                line=line,
            )
            for doc_id, label, confidence, line in lines
        ),
        batch_size=5000,
    )
    analyse(dict.fromkeys((Unit, ClassPrediction), len(stored)))


def read_items(submission: Submission) -> Items:
    """Read what a submission gives the items."""
    rows = read_rows(
        "SELECT unit.key, unit.id, document_id, probability, confidence, label"
        " FROM evaluation_classprediction JOIN evaluation_unit AS unit ON unit.id = unit_id"
        " WHERE submission_id = %s",
        [submission.pk],
    )
    keys, ids, documents, p, confidence, labels = zip(*sorted(rows), strict=True) if rows else [()] * 6
    return Items(
        keys,
        np.array(ids, dtype=np.int64),
        np.array(documents, dtype=np.int64),
        np.array(p, dtype=np.float64),
        np.array(confidence, dtype=np.float64),
        labels,
    )


def weights(items: Items, version: str) -> Mapping[str, FloatArray]:
    """Return p: an item counts as much as another."""
    return {WEIGHTING: items.p}


def columns(items: Items) -> Mapping[str, bytes]:
    """Return the class of each item, packed."""
    return {LABELS: code_names(list(items.labels)).pack()}


def known(submission: Submission, items: Items) -> BoolArray:
    """Say whose label was published before the upload."""
    published = Question.objects.filter(
        document__corpus=submission.corpus_id,
        key=question_of(submission.corpus).key,
        published_at__lt=submission.uploaded_at,
    )
    return np.isin(items.documents, list(published.values_list("document_id", flat=True)))


def ask(batch: SampleBatch, items: Items, sampled: Mapping[int, int | None]) -> Collection[int]:
    """Store the sampled items and ask which class each is of; return the ids of the questions."""
    content = question_of(batch.submission.corpus)
    places = {row: (int(items.documents[row]), content) for row in sampled}
    asked = questions.ask(list(places.values()))
    SampledUnit.objects.bulk_create(
        (
            SampledUnit(
                batch=batch,
                epoch=batch.epoch,
                unit_id=int(items.ids[row]),
                question=asked[place],
                draws=sampled[row],
            )
            for row, place in places.items()
        ),
        batch_size=5000,
    )
    analyse({SampledUnit: len(places)})
    return {question.pk for question in asked.values()}


def question_of(corpus: Corpus) -> ChoiceQuestion:
    """Return what is asked about every document of a corpus."""
    assert corpus.classes is not None, "a corpus for classification has classes"
    return ChoiceQuestion.among(corpus.classes)


def foresee(submission: Submission, epoch: Epoch, batches: QuerySet[SampleBatch]) -> Foreseen:
    """Read a submission's items: one question settles each, for all systems."""
    items = read_items(submission)
    every = np.arange(len(items.keys))
    groups = Groups(NAME, every, every, np.ones(every.size, dtype=np.bool_))
    return Foreseen(items.ids, items.p, known(submission, items), (groups,))
