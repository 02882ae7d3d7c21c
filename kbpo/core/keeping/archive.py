"""What is in a backup: a tar file whose last member says what the others were.

================================  =====================================================================
member                            content
================================  =====================================================================
``backup.json``                   the format, when and by what it was made, and the database's shape
``tables/TABLE/000001.copy.gz``   rows of a table, as COPY writes them
``files/ROOT/…``                  files, by their places (`kbpo.core.storage`)
``contents.json``                 the rows of each table; without it, something is missing
================================  =====================================================================

age authenticates the whole file, so a truncated or altered archive is refused (`sealing`).
"""

import gzip
import io
import json
import tarfile
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import IO, Any, BinaryIO

from kbpo.core.errors import InvalidInput, Unavailable

FORMAT = 1
HEAD, TAIL = "backup.json", "contents.json"
TABLES, FILES = "tables/", "files/"


class Writer:
    """Writes a backup to a stream that cannot be sought."""

    def __init__(self, stream: BinaryIO) -> None:
        self._tar = tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT)  # noqa: SIM115
        self.rows: Counter[str] = Counter()
        self.files = 0

    def head(self, content: Mapping[str, Any]) -> None:
        """Write the first member."""
        self._add(HEAD, json.dumps({"format": FORMAT, **content}).encode())

    def part(self, table: str, number: int, rows: int, data: bytes) -> None:
        """Write some rows of a table."""
        self._add(f"{TABLES}{table}/{number:06}.copy.gz", gzip.compress(data, 6, mtime=0))
        self.rows[table] += rows

    def file(self, place: str, stream: BinaryIO, size: int) -> None:
        """Write a file, as long as it is now."""
        self._stream(FILES + place, stream, size)
        self.files += 1

    def end(self) -> None:
        """Write the last member; without it nothing is a backup."""
        self._add(TAIL, json.dumps({"rows": dict(self.rows)}).encode())
        self._tar.close()

    def _add(self, name: str, data: bytes) -> None:
        self._stream(name, io.BytesIO(data), len(data))

    def _stream(self, name: str, stream: BinaryIO, size: int) -> None:
        member = tarfile.TarInfo(name)
        member.size, member.mode = size, 0o600
        try:
            self._tar.addfile(member, stream)
        except OSError as error:
            if str(error) == "unexpected end of data":
                raise Unavailable(f"{name} became shorter while it was read: try again") from None
            raise


class Reader:
    """Reads a backup from a stream; `members` goes through it once, and refuses what is not whole.

    Attributes
    ----------
    head : mapping of str to object
    """

    def __init__(self, stream: BinaryIO) -> None:
        try:
            self._tar = tarfile.open(fileobj=stream, mode="r|")  # noqa: SIM115
            first = self._tar.next()
            if first is None or first.name != HEAD:
                raise InvalidInput("is no backup of this service", where="archive")
            self.head: dict[str, Any] = json.loads(self._open(first).read())
        except (tarfile.TarError, ValueError) as error:
            raise InvalidInput(f"is no backup of this service ({error})", where="archive") from None
        if self.head.get("format") != FORMAT:
            raise InvalidInput(
                f"is in format {self.head.get('format')}; this version of the service reads {FORMAT}",
                where="archive",
            )

    def members(self) -> Iterator[tuple[str, IO[bytes]]]:
        """Yield the name of each member and what it is read from, before the next one.

        Raises
        ------
        InvalidInput
            Where the end is missing, or something cannot be read.
        """
        try:
            while (member := self._tar.next()) is not None:
                if member.name == TAIL:
                    self.tail: dict[str, Any] = json.loads(self._open(member).read())
                    return
                yield member.name, self._open(member)
        except (tarfile.TarError, EOFError, ValueError) as error:
            raise InvalidInput(f"cannot be read to its end ({error})", where="archive") from None
        raise InvalidInput("has no end", where="archive")

    def _open(self, member: tarfile.TarInfo) -> IO[bytes]:
        found = self._tar.extractfile(member)
        if found is None:
            raise InvalidInput(f"has {member.name} in it, which is no file", where="archive")
        return found
