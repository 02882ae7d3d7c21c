"""What a reader of all scores that ever stood on the board knows more than one of the board as it is."""

import numpy as np
import pytest

from research.experiments import public_history
from research.experiments.public_history import Read, World


def a_world(seed: int) -> tuple[World, Read]:
    """Return five systems over sixty claims; the scores that are read are made up."""
    rng = np.random.default_rng(seed)
    systems = [np.sort(rng.choice(60, 30, replace=False)) for _ in range(5)]
    world = World(rng.random(60) < 0.5, systems, np.full(60, 0.5))
    pi = np.zeros((5, 60))
    for time, rows in enumerate(systems):
        pi[time] = pi[time - 1] if time else 0.0
        pi[time, rows] = np.minimum(1.0, pi[time, rows] + 0.3)
    u = rng.random(60)
    system, at, score = [], [], []
    for time in range(5):
        for place, rows in enumerate(systems[: time + 1]):
            sampled = u[rows] < pi[time, rows]
            system.append(place)
            at.append(time)
            score.append(float(np.mean(sampled * world.correct[rows] / pi[time, rows])))
    return world, Read(np.array(system), np.array(at), np.array(score), pi)


@pytest.mark.parametrize("seed", range(5))
def test_a_history_tells_what_the_last_board_tells(seed: int) -> None:
    """To a reader who is linear: whatever was sampled earlier is a random part of what is sampled now."""
    world, read = a_world(seed)
    last = read.time == read.time.max()
    board = Read(read.system[last], read.time[last], read.score[last], read.pi)
    rngs = (np.random.default_rng(0), np.random.default_rng(0))
    whole = public_history.predicted(world, read, "every digit", rngs[0])
    of_board = public_history.predicted(world, board, "every digit", rngs[1])
    assert np.abs(whole - of_board).max() < 1e-4


def test_who_reads_scores_predicts_better_than_who_reads_nothing() -> None:
    """Else the test above would say nothing of a reader who reads badly."""
    better = []
    for seed in range(20):
        world, read = a_world(seed)
        brings = [
            public_history.predicted(world, read, reader, np.random.default_rng(0))
            for reader in ("nothing", "every digit")
        ]
        better.append([np.corrcoef(one, world.correct)[0, 1] for one in brings])
    blind, reading = np.mean(better, axis=0)
    assert reading > blind + 0.05
