"""The form in which texts are compared: Unicode's NFC. Pure."""

from unicodedata import normalize


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
