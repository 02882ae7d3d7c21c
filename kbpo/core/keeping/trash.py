"""The trash: files that nothing names are moved there, and deleted a month later.

What was moved at once lies in a folder of its own below ``media/trash``: each file by its place, and beside
them ``record.json``, written before the first is moved.
"""

import json
import logging
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from io import BytesIO
from typing import Any
from uuid import uuid4

from kbpo.core.acts import What, record
from kbpo.core.errors import Conflict, InvalidInput
from kbpo.core.keeping import installation
from kbpo.core.storage import store
from kbpo.core.storage.base import check_place

logger = logging.getLogger(__name__)

KEPT = timedelta(days=30)
MOST_SHARE = 0.05  # of all files, that are moved at once
ALWAYS = 3  # files that may be moved however few there are: what killed uploads leave
FOLDER = "media/trash"
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
    places : tuple of str
        Where they were: ``media/submissions/news/….kb``.
    """

    name: str
    moved_at: datetime
    reason: str
    places: tuple[str, ...]


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
    places: Collection[str],
    reason: str,
    now: datetime,
    is_wanted: Callable[[str], bool] = lambda place: True,
) -> int:
    """Move files into the trash; return how many were still there.

    Parameters
    ----------
    places : collection of str
    reason : str
        For the record.
    now : datetime
        Aware.
    is_wanted : callable
        Asked once more about each, right before it is moved.
    """
    if not places:
        return 0
    batch = f"{FOLDER}/{now:%Y%m%dT%H%M%SZ}-{uuid4().hex[:8]}"
    record = {"moved_at": now.isoformat(), "reason": reason, "paths": sorted(places)}
    store().put(f"{batch}/{RECORD}", BytesIO(json.dumps(record, ensure_ascii=False).encode()))
    moved = 0
    for place in places:
        if is_wanted(place):
            try:
                store().move(place, f"{batch}/{place}")
            except FileNotFoundError:
                continue
            moved += 1
    if not moved:
        store().clear(batch)
    else:
        logger.info("%d files were moved into %s: %s", moved, store().address(batch), reason)
    return moved


def thrown() -> list[Thrown]:
    """Return what is in the trash, the oldest first."""
    batches: dict[str, list[str]] = {}
    for one in store().listed(FOLDER):
        name, _, place = one.place.removeprefix(f"{FOLDER}/").partition("/")
        if "/" in place:  # what is in no folder of its own is the record, or nobody's
            batches.setdefault(name, []).append(place)
    found = []
    for name, places in sorted(batches.items()):
        record = _read(f"{FOLDER}/{name}")
        if record is not None:
            moved_at = datetime.fromisoformat(record["moved_at"])
            found.append(Thrown(name, moved_at, str(record["reason"]), tuple(sorted(places))))
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
    batch = f"{FOLDER}/{one.name}"
    for place in map(check_place, one.places):
        if store().look(place) is not None:
            raise Conflict(f"{store().address(place)} is there: move it away, then put {name} back.")
    for place in one.places:  # each counts as new: whoever put it back has a day to say what names it
        store().move(f"{batch}/{place}", place)
    store().clear(batch)
    record(What.TRASH_PUT_BACK, by=None, about=name, after={"files": len(one.places)})
    return len(one.places)


def empty(*, now: datetime, named: Callable[[], Iterable[str]]) -> int:
    """Delete for good what has been in the trash for `KEPT`; return how many files.

    Nothing is deleted where files and database do not know each other, nor what a row names that has no other
    file.

    Parameters
    ----------
    now : datetime
        Aware.
    named : callable
        Returns the places that rows name; asked if anything would be deleted.
    """
    if not installation.standing().is_together:
        return 0
    over = [one for one in thrown() if one.moved_at + KEPT <= now]
    if not over:
        return 0
    wanted = set(named())
    deleted = 0
    for one in over:
        missing = [place for place in one.places if place in wanted and store().look(place) is None]
        if missing:
            message = (
                f"{store().address(missing[0])} is in the trash, and a row names it: nothing of {one.name} is"
                f" deleted. Put it back with 'python manage.py trash --put-back {one.name}'."
            )
            installation.warn(message=message, now=now)
            continue
        batch = f"{FOLDER}/{one.name}"
        store().clear(batch)
        logger.info("%d files were deleted for good with %s", len(one.places), store().address(batch))
        deleted += len(one.places)
    return deleted


def _read(batch: str) -> dict[str, Any] | None:
    try:
        with store().open(f"{batch}/{RECORD}") as stream:
            record = json.loads(stream.read())
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    return record if isinstance(record, dict) else None
