"""What an adversary gains who reads the whole public history of scores, and not only the board.

Systems arrive one after the other, and after each arrival the scores of all that are there are computed
again. Every claim and every p is public, so that π is known; the secret and the labels are not. The reader
predicts what each claim brings to the estimates, (1[u < π]/π)(f − g), by the best linear prediction from
the scores that it has read, and submits a system again without the claims that seem to bring least. What it
wins is the estimate less the truth: precision that is not there.

Of what was sampled in the end, what had been sampled before is a random part. So an early estimate is the
last one and noise: its covariance with whatever a claim brings is that of the last one, and a linear
prediction from all of them is that from the last alone, but for rounding.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from kbpo_estimators import coordinated
from research.experiments import figures
from research.experiments.outcome import Compared, Options, Outcome
from research.experiments.pool import BoolArray, draw_pool
from research.experiments.published_labels import Epoch
from research.experiments.runs import FloatArray, IntArray

SYSTEMS = 20
DROPPED = 0.25
"""The share of its claims that the reader leaves out."""
SHOWN = 1e-3
"""To what history is rounded: a tenth of a hundredth."""
PRIOR = (0.2, 0.45, 0.7)
"""How likely a claim is right that one, two, three or more systems have, before anything is read."""
READERS = ("nothing", "board", "exact board", "history", "snapshots", "every digit")
"""The exact board has every digit, as the API's; who reads snapshots reads the history and that, too."""
LESS = (
    ("history", "board"),
    ("snapshots", "exact board"),
    ("every digit", "exact board"),
    ("exact board", "board"),
)
"""Readers, and those with less to read."""
KEPT_EVERY = 5
"""Arrivals after which a snapshot is taken, which has every digit."""
WORLDS = ("teams", "near copies", "small systems")
CHANGED = 0.02
"""The share of its claims in which a near copy differs."""
SMALL = 40
"""Claims of a small system."""


@dataclass(frozen=True, eq=False)
class World:
    """Systems over common claims.

    Attributes
    ----------
    correct : bool[N]
    systems : list of int[n]
        The claims of each, in the order of arrival.
    confidence : float[N]
    """

    correct: BoolArray
    systems: list[IntArray]
    confidence: FloatArray


@dataclass(frozen=True, eq=False)
class Read:
    """What stood on the board after each arrival.

    Attributes
    ----------
    system, time : int[k]
    score : float[k]
        With every digit.
    pi : float[T, N]
        After each arrival.
    """

    system: IntArray
    time: IntArray
    score: FloatArray
    pi: FloatArray


def run(options: Options) -> Outcome:
    """Let readers play in each world, again and again with new secrets."""
    repeats = options.count(200, 6)
    gains: dict[str, dict[str, list[float]]] = {world: {reader: [] for reader in READERS} for world in WORLDS}
    for number, name in enumerate(WORLDS):
        world = _world(name, options)
        for repeat in options.track(f"{name}, secret", range(repeats), repeats):
            epoch, read = _arrivals(world, options.rng(8, number, repeat))
            for reader in READERS:
                gains[name][reader].append(_gain(world, epoch, read, reader, options.rng(9, number, repeat)))
    numbers = {world: _summary(of_world) for world, of_world in gains.items()}
    return Outcome(
        title="Reading the public history",
        says=f"The estimated precision less the true one of a system that is submitted again without the"
        f" {DROPPED:.0%} of its claims that seem to bring least; {SYSTEMS} systems, {repeats} secrets.",
        compared=[
            Compared(f"{world}: {reader} less {board}", "0", numbers[world][f"{reader} less {board}"]["gain"])
            for reader, board in LESS[:2]
            for world in WORLDS
        ]
        + [Compared(f"{world}: board", "", numbers[world]["board"]["gain"]) for world in WORLDS],
        numbers=numbers,
        draw=_draw_figure(numbers),
    )


def predicted(world: World, read: Read, reader: str, rng: np.random.Generator) -> FloatArray:
    """Return what each claim seems to bring, float[N]: the best linear prediction from what is read.

    Parameters
    ----------
    world : World
        Without its truth.
    read : Read
    reader : str
        One of `READERS`.
    rng : Generator
        For claims of which nothing is told apart.
    """
    size = world.confidence.size
    claimed = np.zeros(size, dtype=np.int64)
    for rows in world.systems:
        claimed[rows] += 1
    prior = np.asarray(PRIOR)[np.clip(claimed, 1, len(PRIOR)) - 1]
    variance = prior * (1 - prior)
    last = read.time == read.time.max()
    used = {"nothing": ~last & False, "board": last, "exact board": last}.get(
        reader, np.ones(last.size, dtype=bool)
    )
    shuffled = 1e-9 * rng.random(size)
    if not used.any():
        return prior + shuffled
    system, time = read.system[used], read.time[used]
    weights = np.zeros((len(world.systems), size))
    for place, rows in enumerate(world.systems):
        weights[place, rows] = 1 / rows.size
    score = read.score[used]
    exact = np.full(time.size, reader in ("every digit", "exact board"))
    if reader == "snapshots":
        exact = ((time + 1) % KEPT_EVERY == 0) | (time == time.max())
    score = np.where(exact, score, np.round(score / SHOWN) * SHOWN)
    told = score - weights[system] @ prior
    pi = np.where(read.pi > 0, read.pi, 1.0)
    # Cov(a_s, a_t) = v/π of the later of the two: what was sampled before is a random part of what is later
    between = np.empty((told.size, told.size))
    for later in np.unique(time):
        block = (weights * (variance / pi[later])) @ weights.T
        here = np.maximum(time[:, None], time[None, :]) == later
        between[here] = block[system[:, None], system[None, :]][here]
    noise = np.where(exact, 1e-12, SHOWN**2 / 12)
    with_claims = weights[system] * (variance / pi[-1])
    solved = np.linalg.lstsq(between + np.diag(noise), told, rcond=1e-12)[0]
    return np.asarray(prior + with_claims.T @ solved + shuffled)


def _world(name: str, options: Options) -> World:
    rng = options.rng(7, WORLDS.index(name))
    pool = draw_pool(options.some_runs(), options.rng(1))
    chosen = pool.runs.top(3 * SYSTEMS)[::3][:SYSTEMS]
    pool = pool.take(np.sort(chosen))
    systems = [pool.rows(one) for one in range(pool.members.shape[0])]
    if name == "near copies":
        first = systems[0]
        everything = np.arange(pool.size)
        systems = [first, *(_copy(first, everything, rng) for _ in range(SYSTEMS - 1))]
    elif name == "small systems":
        systems = [
            systems[0],
            *(np.sort(rng.choice(systems[0], SMALL, replace=False)) for _ in range(SYSTEMS - 1)),
        ]
    used = np.unique(np.concatenate(systems))
    place = np.full(pool.size, -1)
    place[used] = np.arange(used.size)
    # as telling as those of real systems: what is right has a higher one, more often than not
    confidence = 1 / (1 + np.exp(-rng.normal(0.8 * pool.correct[used], 1.0)))
    return World(pool.correct[used], [place[rows] for rows in systems], confidence)


def _copy(rows: IntArray, everything: IntArray, rng: np.random.Generator) -> IntArray:
    changed = round(CHANGED * rows.size)
    kept = rng.choice(rows, rows.size - changed, replace=False)
    added = rng.choice(np.setdiff1d(everything, rows), changed, replace=False)
    return np.sort(np.concatenate([kept, added]))


def _arrivals(world: World, rng: np.random.Generator) -> tuple[Epoch, Read]:
    size = world.correct.size
    epoch = Epoch(
        correct=world.correct.astype(np.float64),
        pi=np.zeros(size),
        u=rng.random(size),
        folds=rng.integers(0, coordinated.FOLDS, size),
        known=np.zeros(size, dtype=bool),
        confidence=world.confidence,
    )
    system, time, score, pi = [], [], [], []
    for arrival, rows in enumerate(world.systems):
        epoch.submit(rows)
        pi.append(epoch.pi.copy())
        for place, own in enumerate(world.systems[: arrival + 1]):
            system.append(place)
            time.append(arrival)
            score.append(epoch.estimate(own))
    return epoch, Read(np.array(system), np.array(time), np.array(score), np.array(pi))


def _gain(world: World, epoch: Epoch, read: Read, reader: str, rng: np.random.Generator) -> float:
    brings = predicted(world, read, reader, rng)
    own = world.systems[0]
    kept = own[np.argsort(brings[own])[round(DROPPED * own.size) :]]
    again = Epoch(epoch.correct, epoch.pi.copy(), epoch.u, epoch.folds, epoch.known, epoch.confidence)
    return again.submit(np.sort(kept)) - again.truth(kept)


def _summary(gains: Mapping[str, list[float]]) -> dict[str, dict[str, float]]:
    found = {reader: _mean(np.array(one)) for reader, one in gains.items()}
    for reader, board in LESS:
        found[f"{reader} less {board}"] = _mean(np.array(gains[reader]) - np.array(gains[board]))
    return found


def _mean(gains: FloatArray) -> dict[str, float]:
    error = gains.std(ddof=1) / np.sqrt(gains.size)
    return {"gain": float(gains.mean()), "standard_error": float(error)}


def _draw_figure(numbers: dict[str, Any]) -> Callable[[Figure], None]:
    def draw(figure: Figure) -> None:
        figure.set_size_inches(figures.WIDTH, 2.8)
        axes = figure.subplots()
        for offset, reader in enumerate(READERS):
            found = [numbers[world][reader] for world in WORLDS]
            axes.errorbar(
                np.arange(len(WORLDS)) + 0.12 * (offset - 2.5),
                [one["gain"] for one in found],
                yerr=[2 * one["standard_error"] for one in found],
                fmt="o",
                markersize=4,
                label=f"reads {reader}",
            )
        axes.axhline(0, color=figures.COLOURS["grey"], linewidth=0.8)
        axes.set_xticks(np.arange(len(WORLDS)), WORLDS)
        axes.set_ylabel("estimated less true precision")
        axes.legend()

    return draw
