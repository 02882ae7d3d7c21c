"""Files in folders of this machine."""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from io import BufferedRandom
from pathlib import Path
from typing import BinaryIO, cast
from uuid import uuid4

from django.conf import settings

from kbpo.core.disk import is_no_space
from kbpo.core.errors import Busy
from kbpo.core.storage.base import PIECE, Stored, check_place


def roots() -> dict[str, Path]:
    """Return the folders that files are kept below, by name."""
    return {"media": Path(settings.MEDIA_ROOT), "home": Path(settings.KBPO_HOME)}


def path_of(place: str) -> Path:
    """Return the file that is in a place; never one outside the roots."""
    name, _, rest = check_place(place).partition("/")
    return roots()[name] / rest


class Folders:
    """The store that needs nothing: `MEDIA_ROOT` and `KBPO_HOME`."""

    is_exclusive = True

    def prepare(self) -> None:
        """Do nothing: each folder is made with its first file."""

    def put(self, place: str, content: BinaryIO, *, new: bool = False) -> None:
        """Write beside the place, and rename."""
        with self._draft(place) as draft:
            shutil.copyfileobj(content, draft.file, PIECE)
            if new:
                draft.keep_new()
            else:
                draft.keep()

    @contextmanager
    def draft(self, place: str) -> Iterator["_Draft"]:
        """Write beside the place."""
        with self._draft(place) as draft:
            yield draft

    @contextmanager
    def _draft(self, place: str) -> Iterator["_Draft"]:
        path = _made(path_of(place))
        unfinished = path.with_name(f".{uuid4().hex}.unfinished")
        try:
            with unfinished.open("x+b") as file:
                yield _Draft(path, unfinished, file)
        finally:
            unfinished.unlink(missing_ok=True)

    def open(self, place: str) -> BinaryIO:
        """Open the file itself."""
        return path_of(place).open("rb")

    def look(self, place: str) -> Stored | None:
        """Ask the file system."""
        return _look(place, path_of(place))

    def delete(self, place: str) -> None:
        """Delete the file; whoever reads it goes on."""
        path_of(place).unlink(missing_ok=True)

    def copy(self, place: str, to: str) -> None:
        """Give the file a second name; where a file system has none, copy it."""
        source, target = path_of(place), _made(path_of(to))
        try:
            os.link(source, target)
            os.utime(target)  # it counts as new for those who remove what was left lying
        except (FileNotFoundError, FileExistsError):
            raise
        except OSError:
            with source.open("rb") as stream:
                self.put(to, stream, new=True)

    def move(self, place: str, to: str) -> None:
        """Rename the file."""
        target = _made(path_of(to))
        shutil.move(path_of(place), target)
        os.utime(target)

    def listed(self, folder: str) -> Iterator[Stored]:
        """Walk through the folder; what vanishes meanwhile is left out."""
        root, place = path_of(folder), folder.rstrip("/")
        for path in sorted(root.rglob("*")):
            if path.is_symlink():
                continue
            found = _look(f"{place}/{path.relative_to(root).as_posix()}", path)
            if found is not None:
                yield found

    def clear(self, folder: str) -> None:
        """Delete the folder; whoever reads a file of it goes on."""
        with suppress(FileNotFoundError):
            shutil.rmtree(path_of(folder))

    def address(self, place: str) -> str:
        """Return its path."""
        return str(path_of(place))

    @contextmanager
    def arriving(self, place: str) -> Iterator["_Arriving"]:
        """Hold the file, whose length is how far it is."""
        with _made(path_of(place)).open("a+b", buffering=0) as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Busy("Another piece of the same file is arriving: ask how far it is.") from None
            yield _Arriving(file)

    def arrived(self, place: str) -> int:
        """Return the length of the file."""
        found = self.look(place)
        return found.size if found else 0

    def discard(self, place: str) -> None:
        """Delete the file: its pieces are nowhere else."""
        self.delete(place)


class _Draft:
    def __init__(self, path: Path, unfinished: Path, file: BinaryIO) -> None:
        self.file, self._path, self._unfinished = file, path, unfinished

    def keep(self, place: str = "") -> None:
        self._flush()
        self._unfinished.replace(_made(path_of(place)) if place else self._path)

    def keep_new(self) -> None:
        self._flush()
        os.link(self._unfinished, self._path)

    def _flush(self) -> None:
        self.file.flush()
        os.fsync(self.file.fileno())


class _Arriving:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._begun = self.here = os.fstat(file.fileno()).st_size

    def add(self, data: bytes) -> None:
        try:
            _write_all(self._file, data)
        except OSError as error:
            if is_no_space(error):
                os.truncate(self._file.fileno(), self._begun)  # nothing half-written is kept
            raise
        self.here += len(data)

    def finish(self) -> str:
        os.fsync(self._file.fileno())
        self._file.seek(0)
        return hashlib.file_digest(cast(BufferedRandom, self._file), "sha256").hexdigest()


def _write_all(file: BinaryIO, data: bytes) -> None:
    """Write all of a piece to a file without a buffer, which may take less at a time."""
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]


def _look(place: str, path: Path) -> Stored | None:
    try:
        if not path.is_file():
            return None
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return Stored(place, found.st_size, datetime.fromtimestamp(found.st_mtime, UTC))


def _made(path: Path) -> Path:
    """Return a path whose folder is there."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path
