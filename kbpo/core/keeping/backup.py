"""A backup: database and files in one encrypted archive, made while the service runs.

All rows are read in one snapshot. Files in folders are held right after it is taken, by a second name each (a
hard link), so none that a row of the snapshot names can be deleted before it is copied. An S3-compatible
store has no second names: what is deleted there while the backup is written is missing in it, and it says so.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from kbpo.core.database.locks import claim
from kbpo.core.errors import Busy, Conflict, Unavailable
from kbpo.core.keeping import installation, sealing, tables, trash
from kbpo.core.keeping.archive import Writer
from kbpo.core.storage import store
from kbpo.core.storage.folder import path_of, roots

HOLDING = ".backup"
TRIES = 5  # to find no file deleted between the snapshot and its second name

Named = Callable[[], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Made:
    """A backup that was made.

    Attributes
    ----------
    size : int
        Bytes.
    rows : int
    files : int
    missing : tuple of str
        Places of submissions' files that are not there.
    """

    size: int
    rows: int
    files: int
    missing: tuple[str, ...]


def backup(*, to: Path, key: str, folders: Sequence[str], named: Named, now: datetime) -> Made:
    """Write a backup.

    Parameters
    ----------
    to : Path
        Must not be there.
    key : str
        The public key, or a file that has one.
    folders : sequence of str
        Of the files.
    named : callable
        Returns the places that rows name.
    now : datetime
        Aware.

    Raises
    ------
    InvalidInput
        If there is no such key.
    Conflict
        If the file is there already.
    Busy
        If a backup is just being made.
    Unavailable
        If it cannot be written.
    """
    public = sealing.read_public(key)
    if to.exists():
        raise Conflict(f"{to} is there; a backup is never written over")
    partial = to.with_name(f".{to.name}.{uuid4().hex}")
    with claim("backup") as is_ours:
        if not is_ours:
            raise Busy("Another backup is just being made: wait until it is.")
        try:
            with _held_snapshot(folders, named) as (database, held, missing), _private(partial) as file:
                with sealing.sealed(file, public) as stream:
                    writer = Writer(stream)
                    vanished = _write(writer, database, held, now)
                file.flush()
                os.fsync(file.fileno())
            os.link(partial, to)  # unless somebody has made one there meanwhile
        except FileExistsError:
            raise Conflict(f"{to} is there; a backup is never written over") from None
        except OSError as error:
            raise Unavailable(f"{to} cannot be written: {error.strerror or error}") from error
        finally:
            partial.unlink(missing_ok=True)
    lost = tuple(sorted({*missing, *(place for place in vanished if is_lost(place))}))
    return Made(to.stat().st_size, writer.rows.total(), writer.files, lost)


def is_lost(place: str) -> bool:
    """Say whether nothing can make a file again that is in a place."""
    return place.startswith("media/submissions/")


def _private(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb")


def _write(
    writer: Writer, database: BaseDatabaseWrapper, held: Iterable["_Held"], now: datetime
) -> list[str]:
    """Write all of it; return the places of the files that were deleted before their turn came."""
    shape = tables.shape(database)
    writer.head(
        {
            "made_at": now.isoformat(),
            "installation": str(installation.row().name) if _knows_itself(shape) else "",
            "postgres": database.pg_version,  # type: ignore[attr-defined]
            "migrations": shape.migrations,
            "tables": shape.tables,
            "sequences": shape.sequences,
        }
    )
    for table, columns in shape.tables.items():
        for number, (part, rows) in enumerate(tables.rows_of(database, table, columns), 1):
            writer.part(table, number, rows, part)
    vanished = []
    for one in held:
        try:
            stream = store().open(one.place) if one.second is None else one.second.open("rb")
        except FileNotFoundError:
            vanished.append(one.place)
            continue
        with stream:
            size = one.size if one.second is None else os.fstat(stream.fileno()).st_size
            writer.file(one.place, stream, size)
    writer.end()
    return vanished


def _knows_itself(shape: tables.Shape) -> bool:
    return "keeping_installation" in shape.tables


@dataclass(frozen=True, slots=True)
class _Held:
    """A file of a snapshot.

    Attributes
    ----------
    place : str
    size : int
        Bytes, when it was found.
    second : Path or None
        Its second name; None where it is read under its own.
    """

    place: str
    size: int
    second: Path | None = None


@contextmanager
def _held_snapshot(
    folders: Sequence[str], named: Named
) -> Iterator[tuple[BaseDatabaseWrapper, list[_Held], tuple[str, ...]]]:
    """Take a snapshot, and hold all files that it names."""
    for _ in range(TRIES):  # one may be deleted between the two
        with _snapshot() as database, _holding([*folders, trash.FOLDER]) as held:
            places = {one.place for one in held}
            missing = {place for place in _named_in(database, named) if place not in places}
            if missing <= (still := set(named())):
                lost = {place for place in missing & still if place.startswith("media/")}
                yield database, held, tuple(sorted(lost))
                return
    raise Busy("Files are being deleted all the time: try again in a moment.")


@contextmanager
def _snapshot() -> Iterator[BaseDatabaseWrapper]:
    """Open a second connection that goes on seeing the database as it is now."""
    database = connections.create_connection(DEFAULT_DB_ALIAS)
    try:
        database.set_autocommit(False)
        with database.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SET LOCAL statement_timeout = 0")
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            cursor.execute("SELECT count(*) FROM pg_class")  # the first query is what takes it
        yield database
    finally:
        database.close()


def _named_in(database: BaseDatabaseWrapper, named: Named) -> set[str]:
    """Return the places that rows of a snapshot name."""
    usual = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = database
    try:
        return set(named())
    finally:
        connections[DEFAULT_DB_ALIAS] = usual


@contextmanager
def _holding(folders: Iterable[str]) -> Iterator[list[_Held]]:
    """Hold every file of folders; where a file system has no second names, it is read under its own."""
    if settings.FILE_STORE is not None:
        yield [_Held(one.place, one.size) for folder in folders for one in store().listed(folder)]
        return
    holding = {name: root / HOLDING for name, root in roots().items()}
    for folder in holding.values():
        shutil.rmtree(folder, ignore_errors=True)  # of a backup that was killed: only one is made at a time
    held = []
    try:
        for number, one in enumerate(one for folder in folders for one in store().listed(folder)):
            kept_in = holding[one.place.partition("/")[0]]
            kept_in.mkdir(mode=0o700, parents=True, exist_ok=True)
            second: Path | None = kept_in / str(number)
            try:
                os.link(path_of(one.place), kept_in / str(number))
            except FileNotFoundError:
                continue
            except OSError:
                second = None
            held.append(_Held(one.place, one.size, second))
        yield held
    finally:
        for folder in holding.values():
            shutil.rmtree(folder, ignore_errors=True)
