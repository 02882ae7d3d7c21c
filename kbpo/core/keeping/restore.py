"""Restoring a backup: beside what is there, and in its place only when all of it has been read.

The rows go into a schema of their own, the files into a folder of their own in the store. What is cut,
changed, or made by a version that this one does not know, is refused there. Then files are moved to their
places, and the schemas change names in one transaction. Nothing is deleted: rows that were there stay in a
schema ``replaced_…``, a file that was in the way goes into the trash.
"""

import gzip
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any, BinaryIO, cast
from uuid import uuid4

from django.conf import settings
from django.db import DatabaseError, connection, transaction

from kbpo.core.database.backend.base import DatabaseWrapper
from kbpo.core.errors import Conflict, InvalidInput
from kbpo.core.keeping import installation, sealing, tables, trash
from kbpo.core.keeping.archive import FILES, TABLES, Reader
from kbpo.core.storage import store
from kbpo.core.storage.base import PIECE, check_place
from kbpo.core.storage.folder import path_of

STAGING = "media/.restore"
SCHEMA = "restoring"
PATIENCE = 3.0  # seconds in which sessions end that were just closed
MOVED = (
    ". The backup's files are in their places by now, those that were in the way in the trash, and no row was"
    " changed: then restore once more"
)


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored.

    Attributes
    ----------
    made_at : datetime
        When the backup was made.
    rows : int
    files : int
    in_the_way : int
        Files that were there with other bytes, and are in the trash now.
    strangers : int
        Files that are there and not in the backup: nothing is removed until an operator has looked at them.
    skipped : tuple of str
        Tables that are not the service's, and were left out.
    kept_in : str
        The schema that has the rows that were there; empty where there were none.
    """

    made_at: datetime
    rows: int
    files: int
    in_the_way: int
    strangers: int
    skipped: tuple[str, ...]
    kept_in: str


def restore(
    *, archive: Path, key: Path, folders: Sequence[str], now: datetime, replace: bool = False
) -> Restored:
    """Restore a backup.

    Parameters
    ----------
    archive : Path
    key : Path
        A file with the secret key.
    folders : sequence of str
        Of the files.
    now : datetime
        Aware.
    replace : bool
        Whether a database that is not empty may be replaced.

    Raises
    ------
    InvalidInput
        If the key is another one, or the archive is not whole. Nothing was touched.
    Conflict
        If the database is not empty, or in use, or the backup is another version's. Nothing was touched,
        but where somebody began to use it while files were moved to their places: then it says so.
    """
    secret = sealing.read_secret(key)
    _refuse_in_use()
    live = tables.current_schema(connection)
    rows_are_there = bool(there := tables.filled(connection))
    if rows_are_there and not replace:
        raise Conflict(
            f"The database is not empty ({', '.join(there[:3])}); with --replace its rows are set aside"
        )
    with _staging() as (schema, staged):
        read = _read(archive, secret, schema, staged)
        _refuse_in_use()
        with _on(schema):
            in_the_way = _put_files(staged, now)
        strangers = _strangers(folders, read.places)
        _refuse_in_use(MOVED)
        aside = f"replaced_{now:%Y%m%dt%H%M%S}_{uuid4().hex[:6]}"
        with _on(live):
            tables.swap(connection, new=schema, live=live, aside=aside)
        is_kept = rows_are_there or _has_more_than_ours(aside, live)
        if not is_kept:
            _drop(aside)
    _say_who_they_are(strangers)
    return Restored(
        datetime.fromisoformat(read.head["made_at"]),
        read.rows,
        len(read.places),
        in_the_way,
        strangers,
        read.skipped,
        aside if is_kept else "",
    )


@dataclass(frozen=True, slots=True)
class _Read:
    head: dict[str, Any]
    rows: int
    places: frozenset[str]
    skipped: tuple[str, ...]


def _refuse_in_use(done: str = "") -> None:
    cast(DatabaseWrapper, connection).close_spares()  # they are sessions, and ours
    until = time.monotonic() + PATIENCE
    while number := tables.others(connection):
        if time.monotonic() > until:
            raise Conflict(
                f"{number} other sessions of the service use the database: stop web, worker, mailer"
                f" and beat first{done}"
            )
        time.sleep(0.1)


@contextmanager
def _staging() -> Iterator[tuple[str, str]]:
    """Make a schema and a folder for what is read; whatever is left of them at the end goes."""
    schema = f"{SCHEMA}_{uuid4().hex[:12]}"
    staged = f"{STAGING}-{uuid4().hex}"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE SCHEMA {schema}")
    try:
        yield schema, staged
    finally:
        try:
            store().clear(staged)
        finally:
            _drop(schema)


def _drop(schema: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET client_min_messages = warning")
        cursor.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE")  # one that was made here


@contextmanager
def _on(schema: str) -> Iterator[None]:
    """Have this connection work in a schema, for as long as that takes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('search_path'), current_setting('statement_timeout')")
        path, timeout = cursor.fetchone()
        cursor.execute("SELECT set_config('search_path', %s, false)", [schema])
        cursor.execute("SET statement_timeout = 0")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('search_path', %s, false)", [path])
            cursor.execute("SELECT set_config('statement_timeout', %s, false)", [timeout])


def _read(archive: Path, secret: Any, schema: str, staged: str) -> _Read:
    try:
        source = archive.open("rb")
    except OSError as error:
        raise InvalidInput(f"cannot be read: {error.strerror}", where=str(archive)) from None
    with source, sealing.opened(source, secret) as stream, _on(schema):
        reader = Reader(stream)
        wanted = [(app, name) for app, name in reader.head["migrations"]]
        tables.make(connection, wanted)
        try:
            with transaction.atomic():
                read = _fill(reader, staged)
        except DatabaseError as error:
            raise InvalidInput(f"has rows that do not fit: {error}", where=str(archive)) from error
        tables.finish(connection)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        return read


def _fill(reader: Reader, staged: str) -> _Read:
    """Store what an archive has; it was whole when this returns."""
    columns: dict[str, list[str]] = reader.head["tables"]
    known = tables.shape(connection).tables
    tables.clear(connection)
    rows: Counter[str] = Counter()
    places = set()
    for name, stream in reader.members():
        if name.startswith(TABLES):
            table = name.split("/")[1]
            if table in known:
                rows[table] += tables.insert(connection, table, columns[table], _unpacked(stream, name))
        elif name.startswith(FILES):
            places.add(place := name.removeprefix(FILES))
            _store(staged, place, stream)
        else:
            raise InvalidInput(f"has {name} in it, which this version does not know", where="archive")
    said = {table: number for table, number in reader.tail["rows"].items() if table in known}
    if said != dict(rows):
        raise InvalidInput("does not have all the rows that it says", where="archive")
    tables.set_sequences(connection, reader.head["sequences"])
    skipped = tuple(sorted(set(columns) - set(known)))
    return _Read(reader.head, rows.total(), frozenset(places), skipped)


def _unpacked(stream: IO[bytes], name: str) -> Iterator[bytes]:
    """Yield what is packed by gzip, piece by piece: however much it is, little of it is held."""
    try:
        with gzip.open(stream) as unpacked:
            yield from iter(lambda: unpacked.read(PIECE), b"")
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InvalidInput(f"has {name} in it, which is damaged ({error})", where="archive") from None


def _store(staged: str, place: str, stream: IO[bytes]) -> None:
    check_place(place)  # refuses what is outside
    store().put(f"{staged}/{place}", cast(BinaryIO, stream))


def _put_files(staged: str, now: datetime) -> int:
    """Move files to their places; return how many others were in the way."""
    places = [one.place.removeprefix(f"{staged}/") for one in store().listed(staged)]
    there = {place for place in places if store().look(place) is not None}
    new = [place for place in places if place not in there or not _is_same(f"{staged}/{place}", place)]
    if settings.FILE_STORE is None and (folder := next((one for one in new if path_of(one).is_dir()), "")):
        where = store().address(folder)
        raise Conflict(f"{where} is a folder, and a file of the backup belongs there: move it away")
    in_the_way = [place for place in new if place in there]
    moved = trash.move(places=in_the_way, reason="a backup was restored in its place", now=now)
    for place in new:
        store().move(f"{staged}/{place}", place)
    return moved


def _is_same(one: str, other: str) -> bool:
    """Say whether two files have the same bytes."""
    with store().open(one) as first, store().open(other) as second:
        while True:
            piece = first.read(PIECE)
            if piece != second.read(PIECE):
                return False
            if not piece:
                return True


def _strangers(folders: Sequence[str], places: frozenset[str]) -> int:
    return sum(one.place not in places for folder in folders for one in store().listed(folder))


def _has_more_than_ours(schema: str, live: str) -> bool:
    """Say whether a schema has anything beside the service's tables: somebody put it there."""
    with _on(live):
        ours = set(tables.shape(connection).tables)
    with _on(schema):
        theirs = set(tables.shape(connection).tables)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_extension WHERE extnamespace = %s::regnamespace)"
            " OR EXISTS (SELECT FROM pg_proc WHERE pronamespace = %s::regnamespace"
            " AND oid NOT IN (SELECT tgfoid FROM pg_trigger))"
            " OR EXISTS (SELECT FROM pg_class"
            " WHERE relnamespace = %s::regnamespace AND relkind IN ('v', 'm', 'f', 'p'))",
            [schema] * 3,
        )
        return bool(cursor.fetchone()[0]) or not theirs <= ours


def _say_who_they_are(strangers: int) -> None:
    """Have files and database belong together, unless there are files that the backup does not know.

    Then the service goes on with both, and removes nothing before an operator has looked.
    """
    if not strangers:
        installation.join()
        return
    installation.doubt()
