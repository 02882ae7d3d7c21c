"""What a store of files is asked, whichever it is."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import BinaryIO, Protocol

from kbpo.core.errors import InvalidInput

ROOTS = ("media", "home")
PIECE = 1 << 20  # bytes read at once
PARTS = ".parts"  # behind the place of a file that arrives: below it are its pieces


@dataclass(frozen=True, slots=True)
class Stored:
    """A file in a store.

    Attributes
    ----------
    place : str
    size : int
        Bytes.
    written_at : datetime
        Aware.
    """

    place: str
    size: int
    written_at: datetime


class Draft(Protocol):
    """A file that is being written, and seen by nobody until it is kept."""

    @property
    def file(self) -> BinaryIO:
        """To write to, to read from and to seek in."""

    def keep(self, place: str = "") -> None:
        """Have it be there, all of it at once; another that was there is replaced.

        Parameters
        ----------
        place : str
            Beside the one that was drafted, where only the content tells its name.
        """


class Arriving(Protocol):
    """A file of which more arrives, piece by piece, from whichever process; one at a time adds to it."""

    here: int  # bytes

    def add(self, data: bytes) -> None:
        """Add some bytes at the end. What is added when the connection breaks is kept."""

    def finish(self) -> str:
        """Make a whole file of what is here; return its SHA-256 in hexadecimal."""


class Store(Protocol):
    """Files by their places.

    Raises
    ------
    StoreAway
        If it cannot be reached, after a few tries of a few seconds each.
    StoreFull
        If it takes no more. In folders that is the `OSError` which `kbpo.core.disk.is_no_space` knows.
    """

    is_exclusive: bool  # whether `new=True` is exact however many write at once

    def prepare(self) -> None:
        """Make what the files are in, unless it is there."""

    def put(self, place: str, content: BinaryIO, *, new: bool = False) -> None:
        """Store a file, all of it at once.

        Parameters
        ----------
        new : bool
            Whether none may be there yet.

        Raises
        ------
        FileExistsError
            If one is there, and may not be.
        """

    def draft(self, place: str) -> AbstractContextManager[Draft]:
        """Write a file bit by bit: unless it is kept before the end, nothing of it stays."""

    def open(self, place: str) -> BinaryIO:
        """Open a file for reading; it can be sought in.

        Raises
        ------
        FileNotFoundError
            If it is not there.
        """

    def look(self, place: str) -> Stored | None:
        """Return a file's size and when it was written; None where it is not there."""

    def delete(self, place: str) -> None:
        """Delete a file, if it is there."""

    def copy(self, place: str, to: str) -> None:
        """Have the same bytes in another place too, without sending them through this process.

        Raises
        ------
        FileNotFoundError
            If the file is not there.
        FileExistsError
            If there is one in the other place.
        """

    def move(self, place: str, to: str) -> None:
        """Have a file in another place, written now.

        Raises
        ------
        FileNotFoundError
            If it is not there.
        """

    def listed(self, folder: str) -> Iterator[Stored]:
        """Yield the files below a place, in order."""

    def clear(self, folder: str) -> None:
        """Delete all files below a place."""

    def address(self, place: str) -> str:
        """Return how an operator finds a place."""

    def arriving(self, place: str) -> AbstractContextManager[Arriving]:
        """Add to a file that arrives in pieces.

        Raises
        ------
        Busy
            If another process does.
        """

    def arrived(self, place: str) -> int:
        """Return how many bytes of a file are here that arrives in pieces."""

    def discard(self, place: str) -> None:
        """Delete a file that arrived, or any pieces of it."""


def whole_of(place: str) -> str:
    """Return the place of the file of which something is a piece; its own, if it is none.

    Examples
    --------
    >>> whole_of("home/uploads/1.parts/000-008"), whole_of("home/uploads/1")
    ('home/uploads/1', 'home/uploads/1')
    """
    return place.partition(f"{PARTS}/")[0]


def check_place(place: str) -> str:
    """Return a place that is one.

    Raises
    ------
    InvalidInput
        If it is outside of what the service keeps.
    """
    root, _, rest = place.partition("/")
    if root not in ROOTS or not rest or rest != str(PurePosixPath(rest)) or rest.startswith("/"):
        raise InvalidInput("is no place that files are kept in", where=place)
    if ".." in PurePosixPath(rest).parts or rest == ".":
        raise InvalidInput("is no place that files are kept in", where=place)
    return place
