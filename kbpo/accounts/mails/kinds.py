"""The kinds of mail that somebody can switch off. Mail about their account itself is not among them."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of mail.

    Attributes
    ----------
    name : str
    title : str
        On the page of choices, and where one is switched off.
    words : str
        To whom it goes, and when.
    is_for_operators : bool
        Whether nobody else gets it.
    """

    name: str
    title: str
    words: str
    is_for_operators: bool = False


READ, REFUSED, SCORED, FAILED = "read", "refused", "scored", "failed"
RELEASED, INVITED, WEBHOOK_OFF, WAITING = "released", "invited", "webhook", "waiting"
NEWS = "news"

KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            Kind(READ, "A file was read", "You submitted it, and its claims are accepted."),
            Kind(REFUSED, "A file was refused", "You submitted it, and it has errors: the first are listed."),
            Kind(SCORED, "A system is scored", "You submitted it. Once, not each time its scores change."),
            Kind(
                FAILED,
                "A submission stopped",
                "You submitted it, and a fault of ours keeps it back.",
            ),
            Kind(
                RELEASED,
                "An epoch is released",
                "A team of yours has a system in that corpus, and the labels are public now.",
            ),
            Kind(
                NEWS,
                "News of a corpus",
                "A team of yours takes part, and its organisers write to you.",
            ),
            Kind(INVITED, "An invitation to a team", "Somebody asks you to join theirs."),
            Kind(
                WEBHOOK_OFF,
                "A webhook is switched off",
                "An address of your team’s has not taken anything for days.",
            ),
            Kind(
                WAITING,
                "Work waits for you",
                "You are an operator, and the time nears by which a worker is to be paid.",
                is_for_operators=True,
            ),
        )
    }
)
