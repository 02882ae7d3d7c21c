"""One claim for all lines of a file that say the same."""

from kbpo_formats.kbp.predictions import Predictions, ReadPrediction

_BITS = 31  # of an offset in a text: it fits into a C int


class Merger:
    """Gathers what lines claim: of those that claim the same, the most confident, or else the first, counts.

    Attributes
    ----------
    predictions : Predictions
        In the order of the lines that first claim them.
    merged : int
        Lines whose claim an earlier line had made.
    """

    def __init__(self) -> None:
        self.predictions = Predictions()
        self.merged = 0
        self._kinds: dict[tuple[str, str], int] = {}
        self._numbers: dict[int, int] = {}  # an integer as a key takes a quarter of a tuple's room

    def add(self, made: ReadPrediction) -> int | None:
        """Add what a line claims; return the line that counted so far if the claim was made before."""
        kind = self._kinds.setdefault((made.doc_id, made.predicate), len(self._kinds))
        (a, b), (c, d) = made.subject, made.object
        key = (((kind << _BITS | a) << _BITS | b) << _BITS | c) << _BITS | d
        new = len(self._numbers)
        number = self._numbers.setdefault(key, new)
        if number == new:
            self.predictions.append(made)
            return None
        self.merged += 1
        before = self.predictions.line(number)
        if made.confidence > self.predictions.confidences[number]:
            self.predictions.replace(number, made)
        return before
