"""Encryption of backups: the age format (https://age-encryption.org/v1), through the library pyrage.

Whoever makes backups needs the public key alone (``age1…``), so a server holds nothing that opens them. Every
64 KiB are authenticated, and so is the end: what is cut or changed is refused. Any other tool that knows age
opens them too: ``age -d -i KEY BACKUP | tar -x``.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import pyrage
from pyrage import x25519

from kbpo.core.errors import Conflict, InvalidInput, Unavailable

PUBLIC, SECRET = "age1", "AGE-SECRET-KEY-1"


def make_key(path: Path) -> str:
    """Write a new key to a private file, which must not be there; return its public half.

    Raises
    ------
    Conflict
        If the file is there.
    Unavailable
        If it cannot be written.
    """
    identity = x25519.Identity.generate()
    public = str(identity.to_public())
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        raise Conflict(f"{path} is there; a key that opens backups is never written over") from None
    except OSError as error:
        raise Unavailable(f"{path} cannot be written: {error.strerror}") from error
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(f"# public key: {public}\n{identity}\n")
        file.flush()
        os.fsync(file.fileno())
    return public


def read_public(given: str) -> x25519.Recipient:
    """Return the public key that is given as such, or as a file that has it, or its secret half.

    Raises
    ------
    InvalidInput
        If it is neither.
    """
    if given.startswith(PUBLIC):
        return _parsed(x25519.Recipient.from_str, given.strip(), "the public key")
    for line in _lines(Path(given)):
        if line.startswith(PUBLIC):
            return _parsed(x25519.Recipient.from_str, line, given)
        if line.startswith(SECRET):
            return _parsed(x25519.Identity.from_str, line, given).to_public()
    raise InvalidInput("has no key; 'python manage.py backup_key FILE' makes one", where=given)


def read_secret(path: Path) -> x25519.Identity:
    """Return the secret key in a file.

    Raises
    ------
    InvalidInput
        If there is none.
    """
    for line in _lines(path):
        if line.startswith(SECRET):
            return _parsed(x25519.Identity.from_str, line, str(path))
    raise InvalidInput(f"has no secret key, a line that begins with {SECRET}", where=str(path))


@contextmanager
def sealed(to: BinaryIO, key: x25519.Recipient) -> Iterator[BinaryIO]:
    """Encrypt all that is written in this block; it is whole when the block ends without an error.

    Raises
    ------
    Unavailable
        If it cannot be written, as on a full disk.
    """
    reading, writing = os.pipe()
    with _beside(lambda: _encrypt(reading, to, key)) as check, os.fdopen(writing, "wb") as stream:
        try:
            yield stream
            stream.close()
        except BrokenPipeError:
            check()  # why nothing more could be written, such as a full disk
            raise
        check()


@contextmanager
def opened(source: BinaryIO, key: x25519.Identity) -> Iterator[BinaryIO]:
    """Decrypt what is read in this block, which must read to the end.

    Raises
    ------
    InvalidInput
        If the key is another, or what is read was cut or changed; also in place of any error to which that
        led in the block.
    """
    reading, writing = os.pipe()
    over = threading.Event()
    with _beside(lambda: _decrypt(source, writing, key, over)) as check, os.fdopen(reading, "rb") as stream:
        try:
            yield stream
        except Exception:
            over.set()
            stream.close()
            with suppress(BrokenPipeError):  # which is our closing
                check()  # what was wrong with the archive comes first
            raise
        while stream.read(1 << 20):
            pass
        check()


@contextmanager
def _beside(act: Callable[[], None]) -> Iterator[Callable[[], None]]:
    """Do something in a thread; the block gets a function that waits for it, and raises what it raised."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            act()
        except BaseException as error:  # noqa: BLE001  # it is raised in the other thread
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()

    def check() -> None:
        thread.join()
        if errors:
            raise errors[0]

    try:
        yield check
    finally:
        thread.join()


def _encrypt(reading: int, to: BinaryIO, key: x25519.Recipient) -> None:
    with os.fdopen(reading, "rb") as source:
        try:
            pyrage.encrypt_io(source, to, [key])
        except (pyrage.EncryptError, OSError) as error:
            raise Unavailable(f"the archive cannot be written: {error}") from None


def _decrypt(source: BinaryIO, writing: int, key: x25519.Identity, over: threading.Event) -> None:
    with os.fdopen(writing, "wb") as to:
        try:
            pyrage.decrypt_io(source, to, [key])
            to.flush()
        except (pyrage.DecryptError, OSError) as error:
            if over.is_set():
                return  # nobody reads any more
            if "No matching keys" in str(error):
                raise InvalidInput("it was encrypted for another key", where="archive") from None
            raise InvalidInput(
                f"it is no backup, or was cut or changed ({error}); nothing was touched", where="archive"
            ) from None


def _lines(path: Path) -> list[str]:
    try:
        return [line.strip() for line in path.read_text(encoding="ascii").splitlines()]
    except (OSError, ValueError) as error:
        raise InvalidInput(f"no key can be read there ({error})", where=str(path)) from None


def _parsed(parse: Callable[[str], Any], text: str, where: str) -> Any:
    try:
        return parse(text)
    except (pyrage.IdentityError, pyrage.RecipientError) as error:
        raise InvalidInput(f"the key is not whole ({error})", where=where) from None
