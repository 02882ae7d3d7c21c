"""The parts of the service that keep something about people, each of which knows what."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kbpo.accounts.models import User

Rows = Iterable[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Leaving:
    """How somebody leaves.

    Attributes
    ----------
    user : User
    now : datetime
    withdraws_all : bool
        Whether what they submitted for teams that go on without them is withdrawn too.
    """

    user: User
    now: datetime
    withdraws_all: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the service.

    Attributes
    ----------
    name : str
    export : callable
        Returns what it keeps about a person: rows by section, read while they are written out.
    forget : callable
        Takes names and addresses away, within the transaction of the deletion. It runs while the account
        still has its name and teams.
    owed : callable
        Returns one sentence for each sum that a person is still to be paid.
    """

    name: str
    export: Callable[[User], Mapping[str, Rows]]
    forget: Callable[[Leaving], None] = lambda leaving: None
    owed: Callable[[User], list[str]] = lambda user: []


_PARTS: dict[str, Part] = {}


def register(part: Part) -> None:
    """Have a part asked from now on: applications do so when they are ready."""
    _PARTS[part.name] = part


def registered() -> list[Part]:
    """Return all parts, in the order of their names."""
    return [_PARTS[name] for name in sorted(_PARTS)]
