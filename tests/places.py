"""Places of files that are kept in folders."""

from pathlib import Path

from kbpo.core.storage.folder import roots


def place_of(path: Path) -> str:
    """Return the place of a file below one of the roots."""
    for name, root in roots().items():  # the media root first: it may lie below the other
        if path.is_relative_to(root):
            return f"{name}/{path.relative_to(root).as_posix()}"
    raise ValueError(f"{path} is in none of the folders that files are kept in")
