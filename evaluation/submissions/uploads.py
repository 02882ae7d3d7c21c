"""Files on their way in: sent in pieces, gone on with after a break, recognised when they come again."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Protocol
from uuid import UUID

from django.conf import settings
from django.core.files import File
from django.db import transaction
from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from evaluation.models import FileCheck, Submission, Upload
from evaluation.submissions import normalised, problem_files
from kbpo.accounts.models import User
from kbpo.core.database.locks import brief_transaction
from kbpo.core.disk import require_room
from kbpo.core.errors import Conflict, DigestMismatch, Gone, InvalidInput, TooLarge, TryAgain
from kbpo.core.files import Kept
from kbpo.core.keeping import installation
from kbpo.core.storage import Arriving, let_go, store
from kbpo.core.uploading import MOST_BYTES

MOST_OPEN = 10  # uploads of one user
MOST_HELD = 2_000_000_000  # bytes that these may have in all
PIECE = 1 << 16  # bytes read at once

JUDGED_OR_MAY_BE = Q(state__in=["uploaded", "accepted", "judging", "scored", "withdrawn"]) | Q(
    state="failed", failed_in="judging"
)

_DIGEST = re.compile(r"[0-9a-f]{64}")


class Readable(Protocol):
    """What a piece is read from."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes; none at the end."""


def create(*, user: User, name: str, size: int, modified: int | None = None, digest: str = "") -> Upload:
    """Announce a file that is to be sent.

    Parameters
    ----------
    name : str
        What its owner calls it.
    size : int
        Its bytes.
    modified : int, optional
        When it was changed last, in milliseconds since 1970: with name and size, what it is recognised by.
    digest : str
        SHA-256 in hexadecimal, if it is known: what arrives is held against it.

    Raises
    ------
    InvalidInput
        If the name, size or digest make no sense.
    TooLarge
        If the file is larger than the service takes.
    NoRoom
        If the disk has no room for it.
    Conflict
        If the user has too many uploads already, in number or bytes. Those whose check is over do not count:
        the oldest of them make room.
    """
    name = Path(name.replace("\x00", "").replace("\\", "/")).name.strip()[:255] or "file"
    if size < 1:
        raise InvalidInput("the file is empty: choose another", where=name)
    if size > MOST_BYTES:
        raise TooLarge(
            f"{name} has {size:,} bytes; the service takes at most {MOST_BYTES:,}. Compress it with gzip."
        )
    if digest and not _DIGEST.fullmatch(digest):
        raise InvalidInput("a SHA-256 has 64 hexadecimal digits, in lower case", where="sha256")
    installation.require_ours()
    require_room(size)
    _make_room(user, size)
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        mine = Upload.objects.filter(user=user)
        if not _fits(mine, size):
            raise Conflict(
                f"You have {mine.count()} uploads here that were not submitted, and {MOST_OPEN} or"
                f" {MOST_HELD / 1e9:.0f} GB is the most: discard one, or wait a day"
            )
        return Upload.objects.create(
            user=user,
            name=name,
            size=size,
            modified=modified,
            announced_digest=digest,
            expires_at=timezone.now() + settings.KEEP_UPLOADS,
        )


def append(*, upload: Upload, offset: int, stream: Readable, length: int | None = None) -> int:
    """Add a piece to an upload; the last one makes it whole.

    What arrives before the connection breaks is kept.

    Parameters
    ----------
    offset : int
        Where the sender believes to be.
    stream : file
        The piece.
    length : int, optional
        Its bytes, where the sender says so.

    Returns
    -------
    int
        How many bytes of the file are here now.

    Raises
    ------
    Conflict
        If the piece does not begin where the upload ends.
    TooLarge
        If it goes beyond the announced size.
    Busy
        If another piece is being added.
    Gone
        If the upload is thrown away meanwhile.
    DigestMismatch
        If the whole is not what was announced; it is thrown away.
    """
    if length is not None and offset + length > upload.size:
        raise TooLarge(f"{upload.name} was announced with {upload.size:,} bytes; this piece goes beyond")
    installation.require_ours()
    with _adding(upload) as arriving:
        here = arriving.here
        if offset != here:
            raise Conflict(f"{here:,} bytes of {upload.name} are here, so no piece can begin at {offset:,}")
        while here < upload.size and (data := stream.read(min(PIECE, upload.size - here))):
            arriving.add(data)
            here += len(data)
        _write(upload, expires_at=timezone.now() + settings.KEEP_UPLOADS)
        if here == upload.size:
            _finish(upload, arriving)
    return here


def keep(*, user: User, file: "File[bytes]") -> Upload:
    """Take in a file that came in one piece, with a form."""
    upload = create(user=user, name=file.name or "", size=file.size)
    append(upload=upload, offset=0, stream=_Pieces(file.chunks(PIECE)))
    return upload


def whole(*, user: User, pk: UUID) -> Upload:
    """Return a user's upload that has arrived in full.

    Raises
    ------
    InvalidInput
        If there is none, or some of it is missing.
    """
    upload = Upload.objects.filter(pk=pk, user=user).first()
    if upload is None or (upload.digest and upload.offset != upload.size):
        raise InvalidInput("the uploaded file is gone: choose it again", where="file")
    if not is_whole(upload):
        raise InvalidInput(
            f"{upload.offset:,} of {upload.size:,} bytes are here: go on with the upload", where=upload.name
        )
    return upload


def is_whole(upload: Upload) -> bool:
    """Say whether all of an upload is here.

    Where the server was killed between the last byte and its digest, the digest is made up for now.
    """
    if not upload.digest and upload.offset == upload.size:
        with _adding(upload) as arriving:
            _finish(upload, arriving)
    return bool(upload.digest)


def same_bytes(upload: Upload) -> list[Submission]:
    """Return what the user's teams have in any corpus with the very same bytes, as `with_digest` says."""
    return with_digest(upload.digest, user=upload.user_id) if is_whole(upload) else []


def with_digest(digest: str, *, user: int, corpus: int | None = None) -> list[Submission]:
    """Return the submissions of a user's teams with a SHA-256 that were judged or may be, the newest first.

    What was refused or cancelled is none of them: its bytes were never judged.

    Parameters
    ----------
    digest : str
    user : int
    corpus : int, optional
        Only there: elsewhere the same bytes say something else.
    """
    found = Submission.objects.filter(JUDGED_OR_MAY_BE, digest=digest, team__memberships__user=user)
    if corpus is not None:
        found = found.filter(corpus=corpus)
    return list(found.select_related("corpus").order_by("-pk"))


def left_lying(user: User) -> list[Upload]:
    """Return the uploads of a user that were not finished, or neither submitted nor checked; newest first."""
    found = Upload.objects.filter(user=user, file_check=None, attached=None)
    return list(found.filter(expires_at__gt=timezone.now()))


def is_checked(upload: Upload) -> bool:
    """Say whether a check is of an upload, or of one that it came beside."""
    return hasattr(upload, "file_check") or hasattr(upload, "attached")


@contextmanager
def as_file(upload: Upload) -> Iterator["File[bytes]"]:
    """Give a whole upload as a file of which the store makes a copy by itself; the upload stays.

    Raises
    ------
    Gone
        If the upload was thrown away.
    """
    try:
        stream = store().open(upload.place)
    except FileNotFoundError:
        raise _gone(upload) from None
    with stream:
        yield Kept(stream, upload.name, place=upload.place)


def keep_longer(*, upload: Upload) -> None:
    """Keep an upload, and those of the same check, for as long as new ones; older ones make room first."""
    upload.expires_at = timezone.now() + settings.KEEP_UPLOADS
    together = {upload.pk, *(one.pk for one in _checked_with(upload))}
    Upload.objects.filter(pk__in=together).update(expires_at=upload.expires_at)


def discard(*, upload: Upload) -> None:
    """Throw an upload away, with its bytes and the check of it."""
    place = upload.place
    with brief_transaction(f"What was found in {upload} is just being stored: try again in a moment."):
        for check in FileCheck.objects.filter(Q(upload=upload) | Q(attachments__upload=upload)).distinct():
            normalised.discard(file=check)
            problem_files.discard(file=check)
            check.delete()
        upload.delete()
    let_go(place)


def remove_expired(*, now: datetime) -> int:
    """Throw away the uploads that nobody came back for; return how many.

    Parameters
    ----------
    now : datetime
        Aware.
    """
    expired = Upload.objects.filter(expires_at__lte=now)
    removed = 0
    for upload in expired:
        with suppress(TryAgain):  # it is just being read: the next time then
            discard(upload=upload)
            removed += 1
    return removed


def _fits(held: "QuerySet[Upload]", size: int) -> bool:
    """Say whether one more upload may join these."""
    found = held.aggregate(number=Count("pk"), size=Sum("size", default=0))
    return bool(found["number"] < MOST_OPEN and found["size"] + size <= MOST_HELD)


def _make_room(user: User, size: int) -> None:
    """Throw away the oldest uploads whose check is over, as many as one more needs, if they are enough."""
    mine = Upload.objects.filter(user=user)
    waiting = FileCheck.State.WAITING
    over = mine.exclude(file_check=None, attached=None).exclude(
        Q(file_check__state=waiting) | Q(attached__file_check__state=waiting)
    )
    if _fits(mine.exclude(pk__in=over), size):
        for upload in over.order_by("expires_at"):  # the one that was used longest ago first
            if _fits(mine, size):
                return
            with suppress(TryAgain):  # it is just being written anew: the next older one then
                for one in _checked_with(upload):
                    discard(upload=one)


def _checked_with(upload: Upload) -> list[Upload]:
    """Return all uploads of the check that an upload is of."""
    check = FileCheck.objects.filter(Q(upload=upload) | Q(attachments__upload=upload)).first()
    if check is None:
        return []
    return [check.upload, *Upload.objects.filter(attached__file_check=check)]


class _Pieces:
    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)

    def read(self, size: int, /) -> bytes:
        return next(self._chunks, b"")


@contextmanager
def _adding(upload: Upload) -> Iterator[Arriving]:
    """Add to an upload, one at a time; no row's lock waits for a slow sender.

    The upload may be thrown away before or meanwhile: then the bytes go, and what is said of them is `Gone`.
    """
    try:
        with store().arriving(upload.place) as arriving:
            if not Upload.objects.filter(pk=upload.pk).exists():
                raise _gone(upload)
            yield arriving
    except Gone:
        let_go(upload.place)  # some may have been stored anew
        raise


def _finish(upload: Upload, arriving: Arriving) -> None:
    digest = arriving.finish()
    if upload.announced_digest not in ("", digest):
        discard(upload=upload)
        raise DigestMismatch(
            f"{upload.name} arrived with the SHA-256 {digest}, not with the one announced: send it again"
        )
    upload.digest = digest
    _write(upload, digest=digest)


def _write(upload: Upload, **values: object) -> None:
    if not Upload.objects.filter(pk=upload.pk).update(**values):
        raise _gone(upload)


def _gone(upload: Upload) -> Gone:
    return Gone(f"{upload.name} was thrown away meanwhile: send it again")
