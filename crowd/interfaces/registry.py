"""The interfaces that there are, by name and by the kinds of question that they ask."""

from collections.abc import Mapping

from crowd.interfaces.choice.interface import INTERFACE as CHOICE
from crowd.interfaces.correctness.interface import INTERFACE as CORRECTNESS
from crowd.interfaces.entities.interface import INTERFACE as ENTITIES
from crowd.interfaces.interface import AskedKind, Interface, Teaching
from crowd.interfaces.quality.interface import INTERFACE as QUALITY
from crowd.interfaces.relation.interface import INTERFACE as RELATION
from crowd.tutorials.lesson import Tutorial
from kbpo.core.errors import InvalidInput
from kbpo_formats.ontologies.ontology import Ontology

INTERFACES: Mapping[str, Interface] = {
    one.name: one for one in (RELATION, ENTITIES, CHOICE, QUALITY, CORRECTNESS)
}
#: Every kind of question that people are asked, in the order in which they are listed.
ASKED_KINDS: Mapping[str, AskedKind] = {
    kind.name: kind for interface in INTERFACES.values() for kind in interface.asks
}
_BY_KIND: Mapping[str, Interface] = {
    kind: interface for interface in INTERFACES.values() for kind in interface.kinds
}


def find_interface(name: str) -> Interface:
    """Return an interface.

    Raises
    ------
    InvalidInput
        If there is none of this name.
    """
    if name not in INTERFACES:
        raise InvalidInput(f"is {name!r}; it must be {' or '.join(INTERFACES)}", where="kind")
    return INTERFACES[name]


def interface_of(kind: str) -> Interface:
    """Return the interface that asks a kind of question.

    Raises
    ------
    InvalidInput
        If none does.
    """
    if kind not in _BY_KIND:
        raise InvalidInput(
            f"is {kind!r}; there are interfaces for {', '.join(_BY_KIND)}", where="kind of question"
        )
    return _BY_KIND[kind]


def find_teaching(name: str) -> Teaching:
    """Return how an interface is taught.

    Raises
    ------
    InvalidInput
        If there is no such interface, or it has no tutorial.
    """
    teaching = INTERFACES[name].teaching if name in INTERFACES else None
    if teaching is None:
        known = ", ".join(one.name for one in INTERFACES.values() if one.teaching is not None)
        raise InvalidInput(f"there is no tutorial for {name!r}; there are some for {known}")
    return teaching


def find_tutorial(name: str, ontology: Ontology) -> Tutorial:
    """Return the tutorial of an interface under an ontology; errors as `find_teaching`."""
    return find_teaching(name).tutorial(ontology)
