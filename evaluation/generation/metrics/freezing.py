"""The house metric of an epoch: learnt from what was published before it opened, and frozen."""

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np

from annotations.models import Input, Label, Question
from evaluation.generation import house
from evaluation.generation.judgements import read_answers
from evaluation.generation.metrics import stored
from evaluation.generation.metrics.computing import Column, compute_all
from evaluation.generation.metrics.registry import METRICS, Text
from evaluation.models import Epoch, HouseMetric, MetricColumn, Submission
from evaluation.units import FloatArray
from kbpo_estimators.generation.scales import SCALES

MOST = 5_000
"""Judged outputs that it is learnt from: of more, some at random."""


def open_epoch_without(corpus_id: int) -> Epoch | None:
    """Return a corpus' open epoch if its house metric is not frozen yet."""
    return Epoch.objects.filter(corpus=corpus_id, released_at=None, house_metric=None).first()


def freeze(*, epoch: Epoch) -> HouseMetric:
    """Learn the house metric of an epoch, and store it; once it is there it stays.

    It rests on judgements that were published before the epoch opened, whenever it is made.
    """
    outputs, found = _learn(epoch)
    coefficients = "" if found is None else found.as_json()
    released = Epoch.objects.filter(corpus=epoch.corpus_id, released_at__lte=epoch.opened_at)
    frozen, _ = HouseMetric.objects.get_or_create(
        epoch=epoch,
        defaults={
            "coefficients": coefficients,
            "digest": hashlib.sha256(coefficients.encode()).hexdigest(),
            "outputs": outputs,
            "learnt_from": list(released.order_by("number").values_list("number", flat=True)),
        },
    )
    return frozen


def read(epoch: Epoch, submissions: Sequence[Submission]) -> list[Mapping[str, FloatArray]]:
    """Return what an epoch's house metric foretells, by measure, for each submission in its file's order.

    Nothing where none was learnt, or a submission has not the metrics that it takes.
    """
    learnt = frozen_of(epoch)
    if learnt is None:
        return [{} for _ in submissions]
    return [learnt.of(columns) for columns in stored.read_versions(submissions, learnt.metrics)]


def frozen_of(epoch: Epoch) -> house.House | None:
    """Return an epoch's house metric; None where it is not frozen yet, or too little was known."""
    frozen = HouseMetric.objects.filter(epoch=epoch).first()
    return None if frozen is None or not frozen.coefficients else house.House.from_json(frozen.coefficients)


def has_house(submission: Submission, learnt: house.House) -> bool:
    """Say whether a submission has the metrics that a house metric takes."""
    rows = MetricColumn.objects.filter(submission=submission, is_uploaded=False)
    return set(learnt.metrics) <= {
        f"{name}|{version}" for name, version in rows.values_list("name", "version")
    }


def audit(corpus_id: int) -> list[str]:
    """Say which house metrics are not what their digest says."""
    return [
        f"the {one} is not as it was frozen"
        for one in HouseMetric.objects.filter(epoch__corpus=corpus_id).select_related("epoch__corpus")
        if hashlib.sha256(one.coefficients.encode()).hexdigest() != one.digest
    ]


def _learn(epoch: Epoch) -> tuple[int, house.House | None]:
    """Return from how many outputs it is learnt, and what; None where there are too few."""
    published = Question.objects.filter(
        document__corpus=epoch.corpus_id, audits=None, published_at__lte=epoch.opened_at
    )
    # A key ends in a digest, so its order is one at random.
    asked = list(published.order_by("key", "pk").values_list("pk", "document", "payload")[:MOST])
    labels: dict[int, dict[str, float]] = {pk: {} for pk, _, _ in asked}
    for pk, claim, value in Label.objects.filter(question__in=labels).values_list(
        "question", "claim", "value"
    ):
        labels[pk][claim] = value
    measures = sorted(set.intersection(*(set(one) for one in labels.values()))) if labels else []
    measures = [name for name in measures if name in SCALES]
    if len(asked) < house.FEW or not measures:
        return len(asked), None
    inputs = Input.objects.select_related("document").in_bulk({document for _, document, _ in asked})
    texts = [_text(payload, inputs.get(document)) for _, document, payload in asked]
    columns: Mapping[str, Column] = compute_all(texts)
    known = {f"{name}|{METRICS[name].version}": column.values for name, column in columns.items()}
    means = {name: np.array([labels[pk][name] for pk, _, _ in asked]) for name in measures}
    of_input = np.array([document for _, document, _ in asked])
    found = house.learn(known, means, of_input)
    if found is None:
        return len(asked), None
    answers = read_answers([pk for pk, _, _ in asked])
    said = [(row, values) for row, (pk, _, _) in enumerate(asked) for _, values in answers[pk]]
    each = {name: np.array([values[name] for _, values in said]) for name in measures}
    return len(asked), house.with_found(found, known, means, of_input, each, [row for row, _ in said])


def _text(payload: Mapping[str, str], given: Input | None) -> Text:
    output = payload["text"] if "text" in payload else payload["answer"]
    if given is None:
        return Text(output)
    text = given.document.text
    return Text(
        output,
        tuple(given.references),
        None if given.question is None else text[slice(*given.question)],
        tuple(text[start:end] for start, end in given.passages),
    )
