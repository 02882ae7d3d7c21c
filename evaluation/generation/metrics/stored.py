"""Columns of metrics in the database: stored once, with their digest, in the order of the file."""

import hashlib
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from django.db import IntegrityError, transaction
from numpy.typing import ArrayLike, NDArray

from annotations.models import Corpus
from evaluation.generation.metrics.computing import Column
from evaluation.models import MetricColumn, SampleBatch, Submission
from kbpo.core.database.coded import pack, unpack
from kbpo.core.errors import Conflict, InvalidInput

FloatArray = NDArray[np.float64]


def store(
    *,
    submission: Submission,
    name: str,
    values: ArrayLike,
    version: int = 1,
    uploaded: bool = False,
    missing: ArrayLike | None = None,
) -> MetricColumn:
    """Store a metric of a submission, before its sample is drawn.

    Parameters
    ----------
    submission : Submission
    name : str
    values : float[n]
        Finite; one for each output, in the order of the file.
    version : int
    uploaded : bool
        Whether it was submitted.
    missing : bool[n], optional
        Which have no value of their own.

    Raises
    ------
    InvalidInput
        If they are not as many as the outputs, or not finite.
    Conflict
        If it is there already, or the sample is drawn: nothing that corrects judgements changes then.
    """
    column = np.ascontiguousarray(values, dtype=np.float64)
    is_missing = np.zeros(column.shape, dtype=np.bool_) if missing is None else np.asarray(missing, np.bool_)
    size = submission.outputs.count()
    if column.shape != (size,) or is_missing.shape != (size,):
        raise InvalidInput(
            f"{column.size} values of {name}, and {size} outputs: one each is needed", where=name
        )
    if not np.isfinite(column).all():
        first = int(np.flatnonzero(~np.isfinite(column))[0])
        raise InvalidInput(
            f"{column[first]} of {name} for output {first + 1} is not a finite number", where=name
        )
    if SampleBatch.objects.filter(submission=submission).exists():
        raise Conflict(f"the sample of {submission} is drawn: its metrics stay as they are")
    data = pack(column) + (pack(np.flatnonzero(is_missing)) if is_missing.any() else b"")
    try:
        with transaction.atomic():
            return MetricColumn.objects.create(
                submission=submission,
                name=name,
                version=version,
                is_uploaded=uploaded,
                size=size,
                missing=int(is_missing.sum()),
                data=data,
                digest=hashlib.sha256(data).hexdigest(),
            )
    except IntegrityError as error:
        raise Conflict(f"{name} of {submission} is there already") from error


def read(submissions: Sequence[Submission], names: Collection[str]) -> list[Mapping[str, FloatArray]]:
    """Read the values of metrics, of each submission those that it has: the newest version of each."""
    columns = read_columns(submissions, names)
    return [{name: column.values for name, column in one.items()} for one in columns]


def read_columns(submissions: Sequence[Submission], names: Collection[str]) -> list[dict[str, Column]]:
    """Read metrics with what was missing, of each submission those that it has, in their newest version."""
    found: dict[int, dict[str, Column]] = {submission.pk: {} for submission in submissions}
    rows = MetricColumn.objects.filter(submission__in=found, name__in=names).order_by("version")
    for row in rows.iterator(chunk_size=100):
        found[row.submission_id][row.name] = _column(row)
    return [found[submission.pk] for submission in submissions]


def read_versions(
    submissions: Sequence[Submission], names: Collection[str]
) -> list[Mapping[str, FloatArray]]:
    """Read the values of metrics by name|version, of each submission those that it has."""
    found: dict[int, dict[str, FloatArray]] = {submission.pk: {} for submission in submissions}
    plain = {name.partition("|")[0] for name in names}
    rows = MetricColumn.objects.filter(submission__in=found, name__in=plain)
    for row in rows.iterator(chunk_size=100):
        if (name := f"{row.name}|{row.version}") in names:
            found[row.submission_id][name] = _column(row).values
    return [found[submission.pk] for submission in submissions]


def names_of(submission: Submission) -> list[str]:
    """Return the names of a submission's metrics, those that were submitted last."""
    rows = MetricColumn.objects.filter(submission=submission).order_by("is_uploaded", "pk")
    return list(dict.fromkeys(rows.values_list("name", flat=True)))


def audit(corpus: Corpus) -> list[str]:
    """Say which columns are not what their digest says."""
    rows = MetricColumn.objects.filter(submission__corpus=corpus).select_related("submission").order_by("pk")
    return [
        f"{row} is not as it was stored"
        for row in rows.iterator(chunk_size=100)
        if hashlib.sha256(row.data).hexdigest() != row.digest
    ]


def _column(row: MetricColumn) -> Column:
    data = bytes(row.data)
    values = unpack(data)
    missing = np.zeros(row.size, dtype=np.bool_)
    if row.missing:
        missing[unpack(data[len(pack(values)) :])] = True
    return Column(values, missing)
