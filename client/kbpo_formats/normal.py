"""The form in which texts are compared: Unicode's NFC. Pure."""

from unicodedata import normalize

LONGEST_ID = 1_000  # characters; no document's is as long


def nfc(text: str) -> str:
    r"""Return a text in NFC, where a letter and its mark are one character if there is one for both.

    Ids, names, labels and texts are compared in this form; programs on macOS often write another. Texts that
    offsets point into are never changed.

    Examples
    --------
    >>> nfc("cafe\u0301") == "café"
    True
    """
    return text if text.isascii() else normalize("NFC", text)


def normal_id(text: str) -> str:
    """Return an id in NFC; one that is longer than any id is left as it is: long runs of marks take long."""
    return nfc(text) if len(text) <= LONGEST_ID else text
