"""What every operation of the requester API is given."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from marketplace.models import Requester

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A request that is signed and well-formed.

    Attributes
    ----------
    requester : Requester
        Who calls.
    params : mapping
        As the operation's input shape says.
    request_id : str
    now : datetime
    """

    requester: Requester
    params: Mapping[str, Any]
    request_id: str
    now: datetime
