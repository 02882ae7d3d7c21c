"""What is taught before somebody works at an interface: one tutorial for each kind of work."""

from collections.abc import Callable, Mapping

from crowd.tutorials import entities, relation
from crowd.tutorials.lesson import Tutorial
from kbpo.core.errors import InvalidInput

TUTORIALS: Mapping[str, Callable[[], Tutorial]] = {
    relation.KIND: relation.tutorial,
    entities.KIND: entities.tutorial,
}


def find_tutorial(kind: str) -> Tutorial:
    """Return the tutorial for a kind of work.

    Raises
    ------
    InvalidInput
        If there is none.
    """
    if kind not in TUTORIALS:
        raise InvalidInput(f"there is no tutorial for {kind!r}; there are some for {', '.join(TUTORIALS)}")
    return TUTORIALS[kind]()
