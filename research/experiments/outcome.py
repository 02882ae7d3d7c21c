"""What an experiment is given, and what it hands back."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
from matplotlib.figure import Figure

from research.experiments.runs import Runs, draw_runs

T = TypeVar("T")
DEFAULT_SEED = 2017


def silent(_: str) -> None:
    """Say nothing of the progress."""


@dataclass(frozen=True)
class Options:
    """How an experiment is run.

    Attributes
    ----------
    quick : bool
        A tenth of the work or less: to see that it runs, and roughly what comes out.
    seed : int
    runs : Runs or None
        The runs whose scores the made-up pool has; None for runs that are drawn to be like those of 2015.
    knowledgenet : Path or None
        The folder of the ten systems on KnowledgeNet.
    progress : callable
        Takes a line about how far it is.
    effort : float
        The share of the full number of repetitions, in (0, 1].
    votes : Path or None
        A table of words, with what five people said of each.
    nlg : Path or None
        The folder of recorded judgements of summaries and answers.
    """

    quick: bool = False
    seed: int = DEFAULT_SEED
    runs: Runs | None = None
    knowledgenet: Path | None = None
    progress: Callable[[str], None] = silent
    effort: float = 1.0
    votes: Path | None = None
    nlg: Path | None = None

    def rng(self, *key: int) -> np.random.Generator:
        """Return a generator of one purpose: other keys give independent ones."""
        return np.random.default_rng([self.seed, *key])

    def some_runs(self) -> Runs:
        """Return the runs that were given, or else drawn ones."""
        return self.runs if self.runs is not None else draw_runs(self.rng(0))

    def count(self, full: int, quick: int) -> int:
        """Return how often to repeat: a share of `full`, by the effort, but never less than `quick`."""
        return quick if self.quick else max(min(quick, full), round(full * self.effort))

    def track(self, what: str, items: Iterable[T], total: int) -> Iterator[T]:
        """Pass the items on, and say how far it is."""
        for number, item in enumerate(items, start=1):
            self.progress(f"{what}: {number} of {total}")
            yield item


@dataclass(frozen=True)
class Compared:
    """A figure that the paper reported, or this service's contract asks for, beside what came out.

    Attributes
    ----------
    what : str
    reported : str
        As printed; empty where nothing was reported.
    here : float
    """

    what: str
    reported: str
    here: float


@dataclass(frozen=True)
class Outcome:
    """What came out of an experiment.

    Attributes
    ----------
    title : str
    says : str
        One or two sentences: what was done.
    compared : list of Compared
    numbers : mapping
        Everything behind the figure, of strings, numbers, lists and mappings.
    draw : callable
        Draws into an empty figure.
    """

    title: str
    says: str
    compared: list[Compared]
    draw: Callable[[Figure], None]
    numbers: Mapping[str, object] = field(default_factory=dict)


class Experiment(Protocol):
    """A module of this package with one entry."""

    def run(self, options: Options) -> Outcome:
        """Run it."""
        ...
