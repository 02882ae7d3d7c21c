"""Files on their way to the server: in pieces, after the tus protocol, gone on with after any break."""

import base64
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

from kbpo_client.connection import Connection
from kbpo_client.errors import NetworkError, NotFound, Refused, WrongUsage

PIECE = 4 << 20  # bytes
TUS = {"Tus-Resumable": "1.0.0"}
PIECE_TYPE = "application/offset+octet-stream"

Progress = Callable[[int, int], None]
"""Told how many bytes of how many are there."""


def nowhere(done: int, total: int) -> None:
    """Tell nobody."""


def send(connection: Connection, path: Path, *, progress: Progress = nowhere, piece: int = PIECE) -> str:
    """Send a file; return the id of its upload.

    What arrived of the same bytes before, in this run or in one that was interrupted, is not sent again: the
    server knows it by name, size and SHA-256.

    Raises
    ------
    WrongUsage
        If there is no such file, or it is empty.
    ClientError
        If it is refused, or the server stays away.
    """
    try:
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            size = stream.tell()
            if size == 0:
                raise WrongUsage(f"{path} is empty")
            try:
                return _send(connection, stream, path, size, digest, progress, piece)
            except (NotFound, Refused) as error:
                # It expired under way, or what lay there from before was of other bytes: once more, from the
                # beginning.
                if isinstance(error, Refused) and error.status != 460:
                    raise
                return _send(connection, stream, path, size, digest, progress, piece)
    except OSError as error:
        raise WrongUsage(f"{path} cannot be read: {error.strerror}") from None


def discard(connection: Connection, upload: str) -> None:
    """Throw away an upload that was not submitted.

    Raises
    ------
    ClientError
        If it is no upload's id, there is no such upload of the caller's, or it is used this very moment.
    """
    try:
        UUID(upload)
    except ValueError:
        raise WrongUsage(f"{upload!r:.80} is no upload's id: kbpo uploads lists them") from None
    connection.ask("DELETE", f"uploads/{upload}/", headers=TUS)


def _send(
    connection: Connection,
    stream: BinaryIO,
    path: Path,
    size: int,
    digest: str,
    progress: Progress,
    piece: int,
) -> str:
    upload, offset = _begun(connection, path, size, digest) or (_announce(connection, path, size, digest), 0)
    progress(offset, size)
    stuck = 0  # conflicts without a byte more
    while offset < size:
        stream.seek(offset)
        headers = {**TUS, "Upload-Offset": str(offset), "Content-Type": PIECE_TYPE}
        try:
            answer = connection.ask(
                "PATCH", f"uploads/{upload}/", content=stream.read(piece), headers=headers, may_repeat=True
            )
        except Refused as error:
            if error.status != 409:
                raise
            # Some of a piece arrived before its connection broke: go on from there.
            answer = connection.ask("HEAD", f"uploads/{upload}/", headers=TUS)
        here = int(answer.headers["Upload-Offset"])
        stuck = 0 if here > offset else stuck + 1
        if stuck == connection.attempts:
            raise NetworkError(f"the server takes no more of {path.name} than {here:,} bytes")
        offset = here
        progress(offset, size)
    return upload


def _begun(connection: Connection, path: Path, size: int, digest: str) -> tuple[str, int] | None:
    """Return the upload of the same file that an earlier run began, and how far it is."""
    for one in connection.pages("uploads/"):
        is_same = (one["name"], one["size"], one["modified"]) == (_name(path), size, _modified(path))
        if is_same and one["digest"] in ("", digest):
            # Asked for by itself, it is kept for another day, and makes no room for the file that comes next.
            answer = connection.ask("HEAD", f"uploads/{one['id']}/", headers=TUS)
            return str(one["id"]), int(answer.headers["Upload-Offset"])
    return None


def _announce(connection: Connection, path: Path, size: int, digest: str) -> str:
    metadata = {"filename": _name(path), "lastmodified": str(_modified(path)), "sha256": digest}
    written = ",".join(f"{key} {base64.b64encode(text.encode()).decode()}" for key, text in metadata.items())
    headers = {**TUS, "Upload-Length": str(size), "Upload-Metadata": written}
    # One announced twice is thrown away after a day.
    answer = connection.ask("POST", "uploads/", headers=headers, may_repeat=True)
    return str(answer.headers["Location"]).rstrip("/").rsplit("/", 1)[-1]


def _name(path: Path) -> str:
    """Return a file's name as text: bytes of it that are not UTF-8 become U+FFFD."""
    return os.fsencode(path.name).decode("utf-8", "replace")


def _modified(path: Path) -> int:
    return max(0, path.stat().st_mtime_ns // 1_000_000)
