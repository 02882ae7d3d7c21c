"""The trash: files that nothing names are moved there, and deleted a month later.

What was moved at once lies in a folder of its own below ``trash`` in the media root: each file where it was,
below the name of its root, and beside them ``record.json``, written before the first is moved.
"""

import json
import logging
import os
import shutil
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings

from kbpo.core.acts import What, record
from kbpo.core.errors import Conflict, InvalidInput
from kbpo.core.keeping import installation

logger = logging.getLogger(__name__)

KEPT = timedelta(days=30)  # by the clock, and seen to pass
MOST_SHARE = 0.05  # of all files, that are moved at once
ALWAYS = 3  # files that may be moved however few there are: what killed uploads leave
RECORD = "record.json"


@dataclass(frozen=True, slots=True)
class Thrown:
    """Files that were moved into the trash at once.

    Attributes
    ----------
    name : str
        Of their folder in the trash.
    moved_at : datetime
    reason : str
    paths : tuple of str
        Where they were, from the roots' names on: ``media/submissions/news/….kb``.
    """

    name: str
    moved_at: datetime
    reason: str
    paths: tuple[str, ...]


def roots() -> dict[str, Path]:
    """Return the folders that files are kept below, by name."""
    return {"media": Path(settings.MEDIA_ROOT), "home": Path(settings.KBPO_HOME)}


def folder() -> Path:
    """Return where the trash is."""
    return Path(settings.MEDIA_ROOT) / "trash"


def is_few(number: int, among: int) -> bool:
    """Say whether so many files may be moved at once.

    Examples
    --------
    >>> is_few(3, 4), is_few(104, 208), is_few(104, 2_080)
    (True, False, True)
    """
    return number <= max(ALWAYS, int(MOST_SHARE * among))


def move(
    *,
    paths: Collection[Path],
    reason: str,
    now: datetime,
    is_wanted: Callable[[Path], bool] = lambda path: True,
) -> int:
    """Move files into the trash; return how many were still there.

    Parameters
    ----------
    paths : collection of Path
        Each below one of the `roots`.
    reason : str
        For the record.
    now : datetime
        Aware.
    is_wanted : callable
        Asked once more about each, right before it is moved.
    """
    if not paths:
        return 0
    batch = folder() / f"{now:%Y%m%dT%H%M%SZ}-{uuid4().hex[:8]}"
    batch.mkdir(mode=0o700, parents=True)
    places = {path: place_of(path) for path in paths}
    found = installation.row()
    _write(
        batch,
        {
            "moved_at": now.isoformat(),
            "reason": reason,
            "paths": sorted(places.values()),
            "installation": str(found.name),
            "seen": found.seen,
        },
    )
    moved = 0
    for path, place in places.items():
        target = batch / place
        if is_wanted(path):
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                shutil.move(path, target)
            except FileNotFoundError:
                continue
            moved += 1
    if not moved:
        shutil.rmtree(batch)
    else:
        logger.info("%d files were moved into %s: %s", moved, batch, reason)
    return moved


def place_of(path: Path) -> str:
    """Return where a file is, from its root's name on."""
    for name, root in roots().items():  # the media root first: it may lie below the other
        if path.is_relative_to(root):
            return f"{name}/{path.relative_to(root).as_posix()}"
    raise InvalidInput("is in none of the folders that files are kept in", where=str(path))


def path_of(place: str) -> Path:
    """Return the file that `place_of` names so; never one outside the roots."""
    name, _, rest = place.partition("/")
    root = roots().get(name)
    if root is None or not rest or ".." in Path(rest).parts or Path(rest).is_absolute():
        raise InvalidInput("is no place that files are kept in", where=place)
    return root / rest


def thrown() -> list[Thrown]:
    """Return what is in the trash, the oldest first."""
    found = []
    for batch in sorted(folder().glob("*")) if folder().is_dir() else []:
        record = _read(batch)
        paths = sorted(
            path.relative_to(batch).as_posix()
            for path in batch.rglob("*")
            if path.is_file() and path.parent != batch
        )
        if record is not None and paths:
            moved_at = datetime.fromisoformat(record["moved_at"])
            found.append(Thrown(batch.name, moved_at, str(record["reason"]), tuple(paths)))
    return found


def put_back(*, name: str) -> int:
    """Put the files that were thrown away at once back to where they were; return how many.

    Raises
    ------
    InvalidInput
        If there is no such folder in the trash.
    Conflict
        If another file is where one of them was. Nothing is moved then.
    """
    one = next((one for one in thrown() if one.name == name), None)
    if one is None:
        raise InvalidInput("is nothing in the trash: 'python manage.py trash' lists what is", where=name)
    batch = folder() / one.name
    for place in one.paths:
        if path_of(place).exists():
            raise Conflict(f"{path_of(place)} is there: move it away, then put {name} back.")
    for place in one.paths:
        target = path_of(place)
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.utime(batch / place)  # it counts as new: whoever put it back has a day to say what names it
        shutil.move(batch / place, target)
    shutil.rmtree(batch)
    record(What.TRASH_PUT_BACK, by=None, about=name, after={"files": len(one.paths)})
    return len(one.paths)


def empty(*, now: datetime, named: Callable[[], Iterable[Path]]) -> int:
    """Delete for good what has been in the trash for `KEPT`; return how many files.

    By the clock, and by the time that was seen to pass since: no jump of the clock empties the trash. Nothing
    is deleted where files and database do not know each other, nor what a row names that has no other file.

    Parameters
    ----------
    now : datetime
        Aware.
    named : callable
        Returns the files that rows name; asked if anything would be deleted.
    """
    if not installation.standing().is_together:
        return 0
    found = installation.row()
    over = []
    for one in thrown():
        batch = folder() / one.name
        record = _read(batch) or {}
        is_ours = record.get("installation") == str(found.name) and record["seen"] <= found.seen
        if not is_ours:  # the time that was seen then was another's: it begins again
            _write(batch, {**record, "installation": str(found.name), "seen": found.seen})
        elif one.moved_at + KEPT <= now and found.seen - record["seen"] >= KEPT.total_seconds():
            over.append(one)
    if not over:
        return 0
    wanted = set(named())
    deleted = 0
    for one in over:
        missing = [path for path in map(path_of, one.paths) if path in wanted and not path.exists()]
        if missing:
            message = (
                f"{missing[0]} is in the trash, and a row names it: nothing of {one.name} is deleted. Put it"
                f" back with 'python manage.py trash --put-back {one.name}'."
            )
            installation.warn(message=message, now=now)
            continue
        shutil.rmtree(folder() / one.name)
        logger.info("%d files were deleted for good with %s", len(one.paths), folder() / one.name)
        deleted += len(one.paths)
    return deleted


def _read(batch: Path) -> dict[str, Any] | None:
    try:
        record = json.loads((batch / RECORD).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    return record if isinstance(record, dict) else None


def _write(batch: Path, record: object) -> None:
    partial = batch / f".{RECORD}"
    with partial.open("w", encoding="utf-8") as file:
        json.dump(record, file, ensure_ascii=False)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(batch / RECORD)
