"""An edition without what an earlier one says of removed texts: all else as it stands there.

It is copied, not computed: which names of an entity count as full ones is read in texts, and what follows
from that for a removed one is in the earlier edition alone.
"""

import csv
import io
import json
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import IO, Any, BinaryIO

from kbpo_archive.tables import MANIFEST, OTHER_LINK
from kbpo_archive.writing import Writer

README = "README.md"
PIECE = 1 << 20
"""Bytes of a file that are in memory at a time."""
Row = dict[str, str]


def copy_without(
    earlier: BinaryIO,
    file: IO[bytes],
    removed: Collection[str],
    edition: int,
    datasheet: Callable[[Mapping[str, Any]], str],
) -> dict[str, Any]:
    """Write an edition that is an earlier one without digests and links of removed documents.

    Parameters
    ----------
    earlier : binary file
    file : binary file
        Where it is written.
    removed : collection of str
        The ids of all documents that are removed.
    edition : int
    datasheet : callable
        Of a manifest.

    Returns
    -------
    dict
        Its manifest.
    """
    with zipfile.ZipFile(earlier) as archive:
        manifest = json.loads(archive.read(MANIFEST))
        files = manifest.pop("files")
        manifest["edition"] = edition
        writer = Writer(file)
        numbers = {
            row["document"] for row in _rows(archive, files, "documents.csv") if row["doc_id"] in removed
        }
        blanked = {"documents.csv": "sha256", "mentions.csv": "link", "mention_votes.csv": "link"}
        for name in (one for one in archive.namelist() if one not in (MANIFEST, README)):
            if name not in blanked:
                writer.add(name, _pieces(archive, name))
                continue
            column, stead = blanked[name], OTHER_LINK if name == "mention_votes.csv" else ""
            rows = (
                {**row, column: stead} if row["document"] in numbers and row[column] else row
                for row in _rows(archive, files, name)
            )
            writer.add_table(name.removesuffix(".csv"), (tuple(row.values()) for row in rows))
    writer.add(README, [datasheet(manifest).encode()])
    writer.finish(manifest)
    return dict(manifest)


def _pieces(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    with archive.open(name) as stream:
        while piece := stream.read(PIECE):
            yield piece


def _rows(archive: zipfile.ZipFile, files: Mapping[str, Any], name: str) -> Iterator[Row]:
    if name in files:
        with archive.open(name) as stream:
            yield from csv.DictReader(io.TextIOWrapper(stream, "utf-8", newline=""))
