"""The house metric: what judgements are like, by ridge regression on the built-in metrics. Pure.

It is learnt from released judgements, of whatever systems, and frozen when an epoch opens: coefficients with
a digest. So it knows nothing of that epoch's judgements, and as a candidate for g costs no bias. How far it
goes with a system's judgements is for the line of each fold to find out (`kbpo_estimators.generation`).
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kbpo_estimators import _checks
from kbpo_estimators._checks import FloatArray, IntArray
from kbpo_estimators.control import components, correlation
from kbpo_estimators.coordinated import FOLDS
from kbpo_estimators.generation.scales import SCALES, Scale

PENALTIES = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1_000.0, 3_000.0, 10_000.0)
"""λ, in outputs: the one is taken that misses least in cross-validation over inputs."""
FEW = 100
"""With fewer judged outputs than this nothing is learnt."""
DIGITS = 12
"""To which coefficients are frozen, so that the order of rows does not show in them."""
HOUSE = "house"
"""What it is called among metrics."""


@dataclass(frozen=True, slots=True)
class Ridge:
    """What is learnt of one measure.

    Attributes
    ----------
    intercept : float
    coefficients : tuple of float
        In units of the measure for a standard deviation of each metric.
    centres, spreads : tuple of float
        Of the metrics, where it was learnt.
    penalty : float
        λ.
    outputs : int
        From how many judged ones.
    """

    intercept: float
    coefficients: tuple[float, ...]
    centres: tuple[float, ...]
    spreads: tuple[float, ...]
    penalty: float
    outputs: int


@dataclass(frozen=True, slots=True)
class Found:
    """What the judgements that it is learnt from say of one measure: what samples may be planned with.

    Attributes
    ----------
    variance_outputs, variance_judgements : float
        σ̂_f² and σ̂_a² of all judged outputs, each once.
    correlations : mapping of str to float
        ρ̂ by name|version, and of the house metric itself, as other outputs foretell it.
    """

    variance_outputs: float
    variance_judgements: float
    correlations: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class House:
    """A frozen house metric.

    Attributes
    ----------
    metrics : tuple of str
        The built-in metrics that it takes, with their versions: name|version.
    measures : mapping of str to Ridge
    found : mapping of str to Found
        By measure; nothing where no output was judged twice, or outputs do not differ.
    """

    metrics: tuple[str, ...]
    measures: Mapping[str, Ridge]
    found: Mapping[str, Found] = field(default_factory=dict)

    def as_json(self) -> str:
        """Return it as one line of JSON, the same for the same coefficients."""
        measures = {
            name: {
                "intercept": one.intercept,
                "coefficients": one.coefficients,
                "centres": one.centres,
                "spreads": one.spreads,
                "penalty": one.penalty,
                "outputs": one.outputs,
            }
            for name, one in self.measures.items()
        }
        found = {
            name: {
                "variance_outputs": one.variance_outputs,
                "variance_judgements": one.variance_judgements,
                "correlations": dict(one.correlations),
            }
            for name, one in self.found.items()
        }
        whole = {"version": 2, "metrics": self.metrics, "measures": measures, "found": found}
        return json.dumps(whole, sort_keys=True)

    @property
    def digest(self) -> str:
        """The SHA-256 of its JSON, in hexadecimal."""
        return hashlib.sha256(self.as_json().encode()).hexdigest()

    @classmethod
    def from_json(cls, text: str) -> "House":
        """Return what `as_json` wrote."""
        found: dict[str, Any] = json.loads(text)
        if found["version"] != 2:
            _checks.refuse("version", f"is {found['version']!r:.20}; 2 is needed")
        return cls(
            tuple(found["metrics"]),
            {
                name: Ridge(
                    of["intercept"],
                    tuple(of["coefficients"]),
                    tuple(of["centres"]),
                    tuple(of["spreads"]),
                    of["penalty"],
                    of["outputs"],
                )
                for name, of in found["measures"].items()
            },
            {
                name: Found(of["variance_outputs"], of["variance_judgements"], of["correlations"])
                for name, of in found["found"].items()
            },
        )

    def of(self, columns: Mapping[str, ArrayLike]) -> dict[str, FloatArray]:
        """Return what it foretells of outputs, by measure; nothing where a metric that it takes is missing.

        Parameters
        ----------
        columns : mapping of str to float[n]
            By name|version, finite.
        """
        if not set(self.metrics) <= set(columns):
            return {}
        x = np.column_stack([_checks.vector(name, columns[name]) for name in self.metrics])
        return {
            name: one.intercept
            + (x - np.array(one.centres)) / np.array(one.spreads) @ np.array(one.coefficients)
            for name, one in self.measures.items()
        }


def learn(
    columns: Mapping[str, ArrayLike],
    judged: Mapping[str, ArrayLike],
    inputs: ArrayLike,
    scales: Mapping[str, Scale] = SCALES,
) -> House | None:
    """Learn a house metric from judged outputs.

    A measure without an upper end is learnt as if capped at its span: a few outputs that were rewritten at
    length would else decide all.

    Parameters
    ----------
    columns : mapping of str to float[n]
        The built-in metrics of judged outputs, by name|version, finite.
    judged : mapping of str to float[n]
        Their mean judgements, by measure.
    inputs : int[n]
        For which input each is: inputs are what is left out in turn.
    scales : mapping of str to Scale, optional

    Returns
    -------
    House or None
        None where fewer than `FEW` outputs are judged, or no metric differs between them.

    Raises
    ------
    InvalidInput
        If lengths differ or a value is no number.
    """
    of_input = _checks.integers("inputs", inputs)
    n = of_input.size
    values = {name: _checks.vector(name, one, n) for name, one in columns.items()}
    names = [name for name, one in values.items() if _varies(one)]
    if n < FEW or not names:
        return None
    x = np.column_stack([values[name] for name in names])
    folds = np.unique(of_input, return_inverse=True)[1] % FOLDS
    measures = {}
    for name, one in judged.items():
        scale = scales[name]
        y = np.clip(_checks.vector(name, one, n), scale.low, scale.low + scale.span)
        penalty = _best_penalty(x, y, folds)
        measures[name] = _frozen(*_fit(x, y, penalty), penalty, n)
    return House(tuple(names), measures)


def with_found(
    house: House,
    columns: Mapping[str, ArrayLike],
    judged: Mapping[str, ArrayLike],
    inputs: ArrayLike,
    values: Mapping[str, ArrayLike],
    items: ArrayLike,
) -> House:
    """Return a house metric with what its judgements say of variances and of each metric.

    ρ̂ of the house metric itself is that of fits of the same penalty to the other inputs: what it has seen it
    foretells better than what it will meet.

    Parameters
    ----------
    house : House
    columns, judged, inputs
        As `learn` had them.
    values : mapping of str to float[J]
        Their judgements one by one, by measure.
    items : int[J]
        Which output each judges.
    """
    of_input = _checks.integers("inputs", inputs)
    item = _checks.integers("items", items, below=of_input.size)
    if not (np.bincount(item) > 1).any():
        return house
    x = np.column_stack([_checks.vector(name, columns[name], of_input.size) for name in house.metrics])
    folds = np.unique(of_input, return_inverse=True)[1] % FOLDS
    found = {}
    for name, one in house.measures.items():
        said = _checks.vector(name, values[name], item.size)
        parts = components(said, item)
        if not parts.sigma2_f > 0:
            continue
        scale = SCALES[name]
        y = np.clip(_checks.vector(name, judged[name], of_input.size), scale.low, scale.low + scale.span)
        foretold = np.empty(y.size)
        for fold in range(FOLDS):
            inside = folds == fold
            if inside.any():
                level, slopes, centre, spread = _fit(x[~inside], y[~inside], one.penalty)
                foretold[inside] = level + (x[inside] - centre) / spread @ slopes
        known = {metric: np.asarray(columns[metric], dtype=np.float64) for metric in columns}
        rho = {metric: correlation(said, item, g[item]) for metric, g in [*known.items(), (HOUSE, foretold)]}
        of_outputs, of_people = _rounded([parts.sigma2_f, parts.sigma2_a])
        rounded = {metric: _rounded([min(1.0, max(-1.0, value))])[0] for metric, value in rho.items()}
        found[name] = Found(of_outputs, of_people, rounded)
    return replace(house, found=found)


def _varies(column: FloatArray) -> bool:
    return bool(column.size) and float(column.std()) > 1e-9 * max(1.0, abs(float(column.mean())))


_Fit = tuple[float, FloatArray, FloatArray, FloatArray]


def _fit(x: FloatArray, y: FloatArray, penalty: float) -> _Fit:
    centre, spread = x.mean(axis=0), x.std(axis=0)
    spread = np.where(spread > 1e-9 * np.maximum(1.0, np.abs(centre)), spread, 1.0)
    z = (x - centre) / spread
    level = float(y.mean())
    slopes = np.linalg.solve(z.T @ z + penalty * np.eye(z.shape[1]), z.T @ (y - level))
    return level, slopes, centre, spread


def _best_penalty(x: FloatArray, y: FloatArray, folds: IntArray) -> float:
    missed = []
    for penalty in PENALTIES:
        total = 0.0
        for fold in range(FOLDS):
            inside = folds == fold
            level, slopes, centre, spread = _fit(x[~inside], y[~inside], penalty)
            total += float(((y[inside] - level - (x[inside] - centre) / spread @ slopes) ** 2).sum())
        missed.append(total)
    return PENALTIES[int(np.argmin(missed))]


def _frozen(
    level: float, slopes: FloatArray, centre: FloatArray, spread: FloatArray, penalty: float, n: int
) -> Ridge:
    return Ridge(_rounded([level])[0], _rounded(slopes), _rounded(centre), _rounded(spread), penalty, n)


def _rounded(values: Sequence[float] | FloatArray) -> tuple[float, ...]:
    return tuple(float(f"{value:.{DIGITS}g}") for value in values)
