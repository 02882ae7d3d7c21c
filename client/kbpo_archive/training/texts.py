"""The texts of a corpus, where somebody has them, as examples need them."""

import gzip
import json
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from kbpo_archive.errors import BadArchive
from kbpo_formats.blotting import is_blotted

NAMES = ("corpus.jsonl.gz", "corpus.jsonl")
"""What the file of texts is called in a folder that `kbpo data` has filled."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Text:
    """A document's text, and where its sentences begin."""

    text: str
    sentences: Sequence[int]

    def words(self, span: Span) -> str:
        """Return the words at a place.

        Raises
        ------
        BadArchive
            If the text has no such place.
        """
        if not span[0] < span[1] <= len(self.text):
            raise BadArchive(
                f"a text has {len(self.text)} characters, and nothing at {span[0]}-{span[1]}: it is another"
            )
        return self.text[span[0] : span[1]]

    def passage(self, *spans: Span) -> tuple[str, int]:
        """Return the sentences from the first place's to the last's, and where they begin."""
        first, last = min(start for start, _ in spans), max(end for _, end in spans)
        at, after = bisect_right(self.sentences, first), bisect_right(self.sentences, last - 1)
        start = self.sentences[at - 1] if at else 0
        end = self.sentences[after] if after < len(self.sentences) else len(self.text)
        return self.text[start:end].rstrip(), start


def read_texts(path: Path, doc_ids: Collection[str]) -> Mapping[str, Text]:
    """Read the texts of some documents; one that was removed is left out.

    Parameters
    ----------
    path : Path
        A corpus' file of texts, or a folder with it.
    doc_ids : collection of str

    Raises
    ------
    BadArchive
        If there is none, or it is not in its form.
    """
    path = _find(path)
    wanted, found = set(doc_ids), {}
    try:
        with _open(path) as stream:
            for line in stream:
                one = json.loads(line)
                if one["doc_id"] in wanted and not is_blotted(one["text"]):
                    found[one["doc_id"]] = Text(one["text"], one["sentences"])
    except (OSError, EOFError, KeyError, TypeError, ValueError) as error:
        raise BadArchive(f"is no corpus' file of texts: {error}", where=str(path)) from None
    return found


def _find(path: Path) -> Path:
    if not path.is_dir():
        return path
    for name in NAMES:
        if (path / name).is_file():
            return path / name
    raise BadArchive(f"has no {NAMES[0]}: kbpo data fetches it", where=str(path))


def _open(path: Path) -> "gzip.GzipFile | IO[bytes]":
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")
