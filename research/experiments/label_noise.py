"""What workers' errors do to precision, and what is left of that when labels are corrected.

Systems of known precision are judged by a crowd whose members err: three votes a label. The label is the
majority's verdict; the posterior of Dawid and Skene's model; or that posterior corrected, so that it is right
on average (`research.experiments.correction`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from annotations.aggregation.dawid_skene import dawid_skene
from kbpo_estimators.intervals import interval
from research.experiments import figures
from research.experiments.correction import calibrate
from research.experiments.outcome import Compared, Options, Outcome
from research.experiments.runs import FloatArray
from tests.oracles.precision import difference_precision, noise_adjusted_precision

Crowd = Callable[[np.random.Generator], FloatArray]
"""Draws how often each worker errs."""

INSTANCES = 4_000
"""Of each system."""
LABELS = 456
"""Of each, on average: what a lone system needs."""
WORKERS, VOTES = 30, 3
PRECISIONS = (0.1, 0.4, 0.7)
METHODS = ("majority", "posterior", "adjusted")
ERRORS = (0.0, 0.03, 0.07, 0.11, 0.15, 0.20)


def alike(error: float) -> Crowd:
    """Return a crowd whose workers all err equally often."""
    return lambda _: np.full(WORKERS, error)


CROWDS: dict[str, Crowd] = {
    "all 11%": alike(0.11),
    "2 to 20%": lambda rng: rng.uniform(0.02, 0.20, WORKERS),
    "a fifth guess": lambda _: np.where(np.arange(WORKERS) < WORKERS // 5, 0.5, 0.06),
}


@dataclass(frozen=True, eq=False)
class Runs:
    """What one way of labelling came to.

    Attributes
    ----------
    estimate : float[seeds, systems]
    covered : bool[seeds, systems]
        Whether the 95% interval holds the truth.
    """

    estimate: FloatArray
    covered: FloatArray

    @property
    def mean(self) -> FloatArray:
        """Return the mean estimate of each system."""
        return np.asarray(self.estimate.mean(axis=0))

    @property
    def coverage(self) -> FloatArray:
        """Return the share of the intervals of each system that hold the truth."""
        return np.asarray(self.covered.mean(axis=0))


def run(options: Options) -> Outcome:
    """Judge three systems together, by crowds that err more and more, and by crowds of unlike workers."""
    seeds = range(options.count(200, 20))
    crowds = {f"all {error:.0%}": alike(error) for error in ERRORS} | CROWDS
    numbers: dict[str, Any] = {}
    for name in options.track("crowd", crowds, len(crowds)):
        numbers[name] = _summary(simulate(PRECISIONS, crowds[name], seeds))
    alone = _summary(simulate(PRECISIONS[:1], CROWDS["all 11%"], seeds))
    numbers["alone, all 11%"] = alone
    return Outcome(
        title="Noise in the labels",
        says=f"Mean estimates of the precision of systems with P = {', '.join(map(str, PRECISIONS))}, from"
        f" {VOTES} votes a label, {len(seeds)} samples.",
        compared=[
            Compared(
                "P = .1, all workers err in 11%, majority: mean estimate",
                ".127",
                alone["majority"]["mean"][0],
            ),
            Compared("the same, adjusted", ".1", alone["adjusted"]["mean"][0]),
            *(
                Compared(f"largest error of a mean, {crowd}, {method}", "", numbers[crowd][method]["worst"])
                for crowd in CROWDS
                for method in METHODS
            ),
        ],
        numbers=numbers,
        draw=_draw_figure(numbers),
    )


def simulate(
    precisions: tuple[float, ...], crowd: Crowd, seeds: range, *, curtailed: bool = False
) -> dict[str, Runs]:
    """Sample systems, have a crowd judge them, and estimate their precision from each kind of label.

    Parameters
    ----------
    precisions : tuple of float
        Of the systems, which share no instance but are judged by the same crowd.
    crowd : callable
    seeds : range
    curtailed : bool
        Whether the third vote is asked for only where the first two differ.

    Returns
    -------
    dict of the names in `METHODS` to Runs
    """
    found = np.array([_one_seed(seed, precisions, crowd, curtailed) for seed in seeds])
    return {name: Runs(found[:, row, :, 0], found[:, row, :, 1]) for row, name in enumerate(METHODS)}


def _one_seed(seed: int, precisions: tuple[float, ...], crowd: Crowd, curtailed: bool) -> FloatArray:
    rng = np.random.default_rng(seed)
    truth = np.concatenate(
        [rng.permutation(np.arange(INSTANCES) < share * INSTANCES) for share in precisions]
    )
    sampled = rng.random(truth.size) < LABELS / INSTANCES
    drawn = np.flatnonzero(sampled)
    errors = crowd(rng)
    workers = np.argsort(rng.random((drawn.size, WORKERS)), axis=1)[:, :VOTES]
    votes = (rng.random(workers.shape) < errors[workers]) ^ truth[drawn, None]
    asked = np.ones(votes.shape, dtype=bool)
    if curtailed:
        asked[:, 2:] = (votes[:, 0] != votes[:, 1])[:, None]
    fit = dawid_skene(np.nonzero(asked)[0], workers[asked], votes[asked])
    posterior = np.full(truth.size, np.nan)
    posterior[drawn] = fit.posteriors[:, 1]
    verdict, corrected = posterior.copy(), posterior.copy()
    verdict[drawn] = 2 * votes.sum(axis=1) > VOTES
    unknown = np.full(drawn.size, -1)
    calibration = calibrate(posterior[drawn], unknown)
    if calibration is None:
        raise AssertionError("these crowds always tell something of the truth")
    corrected[drawn] = calibration.correct(posterior[drawn], unknown)
    labels = {
        "majority": (difference_precision, verdict),
        "posterior": (noise_adjusted_precision, posterior),
        "adjusted": (noise_adjusted_precision, corrected),
    }
    folds = rng.integers(0, 5, truth.size)
    p, pi = np.full(INSTANCES, 1 / INSTANCES), np.full(INSTANCES, LABELS / INSTANCES)
    found = np.empty((len(METHODS), len(precisions), 2))
    for row, (estimate, label) in enumerate(labels.values()):
        for system, share in enumerate(precisions):
            own = slice(system * INSTANCES, (system + 1) * INSTANCES)
            got = estimate(p, pi, sampled[own], label[own], folds[own])
            ends = interval(got)
            found[row, system] = got.estimate, ends is not None and ends.low <= share <= ends.high
    return found


def _summary(runs: dict[str, Runs]) -> dict[str, Any]:
    return {
        name: {
            "mean": one.mean.tolist(),
            "coverage of 95% intervals": one.coverage.tolist(),
            "worst": float(np.abs(one.mean - np.array(PRECISIONS[: one.mean.size])).max()),
        }
        for name, one in runs.items()
    }


def _draw_figure(numbers: dict[str, Any]) -> Callable[[Figure], None]:
    marks = dict(zip(METHODS, ("pooled", "simple", "coordinated"), strict=True))

    def draw(figure: Figure) -> None:
        figure.set_size_inches(figures.WIDTH, 3.0)
        for system, axes in enumerate(figure.subplots(1, len(PRECISIONS))):
            for method, mark in marks.items():
                means = [numbers[f"all {error:.0%}"][method]["mean"][system] for error in ERRORS]
                axes.plot(ERRORS, means, label=method, **(figures.MARKS[mark] | {"linestyle": "-"}))
            axes.axhline(PRECISIONS[system], color=figures.COLOURS["grey"], linewidth=0.8)
            axes.set_title(f"P = {PRECISIONS[system]}")
            axes.set_xlabel("share of votes that are wrong")
            if system == 0:
                axes.set_ylabel("mean of the estimates")
                axes.legend()

    return draw
