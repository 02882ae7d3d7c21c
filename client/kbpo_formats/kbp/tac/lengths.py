"""Mentions that are too long for any true mention to be near them."""

from bisect import bisect_right

from kbpo_formats.corpus import Documents
from kbpo_formats.kbp.tac.problems import ProblemLog
from kbpo_formats.kbp.tac.syntax import Place

MOST_WORDS = 12


class Lengths:
    """Warns of mentions of more than `MOST_WORDS` words, or across sentences.

    Parameters
    ----------
    documents : Documents
    log : ProblemLog
    """

    def __init__(self, documents: Documents, log: ProblemLog) -> None:
        self._documents = documents
        self._log = log

    def check(self, place: Place, line: int, said: object) -> None:
        """Warn of a mention if it is too long.

        Parameters
        ----------
        place : Place
        line : int
        said : object
            The part of the line to show.
        """
        doc_id, (start, end) = place
        text = self._documents.text(doc_id)[start:end]
        if text.isalnum():
            return  # most are one word
        words = len(text.split())
        if words > MOST_WORDS:
            self._log.add("LONG_MENTION", line, said, place, f"has {words} words", column=4)
            return
        if text.replace(" ", "").isalpha():
            return  # a sentence ends with a mark or a line
        begins = self._documents.sentences(doc_id)
        if bisect_right(begins, start) < bisect_right(begins, end - 1):
            self._log.add("LONG_MENTION", line, said, place, "goes on into another sentence", column=4)
