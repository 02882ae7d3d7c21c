"""The bytes of archive editions."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO
from zipfile import ZipFile

from evaluation.models import Edition
from kbpo_archive.tables import MANIFEST


def digest_of(file: BinaryIO) -> str:
    """Return the SHA-256 of a file, from its beginning."""
    file.seek(0)
    digest = hashlib.sha256()
    while chunk := file.read(1 << 20):
        digest.update(chunk)
    return digest.hexdigest()


class Leaderboard:
    """The leaderboard in an edition.

    Parameters
    ----------
    edition : Edition
        One of a leaderboard.
    """

    def __init__(self, edition: Edition) -> None:
        self._zip = ZipFile(edition.open())
        self.manifest: Mapping[str, Any] = json.loads(self._zip.read(MANIFEST))

    def table(self, name: str) -> dict[str, Any]:
        """Return the table in a file."""
        found: dict[str, Any] = json.loads(self._zip.read(name))
        return found

    def tables(self) -> Iterator[dict[str, Any]]:
        """Yield all tables."""
        for one in self.manifest["tables"]:
            yield self.table(one["file"])
