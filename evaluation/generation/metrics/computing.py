"""The built-in metrics of many texts: pure, in pieces, each of which is whole."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.generation.metrics import wmt
from evaluation.generation.metrics.registry import METRICS, Metric, Needs, Text

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A metric of all outputs.

    Attributes
    ----------
    values : float[n]
        Finite; the mean of the others where it is missing.
    missing : bool[n]
        Where there is no value.
    """

    values: FloatArray
    missing: BoolArray

    def at(self, place: int) -> float | None:
        """Return the value of the output at a place in the file, from 0; None where it is missing."""
        return None if self.missing[place] else float(self.values[place])


def filled(values: Sequence[float | None]) -> Column | None:
    """Return a column of values that may be missing; None where all are.

    A mean says nothing of an output, as what is missing: estimates with control variates stay unbiased.
    """
    missing = np.array([value is None for value in values], dtype=np.bool_)
    if missing.all():
        return None
    found = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    found[missing] = found[~missing].mean()
    return Column(found, missing)


def compute_all(texts: Sequence[Text]) -> Mapping[str, Column]:
    """Return the columns of all metrics for which one text at least has what it takes."""
    metrics = list(METRICS.values())
    rows = compute(texts, metrics)
    columns = (filled([row[place] for row in rows]) for place in range(len(metrics)))
    return {
        metric.name: column for metric, column in zip(metrics, columns, strict=True) if column is not None
    }


def compute(texts: Iterable[Text], metrics: Sequence[Metric]) -> list[tuple[float | None, ...]]:
    """Return a row a text and a value a metric; None where the text has not what it needs."""
    try:
        return [tuple(_value(text, metric) for metric in metrics) for text in texts]
    finally:
        wmt.forget_texts()


def _value(text: Text, metric: Metric) -> float | None:
    return metric.compute(text) if _has(text, metric.needs) else None


def _has(text: Text, need: Needs) -> bool:
    match need:
        case Needs.REFERENCES:
            return bool(text.references)
        case Needs.QUESTION:
            return text.question is not None
        case Needs.PASSAGES:
            return bool(text.passages)
        case Needs.NOTHING:
            return True
