"""How questions are put together into HITs. Pure: numbers and spans in, groups out."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from kbpo_formats.spans import Span


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
    voters : frozenset of int
        Who has answered it, if it has its first votes and waits for others; none: it still needs those.
    """

    pk: int
    document: int
    kind: str
    votes: int
    mentions: tuple[Span, ...] = ()
    sentence: int | None = None
    is_companion: bool = False
    voters: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Group:
    """The questions of a HIT, in the order in which they are shown, and how many workers are asked.

    `units` says how many there are, each counted with its companions, and `most_units` how many there could
    have been; `is_disputed`, whether these have had their first votes.
    """

    questions: tuple[int, ...]
    places: int
    units: int = field(default=1, compare=False)
    is_disputed: bool = field(default=False, compare=False)
    most_units: int = field(default=1, compare=False)

    @property
    def share(self) -> Fraction:
        """Return how much of a HIT it is: disputed questions are asked in HITs that may not be full."""
        return Fraction(self.units, self.most_units) if self.is_disputed else Fraction(1)


def group(
    questions: Iterable[OpenQuestion], *, per_hit: int = 1, most_voters: int | None = None
) -> list[Group]:
    """Put questions together into HITs.

    A question comes with its companions, which are about one of its mentions; of those that are left, those
    about one mention come together. `per_hit` such units make a HIT, one document after another, or
    of one sentence where the questions name theirs. Questions that lack different numbers of votes are never
    in one HIT, so nobody is asked in vain; nor are disputed ones with those that still need first votes.

    Parameters
    ----------
    questions : iterable of OpenQuestion
    per_hit : int
    most_voters : int, optional
        How many people may have answered one question or another of a HIT, where these are not the same for
        all of its units: whoever has is not admitted to it. None: half of those who answered any of them.

    Returns
    -------
    list of Group
        Every question is in exactly one.
    """
    shelves: dict[tuple[int, ...], list[tuple[int, ...]]] = defaultdict(list)
    by_document: dict[tuple[int, int], list[OpenQuestion]] = defaultdict(list)
    voters: dict[int, frozenset[int]] = {}
    for question in questions:
        voters[question.pk] = question.voters
        by_document[question.document, question.votes].append(question)
    for (document, votes), found in sorted(by_document.items()):
        sentences = {question.pk: question.sentence for question in found}
        for unit in _units(sorted(found, key=lambda question: question.pk)):
            sentence = sentences[unit[0]]
            disputed = any(voters[pk] for pk in unit)
            shelves[(-votes, disputed, *(() if sentence is None else (document, sentence)))].append(unit)
    if most_voters is None:
        most_voters = len(frozenset().union(*voters.values())) // 2
    return [
        Group(tuple(pk for unit in some for pk in unit), -shelf[0], len(some), bool(shelf[1]), per_hit)
        for shelf, units in sorted(shelves.items())
        for some in _pack(units, per_hit, voters, most_voters)
    ]


def _pack(
    units: Sequence[tuple[int, ...]],
    per_hit: int,
    voters: Mapping[int, frozenset[int]],
    most_voters: int,
) -> list[list[tuple[int, ...]]]:
    """Put units into HITs in their order, each into the first that has room and not too many voters."""
    packed: list[list[tuple[int, ...]]] = []
    open_ones: list[tuple[list[tuple[int, ...]], set[int]]] = []
    for unit in units:
        people = {one for pk in unit for one in voters[pk]}
        fitting = (both for both in open_ones if people <= both[1] or len(both[1] | people) <= most_voters)
        hit, together = next(fitting, (None, None))
        if hit is None or together is None:
            hit, together = [], set()
            packed.append(hit)
            open_ones.append((hit, together))
        hit.append(unit)
        together |= people
        open_ones = [both for both in open_ones if len(both[0]) < per_hit]
    return packed


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
