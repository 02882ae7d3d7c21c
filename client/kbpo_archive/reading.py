"""Archives, read: a ZIP file of tables in CSV, each held to its digest."""

import csv
import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kbpo_archive.errors import BadArchive
from kbpo_archive.tables import FLAG, FLOAT, FORMAT, INT, MANIFEST, TABLES

LARGEST_MANIFEST = 1 << 20
LEADERBOARD = "leaderboard"
"""The kind of an edition without judgements and sample."""
LARGE, MOST_PACKED = 1 << 26, 100
"""A file of more bytes than the first is held to so many times what it takes in the ZIP file."""
DAMAGED = (OSError, ValueError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError)
"""What reading a ZIP file raises that is broken, encrypted, or packed as no archive is."""
NOTHING = -1
"""What stands for an empty cell in a column of whole numbers; in one of numbers it is NaN."""

Columns = Mapping[str, Any]
"""By name: an array of the column's kind, of texts a list."""


class Archive:
    """An archive, open for reading.

    Parameters
    ----------
    path : path-like

    Raises
    ------
    BadArchive
        If it is none, or of a version that is not known here.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        try:
            self._zip = zipfile.ZipFile(self.path)
            info = self._zip.getinfo(MANIFEST)
            if info.file_size > LARGEST_MANIFEST:
                raise BadArchive(
                    f"{MANIFEST} has {info.file_size} bytes; {LARGEST_MANIFEST} at most are right",
                    where=str(path),
                )
            self.manifest: dict[str, Any] = json.loads(self._zip.read(info))
            version = self.manifest["format"]
        except (*DAMAGED, KeyError, TypeError, RecursionError) as error:
            raise BadArchive(f"is no archive of a released epoch: {error}", where=str(path)) from None
        if self.manifest.get("kind") == LEADERBOARD:
            raise BadArchive(
                "holds a leaderboard alone; only the archive of a released epoch can be recomputed",
                where=str(path),
            )
        if version != FORMAT:
            is_older = isinstance(version, int) and version < FORMAT
            raise BadArchive(
                f"is of format {version!r:.20}; this version reads {FORMAT}:"
                f" {'fetch its newest edition' if is_older else 'take a newer client'}",
                where=str(path),
            )

    def __enter__(self) -> "Archive":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._zip.close()

    @cached_property
    def digests(self) -> Mapping[str, str]:
        """By the name of each file its SHA-256, as the manifest has it."""
        return {name: one["sha256"] for name, one in self.manifest["files"].items()}

    def read(self, name: str) -> bytes:
        """Return a file.

        Raises
        ------
        BadArchive
            If there is none, or it is not as the manifest has it.
        """
        stated = self.manifest["files"].get(name)
        try:
            info = self._zip.getinfo(name)
        except KeyError:
            raise BadArchive(f"has no {name}", where=str(self.path)) from None
        if stated is None or info.file_size != stated["bytes"]:
            raise BadArchive(f"{name} is not as long as the manifest says", where=str(self.path))
        if info.file_size > max(LARGE, MOST_PACKED * info.compress_size):
            raise BadArchive(
                f"{name} would be {info.file_size:,} bytes from {info.compress_size:,}:"
                " no table packs like that",
                where=str(self.path),
            )
        try:
            data = self._zip.read(info)
        except DAMAGED as error:
            raise BadArchive(f"{name} is damaged: {error}", where=str(self.path)) from None
        if hashlib.sha256(data).hexdigest() != stated["sha256"]:
            raise BadArchive(
                f"{name} is not what the manifest says: its SHA-256 is another", where=str(self.path)
            )
        return data

    def has(self, name: str) -> bool:
        """Say whether there is a table."""
        return TABLES[name].file in self.manifest["files"]

    def table(self, name: str) -> Columns:
        """Return the columns of a table.

        Raises
        ------
        BadArchive
            As `read`, or if a cell is none of its column's.
        """
        table = TABLES[name]
        try:
            rows = csv.reader(io.StringIO(self.read(table.file).decode(), newline=""))
            header = next(rows, [])
            cells: Sequence[Sequence[str]] = list(zip(*rows, strict=True)) or [()] * len(header)
            return {
                column: _column(values, table.kind(column))
                for column, values in zip(header, cells, strict=True)
            }
        except (ValueError, OverflowError, csv.Error) as error:
            raise BadArchive(f"{table.file}: {error}", where=str(self.path)) from None

    def check(self) -> int:
        """Hold every file to its digest; return how many there are."""
        for name in self.manifest["files"]:
            self.read(name)
        return len(self.manifest["files"])


def _column(values: Sequence[str], kind: str) -> NDArray[Any] | list[str]:
    if kind == FLOAT:
        return np.array([float(one) if one else np.nan for one in values], dtype=np.float64)
    if kind == INT:
        return np.array([int(one) if one else NOTHING for one in values], dtype=np.int64)
    if kind == FLAG:
        return np.array([one == "1" for one in values], dtype=np.bool_)
    return list(values)
