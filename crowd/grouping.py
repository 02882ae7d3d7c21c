"""How questions are put together into HITs. Pure: numbers and spans in, groups out."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kbpo.core.spans import Span


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that needs more votes.

    Attributes
    ----------
    pk, document : int
    kind : str
    votes : int
        How many it lacks; 1 or more.
    mentions : tuple of Span
        Those that it is about.
    sentence : int or None
        In which it stands, where HITs are to have the questions of one sentence; else None.
    is_companion : bool
        Whether it rides along with another question about its first mention, so that the document is read
        once.
    """

    pk: int
    document: int
    kind: str
    votes: int
    mentions: tuple[Span, ...] = ()
    sentence: int | None = None
    is_companion: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """The questions of a HIT, in the order in which they are shown, and how many workers are asked.

    `units` says how many there are, each counted with its companions.
    """

    questions: tuple[int, ...]
    places: int
    units: int = field(default=1, compare=False)


def group(questions: Iterable[OpenQuestion], *, per_hit: int = 1) -> list[Group]:
    """Put questions together into HITs.

    A question comes with its companions, which are about one of its mentions; of those that are left, those
    about one mention come together. `per_hit` such units make a HIT, one document after another, or
    of one sentence where the questions name theirs. Questions that lack different numbers of votes are never
    in one HIT, so nobody is asked in vain.

    Parameters
    ----------
    questions : iterable of OpenQuestion
    per_hit : int

    Returns
    -------
    list of Group
        Every question is in exactly one.
    """
    shelves: dict[tuple[int, ...], list[tuple[int, ...]]] = defaultdict(list)
    by_document: dict[tuple[int, int], list[OpenQuestion]] = defaultdict(list)
    for question in questions:
        by_document[question.document, question.votes].append(question)
    for (document, votes), found in sorted(by_document.items()):
        sentences = {question.pk: question.sentence for question in found}
        for unit in _units(sorted(found, key=lambda question: question.pk)):
            sentence = sentences[unit[0]]
            shelves[(-votes,) if sentence is None else (-votes, document, sentence)].append(unit)
    return [
        Group(tuple(pk for unit in some for pk in unit), -shelf[0], len(some))
        for shelf, units in sorted(shelves.items())
        for some in (units[start : start + per_hit] for start in range(0, len(units), per_hit))
    ]


def _units(questions: Sequence[OpenQuestion]) -> list[tuple[int, ...]]:
    """Cut a document's questions into what is shown together."""
    companions: dict[Span, list[int]] = defaultdict(list)
    for question in questions:
        if question.is_companion:
            companions[question.mentions[0]].append(question.pk)
    units = [
        (question.pk, *(pk for mention in question.mentions for pk in companions.pop(mention, [])))
        for question in questions
        if not question.is_companion
    ]
    return units + [tuple(left) for left in companions.values()]
