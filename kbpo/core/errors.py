"""Errors that the service understands: one tree, and one handler for each kind of caller.

Its root, and what readers of files raise, is the formats': they need no service.
"""

from kbpo_formats.errors import InvalidInput, KbpoError

__all__ = [
    "Away",
    "Busy",
    "Conflict",
    "DigestMismatch",
    "Gone",
    "InvalidInput",
    "KbpoError",
    "NoRoom",
    "NotAllowed",
    "OverBudget",
    "StoreAway",
    "StoreFull",
    "TooLarge",
    "TooMany",
    "TryAgain",
    "Unavailable",
    "UsageError",
]


class NotAllowed(KbpoError):
    """The person may not do this."""

    status = 403


class Gone(KbpoError):
    """What it is about was there, and is not any more."""

    status = 404


class Conflict(KbpoError):
    """The state has moved on: what was asked for is no longer possible."""

    status = 409


class OverBudget(Conflict):
    """No budget is there for what was to be spent, or one has not as much left."""


class TryAgain(Conflict):
    """It is held by work that takes a moment: the same again, a little later, will do."""

    status = 423


class TooMany(KbpoError):
    """Somebody asks for more at a time than anybody may.

    Parameters
    ----------
    message : str
    retry_after : int or None
        Seconds after which the same would be taken, if that is known.
    """

    status = 429

    def __init__(self, message: str, *, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Busy(KbpoError):
    """Somebody else is at it this very moment."""

    status = 423


class TooLarge(KbpoError):
    """What was sent is larger than the service takes."""

    status = 413


class DigestMismatch(KbpoError):
    """What arrived is not what was announced (the status is the tus protocol's)."""

    status = 460


class Unavailable(KbpoError):
    """Something that the service needs is not there: a database, a folder, a broker."""

    status = 503


class Away(Unavailable):
    """The database cannot be reached, or has no time: the same again will do in a few seconds."""


class NoRoom(KbpoError):
    """No room is left where something was to be kept."""

    status = 507


class StoreAway(Unavailable):
    """The store of files cannot be reached, or is another than the database's: the same again will do later.

    Parameters
    ----------
    why : str
        For everybody: what was tried, and what came of it, without addresses.
    detail : str
        For the log: which store, and its own words.
    """

    def __init__(self, why: str, *, detail: str = "") -> None:
        super().__init__(f"{why} Nothing is lost: try the same again in a few minutes.")
        self.detail = detail or why


class StoreFull(NoRoom):
    """The store of files takes no more.

    Parameters
    ----------
    detail : str
        For the log: which store, and its own words.
    """

    def __init__(self, *, detail: str) -> None:
        super().__init__(
            "The store of files is full, so nothing of this was kept. The operators have to make room; try"
            " again later."
        )
        self.detail = detail


class UsageError(KbpoError):
    """A command was called in a way that makes no sense (exit status 2)."""
