"""Pairs of mentions that may stand in a relation: the candidates of the systems that do not match patterns."""

from collections.abc import Iterator

from demo.systems.reading import Mention, Sentence
from kbpo.core.ontology import Option, options


def candidates(sentence: Sentence, *, reach: int) -> Iterator[tuple[Mention, Mention, tuple[Option, ...]]]:
    """List the pairs of mentions of one sentence that the ontology admits.

    Parameters
    ----------
    sentence : Sentence
    reach : int
        The most characters that may lie between the two.

    Yields
    ------
    first, second : Mention
        In the order of the text; never two mentions of one entity.
    options : tuple of Option
        What may hold between them, in either direction.
    """
    for at, first in enumerate(sentence.mentions):
        for second in sentence.mentions[at + 1 :]:
            if second.span.start - first.span.end > reach:
                break
            one_entity = (first.type, first.name) == (second.type, second.name)
            admitted = options(first.type, second.type)
            if admitted and not one_entity:
                yield first, second, admitted
