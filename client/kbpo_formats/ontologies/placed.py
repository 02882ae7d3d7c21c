"""What was read of a file, before anybody knows whether it goes together; pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from kbpo_formats.ontologies.ontology import Alias, Example, MentionType, Predicate, Relation
from kbpo_formats.ontologies.toml_lines import Path

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Placed(Generic[T]):
    """What a table holds, and where it stands. What is missing or wrong in it is empty."""

    path: Path
    value: T


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a file holds.

    Attributes
    ----------
    name, title, source : str
    version : int
    types, predicates, aliases, examples : tuple of Placed
    relations : tuple of Placed
        Each with its inverses, by the type of its object.
    names_predicates : bool
        Whether the file says what others may state; otherwise these are the relations and their inverses.
    """

    name: str
    version: int
    title: str
    source: str
    types: tuple[Placed[MentionType], ...]
    relations: tuple[Placed[tuple[Relation, Mapping[str, str]]], ...]
    predicates: tuple[Placed[Predicate], ...]
    aliases: tuple[Placed[Alias], ...]
    examples: tuple[Placed[Example], ...]
    names_predicates: bool
