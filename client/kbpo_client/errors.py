"""What can go wrong, each with the exit status by which a script tells it from others."""

from collections.abc import Sequence

from kbpo_formats.errors import KbpoError


class ClientError(KbpoError):
    """Something that the client could not do: one sentence says why.

    Attributes
    ----------
    exit_status : int
        Of the command.
    """

    exit_status = 1


class Refused(ClientError):
    """The server refuses what was sent: a field is wrong, or it is too late or too early for that.

    Attributes
    ----------
    status : int
        Of the answer.
    fields : sequence of (str, str)
        What is wrong with each field.
    """

    def __init__(self, message: str, *, status: int = 400, fields: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.fields = tuple(fields)


class WrongUsage(ClientError):
    """It was called in a way that makes no sense."""

    exit_status = 2


class NotAllowed(ClientError):
    """Nobody is logged in, the token is not good any more, or it or its person may not do this."""

    exit_status = 3


class NetworkError(ClientError):
    """The server cannot be reached, broke off, or has a fault, however often it was tried."""

    exit_status = 4


class Later(ClientError):
    """It may be done, but not now: too much was asked, or what was waited for has not come.

    Attributes
    ----------
    seconds : float or None
        When to try again, if the server says so.
    """

    exit_status = 5

    def __init__(self, message: str, *, seconds: float | None = None) -> None:
        super().__init__(message)
        self.seconds = seconds


class NotFound(ClientError):
    """There is no such thing, or not for whoever asks."""

    exit_status = 6


class Unwritable(ClientError):
    """A file cannot be read or written, or the result cannot be printed: a full disk, or a closed folder."""

    exit_status = 8


class Outdated(ClientError):
    """The server serves only newer clients."""

    exit_status = 7
