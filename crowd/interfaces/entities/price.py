"""What HITs of whole documents pay: by the length of the document. Pure."""

from crowd.interfaces.price import LengthPrice, Unit
from kbpo.core.errors import InvalidInput


class DocumentPrice(LengthPrice):
    """The price of a thousand tokens.

    Parameters
    ----------
    kind : str
        Of the question about a document.
    """

    def __init__(self, kind: str) -> None:
        super().__init__(kind, Unit("1,000 words", "1,000 words of a document"), {})

    def most_questions(self, wanted: int | None, *, provider: str, by_sentence: bool) -> int:
        """Return 1: a document is asked about alone; `InvalidInput` if a HIT is to have several."""
        if wanted not in (None, 1):
            raise InvalidInput(
                f"a HIT has one document to be marked, not {wanted}", where="questions per HIT"
            )
        return 1
