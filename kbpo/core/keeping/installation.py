"""Whether files and database belong together: the same name in both, and marks that agree.

The name is written into both when a service is first set up. While it runs, a mark grows in both, first in
the database, then in the files' folder. So the files are at most one behind, unless one of the two is not
what it was: an older backup, another folder, a folder that is not mounted. Then nothing is ever removed,
until an operator says that they belong together (``manage.py installation --join``). A process that sees
files of another name, or none, has another store than it should: it takes in and reads none (`require_ours`).
"""

import json
import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from io import BytesIO
from uuid import UUID, uuid4

from kbpo.core.acts import What, record
from kbpo.core.database.locks import claim
from kbpo.core.errors import Busy, StoreAway
from kbpo.core.keeping.models import Installation
from kbpo.core.storage import store

logger = logging.getLogger(__name__)

PLACE = "media/installation.json"
CLAIM = "installation"
SOONEST = timedelta(minutes=1)  # between two growths of the mark
WHAT_TO_DO = (
    "Nothing is removed. Put back the one that is not right; or, if they do belong together, say so with"
    " 'python manage.py installation --join'."
)


@dataclass(frozen=True, slots=True)
class Mark:
    """What stands beside the files.

    Attributes
    ----------
    name : UUID or None
        None where the file cannot be read.
    mark : int
    is_joining : bool
        Whether it was written before the database's side was.
    """

    name: UUID | None
    mark: int = 0
    is_joining: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """How files and database stand to each other.

    Attributes
    ----------
    is_new : bool
        Neither has a name.
    trouble : str
        Why they do not know each other; empty where they do, or are new.
    is_elsewhere : bool
        Whether the files that this process sees are not the database's at all.
    """

    is_new: bool = False
    trouble: str = ""
    is_elsewhere: bool = False

    @property
    def is_together(self) -> bool:
        """Whether they know each other."""
        return not (self.is_new or self.trouble)


def row() -> Installation:
    """Return the database's side; an unsaved one where there is none."""
    return Installation.objects.filter(pk=1).first() or Installation()


def standing() -> Standing:
    """Say how files and database stand to each other; nothing is written."""
    return compare(row(), read_mark())


def compare(found: Installation, mark: Mark | None) -> Standing:
    """Hold the two sides against each other."""
    where = store().address(PLACE)
    folder, _, name = where.rpartition("/")
    if mark is None:
        if found.name is None:
            return Standing(is_new=True)
        return Standing(
            trouble=f"The database belongs to files, and {folder} has no {name}. {WHAT_TO_DO}",
            is_elsewhere=True,
        )
    if mark.name is None:
        return Standing(trouble=f"{where} cannot be read. {WHAT_TO_DO}")
    if found.name is None:
        if mark.is_joining:
            return Standing(is_new=True)
        return Standing(
            trouble=f"The files in {folder} belong to another database than this. {WHAT_TO_DO}",
            is_elsewhere=True,
        )
    if mark.name != found.name:
        return Standing(
            trouble=f"The files in {folder} and the database belong to others. {WHAT_TO_DO}",
            is_elsewhere=True,
        )
    if mark.mark > found.mark:
        return Standing(
            trouble=f"The files in {folder} have seen a later state of the database than this: an older one"
            f" was put back, which does not know the newest of them. {WHAT_TO_DO}"
        )
    if mark.mark < found.mark - 1:
        return Standing(
            trouble=f"The files in {folder} are older than the database: an older copy of them was put back."
            f" {WHAT_TO_DO}"
        )
    return Standing()


def require_ours() -> None:
    """Refuse to take in or read files in a process that sees another store than the database's, or none.

    Raises
    ------
    StoreAway
        If it does; the log is told which store that is. What was to be done is still due, for a process that
        sees the right one. Where the store cannot be asked now, whoever wants a file of it is told so then.
    """
    try:
        found = compare(row(), read_mark(hurried=True))
    except StoreAway:
        return
    if found.is_elsewhere:
        raise StoreAway(
            "The store of files that this process of the service sees is not the database's.",
            detail=f"{found.trouble} Every process is given the same FILE_STORE, or, on one machine, the"
            " same KBPO_HOME: this one reads and stores nothing until it is.",
        )


def look(*, now: datetime) -> Standing:
    """Check that the database and the files belong together; give both a name if neither has one.

    The pipeline asks every few seconds; the mark grows once a minute.

    Parameters
    ----------
    now : datetime
        Aware.
    """
    with claim(CLAIM) as is_ours:
        found, mark = row(), read_mark()
        stand = compare(found, mark)
        if not is_ours:
            return stand
        if stand.is_new:
            name = mark.name if mark and mark.name else uuid4()
            _write_mark(Mark(name, 0, is_joining=True))
            found.name, found.mark = name, 0
            found.save()
            _write_mark(Mark(name))
            stand = Standing()
        if stand.is_together and (found.marked_at is None or abs(now - found.marked_at) >= SOONEST):
            _mark_again(found, mark, now)
        return stand


def join() -> None:
    """Mark the files and the database as belonging together, on an operator's word, under a new name.

    Raises
    ------
    Busy
        If the pipeline is at it this very moment.
    """
    with claim(CLAIM) as is_ours:
        if not is_ours:
            raise Busy("The service is just looking at its files: try again in a moment.")
        found = row()
        found.name, found.mark = uuid4(), 0
        found.warning, found.warned_at = "", None
        _write_mark(Mark(found.name, 0, is_joining=True))
        found.save()
        _write_mark(Mark(found.name))
        record(What.INSTALLATION_JOINED, by=None, about=str(found.name))
    logger.warning("An operator said that files and database belong together: installation %s", found.name)


def doubt() -> None:
    """Note that the files have seen more than the database, until an operator says that they belong together.

    They stay the files that this database is used with.
    """
    found, mark = row(), read_mark()
    found.name = (mark.name if mark else None) or uuid4()
    found.mark = 0
    _write_mark(Mark(found.name, 1))
    found.save()


def warn(*, message: str, now: datetime) -> None:
    """Write down why nothing is removed, or that nothing speaks against it; what is new is logged."""
    found = row()
    if found.warning != message:
        if message:
            logger.error("%s", message)
        Installation.objects.filter(pk=1).update(warning=message, warned_at=now if message else None)


def read_mark(*, hurried: bool = False) -> Mark | None:
    """Read the files' side; None where there is none.

    Parameters
    ----------
    hurried : bool
        Whether the store has a second to answer.
    """
    try:
        with store(hurried=hurried).open(PLACE) as stream:
            data = json.loads(stream.read().decode("ascii"))
        return Mark(UUID(data["name"]), int(data["mark"]), bool(data.get("joining")))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError, NotADirectoryError):
        return Mark(None)


def _mark_again(found: Installation, mark: Mark | None, now: datetime) -> None:
    """Let the mark grow: the database first, and only once the files have its last."""
    assert found.name is not None
    if mark is not None and mark.mark == found.mark:
        found.mark += 1
    found.marked_at = now
    found.save()
    _write_mark(Mark(found.name, found.mark))


def _write_mark(mark: Mark) -> None:
    content = {"name": str(mark.name), "mark": mark.mark, **({"joining": True} if mark.is_joining else {})}
    store().put(PLACE, BytesIO(json.dumps(content).encode("ascii")))
