"""A backup: database and files in one encrypted archive, made while the service runs.

All rows are read in one snapshot. The files are held right after it is taken, by a second name each (a hard
link), so none that a row of the snapshot names can be deleted before it is copied.
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

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from kbpo.core.database.locks import claim
from kbpo.core.errors import Busy, Conflict, Unavailable
from kbpo.core.keeping import installation, sealing, tables, trash
from kbpo.core.keeping.archive import Writer

HOLDING = ".backup"
TRIES = 5  # to find no file deleted between the snapshot and its second name

Named = Callable[[], Iterable[Path]]


@dataclass(frozen=True, slots=True)
class Made:
    """A backup that was made.

    Attributes
    ----------
    size : int
        Bytes.
    rows : int
    files : int
    missing : tuple of Path
        Submissions' files that are not there, and were not before.
    """

    size: int
    rows: int
    files: int
    missing: tuple[Path, ...]


def backup(*, to: Path, key: str, folders: Sequence[Path], named: Named, now: datetime) -> Made:
    """Write a backup.

    Parameters
    ----------
    to : Path
        Must not be there.
    key : str
        The public key, or a file that has one.
    folders : sequence of Path
        Of the files.
    named : callable
        Returns the files that rows name.
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
                    _write(writer, database, held, now)
                file.flush()
                os.fsync(file.fileno())
            os.link(partial, to)  # unless somebody has made one there meanwhile
        except FileExistsError:
            raise Conflict(f"{to} is there; a backup is never written over") from None
        except OSError as error:
            raise Unavailable(f"{to} cannot be written: {error.strerror or error}") from error
        finally:
            partial.unlink(missing_ok=True)
    return Made(to.stat().st_size, writer.rows.total(), writer.files, missing)


def _private(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb")


def _write(
    writer: Writer, database: BaseDatabaseWrapper, held: Iterable[tuple[str, Path]], now: datetime
) -> None:
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
    for place, path in held:
        with path.open("rb") as stream:
            writer.file(place, stream)
    writer.end()


def _knows_itself(shape: tables.Shape) -> bool:
    return "keeping_installation" in shape.tables


@contextmanager
def _held_snapshot(
    folders: Sequence[Path], named: Named
) -> Iterator[tuple[BaseDatabaseWrapper, list[tuple[str, Path]], tuple[Path, ...]]]:
    """Take a snapshot, and hold all files that it names."""
    for _ in range(TRIES):  # one may be deleted between the two
        with _snapshot() as database, _second_names([*folders, trash.folder()]) as held:
            places = {place for place, _ in held}
            missing = {path for path in _named_in(database, named) if trash.place_of(path) not in places}
            if missing <= (still := set(named())):
                lost = {path for path in missing & still if trash.place_of(path).startswith("media/")}
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


def _named_in(database: BaseDatabaseWrapper, named: Named) -> set[Path]:
    """Return the files that rows of a snapshot name."""
    usual = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = database
    try:
        return set(named())
    finally:
        connections[DEFAULT_DB_ALIAS] = usual


@contextmanager
def _second_names(folders: Iterable[Path]) -> Iterator[list[tuple[str, Path]]]:
    """Give every file a second name; where a file system has none, the files are read under their own."""
    holding = {name: root / HOLDING for name, root in trash.roots().items()}
    for folder in holding.values():
        shutil.rmtree(folder, ignore_errors=True)  # of a backup that was killed: only one is made at a time
    held = []
    try:
        for number, path in enumerate(path for folder in folders for path in sorted(folder.rglob("*"))):
            place = trash.place_of(path)
            folder = holding[place.partition("/")[0]]
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            second = folder / str(number)
            try:
                if not path.is_file() or path.is_symlink():
                    continue
                os.link(path, second)
            except FileNotFoundError:
                continue
            except OSError:
                second = path
            held.append((place, second))
        yield held
    finally:
        for folder in holding.values():
            shutil.rmtree(folder, ignore_errors=True)
