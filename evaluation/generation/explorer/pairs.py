"""The inputs for which two systems wrote something else, side by side."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from django.core.paginator import Page, Paginator

from evaluation.generation.explorer.finding import System
from evaluation.generation.explorer.lines import goodness
from evaluation.generation.explorer.published import Judged, read_judged
from evaluation.generation.explorer.shown import ShownOutput, show
from evaluation.units import BoolArray, FloatArray, IntArray
from kbpo.core.database.bulk import read_columns
from kbpo.core.errors import InvalidInput

SIZE = 10
"""Inputs a page."""
FILE, METRIC_FIRST, METRIC_SECOND = "file", "metric-a", "metric-b"
JUDGED_FIRST, JUDGED_SECOND = "judged-a", "judged-b"
ORDERS: Mapping[str, str] = MappingProxyType(
    {
        FILE: "as in the file",
        METRIC_FIRST: "the metric is higher for {a}",
        METRIC_SECOND: "the metric is higher for {b}",
        JUDGED_FIRST: "people prefer {a}",
        JUDGED_SECOND: "people prefer {b}",
    }
)
JUDGED: Mapping[str, str] = MappingProxyType({"": "all that differ", "yes": "of which both are judged"})


@dataclass(frozen=True, slots=True)
class ShownPair:
    """What two systems wrote for one input."""

    first: ShownOutput
    second: ShownOutput


@dataclass(frozen=True, eq=False)
class Pair:
    """Two systems on the inputs for which both wrote something.

    Attributes
    ----------
    a, b : System
    first, second : int[n]
        Where what each wrote for an input stands in its file, from 0.
    differs : bool[n]
        Whether the two texts differ.
    judged_a, judged_b : Judged
        What is published of each by one measure.
    measure : str
    """

    a: System
    b: System
    first: IntArray
    second: IntArray
    differs: BoolArray
    judged_a: Judged
    judged_b: Judged
    measure: str

    @property
    def metrics(self) -> dict[str, str]:
        """Return the metrics that both have, with their names for people."""
        return {name: words for name, words in self.a.metric_names.items() if name in self.b.columns}

    @property
    def judged(self) -> BoolArray:
        """Say for which inputs what both wrote is judged."""
        return ~np.isnan(self._preference())

    def _preference(self) -> FloatArray:
        """Return by how much people prefer what the first wrote; NaN where that is not known."""
        first = _good(self.a, self.judged_a, self.measure)[self.first]
        second = _good(self.b, self.judged_b, self.measure)[self.second]
        return np.asarray(first - second)

    def find(self, *, metric: str, order: str, only_judged: bool, page: str | int) -> "Page[tuple[int, int]]":
        """Find a page of the inputs on which the two differ: where each one's output stands in its file.

        Raises
        ------
        InvalidInput
            If there is no such order, or no such metric of both.
        """
        if order not in ORDERS:
            raise InvalidInput(f"{order!r:.80} is none of {', '.join(ORDERS)}", where="order")
        if metric and metric not in self.metrics:
            raise InvalidInput(f"{metric!r:.80} is none of {', '.join(self.metrics)}", where="metric")
        wanted = self.differs.copy()
        if only_judged or order in (JUDGED_FIRST, JUDGED_SECOND):
            wanted &= self.judged
        keys = self.first.astype(np.float64)
        if order in (JUDGED_FIRST, JUDGED_SECOND):
            keys = -self._preference()
        elif order != FILE and metric:
            columns = self.a.columns[metric], self.b.columns[metric]
            keys = columns[1].values[self.second] - columns[0].values[self.first]
        if order in (JUDGED_SECOND, METRIC_SECOND):
            keys = -keys
        rows = np.flatnonzero(wanted)
        rows = rows[np.argsort(keys[rows], kind="stable")]
        return Paginator([(int(self.first[row]), int(self.second[row])) for row in rows], SIZE).get_page(page)

    def show(self, found: "Page[tuple[int, int]]", *, metric: str, is_open: bool) -> list[ShownPair]:
        """Prepare what both wrote for a page."""
        places = list(found.object_list)
        first = show(self.a, [one for one, _ in places], self.judged_a, metric=metric, is_open=is_open)
        second = show(self.b, [other for _, other in places], self.judged_b, metric=metric, is_open=is_open)
        return [ShownPair(*both) for both in zip(first, second, strict=True)]


def _good(system: System, judged: Judged, measure: str) -> FloatArray:
    """Return what people said of each output such that more is better; NaN where that is not published."""
    found = np.full(system.size, np.nan)
    found[judged.places] = goodness(measure, judged.values)
    return found


def read_pair(a: System, b: System, measure: str) -> Pair:
    """Read on which inputs two systems of one corpus differ, in the order of the first one's file."""
    found = read_columns(
        "SELECT first.place, second.place, first.unit_id <> second.unit_id FROM evaluation_output AS first"
        " JOIN evaluation_output AS second"
        " ON second.submission_id = %s AND second.document_id = first.document_id"
        " WHERE first.submission_id = %s",
        [b.submission.pk, a.submission.pk],
        {"first": "bigint", "second": "bigint", "differs": "bool"},
    )
    order = np.argsort(found["first"])
    judged_a, judged_b = read_judged([a.submission, b.submission], measure)
    first, second, differs = (found[name][order] for name in ("first", "second", "differs"))
    return Pair(a, b, first, second, differs, judged_a, judged_b, measure)
