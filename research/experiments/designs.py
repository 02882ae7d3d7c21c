"""What each design buys with the same labels: the maximum, the quadratic sum, planned variances, the floor.

On the ten systems of KnowledgeNet, whose truth is known, which arrive in random orders. Today's design, the
maximum with half of a lone system's labels as the floor, is what all others are held against: at as many
expected labels as it asks for, and at the same target.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from kbpo.core.errors import InvalidInput
from kbpo_estimators import coordinated, planned_variance, weighting
from kbpo_estimators.document_samples import draw_documents
from kbpo_estimators.kbp.labels import Labels
from kbpo_estimators.scores import CoordinatedSample, coordinated_estimates
from research.experiments import figures
from research.experiments.arrivals import POOLED, SHARE, Design, Grown, World, grow, same_labels
from research.experiments.outcome import Compared, Options, Outcome
from research.experiments.runs import FloatArray, IntArray
from tests.readers import knowledgenet

EXHAUSTIVE = 300
CHOSEN = coordinated.QUADRATIC_FLOOR
FLOORS = (0.0, CHOSEN, 0.5, 1.0)
"""b, as shares of the labels that a lone system needs."""
WITHIN = 1.96

TODAY = Design("maximum", is_equal=False)
DESIGNS = (
    TODAY,
    *(Design("maximum", False, floor) for floor in FLOORS if floor != TODAY.floor),
    *(Design("quadratic", planned, floor) for planned in (False, True) for floor in FLOORS),
    *(
        Design("quadratic", planned, floor, False)
        for planned in (False, True)
        for floor in (0.0, CHOSEN, 0.5)
    ),
)


def run(options: Options) -> Outcome:
    """Let the ten systems arrive in random orders under every design."""
    if options.knowledgenet is None:
        raise InvalidInput("the folder of the ten systems is needed", where="--knowledgenet")
    world = World(knowledgenet.read(options.knowledgenet))
    names = tuple(dict.fromkeys((weighting.DEFAULT, "instance", "subject_relation")))
    numbers = {name: _of_weighting(world, name, options) for name in names}
    return Outcome(
        title="Designs at equal labels",
        says="Ten systems of KnowledgeNet arrive in random orders. Variances over systems, as shares of those"
        " of the maximum with its floor and each system's own confidences; the worst system's share beside.",
        compared=_compared(numbers),
        numbers=numbers,
        draw=_draw_figure(numbers),
    )


def _arrival(
    world: World, rng: np.random.Generator, seed: int
) -> tuple[IntArray, list[FloatArray], IntArray]:
    order = rng.permutation(len(world.systems))
    documents = world.data.documents
    drawn = set(draw_documents(documents, EXHAUSTIVE, seed))
    columns = np.array([number for number, one in enumerate(documents) if one in drawn])
    folds = rng.integers(0, planned_variance.FOLDS, len(documents))[world.data.claim_document]
    planned = world.plan(order, np.isin(world.data.claim_document, columns), folds)
    return order, planned, columns


def _of_weighting(world: World, name: str, options: Options) -> dict[str, Any]:
    tuning: list[Any] = [
        _arrival(world, options.rng(21, seed), seed)[:2] for seed in range(options.count(10, 1))
    ]
    wanted = float(
        np.mean([grow(world, TODAY, order, planned, name, 1.0).pi.sum() for order, planned in tuning])
    )
    scales = {
        one: same_labels(world, one, tuning, name, wanted) if one.is_equal else 1.0
        for one in options.track(f"{name}: as many labels, design", DESIGNS, len(DESIGNS))
    }
    seeds, samples = options.count(300, 4), options.count(300, 2)
    exact: dict[Design, list[dict[str, FloatArray]]] = {one: [] for one in DESIGNS}
    drawn: dict[Design, list[dict[str, FloatArray]]] = {one: [] for one in DESIGNS}
    for seed in options.track(f"{name}: seed", range(seeds), seeds):
        rng = options.rng(22, seed)
        order, planned, columns = _arrival(world, rng, 1000 + seed)
        u, folds = rng.random(world.size), rng.integers(0, coordinated.FOLDS, world.size)
        for one in DESIGNS:
            grown = grow(world, one, order, planned, name, scales[one])
            exact[one].append(_variances(world, grown, name, scales[one]))
            if seed < samples:
                drawn[one].append(_errors(world, grown, u, folds, columns, name))
    return {
        "orders": seeds,
        "samples": samples,
        "least": _least(world, name, exact[TODAY]),
        "designs": {
            str(one): {
                "labels": float(np.mean([row["labels"] for row in exact[one]])),
                "target": scales[one],
                "newcomers": float(np.mean([row["newcomers"] for row in exact[one]])),
                "newcomers, worst system": float(
                    np.mean([row["newcomers"] for row in exact[one]], axis=0).max()
                ),
                "variances": _shares(exact[one], exact[TODAY]),
                "errors": _shares(drawn[one], drawn[TODAY]),
                "coverage": float(np.mean([row["coverage"] for row in drawn[one]])),
            }
            for one in DESIGNS
        },
    }


def _variances(world: World, grown: Grown, name: str, scale: float) -> dict[str, FloatArray]:
    """Return the variance of every estimate, one for each system, and what else is told of a design."""
    found = {what: world.variances(what, grown.pi) for what in (*world.spread, SHARE)}
    target = scale * coordinated.target_variance()
    of_newcomers = [
        float(spread @ (1 / pi - 1)) / target
        for spread, pi in zip(world.spread[f"precision, {name}{POOLED}"], grown.newcomers, strict=True)
    ]
    return found | {"labels": np.array(grown.pi.sum()), "newcomers": np.array(of_newcomers)}


def _least(world: World, name: str, today: Sequence[dict[str, FloatArray]]) -> dict[str, float]:
    """Return the mean variance of precision that no design can go below, as a share of today's.

    With s² = ¼ for all, and with what the pooled model of all labels foretells, which no design may know
    beforehand; with as many labels as today's, newcomers' targets let go.
    """
    labels = float(np.mean([row["labels"] for row in today]))
    own = np.mean([row[f"precision, {name}"] for row in today])
    foretold = world.foreseen * (1 - world.foreseen)
    variances: dict[str, FloatArray | float] = {
        "equal variances": coordinated.LABEL_VARIANCE,
        "foretold variances": np.maximum(foretold, planned_variance.LEAST_VARIANCE),
    }
    return {
        what: float(world.variances(f"precision, {name}{POOLED}", world.least(name, labels, s2)).mean() / own)
        for what, s2 in variances.items()
    }


def _shares(
    rows: Sequence[dict[str, FloatArray]], today: Sequence[dict[str, FloatArray]]
) -> dict[str, dict[str, float]]:
    """Return mean squares as shares of today's, a pooled model's of those without: of all, and the worst."""
    shares = {}
    for what in rows[0]:
        if what in ("labels", "newcomers", "coverage"):
            continue
        mine = np.mean([row[what] for row in rows], axis=0)
        theirs = np.mean([row[what.removesuffix(POOLED)] for row in today], axis=0)
        shares[what] = {"all": float(mine.mean() / theirs.mean()), "worst": float((mine / theirs).max())}
    return shares


def _errors(
    world: World, grown: Grown, u: FloatArray, folds: IntArray, columns: IntArray, name: str
) -> dict[str, FloatArray]:
    """Draw a sample; return squared errors of every score, one for each system, and which intervals hold."""
    sampled = u < grown.pi
    sample = CoordinatedSample(grown.pi, sampled, folds, grown.flat_pi)
    labels = Labels(
        np.where(sampled, world.correct, np.nan), [np.full(s.rows.size, np.nan) for s in world.systems]
    )
    documents = world.documents.take(columns)
    found = [
        next(
            coordinated_estimates(
                world.systems, labels, sample, documents, features=features, parts=["relation"]
            )
        )
        for features in (None, world.data.features())
    ]
    estimates, by_model = found
    pooled = np.array([one.estimate for one in by_model.precision["documents", name]])
    variances = np.array([one.variance for one in by_model.precision["documents", name]])
    errors = {
        f"precision, {one}": np.array([p.estimate for p in estimates.precision["documents", one]])
        - world.truth[one]
        for one in weighting.WEIGHTINGS
    }
    errors[f"precision, {name}{POOLED}"] = pooled - world.truth[name]
    for kind in ("labelled", "both"):
        recall = np.array([math.nan if r is None else r.estimate for r in estimates.recall[kind, name]])
        p = np.clip(pooled, 1e-9, 1)
        truth = 2 * world.truth[name] * world.recall / (world.truth[name] + world.recall)
        errors[f"recall, {kind}"] = recall - world.recall
        errors[f"F1, {kind}"] = 2 * p * recall / (p + recall) - truth
    held = np.abs(pooled - world.truth[name]) <= WITHIN * np.sqrt(variances)
    return {what: one**2 for what, one in errors.items()} | {"coverage": held.astype(float)}


def _compared(numbers: dict[str, Any]) -> list[Compared]:
    return [
        Compared(f"{name}, {design}: {what}", "", here)
        for name, one in numbers.items()
        for design, row in one["designs"].items()
        for what, here in _told(name, row)
    ] + [
        Compared(f"{name}: the least variance of any design, {what}", "", here)
        for name, one in numbers.items()
        for what, here in one["least"].items()
    ]


def _told(name: str, row: dict[str, Any]) -> list[tuple[str, float]]:
    own = f"precision, {name}"
    return [
        ("labels", row["labels"]),
        *((f"variance of {what}", row["variances"][what]["all"]) for what in (own, own + POOLED, SHARE)),
        ("the worst system's, with the pooled model", row["variances"][own + POOLED]["worst"]),
        *(
            (
                f"variance of precision, {other}{POOLED}",
                row["variances"][f"precision, {other}{POOLED}"]["all"],
            )
            for other in weighting.WEIGHTINGS
            if other != name
        ),
        *(
            (f"squared error of {what}, both", row["errors"][f"{what}, both"]["all"])
            for what in ("recall", "F1")
        ),
        ("newcomers' variance to V*", row["newcomers"]),
        ("coverage of 95% intervals", row["coverage"]),
    ]


def _draw_figure(numbers: dict[str, Any]) -> Callable[[Figure], None]:
    def draw(figure: Figure) -> None:
        name, of_default = next((name, one["designs"]) for name, one in numbers.items())
        figure.set_size_inches(figures.WIDTH, 0.24 * len(of_default) + 1)
        axes = figure.subplots()
        place = np.arange(len(of_default))[::-1]
        shown = (
            (f"precision, {name}", "simple"),
            (f"precision, {name}{POOLED}", "coordinated"),
            (SHARE, "joint"),
        )
        for what, mark in shown:
            shares = [row["variances"][what]["all"] for row in of_default.values()]
            axes.plot(shares, place, label=what, **figures.MARKS[mark])
        axes.axvline(1.0, color=figures.COLOURS["grey"], linewidth=0.8)
        axes.set_yticks(place, list(of_default))
        axes.set_xlabel("variance at the labels of each design, as a share of today's")
        axes.legend(loc="upper right")

    return draw
