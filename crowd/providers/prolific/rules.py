"""What Prolific asks of those who pay, checked here in words before it is asked to do anything. Pure."""

import math
import re
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

from kbpo.core.errors import InvalidInput

MINIMUM_HOURLY_CENTS = 800
SHORTEST_REASON = 100  # characters

#: Prolific's categories of rejections, by the words with which a reason may begin.
CATEGORIES = {
    "too quickly": "TOO_QUICKLY",
    "failed instructions": "FAILED_INSTRUCTIONS",
    "failed check": "FAILED_CHECK",
    "low effort": "LOW_EFFORT",
    "malingering": "MALINGERING",
    "no code": "NO_CODE",
    "bad code": "BAD_CODE",
    "no data": "NO_DATA",
    "unsupported device": "UNSUPP_DEVICE",
    "other": "OTHER",
}
_PEOPLE = r"(?:the\s+)?(?:other\s+)?(?:workers|participants|people|annotators)"
_OTHERS = re.compile(
    rf"\b(?:majority(?!\s+of\b)|majority\s+of\s+{_PEOPLE}|consensus"
    r"|(?:dis)?agree\w*\s+with\s+(?:the\s+)?(?:other|rest|most)"
    rf"|(?:other|most|all)\s+{_PEOPLE}\s+(?:said|say|answered|chose|ticked|think)"
    r"|differ\w*\s+from\s+(?:the\s+)?(?:other|rest|most))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a submission is not paid.

    Attributes
    ----------
    category : str
        One of Prolific's.
    message : str
        To the worker.
    """

    category: str
    message: str


def read_rejection(feedback: str) -> Rejection:
    """Read why a submission is to be rejected, and check it against Prolific's rules.

    Parameters
    ----------
    feedback : str
        ``"<category>: <reason>"`` with a category of `CATEGORIES`; without one it is "other".

    Raises
    ------
    InvalidInput
        If the reason is shorter than Prolific takes, or is that others answered in another way, which
        Prolific counts as no reason.
    """
    start, colon, rest = feedback.partition(":")
    category = CATEGORIES.get(" ".join(start.lower().split())) if colon else None
    message = (rest if category else feedback).strip()
    if len(message) < SHORTEST_REASON:
        raise InvalidInput(
            f"Prolific asks for a reason of at least {SHORTEST_REASON} characters, which the worker reads;"
            f" this one has {len(message)}. Say what was asked, what was done instead, and where."
        )
    if _OTHERS.search(message):
        raise InvalidInput(
            "That others answered in another way is no reason to Prolific: say what in the answer itself"
            " shows that the task was not done."
        )
    return Rejection(category or "OTHER", message)


def fee_cents(cents: int, percent: Decimal) -> int:
    """Return the fee on a payment, rounded up."""
    return int((cents * percent / 100).to_integral_value(rounding=ROUND_CEILING))


def longest_minutes(minutes: int) -> int:
    """Return the least time to be allowed for work that is estimated at so many minutes, in minutes."""
    return math.ceil(2 + 2 * minutes + 2 * math.sqrt(minutes))


def estimated_minutes(duration_seconds: int, estimated_seconds: int | None) -> int:
    """Return how long work takes, in whole minutes as Prolific shows it.

    Without an estimate it is the longest that Prolific lets go with the time allowed.
    """
    if estimated_seconds is not None:
        return max(1, math.ceil(estimated_seconds / 60))
    # 2 + 2t + 2√t ≤ d, solved for √t
    root = (math.sqrt(max(2 * duration_seconds / 60 - 3, 1)) - 1) / 2
    return max(1, math.floor(root**2))


def check_pay(reward_cents: int, minutes: int) -> None:
    """Refuse pay below Prolific's minimum.

    Raises
    ------
    InvalidInput
        Saying what would be enough.
    """
    hourly = reward_cents * 60 / minutes
    if hourly < MINIMUM_HOURLY_CENTS:
        enough = math.ceil(MINIMUM_HOURLY_CENTS * minutes / 60)
        raise InvalidInput(
            f"{reward_cents} cents for about {minutes} {'minute' if minutes == 1 else 'minutes'} are"
            f" ${hourly / 100:.2f} an hour; Prolific asks for at least ${MINIMUM_HOURLY_CENTS / 100:.2f}:"
            f" {enough} cents"
        )
