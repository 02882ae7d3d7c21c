"""Text that was taken out of a document whose length stays, so that what points into it still does."""

BLOT = "\N{FULL BLOCK}"


def blotted(text: str) -> str:
    """Return as many blots as a text has characters.

    Examples
    --------
    >>> blotted("Ada") == 3 * BLOT
    True
    """
    return BLOT * len(text)


def is_blotted(text: str) -> bool:
    """Say whether a text, or a piece of one, was taken out."""
    return bool(text) and not text.strip(BLOT)
