"""What is wrong with an archive."""

from kbpo_formats.errors import InvalidInput


class BadArchive(InvalidInput):
    """It is none, is damaged, or of a version that is not known here."""
