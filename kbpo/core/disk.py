"""Room on the disks that the service writes to: refused before it runs out, and shown before that."""

import errno
import logging
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from kbpo.core.errors import NoRoom
from kbpo.core.uploading import MOST_BYTES

logger = logging.getLogger(__name__)

LOW = 10 * MOST_BYTES  # bytes free, below which operators are to make room
RESERVE = 256 << 20  # bytes that uploads leave free, for everything else
_FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True, slots=True)
class Space:
    """The room on a disk.

    Attributes
    ----------
    folder : Path
        One of the service's on it.
    free, size : int
        Bytes.
    """

    folder: Path
    free: int
    size: int

    @property
    def is_low(self) -> bool:
        """Return whether operators should make room."""
        return self.free < LOW

    @property
    def is_full(self) -> bool:
        """Return whether the largest upload would be refused."""
        return self.free < RESERVE + MOST_BYTES


def spaces() -> list[Space]:
    """Look at every disk that the service writes to, once each."""
    found: dict[int, Space] = {}
    folders = [Path(settings.KBPO_HOME), Path(tempfile.gettempdir())]
    if settings.FILE_STORE is None:
        folders.insert(1, Path(settings.MEDIA_ROOT))
    for folder in folders:
        nearest = next(one for one in (folder, *folder.parents) if one.exists())
        usage = shutil.disk_usage(nearest)
        found.setdefault(nearest.stat().st_dev, Space(folder, usage.free, usage.total))
    return list(found.values())


def low_spaces() -> list[Space]:
    """Return the disks on which operators should make room."""
    return [space for space in spaces() if space.is_low]


def warn_if_low() -> int:
    """Write a line to the log for each disk that fills up; return how many do."""
    low = low_spaces()
    for space in low:
        logger.warning(
            "%.1f GB are free at %s: make room%s",
            space.free / 1e9,
            space.folder,
            ", uploads are refused" if space.is_full else "",
        )
    return len(low)


def require_room(size: int) -> None:
    """Refuse what would not fit.

    Raises
    ------
    NoRoom
        If a file of so many bytes would leave less than `RESERVE`.
    """
    free = min(space.free for space in spaces())
    if free - size < RESERVE:
        raise NoRoom(
            f"The site has no room for {size:,} bytes now. The operators have to make some; try again later."
        )


def is_no_space(error: BaseException) -> bool:
    """Say whether an error means that a disk is full, or somebody's share of it."""
    return isinstance(error, OSError) and error.errno in _FULL
