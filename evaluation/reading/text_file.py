"""The texts of a corpus in one file, which a reading process looks documents up in."""

import os
import sqlite3
import sys
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

TEXTS_HELD = 1 << 27  # bytes


def write_texts(path: Path, texts: Iterable[tuple[str, str, Sequence[int]]]) -> None:
    """Write a file for `TextFile`; it is there as a whole or not at all.

    Parameters
    ----------
    path : Path
        In a folder that is there.
    texts : iterable of tuple of str, str and sequence of int
        Each document's id and text, and where its sentences begin.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    try:
        database = sqlite3.connect(name)
        try:
            database.execute("PRAGMA journal_mode = OFF")
            database.execute(
                "CREATE TABLE document (doc_id TEXT PRIMARY KEY, length INTEGER, text TEXT, sentences BLOB)"
            )
            database.executemany(
                "INSERT INTO document VALUES (?, ?, ?, ?)",
                (
                    (doc_id, len(text), text, array("i", sentences).tobytes())
                    for doc_id, text, sentences in texts
                ),
            )
            database.commit()
        finally:
            database.close()
        Path(name).rename(path)
    except BaseException:
        Path(name).unlink()
        raise


class TextFile:
    """The documents of a corpus, as `kbpo_formats.corpus.Documents`.

    The lengths of the documents that were asked for are held, their texts up to `TEXTS_HELD`, and the
    sentences of one.

    Parameters
    ----------
    path : Path
        Written by `write_texts`.
    about : mapping, optional
        What else there is to know of the corpus.
    """

    def __init__(self, path: Path, about: Mapping[str, Any] | None = None) -> None:
        self.about: Mapping[str, Any] = about or {}
        self._database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        self._lengths: dict[str, int] = {}
        self._texts: dict[str, str] = {}
        self._held = 0
        self._sentences: tuple[str, Sequence[int]] = ("", ())

    def doc_ids(self) -> Iterator[str]:
        """Yield the ids of all documents, in order."""
        for (doc_id,) in self._database.execute("SELECT doc_id FROM document ORDER BY doc_id"):
            yield doc_id

    def length(self, doc_id: str) -> int | None:
        """Return a document's number of characters; None if the corpus has no such document."""
        length = self._lengths.get(doc_id)
        if length is None:
            row = self._database.execute("SELECT length FROM document WHERE doc_id = ?", (doc_id,)).fetchone()
            if row is None:
                return None
            length = self._lengths[doc_id] = int(row[0])
        return length

    def text(self, doc_id: str) -> str:
        """Return the text of a document that the corpus has."""
        text = self._texts.get(doc_id)
        if text is None:
            (text,) = self._database.execute(
                "SELECT text FROM document WHERE doc_id = ?", (doc_id,)
            ).fetchone()
            self._hold(doc_id, text)
        return text

    def sentences(self, doc_id: str) -> Sequence[int]:
        """Return where the sentences of a document that the corpus has begin, in order."""
        if self._sentences[0] != doc_id:
            (data,) = self._database.execute(
                "SELECT sentences FROM document WHERE doc_id = ?", (doc_id,)
            ).fetchone()
            self._sentences = doc_id, array("i", data)
        return self._sentences[1]

    def _hold(self, doc_id: str, text: str) -> None:
        self._texts[doc_id] = text
        self._held += sys.getsizeof(text)
        while self._held > TEXTS_HELD:
            oldest = next(iter(self._texts))
            self._held -= sys.getsizeof(self._texts.pop(oldest))
