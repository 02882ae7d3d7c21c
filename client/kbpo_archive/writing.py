"""Archives, written: the same bytes for the same contents, whenever and wherever."""

import csv
import hashlib
import io
import json
import math
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, Any

from kbpo_archive.tables import MANIFEST, TABLES

_EPOCH = (1980, 1, 1, 0, 0, 0)  # no file has a date of its own
_ROWS = 2_000


class Writer:
    """An archive that is being written: its files, one after the other; the manifest comes last.

    Parameters
    ----------
    stream : binary file
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._zip = zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=6)
        self.files: dict[str, dict[str, Any]] = {}

    def add(self, name: str, chunks: Iterable[bytes]) -> None:
        """Write a file."""
        digest, size = hashlib.sha256(), 0
        with self._zip.open(_info(name), "w", force_zip64=True) as stream:
            for chunk in chunks:
                digest.update(chunk)
                size += len(chunk)
                stream.write(chunk)
        self.files[name] = {"bytes": size, "sha256": digest.hexdigest()}

    def add_table(
        self, name: str, rows: Iterable[Sequence[Any]], columns: Sequence[str] | None = None
    ) -> None:
        """Write a table.

        Parameters
        ----------
        name : str
            One of `TABLES`.
        rows : iterable of sequence
            None is an empty cell, a bool 0 or 1; a float has all the digits that it needs.
        columns : sequence of str, optional
            Its columns, where not all of the table's are there.
        """
        table = TABLES[name]
        header = [one.name for one in table.columns] if columns is None else columns
        self.add(table.file, _lines(header, rows))

    def finish(self, manifest: Mapping[str, Any]) -> None:
        """Write the manifest, with the digests of all files, and end the archive."""
        whole = {**manifest, "files": dict(sorted(self.files.items()))}
        with self._zip.open(_info(MANIFEST), "w", force_zip64=True) as stream:
            stream.write(as_json(whole))
        self._zip.close()


def as_json(value: Any) -> bytes:
    """Return a value as a file of JSON that people read, too."""
    return json.dumps(value, ensure_ascii=False, indent=1).encode() + b"\n"


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    info.create_system = 3
    return info


def _lines(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[bytes]:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    for number, row in enumerate(rows, start=1):
        writer.writerow([cell(value) for value in row])
        if number % _ROWS == 0:
            yield buffer.getvalue().encode()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue().encode()


def cell(value: Any) -> str:
    """Return a value as it stands in a table."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(float(value))
    return str(value)
