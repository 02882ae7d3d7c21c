"""What each kind of work is called, and the time that it is given."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class WorkOffer:
    """The words and times of a kind of work, as workers see them.

    Attributes
    ----------
    title, description, keywords : str
        In a title ``{types}`` stands for what mentions there are, of some corpus.
    duration : timedelta
        That a worker has for one unit: a question with its companions, or a document.
    """

    title: str
    description: str
    keywords: str
    duration: timedelta

    def title_for(self, types: Sequence[str]) -> str:
        """Return its title where mentions have some types, as people call them.

        Examples
        --------
        >>> WorkOffer("Mark every {types}", "", "", timedelta(0)).title_for(["person", "place", "date"])
        'Mark every person, place and date'
        """
        titles = (self._title(types, number) for number in range(len(types), 0, -1))
        return next((title for title in titles if len(title) <= LONGEST_TITLE), self.title[:LONGEST_TITLE])

    def _title(self, types: Sequence[str], number: int) -> str:
        """Return the title with so many of the types."""
        named = [*types[:number], *(["so on"] if number < len(types) else [])]
        listed = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
        return self.title.replace("{types}", listed)


TUTORIAL_TAKES = timedelta(minutes=6)  # 8 to 10 questions, with their explanations (Liu et al. 2016)
LIFETIME = timedelta(days=7)
AUTO_APPROVAL = timedelta(days=3)
#: When providers pay by themselves what nobody decided: the longest delay that MTurk's API knows.
PAID_WITHOUT_US = timedelta(days=30)
LONGEST_DURATION = timedelta(hours=24)
LONGEST_TITLE = 120


def promise(within: timedelta, *, held_answers: int, holds_all: bool, is_tutorial: bool = False) -> str:
    """Say when work is paid and who looks at it before, for workers to read before they accept any.

    Parameters
    ----------
    within : timedelta
        In which it is decided and paid.
    held_answers : int
        Of a worker, that a person looks at first.
    holds_all : bool
        Whether a person looks at all of it.
    is_tutorial : bool
        Of which one is looked at, if any.

    Examples
    --------
    >>> promise(timedelta(days=3), held_answers=10, holds_all=False)
    'A person looks at your first 10 answers; all work is decided and paid within 3 days.'
    >>> promise(timedelta(hours=1), held_answers=0, holds_all=False)
    'All work is decided and paid within 1 hour.'
    """
    paid = f"ll work is decided and paid within {_in_full(within)}."
    if holds_all:
        return f"A person looks at every answer; a{paid}"
    if held_answers and is_tutorial:
        return f"A person looks at it first if none has approved work of yours yet; a{paid}"
    if held_answers:
        some = "answer" if held_answers == 1 else f"{held_answers} answers"
        return f"A person looks at your first {some}; a{paid}"
    return f"A{paid}"


def _in_full(time: timedelta) -> str:
    seconds = int(time.total_seconds())
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= size and seconds % size == 0:
            return f"{seconds // size} {unit}{'' if seconds == size else 's'}"
    return f"{seconds} seconds"
