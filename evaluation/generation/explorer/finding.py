"""Finds outputs by what they are, by metrics, and by what people said where that is published."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from django.core.paginator import Page, Paginator

from annotations import prompts
from annotations.texts.inputs import MEASURES, QUALITY
from evaluation.generation import subsets
from evaluation.generation.choices import NAMES
from evaluation.generation.explorer import asked as asking
from evaluation.generation.explorer.asked import Asked, Range
from evaluation.generation.explorer.lines import Line, fit
from evaluation.generation.explorer.published import Judged, read_judged
from evaluation.generation.metrics import stored
from evaluation.generation.metrics.computing import Column
from evaluation.generation.metrics.registry import METRICS
from evaluation.models import Submission
from evaluation.units import BoolArray, FloatArray, IntArray
from kbpo_formats.normal import nfc

SIZE = 15
"""Outputs a page."""


@dataclass(frozen=True)
class System:
    """A submission with the metrics of what it wrote, and the measures by which that is judged.

    Attributes
    ----------
    submission : Submission
    columns : mapping of str to Column
        Its metrics, those that were submitted last.
    measures : mapping of str to str
        With their names for people.
    declared : str
        The metric by which judgements of its corpus are corrected; empty: none.
    """

    submission: Submission
    columns: Mapping[str, Column]
    measures: Mapping[str, str]
    declared: str

    @property
    def metric_names(self) -> dict[str, str]:
        """Return its metrics with their names for people."""
        return {name: metric_name(name) for name in self.columns}

    @cached_property
    def size(self) -> int:
        """How many outputs there are."""
        return self.submission.outputs.count()


def metric_name(name: str) -> str:
    """Return a metric's name for people: what was submitted has its own."""
    return METRICS[name].label if name in METRICS else name


def read_systems(submissions: Sequence[Submission], names: Sequence[str] | None = None) -> list[System]:
    """Read submissions of one corpus with their metrics, all or some."""
    prompt = prompts.prompt_of(submissions[0].corpus)
    measures = {name: NAMES[name] for name in MEASURES[QUALITY if prompt is None else prompt.name]}
    known = stored.names_of(submissions[0]) if names is None else names
    columns = stored.read_columns(submissions, known)
    return [
        System(
            one, {name: own[name] for name in known if name in own}, measures, prompt.metric if prompt else ""
        )
        for one, own in zip(submissions, columns, strict=True)
    ]


def find(
    system: System, asked: Asked, page: str | int = 1, *, line: Line | None = None
) -> tuple["Page[int]", Judged]:
    """Find a page of the outputs that are asked for: where each stands in the file, from 0.

    Parameters
    ----------
    system : System
    asked : Asked
    page : str or int
    line : Line, optional
        What the metric predicts, for the orders of `asked.BY_LINE`; without it they are that of the file.

    Returns
    -------
    Page of int
    Judged
        What is published of the submission's outputs, by the measure that is asked for.
    """
    (judged,) = read_judged([system.submission], asked.measure)
    wanted = _wanted(system, asked, judged)
    places = _ordered(system, asked, judged, wanted, line)
    return Paginator(places.tolist(), SIZE).get_page(page), judged


def _wanted(system: System, asked: Asked, judged: Judged) -> BoolArray:
    wanted = np.ones(system.size, dtype=np.bool_)
    is_judged = np.zeros(system.size, dtype=np.bool_)
    is_judged[judged.places] = True
    if asked.needs_judgements:
        wanted &= is_judged
    elif asked.judged:
        wanted &= ~is_judged
    if not asked.judgements.is_open:
        within = np.zeros(system.size, dtype=np.bool_)
        within[judged.places] = _within(judged.values, asked.judgements)
        wanted &= within
    if asked.metric and not asked.values.is_open:
        column = system.columns[asked.metric]
        wanted &= _within(column.values, asked.values) & ~column.missing
    for name, subset in asked.subsets.items():
        division = asking.DIVISIONS[name]
        wanted &= subsets.read_of(system.submission, division) == subsets.NAMES[division].index(subset)
    if asked.text or asked.input_id:
        wanted &= _named(system, asked)
    return wanted


def _within(values: FloatArray, range_: Range) -> BoolArray:
    low = -np.inf if range_.low is None else range_.low
    high = np.inf if range_.high is None else range_.high
    return (values >= low) & (values <= high)


def _named(system: System, asked: Asked) -> BoolArray:
    rows = system.submission.outputs.all()
    if asked.text:  # what was removed cannot be found by its words
        rows = rows.filter(unit__output_text__text__icontains=asked.text, document__takedown=None)
    if asked.input_id:
        rows = rows.filter(document__doc_id=nfc(asked.input_id))
    named = np.zeros(system.size, dtype=np.bool_)
    named[list(rows.values_list("place", flat=True))] = True
    return named


def _ordered(system: System, asked: Asked, judged: Judged, wanted: BoolArray, line: Line | None) -> IntArray:
    keys = np.zeros(system.size)
    if asked.order in asking.BY_LINE:
        places, values, said = of_both(system, judged, asked.metric)
        has_metric = np.zeros(system.size, dtype=np.bool_)
        has_metric[places] = True
        wanted = wanted & has_metric
        if line is not None:
            keys[places] = line.overrated(values, asked.measure, said)
    elif asked.order in asking.OF_JUDGED:
        keys[judged.places] = judged.values
    elif asked.order != asking.FILE and asked.metric:
        keys = system.columns[asked.metric].values
    if asked.order in (asking.METRIC_DOWN, asking.JUDGED_DOWN, asking.OVER):
        keys = -keys
    found = np.flatnonzero(wanted)
    return found[np.argsort(keys[found], kind="stable")]


def of_both(system: System, judged: Judged, metric: str) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the judged outputs that have a metric: where each stands in the file, metric and judgement."""
    column = system.columns.get(metric)
    if column is None:
        return np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0)
    known = ~column.missing[judged.places]
    places = judged.places[known]
    return places, column.values[places], judged.values[known]


def fit_all(systems: Sequence[System], judged: Sequence[Judged], metric: str) -> Line | None:
    """Fit the line of what a metric predicts to the judged outputs of several systems."""
    both = [of_both(one, own, metric)[1:] for one, own in zip(systems, judged, strict=True)]
    values, said = (np.concatenate([one[which] for one in both]) for which in (0, 1))
    return fit(values, said)
