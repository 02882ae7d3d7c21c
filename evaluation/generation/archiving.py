"""What the archive of an epoch of generated texts has beside what all have: inputs, metrics, judgements."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from annotations.models import Document
from evaluation.generation import subsets
from evaluation.generation.given import PoolGiven, read_given
from evaluation.generation.judgements import answers_of_sample
from evaluation.task import ArchivedDivision, Archiving, ToArchive
from kbpo_archive.writing import Writer


def describe(contents: ToArchive, is_open: Sequence[bool]) -> Iterator[tuple[str | None, Sequence[Any]]]:
    """Yield each output's input, also of one that may not be told: every system writes for all."""
    for key in contents.keys:
        yield key.rpartition("|")[0], ()


def prediction_columns(contents: ToArchive) -> Mapping[str, Sequence[Sequence[Any]]]:
    """Return which input each output is of."""
    return {"input": [one.inputs.tolist() for one in read_given(contents.pool).systems]}


def divide(contents: ToArchive) -> Iterator[ArchivedDivision]:
    """Yield the ways to divide outputs: by their own length, and by their inputs."""
    given = read_given(contents.pool)
    for name, of_input, of_unit in subsets.read(contents.pool, given.documents):
        of_units = [of_input[one.inputs] if of_unit is None else of_unit[one.units] for one in given.systems]
        yield ArchivedDivision(name, subsets.NAMES[name], of_units)


def write(writer: Writer, contents: ToArchive) -> Mapping[str, Any]:
    """Write inputs, metrics and judgements."""
    given = read_given(contents.pool)
    ids = dict(Document.objects.filter(pk__in=given.documents.tolist()).values_list("pk", "doc_id"))
    writer.add_table(
        "inputs",
        (
            (number, ids[pk], fold)
            for number, (pk, fold) in enumerate(
                zip(given.documents.tolist(), given.folds.tolist(), strict=True)
            )
        ),
    )
    writer.add_table("metrics", _metrics(given))
    writer.add_table("judgements", _judgements(contents, given))
    return {"measures": list(given.measures), "prompt": given.prompt}


def _metrics(given: PoolGiven) -> Iterator[Sequence[Any]]:
    for number, system in enumerate(given.systems, start=1):
        units = system.units.tolist()
        for metric, one in sorted(system.candidates.items()):
            columns = one if isinstance(one, Mapping) else {"": one}
            for measure, column in sorted(columns.items()):
                for unit, value in zip(units, np.asarray(column).tolist(), strict=True):
                    yield number, unit, metric, measure, value


def _judgements(contents: ToArchive, given: PoolGiven) -> Iterator[Sequence[Any]]:
    """Yield what each answer says of each measure: in the order of units, then of pseudonyms."""
    for unit, said in answers_of_sample(contents.pool):
        named = sorted(
            (contents.pseudonym(worker) if worker else "", number) for number, (worker, _) in enumerate(said)
        )
        for annotator, number in named:
            for measure in given.measures:
                yield unit, annotator, measure, said[number][1][measure]


ARCHIVING = Archiving(
    unit_columns=(), describe=describe, divide=divide, prediction_columns=prediction_columns, write=write
)
