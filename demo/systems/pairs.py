"""Pairs of mentions that may stand in a relation: where the systems without patterns begin."""

from collections.abc import Iterator
from typing import NamedTuple

from demo.systems.reading import ONTOLOGY, Mention, Sentence


class Choice(NamedTuple):
    """One relation that the types of a pair admit, and which of the two is its subject."""

    relation: str
    subject: Mention
    object: Mention


class Pair(NamedTuple):
    """Two mentions of a sentence, in the order of the text, and what may hold between them."""

    first: Mention
    second: Mention
    choices: tuple[Choice, ...]


def pairs(sentence: Sentence, *, reach: int) -> Iterator[Pair]:
    """List the pairs of mentions of a sentence between which the ontology admits something.

    Parameters
    ----------
    sentence : Sentence
    reach : int
        The most characters that may lie between the two.

    Yields
    ------
    Pair
        Never two mentions of one entity.
    """
    for at, first in enumerate(sentence.mentions):
        for second in sentence.mentions[at + 1 :]:
            if second.span.start - first.span.end > reach:
                break
            if (first.type, first.name) == (second.type, second.name):
                continue
            choices = tuple(
                Choice(option.relation.name, *((first, second) if option.subject == 0 else (second, first)))
                for option in ONTOLOGY.options(first.type, second.type)
            )
            if choices:
                yield Pair(first, second, choices)
