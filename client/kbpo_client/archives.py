"""Archives from the command line: opened, and whatever is wrong with one told in a line."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kbpo_client.errors import WrongUsage
from kbpo_formats.errors import InvalidInput

if TYPE_CHECKING:
    from kbpo_archive.reading import Archive

WRONG_INSIDE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What computing raises where files are whole, and say what does not go together."""


@contextmanager
def opened(path: Path) -> "Iterator[Archive]":
    """Open an archive while something is made of it.

    Raises
    ------
    WrongUsage
        If NumPy and SciPy are not there, the file is no archive, or what is in it does not go together.
    """
    try:
        from kbpo_archive.reading import Archive
    except ImportError as error:
        raise WrongUsage(f"{error.name} is needed: pip install 'kbpo-client[recompute]'") from None
    try:
        with Archive(path) as archive:
            yield archive
    except InvalidInput as error:
        raise WrongUsage(str(error)) from None
    except WRONG_INSIDE as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise WrongUsage(
            f"{path}: its files are whole, but do not go together as those of an archive do ({said:.200})"
        ) from None
