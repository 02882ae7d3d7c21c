"""Recorded judgements of generated text, as a folder of files: outputs, metrics and judgements, in arrays."""

import csv
import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kbpo.core.errors import InvalidInput
from kbpo_estimators._checks import FloatArray, IntArray

#: By data set its prompts: as a measure is called, and as the files have it.
PROMPTS: Mapping[str, Mapping[str, str]] = {
    "cdm": {"overall": "overall", "fluency": "grammar", "redundancy": "redundancy", "edit": "hter"},
    "marco": {"any": "AnyCorrect", "average": "AvgCorrect"},
}
CAPPED = "edit_capped"
REFERENCE = "reference"


@dataclass(frozen=True, slots=True, eq=False)
class SystemOutputs:
    """What one system gives.

    Attributes
    ----------
    name : str
    inputs, units : int[N]
        Of each output: which input it is for, and which text for that input it is.
    metrics : mapping of str to float[N]
        As stored; NaN where an output has none.
    """

    name: str
    inputs: IntArray
    units: IntArray
    metrics: Mapping[str, FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """One data set.

    Attributes
    ----------
    name : str
    inputs : list of mapping
        As in the file: input_id, question, references and passages.
    unit_inputs : int[U]
    texts : list of str
        Of each unit: the same text for the same input is one.
    systems : list of SystemOutputs
    units, workers : int[J]
        Of each judgement: which unit it judges, and who gave it.
    values : mapping of str to float[J]
        By measure.
    """

    name: str
    inputs: list[Mapping[str, Any]]
    unit_inputs: IntArray
    texts: list[str]
    systems: list[SystemOutputs]
    units: IntArray
    workers: IntArray
    values: Mapping[str, FloatArray]

    def system(self, name: str) -> SystemOutputs:
        """Return the system of that name."""
        return next(one for one in self.systems if one.name == name)

    def of(self, system: SystemOutputs) -> IntArray:
        """Return the judgements of a system's outputs, by position."""
        return np.flatnonzero(np.isin(self.units, system.units))

    def means(self, measure: str) -> FloatArray:
        """Return the mean judgement of each unit, float[U]; NaN where there is none."""
        counts = np.bincount(self.units, minlength=len(self.texts))
        total = np.bincount(self.units, self.values[measure], minlength=len(self.texts))
        out = np.full(counts.size, np.nan)
        return np.asarray(np.divide(total, counts, out=out, where=counts > 0))


def read(folder: Path) -> dict[str, Recorded]:
    """Read a folder with the folders `cdm` and `marco`.

    Raises
    ------
    InvalidInput
        If one is missing.
    """
    missing = [name for name in PROMPTS if not (folder / name / "judgements.jsonl.gz").is_file()]
    if missing:
        raise InvalidInput(
            f"has no {missing[0]}/judgements.jsonl.gz; recorded judgements are needed", where="--nlg"
        )
    return {name: _read_set(folder / name) for name in PROMPTS}


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _read_set(folder: Path) -> Recorded:
    inputs: list[Mapping[str, Any]] = list(_rows(folder / "inputs.jsonl.gz"))
    number = {one["input_id"]: place for place, one in enumerate(inputs)}
    units: dict[tuple[int, str], int] = {}
    systems: list[SystemOutputs] = []
    text_of: dict[tuple[str, int], int] = {}
    for path in sorted(folder.glob("outputs.*.jsonl.gz")):
        name = path.name.removeprefix("outputs.").removesuffix(".jsonl.gz")
        given = [(number[row["input_id"]], row["output"]) for row in _rows(path)]
        places = [units.setdefault(one, len(units)) for one in given]
        text_of |= {(name, place): unit for (place, _), unit in zip(given, places, strict=True)}
        of_input = np.array([place for place, _ in given], dtype=np.int64)
        metrics = _read_metrics(
            folder / f"metrics.{name}.tsv", [inputs[place]["input_id"] for place in of_input]
        )
        systems.append(SystemOutputs(name, of_input, np.array(places, dtype=np.int64), metrics))
    judged = list(_rows(folder / "judgements.jsonl.gz"))
    prompts = PROMPTS[folder.name]
    values = {
        measure: np.array([row[column] for row in judged], dtype=np.float64)
        for measure, column in prompts.items()
    }
    if "edit" in values:
        values[CAPPED] = np.minimum(1.0, values["edit"])
    return Recorded(
        folder.name,
        inputs,
        np.array([place for place, _ in units], dtype=np.int64),
        [text for _, text in units],
        systems,
        np.array([text_of[row["systems"][0], number[row["input_id"]]] for row in judged], dtype=np.int64),
        np.array([row["worker"] for row in judged], dtype=np.int64),
        values,
    )


def _read_metrics(path: Path, order: list[str]) -> dict[str, FloatArray]:
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as lines:
        rows = {row.pop("input_id"): row for row in csv.DictReader(lines, delimiter="\t")}
    names = list(next(iter(rows.values())))
    return {
        name: np.array([float(rows[one][name]) if one in rows else np.nan for one in order]) for name in names
    }
