"""What a reader needs to know of a corpus."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol


class Documents(Protocol):
    """The documents of a corpus, asked for one at a time, so that a large corpus need not be held."""

    @property
    def about(self) -> Mapping[str, Any]:
        """Return what else a task's reader must know of the corpus (`Task.about`)."""
        ...

    def doc_ids(self) -> Iterator[str]:
        """Yield the ids of all documents, in order."""
        ...

    def length(self, doc_id: str) -> int | None:
        """Return a document's number of characters; None if the corpus has no such document."""
        ...

    def text(self, doc_id: str) -> str:
        """Return the text of a document that the corpus has."""
        ...

    def sentences(self, doc_id: str) -> Sequence[int]:
        """Return where the sentences of a document that the corpus has begin, in order."""
        ...


class Texts:
    """A corpus in memory.

    Parameters
    ----------
    texts : mapping of str to str
        The text of each document.
    sentences : mapping of str to sequence of int
        Where its sentences begin; one left out is one sentence.
    about : mapping, optional
        What else there is to know of it.
    """

    def __init__(
        self,
        texts: Mapping[str, str],
        sentences: Mapping[str, Sequence[int]] | None = None,
        about: Mapping[str, Any] | None = None,
    ) -> None:
        self._texts = texts
        self._sentences = sentences or {}
        self.about: Mapping[str, Any] = about or {}

    def doc_ids(self) -> Iterator[str]:
        """Yield the ids of all documents, in order."""
        yield from sorted(self._texts)

    def length(self, doc_id: str) -> int | None:
        """Return a document's number of characters; None if the corpus has no such document."""
        text = self._texts.get(doc_id)
        return None if text is None else len(text)

    def text(self, doc_id: str) -> str:
        """Return the text of a document that the corpus has."""
        return self._texts[doc_id]

    def sentences(self, doc_id: str) -> Sequence[int]:
        """Return where the sentences of a document that the corpus has begin, in order."""
        return self._sentences.get(doc_id, ())
