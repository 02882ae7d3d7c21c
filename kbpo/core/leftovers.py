"""Files that a process left behind when it was killed."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from kbpo.core.storage import Stored


def written_before(paths: Iterable[Path], moment: datetime) -> Iterator[Path]:
    """Yield the files that were last written before a moment, but for those that vanish meanwhile.

    Parameters
    ----------
    paths : iterable of Path
    moment : datetime
        Aware.
    """
    for path in paths:
        try:
            if path.is_file() and path.stat().st_mtime < moment.timestamp():
                yield path
        except FileNotFoundError:
            continue


def unfinished_before(files: Iterable[Stored], moment: datetime) -> Iterator[str]:
    """Yield the places of what folders' drafts left behind that were last written before a moment.

    Parameters
    ----------
    files : iterable of Stored
    moment : datetime
        Aware.
    """
    for one in files:
        name = one.place.rpartition("/")[2]
        if name.startswith(".") and name.endswith(".unfinished") and one.written_at < moment:
            yield one.place
