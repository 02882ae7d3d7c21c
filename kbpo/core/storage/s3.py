"""Files in an S3-compatible store, as objects of one bucket.

Each request is tried a few times, with pauses, and each try ends after some seconds. An object is there as a
whole once S3 says so; a file that arrives in pieces is one object for every few megabytes until it is whole,
so that any process can take the next piece.
"""

import hashlib
import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, BinaryIO, cast

import boto3
from boto3.exceptions import Boto3Error
from boto3.s3.transfer import S3TransferRetriesExceededError, TransferConfig
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError

from kbpo.core.database.locks import claim
from kbpo.core.errors import Busy, StoreAway, StoreFull
from kbpo.core.storage.base import PARTS, PIECE, Stored, check_place
from kbpo.core.store_address import Address

CONNECTING = 3.0  # seconds
ANSWERING = 10.0  # seconds without a byte
TRIES = 3  # of each request
HURRIED = 1.0  # seconds, of the one try of who only looks how the store is
REOPENED = 3  # times that a body which breaks off is asked for again from there
PART = 8 << 20  # bytes of a file on its way in that are held in memory, and one object
MISSING = ("404", "NoSuchKey", "NotFound")
FULL = ("QuotaExceeded", "XMinioAdminBucketQuotaExceeded", "XMinioStorageFull", "InsufficientStorage")
TRANSFER = TransferConfig(multipart_threshold=64 << 20, multipart_chunksize=16 << 20, use_threads=False)


def connected(address: Address, *, hurried: bool = False) -> "S3":
    """Return the store at an address; a process has one client of each, and threads share it.

    Parameters
    ----------
    hurried : bool
        Whether somebody waits who wants to know how the store is, more than to have what is in it.
    """
    return _connected(address, hurried, os.getpid())


@lru_cache(maxsize=16)
def _connected(address: Address, hurried: bool, _process: int) -> "S3":
    if hurried:
        return S3(address, connecting=HURRIED, answering=HURRIED, tries=1)
    return S3(address, connecting=CONNECTING, answering=ANSWERING, tries=TRIES)


class S3:
    """A bucket, or what is below a prefix of it."""

    is_exclusive = False

    def __init__(
        self,
        address: Address,
        *,
        connecting: float = CONNECTING,
        answering: float = ANSWERING,
        tries: int = TRIES,
    ) -> None:
        self._at = address
        key, secret = address.keys or (None, None)
        self._client: Any = boto3.session.Session().client(
            "s3",
            endpoint_url=address.endpoint_url or None,
            region_name=address.region,
            aws_access_key_id=key,
            aws_secret_access_key=secret,
            config=Config(
                connect_timeout=connecting,
                read_timeout=answering,
                retries={"mode": "standard", "total_max_attempts": tries},
                max_pool_connections=32,
                s3={"addressing_style": "path" if address.endpoint_url else "auto"},
                request_checksum_calculation="when_required",  # others than Amazon's know no other
                response_checksum_validation="when_required",
            ),
        )

    def prepare(self) -> None:
        """Make the bucket."""
        bucket, region = self._at.bucket, self._at.region
        try:
            with self._asked("looking for the bucket", bucket):
                self._client.head_bucket(Bucket=bucket)
        except FileNotFoundError:
            elsewhere = {} if region == "us-east-1" else {"LocationConstraint": region}
            given = {"CreateBucketConfiguration": elsewhere} if elsewhere else {}
            with (
                self._asked("making the bucket", bucket),
                suppress(self._client.exceptions.BucketAlreadyOwnedByYou),  # by another, this very moment
            ):
                self._client.create_bucket(Bucket=bucket, **given)

    def put(self, place: str, content: BinaryIO, *, new: bool = False) -> None:
        """Send all of it; large ones in several requests, which become one object at the end."""
        if new and self.look(place) is not None:
            raise FileExistsError(place)
        with self._asked("writing a file", place):
            self._client.upload_fileobj(_Plain(content), self._at.bucket, self._key(place), Config=TRANSFER)

    @contextmanager
    def draft(self, place: str) -> Iterator["_Draft"]:
        """Write to a file without a name on this machine."""
        with tempfile.TemporaryFile() as file:
            yield _Draft(self, place, cast(BinaryIO, file))

    def open(self, place: str) -> BinaryIO:
        """Read as it is sent; what breaks off is asked for again from there."""
        return cast(BinaryIO, io.BufferedReader(_Reading(self, place), PIECE))

    def look(self, place: str) -> Stored | None:
        """Ask for its head alone."""
        try:
            with self._asked("looking for a file", place):
                found = self._client.head_object(Bucket=self._at.bucket, Key=self._key(place))
        except FileNotFoundError:
            return None
        return Stored(place, found["ContentLength"], found["LastModified"])

    def delete(self, place: str) -> None:
        """Delete the object."""
        with suppress(FileNotFoundError), self._asked("deleting a file", place):
            self._client.delete_object(Bucket=self._at.bucket, Key=self._key(place))

    def copy(self, place: str, to: str) -> None:
        """Have the store copy it."""
        if self.look(to) is not None:
            raise FileExistsError(to)
        self._copy(place, to)

    def move(self, place: str, to: str) -> None:
        """Have the store copy it, then delete it."""
        self._copy(place, to)
        self.delete(place)

    def _copy(self, place: str, to: str) -> None:
        source = {"Bucket": self._at.bucket, "Key": self._key(place)}
        with self._asked("copying a file", place):
            self._client.copy_object(Bucket=self._at.bucket, Key=self._key(to), CopySource=source)

    def listed(self, folder: str) -> Iterator[Stored]:
        """Ask for a thousand at a time."""
        for key, size, written_at in self._keys(f"{self._key(folder.rstrip('/'))}/"):
            yield Stored(key.removeprefix(self._at.prefix), size, written_at)

    def clear(self, folder: str) -> None:
        """Delete one after another."""
        for found in list(self.listed(folder)):
            self.delete(found.place)

    def address(self, place: str) -> str:
        """Return bucket and key."""
        return f"s3://{self._at.bucket}/{self._key(place)}"

    @contextmanager
    def arriving(self, place: str) -> Iterator["_Arriving"]:
        """Claim the file, and add objects to it."""
        with claim(f"file {place}") as is_ours:
            if not is_ours:
                raise Busy("Another piece of the same file is arriving: ask how far it is.")
            arriving = _Arriving(self, place)
            try:
                yield arriving
            except (StoreAway, StoreFull):
                raise
            except BaseException:
                arriving.flush()
                raise
            arriving.flush()

    def arrived(self, place: str) -> int:
        """Add up the pieces, unless it is whole."""
        whole = self.look(place)
        return whole.size if whole else sum(size for _, size in self.parts(place))

    def discard(self, place: str) -> None:
        """Delete it, and every piece."""
        self.delete(place)
        for found in list(self.listed(f"{place}{PARTS}")):
            self.delete(found.place)

    def parts(self, place: str) -> list[tuple[str, int]]:
        """Return the places and sizes of the pieces of a file, one after another without a gap.

        A sender that came back while another process still held its last piece may have sent some bytes
        twice: of those that begin where the last one ended, the longest counts.
        """
        longest: dict[int, tuple[str, int]] = {}
        for found in self.listed(f"{place}{PARTS}"):
            start = int(found.place.rpartition("/")[2].partition("-")[0])
            if found.size > longest.get(start, ("", 0))[1]:
                longest[start] = found.place, found.size
        here, chain = 0, []
        while here in longest:
            chain.append(longest[here])
            here += longest[here][1]
        return chain

    def body(self, place: str, start: int = 0, etag: str = "") -> Any:
        """Return the answer to a request for an object, or the rest of one that is still the same."""
        wanted = {"Range": f"bytes={start}-", "IfMatch": etag} if start else {}
        with self._asked("reading a file", place):
            return self._client.get_object(Bucket=self._at.bucket, Key=self._key(place), **wanted)

    def away(self, doing: str, place: str, why: str, words: object) -> StoreAway:
        """Return the refusal where something cannot be done now."""
        detail = f"{self._at}: {doing} ({place}): {' '.join(str(words).split())[:300]}"
        return StoreAway(f"The store of files {why} ({doing}).", detail=detail)

    def _key(self, place: str) -> str:
        return f"{self._at.prefix}{check_place(place)}"

    def _keys(self, prefix: str) -> Iterator[tuple[str, int, Any]]:
        more: dict[str, str] = {}
        while True:
            with self._asked("listing files", prefix):
                page = self._client.list_objects_v2(Bucket=self._at.bucket, Prefix=prefix, **more)
            for one in page.get("Contents", ()):
                yield one["Key"], one["Size"], one["LastModified"]
            if not page.get("IsTruncated"):
                return
            more = {"ContinuationToken": page["NextContinuationToken"]}

    @contextmanager
    def _asked(self, doing: str, place: str) -> Iterator[None]:
        """Say in our words what a request ended with."""
        try:
            yield
        except ClientError as error:
            reply = error.response
            code = str(reply.get("Error", {}).get("Code", ""))
            status = reply.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
            if code in MISSING:
                raise FileNotFoundError(place) from None
            if code in FULL or status == 507:
                detail = f"{self._at}: {doing} ({place}): {' '.join(str(error).split())[:300]}"
                raise StoreFull(detail=detail) from error
            why = "refuses this" if status in (400, 401, 403, 404) else "cannot do this now"
            raise self.away(doing, place, why, error) from error
        except (BotoCoreError, HTTPClientError, Boto3Error, S3TransferRetriesExceededError) as error:
            raise self.away(doing, place, "cannot be reached", error) from error


class _Draft:
    def __init__(self, store: S3, place: str, file: BinaryIO) -> None:
        self.file, self._store, self._place = file, store, place

    def keep(self, place: str = "") -> None:
        self.file.flush()
        self.file.seek(0)
        self._store.put(place or self._place, self.file)


class _Plain:
    """A stream that gives as much as it is asked for: boto3 takes a short answer for the end."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        if size < 0:
            return self._stream.read()
        pieces: list[bytes] = []
        while size and (data := self._stream.read(size)):
            pieces.append(data)
            size -= len(data)
        return b"".join(pieces)


class _Reading(io.RawIOBase):
    """An object, from any place on."""

    def __init__(self, store: S3, place: str) -> None:
        super().__init__()
        self._store, self._place, self._at = store, place, 0
        reply = store.body(place)
        self._body: Any = reply["Body"]
        self._size, self._etag = int(reply["ContentLength"]), str(reply["ETag"])

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        to = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        if to < 0:
            raise ValueError("before the beginning")
        if to != self._at:
            self._let_go()
            self._at = to
        return to

    def readinto(self, buffer: Any) -> int:
        if self._at >= self._size or not len(buffer):
            return 0
        last: Exception | None = None
        for _ in range(1 + REOPENED):
            try:
                if self._body is None:
                    self._body = self._store.body(self._place, self._at, self._etag)["Body"]
                data = self._body.read(len(buffer))
            except (BotoCoreError, HTTPClientError, OSError) as error:
                if isinstance(error, FileNotFoundError):
                    raise
                last, data = error, b""
            if data:
                buffer[: len(data)] = data
                self._at += len(data)
                return len(data)
            self._let_go()
        raise self._store.away("reading a file", self._place, "breaks off", last or "it ends too early")

    def close(self) -> None:
        self._let_go()
        super().close()

    def _let_go(self) -> None:
        body, self._body = getattr(self, "_body", None), None
        if body is not None:
            body.close()


class _Arriving:
    """A file on its way in: what is here in objects, and the newest bytes in memory."""

    def __init__(self, store: S3, place: str) -> None:
        self._store, self._place = store, place
        self._is_whole = store.look(place) is not None
        self._stored = self.here = store.arrived(place)
        self._held = bytearray()

    def add(self, data: bytes) -> None:
        self._held += data
        self.here += len(data)
        if len(self._held) >= PART:
            self.flush()

    def flush(self) -> None:
        """Store what is held as one more object."""
        if self._held:
            size = len(self._held)
            place = f"{self._place}{PARTS}/{self._stored:015d}-{size:09d}"
            self._store.put(place, io.BytesIO(bytes(self._held)))
            self._stored += size
            self._held.clear()

    def finish(self) -> str:
        self.flush()
        with tempfile.TemporaryFile() as whole:
            parts = [(self._place, self.here)] if self._is_whole else self._store.parts(self._place)
            if sum(size for _, size in parts) != self.here:
                raise self._store.away("reading a file", self._place, "lacks a piece", "it was deleted")
            for place, _ in parts:
                with self._store.open(place) as stream:
                    shutil.copyfileobj(stream, whole, PIECE)
            whole.seek(0)
            digest = hashlib.file_digest(whole, "sha256").hexdigest()
            if not self._is_whole:  # else somebody was killed after that
                whole.seek(0)
                self._store.put(self._place, cast(BinaryIO, whole))
        for found in list(self._store.listed(f"{self._place}{PARTS}")):
            self._store.delete(found.place)
        return digest
