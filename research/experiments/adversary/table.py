"""The adversary's table: what each manoeuvre does to the exact score, to the estimate, and to the rank."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from evaluation.kbp.choices import CHOICES
from kbpo.core.errors import InvalidInput
from kbpo_estimators.weighting import DEFAULT
from research.experiments import figures
from research.experiments.adversary import probing
from research.experiments.adversary.manoeuvres import MANOEUVRES, near_copies
from research.experiments.adversary.sampled import Board, Draw, Epoch, arrived, board
from research.experiments.adversary.situation import Manoeuvre, Situation
from research.experiments.adversary.world import TARGET, Score, Version, World
from research.experiments.outcome import Compared, Options, Outcome
from research.experiments.runs import FloatArray

PLAYERS = (TARGET, "B2_logreg_mid", "D1_union")
"""Whose exact scores are told; estimates and ranks are those of the first."""
WITHIN = 3.0
"""Standard errors by which the mean change of an estimate may miss that of the truth."""


@dataclass(frozen=True, eq=False)
class Played:
    """What a manoeuvre came to.

    Attributes
    ----------
    manoeuvre : Manoeuvre
    version : Version or None
        None where the file is refused.
    exact : mapping of Score to float
        By how much the exact scores change.
    """

    manoeuvre: Manoeuvre
    version: Version | None
    exact: Mapping[Score, float]

    def is_same(self, honest: Version) -> bool:
        """Say whether every score is that of the honest file, bit for bit, whatever the sample."""
        plain = not self.manoeuvre.is_first and not self.manoeuvre.near_copies
        return plain and self.version is not None and self.version.is_as(honest)


def situations(world: World) -> dict[str, Situation]:
    """Return what each of the ten teams could play with, by system."""
    names = sorted(
        path.name.removesuffix(".kb.gz") for path in (world.folder / "submissions").glob("*.kb.gz")
    )
    versions = {name: world.honest(name) for name in names}
    return {
        name: Situation(world, name, one, {other: v for other, v in versions.items() if other != name})
        for name, one in versions.items()
    }


def play(one: Situation, manoeuvres: Sequence[Manoeuvre] = MANOEUVRES) -> list[Played]:
    """Play each manoeuvre with a system; scores are exact."""
    before = one.world.exact(one.honest)
    found = []
    for manoeuvre in manoeuvres:
        version = manoeuvre.version(one)
        after = {} if version is None else one.world.exact(version)
        found.append(Played(manoeuvre, version, {key: after[key] - before[key] for key in after}))
    return found


def run(options: Options) -> Outcome:
    """Play every manoeuvre with three of the ten systems; estimate and rank those of one of them."""
    if options.knowledgenet is None:
        raise InvalidInput("the folder of the ten systems is needed", where="--knowledgenet")
    world = World(options.knowledgenet)
    every = situations(world)
    players = PLAYERS[:1] if options.quick else PLAYERS
    played = {
        name: play(every[name]) for name in options.track("exact scores, system", players, len(players))
    }
    one, own = every[TARGET], played[TARGET]
    seeds = range(options.count(60, 2))
    changes = _estimated(one, own, options, seeds)
    return told(one, list(played.values()), changes, _probed(one, options, seeds), len(seeds))


def told(
    one: Situation,
    played: Sequence[Sequence[Played]],
    changes: Mapping[str, Mapping[str, Any]],
    submissions: Mapping[str, Any],
    seeds: int,
) -> Outcome:
    """Return the table as an outcome.

    Parameters
    ----------
    one : Situation
        Of the system whose estimates are told.
    played : sequence of sequence of Played
        By system, the told one first, what each manoeuvre came to.
    changes : mapping
        By manoeuvre what changed in each sample.
    submissions : mapping
        What submitting four times gains.
    seeds : int
    """
    numbers = {
        "system": one.name,
        "samples": seeds,
        "manoeuvres": {
            row.manoeuvre.name: _row(one, row, [others[place] for others in played], changes)
            for place, row in enumerate(played[0])
        },
        "submissions": submissions,
    }
    return Outcome(
        title="An adversary’s table",
        says=f"What {len(MANOEUVRES)} manoeuvres do to a system in the middle of the ten on KnowledgeNet: the"
        " change of its exact F1 (micro-average), and the mean change of its estimate, over"
        f" {seeds} samples, each with the manoeuvre and without.",
        compared=_compared(numbers),
        numbers=numbers,
        draw=_draw_figure(numbers),
    )


def _estimated(
    one: Situation, played: Sequence[Played], options: Options, seeds: range
) -> dict[str, dict[str, Any]]:
    """Return for each manoeuvre that can move an estimate what it does to it, in every sample."""
    names, others = list(one.others), list(one.others.values())
    puppets = near_copies(one, max(row.manoeuvre.near_copies for row in played))
    moving = [row for row in played if row.version is not None and not row.is_same(one.honest)]
    found: dict[str, dict[str, list[Any]]] = {row.manoeuvre.name: {} for row in moving}
    for seed in options.track("sample", seeds, len(seeds)):
        draw = Draw.of(one.world, len(names), seed)
        nine = [others[place] for place in draw.order]
        epoch = arrived(nine, draw)
        parts = sorted({row.manoeuvre.part for row in moving})
        before = board(one.world, epoch.arrive(one.honest, draw), draw, parts)
        for row in moving:
            assert row.version is not None
            after, at = _after(one, row, draw, nine, epoch, puppets)
            part, kept = row.manoeuvre.part, found[row.manoeuvre.name]
            for measure in CHOICES.parts[part].measures:
                was = before.scores[part, DEFAULT, measure][-1]
                kept.setdefault(measure, []).append(after.scores[part, DEFAULT, measure][at] - was)
            kept.setdefault("rank before", []).append(before.ranks[part][-1])
            kept.setdefault("rank", []).append(after.ranks[part][at])
            kept.setdefault("labels", []).append(after.labels - before.labels)
    return found


def _after(
    one: Situation, row: Played, draw: Draw, nine: list[Version], epoch: Epoch, puppets: list[Version]
) -> tuple[Board, int]:
    """Return the board once the changed system is in, and where in it the system stands."""
    assert row.version is not None
    if row.manoeuvre.is_first:
        return board(one.world, arrived([row.version, *nine], draw), draw, [row.manoeuvre.part]), 0
    epoch = arrived(puppets[: row.manoeuvre.near_copies], draw, epoch)
    return board(one.world, epoch.arrive(row.version, draw), draw, [row.manoeuvre.part]), -1


def _probed(one: Situation, options: Options, seeds: range) -> dict[str, Any]:
    found: dict[str, list[FloatArray]] = {way: [] for way in probing.WAYS}
    for seed in options.track("four submissions, sample", seeds, len(seeds)):
        draw = Draw.of(one.world, len(one.others), seed)
        others = list(one.others.values())
        epoch = arrived([others[place] for place in draw.order], draw)
        for number, way in enumerate(probing.WAYS):
            found[way].append(probing.probe(one, epoch, draw, way, options.rng(31, seed, number)))
    return {
        way: {measure: _mean(np.array(gains)[:, place]) for place, measure in enumerate(probing.MEASURES)}
        for way, gains in found.items()
    }


def _mean(values: FloatArray) -> dict[str, float]:
    return {
        "mean": float(values.mean()),
        "standard error": float(values.std(ddof=1) / math.sqrt(values.size)),
    }


def _row(
    one: Situation, row: Played, everybody: Sequence[Played], changes: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return what is told of a manoeuvre."""
    part = row.manoeuvre.part
    told: dict[str, Any] = {"group": row.manoeuvre.group, "part": part}
    if row.version is None:
        return told | {"outcome": "the file is refused"}
    told |= {
        "outcome": "every score stays, bit for bit" if row.is_same(one.honest) else "measured",
        "claims": len(row.version.keys),
        "exact": {
            " ".join(key): value
            for key, value in row.exact.items()
            if key[0] == part or value != row.exact.get((part, *key[1:]))
        },
        "most of three systems": {
            " ".join(key): max((other.exact[key] for other in everybody if other.exact), key=abs)
            for key in row.exact
        },
        "rank by truth": [_true_rank(one, one.honest, part), _true_rank(one, row.version, part)],
    }
    own = changes.get(row.manoeuvre.name)
    if own is None:
        return told
    of_measures = {}
    for measure in CHOICES.parts[part].measures:
        estimate = _mean(np.array(own[measure]))
        error, exact = estimate["standard error"], row.exact[part, DEFAULT, measure]
        away = (estimate["mean"] - exact) / error if error > 0 else 0.0
        of_measures[measure] = {**estimate, "exact": exact, "standard errors away": away}
    ranked = [rank for rank in own["rank"] if rank is not None]
    return told | {
        "estimate": of_measures,
        "mean rank before": float(np.mean(own["rank before"])),
        "mean rank": float(np.mean(ranked)) if ranked else None,
        "without a rank": 1 - len(ranked) / len(own["rank"]),
        "more labels": float(np.mean(own["labels"])),
    }


def _true_rank(one: Situation, version: Version, part: str) -> int:
    """Return which place the exact scores give a version among the other nine."""
    key = part, DEFAULT, CHOICES.parts[part].ranked_by
    own = one.world.exact(version)[key]
    return 1 + sum(one.world.exact(other)[key] > own for other in one.others.values())


def _compared(numbers: dict[str, Any]) -> list[Compared]:
    compared = []
    for name, row in numbers["manoeuvres"].items():
        if "estimate" in row and "f1" in row["estimate"]:
            compared.append(Compared(f"{name}: change of exact F1", "", row["estimate"]["f1"]["exact"]))
            compared.append(
                Compared(f"{name}: mean change of estimated F1", "", row["estimate"]["f1"]["mean"])
            )
    for name, row in numbers["submissions"].items():
        compared.append(Compared(f"{name}: estimated less true F1", "", row["f1"]["mean"]))
    return compared


def _draw_figure(numbers: dict[str, Any]) -> Callable[[Figure], None]:
    rows = {
        name: row["estimate"]["f1"]
        for name, row in numbers["manoeuvres"].items()
        if "f1" in row.get("estimate", {})
    }

    def draw(figure: Figure) -> None:
        figure.set_size_inches(figures.WIDTH, 0.2 * len(rows) + 1)
        axes = figure.subplots()
        place = np.arange(len(rows))[::-1]
        exact = [row["exact"] for row in rows.values()]
        axes.plot(exact, place, label="exact", **figures.MARKS["pooled"] | {"markersize": 2, "zorder": 3})
        axes.errorbar(
            [row["mean"] for row in rows.values()],
            place,
            xerr=[WITHIN * row["standard error"] for row in rows.values()],
            label=f"estimated, {WITHIN:.0f} standard errors",
            **figures.MARKS["coordinated"],
        )
        axes.axvline(0, color=figures.COLOURS["grey"], linewidth=0.8)
        axes.set_yticks(place, list(rows))
        axes.set_xlabel("change of F1")
        axes.legend(loc="lower left")

    return draw
