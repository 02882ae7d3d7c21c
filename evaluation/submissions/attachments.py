"""Further files of a submission or a check: stored and deleted with it, opened with it."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import BinaryIO

from django.core.files import File
from django.db import transaction
from django.db.models.fields.files import FieldFile

from evaluation.models import Attachment, FileCheck, Submission
from kbpo.core.errors import Conflict

#: By the names that their task has for them.
Files = Mapping[str, "File[bytes]"]


def sha256(file: "File[bytes]") -> str:
    """Return the digest of a file, which stands at its start then."""
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    file.seek(0)
    return digest.hexdigest()


def store(*, submission: Submission, files: Files, saved: list[FieldFile]) -> None:
    """Store what was submitted beside a submission's file.

    Parameters
    ----------
    saved : list of FieldFile
        Each file is added that was stored: they go again if the transaction fails.
    """
    for name, file in files.items():
        one = Attachment(submission=submission, name=name, digest=sha256(file))
        one.file.save(name, file, save=False)
        saved.append(one.file)
        one.save()


def delete_files(*, submission: Submission) -> None:
    """Delete the files, when the transaction is over; what is known of them stays."""
    for one in submission.attachments.exclude(file=""):
        name, storage = str(one.file.name), one.file.storage
        one.file = ""
        one.save(update_fields=["file"])
        transaction.on_commit(partial(storage.delete, name))


@contextmanager
def opened(file: Submission | FileCheck) -> Iterator[Mapping[str, BinaryIO]]:
    """Open what came beside a file, by name.

    Raises
    ------
    Conflict
        If some of it was deleted.
    """
    with ExitStack() as stack:
        streams: dict[str, BinaryIO] = {}
        for one in file.attachments.select_related("upload"):
            stream = one.open_file()
            if stream is None:
                raise Conflict(f"the {one.name} of {file} are gone")
            streams[one.name] = stack.enter_context(stream)
        yield streams
