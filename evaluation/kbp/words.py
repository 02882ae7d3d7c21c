"""Words of documents' texts: runs without white space, counted where spans touch them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kbpo_estimators import _checks
from kbpo_estimators._checks import IntArray

# Unicode has no white space beyond its first plane.
_SPACES = np.array([code for code in range(0x10000) if chr(code).isspace()], dtype=np.uint32)


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """Where the words of some documents begin and end, as if their texts stood one after the other.

    Attributes
    ----------
    places : mapping of str to int
        Where each document begins, by its id.
    starts, ends : int[number of words]
        Ascending.
    """

    places: Mapping[str, int]
    starts: IntArray
    ends: IntArray

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> "Words":
        """Return the words of some documents, by their ids.

        Examples
        --------
        >>> words = Words.of({"D": "Ann  met Bo.", "E": "Yes"})
        >>> words.touched_by(words.begin("DDE")[:, None] + np.array([(1, 6), (3, 5), (0, 3)])).tolist()
        [2, 0, 1]
        """
        lengths = [len(text) + 1 for text in texts.values()]
        places = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).tolist()
        # An array of code points: a pattern would take seconds for the texts of a thousand documents.
        whole = "\n".join(["", *texts.values(), ""]).encode("utf-32-le", "surrogatepass")
        turns = np.diff(np.isin(np.frombuffer(whole, dtype="<u4"), _SPACES).astype(np.int8))
        return cls(
            dict(zip(texts, places, strict=False)), np.flatnonzero(turns < 0), np.flatnonzero(turns > 0)
        )

    def begin(self, doc_ids: Iterable[str]) -> IntArray:
        """Return where documents begin; their spans are counted from there.

        Raises
        ------
        InvalidInput
            If a document's text was not given.
        """
        wanted: Sequence[str] = list(doc_ids)
        for doc_id in wanted:
            if doc_id not in self.places:
                _checks.refuse("words", f"lack the text of document {doc_id!r}; it is needed to match there")
        return np.array([self.places[doc_id] for doc_id in wanted], dtype=np.int64)

    def touched_by(self, spans: IntArray) -> IntArray:
        """Return how many words each span touches (int[n]); spans, int[n, 2], count from the first text."""
        before = np.searchsorted(self.starts, spans[:, 1], side="left")
        return np.asarray(before - np.searchsorted(self.ends, spans[:, 0], side="right"))
