"""What a reader needs to know of a corpus."""

from collections.abc import Mapping
from typing import Protocol


class Documents(Protocol):
    """The documents of a corpus, asked for one at a time, so that a large corpus need not be held."""

    def length(self, doc_id: str) -> int | None:
        """Return a document's number of characters; None if the corpus has no such document."""
        ...

    def text(self, doc_id: str) -> str:
        """Return the text of a document that the corpus has."""
        ...


class Texts:
    """A corpus in memory.

    Parameters
    ----------
    texts : mapping of str to str
        The text of each document.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def length(self, doc_id: str) -> int | None:
        """Return a document's number of characters; None if the corpus has no such document."""
        text = self._texts.get(doc_id)
        return None if text is None else len(text)

    def text(self, doc_id: str) -> str:
        """Return the text of a document that the corpus has."""
        return self._texts[doc_id]
