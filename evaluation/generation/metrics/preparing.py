"""What samples wait for: the built-in metrics of a submission, a few in each step, and the house metric."""

from collections.abc import Iterator, Mapping, Sequence

from django.db import transaction
from django.db.models import Q, QuerySet

from evaluation.generation.metrics import freezing, stored
from evaluation.generation.metrics.computing import compute, filled
from evaluation.generation.metrics.registry import METRICS, Metric, Needs, Text
from evaluation.models import MetricColumn, Output, Submission
from evaluation.submissions.lifecycle import lock
from evaluation.task import Preparing

STEP = 4  # metrics that are computed before they are stored
PIECE = 2_000  # outputs that are in memory at a time


def computable(submission: Submission) -> list[Metric]:
    """Return the metrics for which one output of a submission at least has what it takes."""
    needed = {
        Needs.NOTHING,
        *(need for need, has in _HAVE.items() if _outputs(submission).filter(has).exists()),
    }
    return [metric for metric in METRICS.values() if metric.needs in needed]


def left(submission: Submission) -> list[Metric]:
    """Return the metrics that are still to be computed."""
    rows = MetricColumn.objects.filter(submission=submission, is_uploaded=False)
    there = set(rows.values_list("name", "version"))
    return [metric for metric in computable(submission) if (metric.name, metric.version) not in there]


def count_left(submission: Submission) -> int:
    """Count the metrics that are still to be computed, the house metric of the open epoch among them."""
    return len(left(submission)) + (freezing.open_epoch_without(submission.corpus_id) is not None)


def step(submission: Submission) -> None:
    """Compute the next few metrics of a submission, and store them unless it was cancelled meanwhile."""
    metrics = left(submission)[:STEP]
    if not metrics:
        epoch = freezing.open_epoch_without(submission.corpus_id)
        if epoch is not None:
            freezing.freeze(epoch=epoch)
        return
    rows = [row for texts in _read_texts(submission, metrics) for row in compute(texts, metrics)]
    with transaction.atomic():
        if lock(submission.pk).filter(state=Submission.State.ACCEPTED).first() is None:
            return
        for place, metric in enumerate(metrics):
            column = filled([row[place] for row in rows])
            assert column is not None, "one output at least has what it takes"
            stored.store(
                submission=submission,
                name=metric.name,
                version=metric.version,
                values=column.values,
                missing=column.missing,
            )


def words(submission: Submission) -> str:
    """Say how far it is: "8 of 14 metrics computed"; empty where nothing is left."""
    lacking, every = len(left(submission)), len(computable(submission))
    return f"{every - lacking} of {every} metrics computed" if lacking else ""


PREPARING = Preparing(doing="Computing its metrics", left=count_left, step=step, words=words)

_HAVE: Mapping[Needs, Q] = {
    Needs.REFERENCES: ~Q(document__given__references=[]),
    Needs.QUESTION: Q(document__given__question__isnull=False),
    Needs.PASSAGES: ~Q(document__given__passages=[]),
}


def _outputs(submission: Submission) -> QuerySet[Output]:
    return Output.objects.filter(submission=submission, document__given__isnull=False)


def _read_texts(submission: Submission, metrics: Sequence[Metric]) -> Iterator[list[Text]]:
    """Yield what was written, in the order of the file, with as much of the inputs as the metrics need."""
    needs = {metric.needs for metric in metrics}
    fields = ["unit__output_text__text", "document__given__references"]
    if needs & {Needs.QUESTION, Needs.PASSAGES}:
        fields += ["document__given__question", "document__given__passages", "document__text"]
    rows = Output.objects.filter(submission=submission).order_by("place").values_list(*fields)
    for start in range(0, rows.count(), PIECE):
        yield [_text(*row) for row in rows[start : start + PIECE]]


def _text(
    output: str,
    references: Sequence[str] | None,
    question: Sequence[int] | None = None,
    passages: Sequence[Sequence[int]] | None = None,
    text: str = "",
) -> Text:
    return Text(
        output,
        tuple(references or ()),
        None if question is None else text[slice(*question)],
        tuple(text[start:end] for start, end in passages or ()),
    )
