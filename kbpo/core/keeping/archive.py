"""What is in a backup: a tar file whose last member says what the others were.

================================  =====================================================================
member                            content
================================  =====================================================================
``backup.json``                   the format, when and by what it was made, and the database's shape
``tables/TABLE/000001.copy.gz``   rows of a table, as COPY writes them
``files/ROOT/…``                  files, by their places (`kbpo.core.storage`)
``contents.json``                 how many members there are, the digest of them all, rows of each table
================================  =====================================================================
"""

import gzip
import hashlib
import io
import json
import tarfile
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Protocol

from kbpo.core.errors import InvalidInput, Unavailable

FORMAT = 1
HEAD, TAIL = "backup.json", "contents.json"
TABLES, FILES = "tables/", "files/"
PIECE = 1 << 20


class Readable(Protocol):
    """What a member is read from."""

    def read(self, size: int, /) -> bytes:
        """Return at most so many bytes; none at the end."""


class Writer:
    """Writes a backup to a stream that cannot be sought."""

    def __init__(self, stream: BinaryIO) -> None:
        self._tar = tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT)  # noqa: SIM115
        self._digest, self._members = hashlib.sha256(), 0
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
        content = {"members": self._members, "sha256": self._digest.hexdigest(), "rows": dict(self.rows)}
        self._add(TAIL, json.dumps(content).encode())
        self._tar.close()

    def _add(self, name: str, data: bytes) -> None:
        self._stream(name, io.BytesIO(data), len(data))

    def _stream(self, name: str, stream: BinaryIO, size: int) -> None:
        member = tarfile.TarInfo(name)
        member.size, member.mode = size, 0o600
        digested = Digested(stream)
        try:
            self._tar.addfile(member, digested)
        except OSError as error:
            if str(error) == "unexpected end of data":
                raise Unavailable(f"{name} became shorter while it was read: try again") from None
            raise
        self._note(name, digested)

    def _note(self, name: str, digested: "Digested") -> None:
        self._digest.update(f"{name}\0{digested.digest.hexdigest()}\n".encode())
        self._members += 1


class Digested:
    """Reads a stream, and makes up the digest of what was read."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self.digest = hashlib.sha256()

    def read(self, size: int = PIECE) -> bytes:
        """Return at most so many bytes; none at the end."""
        data = self._stream.read(size)
        self.digest.update(data)
        return data


class Reader:
    """Reads a backup from a stream; `members` goes through it once, and refuses what is not whole.

    Attributes
    ----------
    head : mapping of str to object
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._digest, self._members = hashlib.sha256(), 0
        try:
            self._tar = tarfile.open(fileobj=stream, mode="r|")  # noqa: SIM115
            first = self._tar.next()
            if first is None or first.name != HEAD:
                raise InvalidInput("is no backup of this service", where="archive")
            self.head: dict[str, Any] = json.loads(self._read(first))
        except (tarfile.TarError, ValueError) as error:
            raise InvalidInput(f"is no backup of this service ({error})", where="archive") from None
        if self.head.get("format") != FORMAT:
            raise InvalidInput(
                f"is in format {self.head.get('format')}; this version of the service reads {FORMAT}",
                where="archive",
            )

    def members(self) -> Iterator[tuple[str, Digested]]:
        """Yield the name of each member and what it is read from, which is read to its end before the next.

        Raises
        ------
        InvalidInput
            Where something is missing, or is not what was written.
        """
        try:
            while (member := self._tar.next()) is not None:
                if member.name == TAIL:
                    self._check(json.loads(self._tar.extractfile(member).read()))  # type: ignore[union-attr]
                    return
                digested = Digested(self._tar.extractfile(member))  # type: ignore[arg-type]
                yield member.name, digested
                while digested.read():
                    pass
                self._note(member.name, digested)
        except (tarfile.TarError, EOFError, ValueError) as error:
            raise InvalidInput(f"cannot be read to its end ({error})", where="archive") from None
        raise InvalidInput("has no end", where="archive")

    def _read(self, member: tarfile.TarInfo) -> bytes:
        digested = Digested(self._tar.extractfile(member))  # type: ignore[arg-type]
        data = b"".join(iter(digested.read, b""))
        self._note(member.name, digested)
        return data

    def _note(self, name: str, digested: Digested) -> None:
        self._digest.update(f"{name}\0{digested.digest.hexdigest()}\n".encode())
        self._members += 1

    def _check(self, tail: Mapping[str, Any]) -> None:
        if (tail["members"], tail["sha256"]) != (self._members, self._digest.hexdigest()):
            raise InvalidInput("does not have in it what it says", where="archive")
        self.tail = tail
