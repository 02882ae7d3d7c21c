"""Read what a system wrote, and the metrics of it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from kbpo_formats.corpus import Documents
from kbpo_formats.generation.metrics import Columns, in_order, read_metrics
from kbpo_formats.generation.outputs import Output, read_outputs, write_outputs
from kbpo_formats.generation.problems import CODES, METRICS, TABLE
from kbpo_formats.problems import LISTED_PER_CODE, Problem, ProblemLog, Recorder


@dataclass(frozen=True, slots=True)
class Reading:
    """Files that were read.

    Attributes
    ----------
    read : list of Output
        Those that are right, in the order of the file.
    metrics : dict of str to array of float64
        The values of each metric, in that order; none unless both files are accepted.
    problems : tuple of Problem
        What is wrong with the others, and with the metrics.
    accepted : bool
        Whether neither file has an error.
    counts : mapping
        What became of them, in numbers.
    """

    read: list[Output]
    metrics: Columns
    problems: tuple[Problem, ...]
    accepted: bool
    counts: Mapping[str, Any]

    def lines(self) -> Iterator[str]:
        """Write the outputs as a file without faults."""
        return write_outputs(self.read)


def read(
    file: BinaryIO,
    format: str,
    documents: Documents,
    *,
    metrics: BinaryIO | None = None,
    most: int | None = LISTED_PER_CODE,
    recorder: Recorder | None = None,
) -> Reading:
    """Read a file of outputs, one for each document of the corpus, and the metrics beside it.

    Parameters
    ----------
    file : binary file
    format : str
    documents : Documents
    metrics : binary file, optional
    most : int or None
        How many problems of each code are listed; None: all.
    recorder : Recorder, optional
        Takes every problem, listed or not.
    """
    log = ProblemLog(CODES, format, most, recorder)
    found, lines = read_outputs(file, documents, log)
    problems, logs = log.by_line(), [log]
    columns: Columns = {}
    if metrics is not None:
        beside = ProblemLog(CODES, TABLE, most, recorder, attachment=METRICS)
        rows, columns = read_metrics(metrics, documents, beside)
        problems += beside.by_line()
        logs.append(beside)
    accepted = not any(one.has_errors for one in logs)
    columns = in_order((one.input_id for one in found), rows, columns) if accepted and columns else {}
    counts = {
        "lines": lines,
        "items": len(found),
        "empty": sum(not one.output for one in found),
        "metrics": list(columns),
        "errors": sum(one.count("ERROR") for one in logs),
        "warnings": sum(one.count("WARNING") for one in logs),
        "problems": dict(_total(one.counts for one in logs)),
    }
    return Reading(found, columns, problems, accepted, counts)


def _total(counts: Iterable[Counter[str]]) -> Counter[str]:
    return sum(counts, Counter())
