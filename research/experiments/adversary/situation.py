"""What a team has when it begins to play, and what a way to play is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from kbpo_formats.kbp.predictions import ReadPrediction
from research.experiments.adversary import files
from research.experiments.adversary.world import Version, World

Claims = list[ReadPrediction]
Play = Callable[["Situation"], bytes | Claims]
"""Makes a file, or claims that a file then says."""


@dataclass(frozen=True, eq=False)
class Situation:
    """What a team has when it begins to play.

    Attributes
    ----------
    world : World
    name : str
        Of its system.
    honest : Version
    others : mapping of str to Version
        The nine other systems.
    """

    world: World
    name: str
    honest: Version
    others: Mapping[str, Version]

    @property
    def claims(self) -> Claims:
        """Its claims."""
        return self.honest.claims

    @property
    def file(self) -> bytes:
        """Its file."""
        return self.world.uploaded(self.name)

    def rng(self) -> np.random.Generator:
        """Return a generator: the same again for each manoeuvre."""
        return np.random.default_rng(13)

    def by_confidence(self) -> list[int]:
        """Return the places of its claims, the most doubtful first."""
        return sorted(range(len(self.claims)), key=lambda place: self.claims[place].confidence)

    def doubtful(self) -> set[int]:
        """Return the places of the half that it is least sure of."""
        return set(self.by_confidence()[: len(self.claims) // 2])

    def half_changed(self, change: Callable[[Claims], Claims]) -> Claims:
        """Return its claims with the doubtful half changed."""
        doubtful = self.doubtful()
        return [change([one])[0] if i in doubtful else one for i, one in enumerate(self.claims)]


@dataclass(frozen=True)
class Manoeuvre:
    """One way to play.

    Attributes
    ----------
    name, group : str
    play : callable
    part : str
        Of which it is told.
    is_first : bool
        Whether its system arrives before all others, not after them.
    near_copies : int
        How many other teams submit much the same before it.
    changes_claims : bool
        Whether it says anything else than the honest file, confidences aside.
    """

    name: str
    group: str
    play: Play
    part: str = "relation"
    is_first: bool = False
    near_copies: int = 0
    changes_claims: bool = True

    def version(self, situation: Situation) -> Version | None:
        """Return what the service makes of it; None where the file is refused."""
        world, made = situation.world, self.play(situation)
        file = made if isinstance(made, bytes) else files.written(world, made)
        reading = world.read(file)
        return world.version(situation.honest.team, reading.predictions) if reading.accepted else None
