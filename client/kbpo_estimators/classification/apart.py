"""Scores where the model that they share does not know all systems: each other has one of its own. Pure.

What a model says of an item that nobody judged follows from the classes that its systems give it. So that no
score tells what a hidden system gives, the scores of shown systems rest on a model that learnt from these
alone. A hidden system's rest on one that learnt from them and from itself: else it would be scored by what
others say, and miss the interval that its sample was designed for (ADR 20).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kbpo_estimators.classification.estimates import Estimated, Scores
from kbpo_estimators.classification.sides import Side


@dataclass(frozen=True, eq=False)
class Apart:
    """The scores of all systems of a pool.

    Attributes
    ----------
    shared : Scores
        Of all systems, by the shared model: what comparing them rests on.
    own : mapping of int to Scores
        Of each system that this model does not know, by its place among all: of it alone, by its own model.
    """

    shared: Scores
    own: Mapping[int, Scores]

    def overall(self, system: int) -> Mapping[str, Estimated | None]:
        """Return a system's accuracy and macro-averages, as `Scores.overall`."""
        alone = self.own.get(system)
        return self.shared.overall(system) if alone is None else alone.overall(0)

    def by_class(self, system: int, number: int) -> Mapping[str, Estimated | None]:
        """Return a system's scores of one class, as `Scores.by_class`."""
        alone = self.own.get(system)
        return self.shared.by_class(system, number) if alone is None else alone.by_class(0, number)

    def side(self, overall: Sequence[Mapping[str, Estimated | None]]) -> Side:
        """Return what comparing the systems needs; from what `overall` says of each."""
        by_shared = [
            self.shared.overall(system) if system in self.own else one for system, one in enumerate(overall)
        ]
        return Side.of(self.shared, by_shared)
