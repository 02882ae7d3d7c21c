"""Files on their way from the server: gone on with after a break, checked, and whole or not there."""

import hashlib
from pathlib import Path

import httpx2

from kbpo_client.connection import Connection, retry_after
from kbpo_client.errors import Later, NetworkError, Unwritable
from kbpo_client.uploads import Progress, nowhere


class _NotYet(Later):
    """The server is still making it."""


def fetch(
    connection: Connection, path: str, to: Path, *, digest: str = "", progress: Progress = nowhere
) -> bool:
    """Fetch a file; return whether anything had to be sent.

    Parameters
    ----------
    path : str
        Below the API's address.
    to : Path
        In a folder that is there.
    digest : str
        Its SHA-256, if that is known: what is there already is not fetched, what was begun is gone on with,
        and what arrives is held against it.

    Raises
    ------
    ClientError
        If it is refused, breaks off again and again, or arrives damaged.
    """
    try:
        return _fetch(connection, path, to, digest, progress)
    except OSError as error:
        raise Unwritable(f"{to} cannot be written: {error.strerror}") from None


def _fetch(connection: Connection, path: str, to: Path, digest: str, progress: Progress) -> bool:
    if digest and to.is_file() and _digest(to) == digest:
        return False
    part = to.with_name(f".{to.name}.{digest[:16] or 'new'}.part")
    if not digest:
        part.unlink(missing_ok=True)
    failed, waited = 0, 0.0
    while True:
        before = _size(part)
        try:
            _fetch_rest(connection, path, part, digest, progress)
            break
        except (NetworkError, Later) as error:
            failed = 1 if _size(part) > before else failed + 1
            wanted = error.seconds if isinstance(error, Later) else None
            wait = connection.pause_of(failed - 1, wanted)
            is_given_up = failed >= connection.attempts and not isinstance(error, _NotYet)
            if is_given_up or waited + wait > connection.patience:
                raise
            connection.tell(f"{error}; trying again in {wait:.0f} s")
            waited += wait
            connection.sleep(wait)
    if digest and _digest(part) != digest:
        part.unlink()
        raise NetworkError(f"{to.name} arrived damaged: its SHA-256 is another; fetch it again")
    part.replace(to)
    return True


def _fetch_rest(connection: Connection, path: str, part: Path, digest: str, progress: Progress) -> None:
    start = _size(part) if digest else 0
    headers = {"Range": f"bytes={start}-", "If-Range": f'"{digest}"'} if start else {}
    with connection.stream(path, headers) as response:
        if response.status_code == 202:
            raise _NotYet("the server is still making the file", seconds=retry_after(response) or 5.0)
        begins = f"bytes {start}-"
        goes_on = response.status_code == 206 and response.headers.get("Content-Range", "").startswith(begins)
        here = start if goes_on else 0
        total = here + _length(response)
        with part.open("ab" if goes_on else "wb") as file:
            for chunk in response.iter_raw():
                file.write(chunk)
                here += len(chunk)
                progress(here, max(total, here))


def _length(response: httpx2.Response) -> int:
    given = response.headers.get("Content-Length", "")
    return int(given) if given.isdigit() else 0


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
