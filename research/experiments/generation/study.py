"""The study of recorded judgements: its numbers, and what they are compared with."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kbpo.core.errors import InvalidInput
from kbpo_estimators._checks import FloatArray
from kbpo_estimators.control import components, correlation
from kbpo_estimators.generation import Variances, needed
from research.experiments.generation import replayed
from research.experiments.generation.drawing import draw
from research.experiments.generation.learnt import columns_of, house_of_others
from research.experiments.outcome import Compared, Options, Outcome
from tests.oracles.control import data_efficiency
from tests.readers.nlg import (
    CAPPED,
    PROMPTS,
    REFERENCE,
    Recorded,
    SystemOutputs,
    read,
)

#: As the paper prints them: σ_a² and what it calls σ_f², the variance of the outputs' mean judgements.
PAPER = {
    "fluency": (".32", ".26"),
    "redundancy": (".26", ".43"),
    "overall": (".28", ".28"),
    "edit": (".07", ".18"),
    "any": (".14", ".15"),
    "average": (".12", ".13"),
}
PAPER_EFFICIENCY = {
    ("cdm", "seq2seq", "edit", "sim"): "1.15",
    ("cdm", "seq2seq", "overall", "sim"): "1.06",
    ("marco", "fastqa_ext", "any", "rouge-1"): "1.16",
    ("marco", "fastqa_ext", "any", "sim"): "1.03",
}
#: The paper's Figure 6: data set, system, measure and metrics of each panel.
PANELS = (
    ("cdm", "seq2seq", "overall", ("sim",)),
    ("cdm", "seq2seq", "edit", ("sim",)),
    ("marco", "fastqa_ext", "any", ("sim", "rouge-1")),
)
#: Its Figure 1: a metric beside what people say, between systems and between outputs.
LEVELS = (("cdm", "overall", "rouge-l"), ("cdm", "overall", "sim"), ("marco", "any", "rouge-l"))
BIGRAMS, HOUSE = "repeated bigrams", "house metric"
CONVERGING = ("seq2seq", "edit")
SIZES = (25, 50, 100, 150, 200, 300, 400)
BIASED = ("pointer", "overall", 50)
QUANTILE = 1.281552  # of 80% intervals
MANY = 3  # of the sizes, the last: with few judgements a slope costs what it brings
WIDTH = 0.05
RHOS = np.linspace(0.0, 1.0, 41)


def run(options: Options) -> Outcome:
    """Work it out for the folder of recorded judgements."""
    if options.nlg is None:
        raise InvalidInput("is missing; the folder of recorded judgements is needed", where="--nlg")
    sets = read(options.nlg)
    variances = {
        name: {measure: _components(data, measure) for measure in data.values} for name, data in sets.items()
    }
    worth = {
        name: _worth(data, has_house=not options.quick)
        for name, data in options.track("metrics of", sets.items(), len(sets))
    }
    options.progress("plugged in and cross-fitted")
    bias = _bias(sets["cdm"], options)
    converging = _converging(sets["cdm"], options)
    cells = [
        one
        for number, (name, data) in enumerate(options.track("samples of", sets.items(), len(sets)))
        for one in _cells(name, data, options, number)
    ]
    numbers: dict[str, Any] = {
        "components": variances,
        "worth": worth,
        "bias": bias,
        "converging": converging,
        "cells": cells,
        "cost": _costs(variances),
        "lengths": _lengths(sets, options),
        "levels": _levels(sets),
    }
    return Outcome(
        title="Judging generated text",
        says=(
            "Recorded judgements of summaries and answers (Chaganty, Mussmann and Liang, 2018): what they"
            " vary by, what metrics are worth, and the board's estimates of samples of them."
        ),
        compared=_compared(numbers),
        numbers=numbers,
        draw=draw(numbers),
    )


def _components(data: Recorded, measure: str) -> dict[str, dict[str, float]]:
    """Return the variance components of all outputs (`*`) and of each system's."""
    found = {}
    rows_of = {"*": np.arange(data.units.size)} | {one.name: data.of(one) for one in data.systems}
    for name, rows in rows_of.items():
        one = components(data.values[measure][rows], data.units[rows])
        means = data.means(measure)[np.unique(data.units[rows])]
        found[name] = {
            "sigma2_a": one.sigma2_a,
            "sigma2_f": one.sigma2_f,
            "gamma": one.gamma,
            "alpha": one.alpha,
            "cap": 1 + 1 / one.gamma,
            "variance of means": float(means.var(ddof=1)),
        }
    return found


def _worth(data: Recorded, *, has_house: bool) -> dict[str, dict[str, dict[str, dict[str, float]]]]:
    """Return ρ and DE by measure, system and metric."""
    columns = columns_of(data) if has_house else {}
    bigrams = replayed.bigrams(data)
    found: dict[str, dict[str, Any]] = {measure: {} for measure in data.values}
    for system in data.systems:
        rows = data.of(system)
        items = data.units[rows]
        house = house_of_others(data, system, columns).of(columns) if has_house else {}
        for measure, values in data.values.items():
            metrics: dict[str, FloatArray] = {}
            for name, column in system.metrics.items():
                metrics[name] = np.full(len(data.texts), np.nan)
                metrics[name][system.units] = column
            metrics[BIGRAMS] = bigrams
            metrics |= {name.partition("|")[0] + " (built in)": one for name, one in columns.items()}
            if has_house:
                metrics[HOUSE] = house[measure]
            found[measure][system.name] = {
                name: {
                    "rho": correlation(values[rows], items, column[items]),
                    "data_efficiency": data_efficiency(values[rows], items, column[items]),
                }
                for name, column in metrics.items()
            }
    return found


def _bias(data: Recorded, options: Options) -> dict[str, float]:
    """Return the bias of the paper's estimator, and of the cross-fitted one, on one system's outputs."""
    name, measure, n = BIASED
    system = data.system(name)
    metric = replayed.bigrams(data)[system.units]
    plugged = replayed.plugged_in(
        data, system, measure, metric, n, options.count(50_000, 1_000), options.rng(1)
    )
    errors = []
    for part in range(options.count(10, 1)):
        epochs = replayed.draw(data, n / system.units.size, 1_000, options.rng(2, part))
        got = replayed.Measured(data, epochs, measure).replay(system, [metric])
        errors.append(got.parts.estimate - got.truth)
    crossed = np.concatenate(errors)
    return {
        "formula": replayed.bias_of_plug_in(data, system, measure, metric, n),
        "plugged in": float(plugged.mean() - np.nanmean(data.means(measure)[system.units])),
        "standard error of that": float(plugged.std() / np.sqrt(plugged.size)),
        "cross-fitted": float(crossed.mean()),
        "standard error of this": float(crossed.std() / np.sqrt(crossed.size)),
    }


def _converging(data: Recorded, options: Options) -> dict[str, list[float]]:
    """Return the root mean squared error of one system's score by the number of judged outputs."""
    name, measure = CONVERGING
    system = data.system(name)
    metric = replayed.bigrams(data)[system.units]
    found: dict[str, list[float]] = {"outputs": [], "mean": [], "plugged in": [], BIGRAMS: []}
    for size in SIZES:
        epochs = replayed.draw(
            data, size / system.units.size, options.count(1_000, 100), options.rng(3, size)
        )
        measured = replayed.Measured(data, epochs, measure)
        plugged = replayed.plugged_in(
            data, system, measure, metric, size, options.count(5_000, 200), options.rng(4, size)
        )
        found["outputs"].append(float(size))
        for key, candidates in (("mean", []), (BIGRAMS, [metric])):
            got = measured.replay(system, candidates)
            found[key].append(float(np.sqrt(((got.parts.estimate - got.truth) ** 2).mean())))
        truth = float(np.nanmean(data.means(measure)[system.units]))
        found["plugged in"].append(float(np.sqrt(((plugged - truth) ** 2).mean())))
    return found


def _lengths(sets: Mapping[str, Recorded], options: Options) -> list[dict[str, Any]]:
    """Return how long 80% intervals are, from resampled estimates, by the number of judgements.

    By their standard deviation: means of zeros and ones have steps, which quantiles would show.
    """
    found = []
    for number, (name, of, measure, metrics) in enumerate(PANELS):
        data = sets[name]
        system = data.system(of)
        columns = {metric: system.metrics[metric] for metric in metrics} | {
            BIGRAMS: replayed.bigrams(data)[system.units]
        }
        panel: dict[str, Any] = {"data": name, "system": of, "measure": measure, "judgements": list(SIZES)}
        lengths: dict[str, list[float]] = {word: [] for word in ("", *columns)}
        for size in SIZES:
            runs = options.count(20_000, 500)
            got = replayed.resampled(data, system, measure, columns, size, runs, options.rng(6, number, size))
            for word, estimates in got.items():
                lengths[word].append(2 * QUANTILE * float(estimates.std()))
        panel["lengths"] = lengths
        panel["data efficiency"] = {
            word: float(
                np.mean([(a / b) ** 2 for a, b in zip(lengths[""][-MANY:], own[-MANY:], strict=True)])
            )
            for word, own in lengths.items()
            if word
        }
        found.append(panel)
    return found


def _levels(sets: Mapping[str, Recorded]) -> list[dict[str, Any]]:
    """Return how a metric goes with what people say: from system to system, and from output to output."""
    found = []
    for name, measure, metric in LEVELS:
        data, pairs = sets[name], []
        means = data.means(measure)
        for system in data.systems:
            if system.name != REFERENCE and metric in system.metrics:
                both = np.stack([means[system.units], system.metrics[metric]])
                pairs.append(both[:, np.isfinite(both).all(axis=0)])
        together, by_system = np.concatenate(pairs, axis=1), np.array([one.mean(axis=1) for one in pairs]).T
        found.append(
            {
                "data": name,
                "measure": measure,
                "metric": metric,
                "systems": len(pairs),
                "between systems": float(np.corrcoef(by_system)[0, 1]),
                "between outputs": float(np.corrcoef(together)[0, 1]),
            }
        )
    return found


def _cells(name: str, data: Recorded, options: Options, number: int) -> list[dict[str, Any]]:
    """Return bias and coverage of samples of each system and measure, without and with repeated bigrams."""
    found = []
    bigrams = replayed.bigrams(data)
    size = float(np.median([one.units.size for one in data.systems]))
    for place, share in enumerate((100 / size, 200 / size, 0.8)):
        epochs = replayed.draw(data, share, options.count(1_000, 50), options.rng(5, number, place))
        for measure in data.values:
            measured = replayed.Measured(data, epochs, measure)
            for system in data.systems:
                found += _cell(measured, system, bigrams[system.units], name, share)
    return found


def _cell(
    measured: replayed.Measured, system: SystemOutputs, metric: FloatArray, name: str, share: float
) -> list[dict[str, Any]]:
    plain = measured.replay(system, [])
    return [
        {
            "data": name,
            "measure": measured.measure,
            "system": system.name,
            "share": round(share, 3),
            "metric": word,
            "bias in standard errors": got.bias,
            "coverage": got.coverage,
            "data efficiency": plain.variance / got.variance,
            "variance over squared error": float(got.parts.variance.mean()) / got.variance,
        }
        for word, got in (("none", plain), (BIGRAMS, measured.replay(system, [metric])))
    ]


def _costs(variances: Mapping[str, Mapping[str, Mapping[str, Mapping[str, float]]]]) -> dict[str, Any]:
    """Return by measure how many judgements a half-width of `WIDTH` at 95% takes by ρ, and the efficiency."""
    found: dict[str, Any] = {"rho": RHOS.tolist()}
    for of in variances.values():
        for measure, one in of.items():
            if measure != CAPPED:
                planned = Variances(one["*"]["sigma2_a"], one["*"]["sigma2_f"])
                each = [needed(planned, float(rho), 10**6, WIDTH, quantile=1.959964) for rho in RHOS]
                found[measure] = {
                    "judgements": [one.judgements for one in each],
                    "data efficiency": [one.efficiency for one in each],
                    "cap": planned.cap,
                }
    return found


def _compared(numbers: Mapping[str, Any]) -> list[Compared]:
    rows = []
    for name, prompts in PROMPTS.items():
        for measure in prompts:
            one = numbers["components"][name][measure]["*"]
            noise, spread = PAPER[measure]
            rows += [
                Compared(f"{measure}: variance of people, σ_a²", noise, one["sigma2_a"]),
                Compared(f"{measure}: variance of mean judgements", spread, one["variance of means"]),
                Compared(f"{measure}: variance of outputs, σ_f²", "", one["sigma2_f"]),
                Compared(f"{measure}: efficiency of a perfect metric", "", one["cap"]),
            ]
    for (name, system, measure, metric), reported in PAPER_EFFICIENCY.items():
        here = numbers["worth"][name][measure][system][metric]["data_efficiency"]
        rows.append(Compared(f"{system}, {measure}: efficiency of {metric}", reported, here))
    for panel in numbers["lengths"]:
        for metric, here in panel["data efficiency"].items():
            key = (panel["data"], panel["system"], panel["measure"], metric)
            what = f"{panel['system']}, {panel['measure']}: efficiency of {metric}, by lengths of intervals"
            rows.append(Compared(what, PAPER_EFFICIENCY.get(key, ""), here))
    for one in numbers["levels"]:
        what = f"{one['data']}, {one['measure']}: correlation of {one['metric']}"
        rows += [
            Compared(f"{what}, between {one['systems']} systems", "", one["between systems"]),
            Compared(f"{what}, between their outputs", "", one["between outputs"]),
        ]
    for measure in ("edit", "redundancy"):
        for metric, here in numbers["worth"]["cdm"][measure]["seq2seq"].items():
            if metric in (BIGRAMS, HOUSE):
                rows.append(
                    Compared(f"seq2seq, {measure}: efficiency of {metric}", "", here["data_efficiency"])
                )
    system, measure, n = BIASED
    what = f"{system}, {measure}, {n} judgements, {BIGRAMS}: bias"
    rows += [
        Compared(f"{what} by the formula", "", numbers["bias"]["formula"]),
        Compared(f"{what} of the paper's estimator", "", numbers["bias"]["plugged in"]),
        Compared(f"{what} of the cross-fitted one", "", numbers["bias"]["cross-fitted"]),
    ]
    held = [one["coverage"] for one in numbers["cells"]]
    rows += [
        Compared("95% intervals hold the truth, mean over all cells", "", float(np.mean(held))),
        Compared("95% intervals hold the truth, lowest cell", "", float(np.min(held))),
        Compared("95% intervals hold the truth, highest cell", "", float(np.max(held))),
    ]
    return rows
