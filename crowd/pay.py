"""What work should pay: by the time that it takes, at a wage. Pure: seconds and cents in, cents out."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil, isfinite

from kbpo.core.errors import InvalidInput

LEAST_CENTS = 1  # of a reward
THOUSAND = 1000  # tokens: what the price of marking documents is for
STEP_CENTS = 5  # rewards for documents are multiples: HITs with one reward are listed together


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long people take, in seconds: measured where enough was answered, as interfaces have it elsewhere.

    Attributes
    ----------
    seconds : mapping of str to float
        By kind of question: for one of them, or, of those that are about all of a document, for each of its
        tokens.
    measured : frozenset of str
        The kinds whose time was measured.
    """

    seconds: Mapping[str, float]
    measured: frozenset[str] = frozenset()

    def of_questions(self, kinds: Iterable[str]) -> float:
        """Return the seconds that questions of these kinds take, one for each."""
        return sum(number * self.seconds[kind] for kind, number in Counter(kinds).items())

    def of_document(self, kind: str, *, tokens: int) -> float:
        """Return the seconds that a question about all of a document takes."""
        return tokens * self.seconds[kind]


def reward(*, seconds: float, hourly_cents: int, least_cents: int = LEAST_CENTS) -> int:
    """Return what work of so many seconds pays at a wage, rounded up to a cent.

    Parameters
    ----------
    seconds : float
        From 0 on.
    hourly_cents : int
        1 or more.
    least_cents : int
        The smallest reward.

    Raises
    ------
    InvalidInput
        If an argument is out of range.

    Examples
    --------
    >>> reward(seconds=20, hourly_cents=1500)
    9
    >>> reward(seconds=780, hourly_cents=1500)
    325
    """
    if not isfinite(seconds) or seconds < 0:
        raise InvalidInput(f"is {seconds}; it must be a number from 0 on", where="seconds")
    if hourly_cents < 1:
        raise InvalidInput(f"is {hourly_cents}; it must be 1 or more", where="hourly wage in cents")
    # 780 s at $15 are 325 cents, not 325.00000000000006
    return max(least_cents, ceil(round(seconds * hourly_cents / 3600, 6)))


def document_reward(*, tokens: int, cents: int) -> int:
    """Return what marking a document pays at a price for `THOUSAND` tokens, rounded up to `STEP_CENTS`.

    Parameters
    ----------
    tokens : int
        Of the document.
    cents : int
        For a thousand of them; 1 or more.

    Examples
    --------
    >>> document_reward(tokens=200, cents=325)
    65
    >>> document_reward(tokens=210, cents=325)
    70
    """
    steps = -(-tokens * cents // (THOUSAND * STEP_CENTS))
    return max(1, steps) * STEP_CENTS


def hourly(*, reward_cents: int, seconds: float) -> int:
    """Return what an hour of such work pays, in cents, rounded down."""
    return int(reward_cents * 3600 / max(seconds, 1))


def seconds_for(cents: int, *, reward_cents: int, seconds: float) -> int:
    """Return how long a HIT takes that pays `cents`, where `reward_cents` are for so many seconds.

    Examples
    --------
    >>> seconds_for(27, reward_cents=9, seconds=20)
    60
    """
    return ceil(ceil(seconds) * cents / reward_cents)
