"""Mentions that are too long for any true mention to be near them."""

from kbpo_formats.corpus import Documents
from kbpo_formats.kbp.lengths import why_text_too_long, why_too_long
from kbpo_formats.kbp.tac.problems import ProblemLog
from kbpo_formats.kbp.tac.syntax import Place


class Lengths:
    """Warns of mentions that are too long, as `kbpo_formats.kbp.lengths` says.

    Parameters
    ----------
    documents : Documents
    log : ProblemLog
    """

    def __init__(self, documents: Documents, log: ProblemLog) -> None:
        self.documents = documents
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
        why = why_too_long(self.documents, *place)
        if why is not None:
            self._log.add("LONG_MENTION", line, said, place, why, column=4)

    def check_text(self, place: Place, line: int, found: str) -> None:
        """Warn of a mention whose words are at hand, and may be shown."""
        why = why_text_too_long(self.documents, *place, found)
        if why is not None:
            self._log.add("LONG_MENTION", line, found, place, why, column=4)
