"""What webhooks tell of."""

from collections.abc import Mapping
from types import MappingProxyType

READ, REFUSED, SCORED = "submission.read", "submission.refused", "submission.scored"
FAILED, RELEASED, TEST = "submission.failed", "epoch.released", "test"

#: Those that a team can choose, each with its name for people.
EVENTS: Mapping[str, str] = MappingProxyType(
    {
        READ: "A file was read, and accepted",
        REFUSED: "A file was refused",
        SCORED: "A system is scored, for the first time",
        FAILED: "A submission stopped, by a fault of ours",
        RELEASED: "An epoch of a corpus with a system of yours is released",
    }
)
