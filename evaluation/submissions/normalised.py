"""What an accepted file claims, as a file without faults: made by the pipeline, when somebody asks for it.

It is made once and kept beside the file that it is made of. The uploaded file is read for it once more, in a
process of its own, in the turn of whoever asked.
"""

import hashlib
import logging
from collections.abc import Callable
from io import BufferedRandom
from typing import BinaryIO, cast
from uuid import UUID

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from annotations.models import Corpus
from evaluation.models import FileCheck, NormalisedFile, Submission
from evaluation.reading import isolated
from evaluation.submissions import attachments
from evaluation.submissions.check_queue import RECENT, Waiting, claim_turn, in_turn, refuse_too_many
from evaluation.submissions.problem_files import ReadFile, owner_of, throw_away
from evaluation.submissions.texts import text_file
from evaluation.task import FindTask, Task
from kbpo.accounts.models import User
from kbpo.core.clock.nudge import nudge
from kbpo.core.database.locks import brief_transaction
from kbpo.core.database.outages import is_outage, is_store_outage
from kbpo.core.errors import Conflict
from kbpo.core.keeping import installation
from kbpo.core.storage import let_go, store

logger = logging.getLogger(__name__)

State = NormalisedFile.State
NORMALISE_TASK = "kbpo.pipeline.normalise_files"
ATTEMPTS = 10  # for workers that are stopped meanwhile; an error is told at once
LINES_A_SECOND = 50_000  # about, on one core


def ask(*, file: ReadFile, user: User) -> NormalisedFile:
    """Have a file written anew, unless it is or was.

    Raises
    ------
    Conflict
        If it was not accepted, or was deleted.
    TooMany
        If as many files that the user asked for wait as may.
    """
    if not is_accepted(file):
        raise Conflict(f"{file} was not accepted, so there is nothing to download")
    if not has_file(file):
        raise Conflict(f"the file of {file} was deleted, so it cannot be written anew")
    with brief_transaction(f"Something of {file} is just being stored: try again in a moment."):
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        found = _of(file).select_for_update(of=("self",)).first()
        if found is not None and (found.state == State.WAITING or found.is_here):
            return found
        refuse_too_many(NormalisedFile.objects.filter(asked_by=user, state=State.WAITING).count())
        fresh = {
            "asked_by": user,
            "asked_at": timezone.now(),
            "state": State.WAITING,
            "attempts": 0,
            "made_at": None,
            "digest": "",
        }
        found, _ = NormalisedFile.objects.update_or_create(defaults=fresh, **owner_of(file))
        nudge(NORMALISE_TASK)
        return found


def find(file: ReadFile) -> NormalisedFile | None:
    """Return what is known of a file's normalised one; None where nobody has asked for it, or it was lost."""
    found: NormalisedFile | None = getattr(file, "normalised", None)
    return None if found is None or (found.state == State.READY and not found.is_here) else found


def state(file: ReadFile) -> str:
    """Return the state of a file's normalised one; empty where there is none."""
    found = find(file)
    return found.state if found else ""


def expected_seconds(file: ReadFile) -> int:
    """Say how long writing it takes, roughly, once it is its turn."""
    return 1 + int(file.counts.get("lines", 0)) // LINES_A_SECOND


def is_accepted(file: ReadFile) -> bool:
    """Say whether the file was read and has no errors."""
    if isinstance(file, FileCheck):
        return file.state == FileCheck.State.ACCEPTED
    return bool(file.counts) and not file.counts.get("errors", 0) and file.state != Submission.State.REFUSED


def has_file(file: ReadFile) -> bool:
    """Say whether the uploaded file is still there."""
    stream = file.open_file()
    if stream is None:
        return False
    stream.close()
    return True


@transaction.atomic
def discard(*, file: ReadFile) -> None:
    """Throw a file's normalised one away, if there is any, when the transaction is over."""
    throw_away(_of(file))


@transaction.atomic
def discard_all(*, corpus: Corpus) -> None:
    """Throw the normalised files of a corpus away: they are written anew when somebody asks again."""
    about = Q(submission__corpus=corpus) | Q(file_check__corpus=corpus)
    throw_away(NormalisedFile.objects.filter(about).select_for_update(of=("self",)))


def normalise_files(*, find_task: FindTask) -> int:
    """Make the normalised files that were asked for, in turn; return how many moved on."""
    moved = 0
    while _make_next(find_task):
        moved += 1
    return moved


def write(*, file: ReadFile, task: Task, to: BinaryIO, is_wanted: Callable[[], bool] = lambda: True) -> None:
    """Write what an accepted file claims, gzip: the same bytes every time. Read again, it claims the same.

    Parameters
    ----------
    task : Task
        Its corpus'.
    is_wanted : callable
        Asked now and then whether to go on.

    Raises
    ------
    Conflict
        If the uploaded file is gone.
    InvalidInput
        If it is refused.
    ReaderFailed
        If the reading process ended as no file should make it end.
    Abandoned
        If it was not wanted any more.
    """
    stream = file.open_file()
    if stream is None:
        raise Conflict(f"the file of {file} is gone")
    with stream, attachments.opened(file) as beside:
        isolated.normalise(
            stream,
            to,
            reader=task.reader,
            format=file.format,
            texts=text_file(file.corpus),
            about=task.about(file.corpus),
            attachments=beside,
            is_wanted=is_wanted,
        )


def _of(file: ReadFile) -> "QuerySet[NormalisedFile]":
    return NormalisedFile.objects.filter(**owner_of(file))


def _make_next(find_task: FindTask) -> bool:
    """Make one, of the first in turn for whom nobody reads; return whether there was one."""
    waiting = NormalisedFile.objects.filter(state=State.WAITING).values_list("pk", "asked_by", "asked_at")
    made = NormalisedFile.objects.filter(made_at__gt=timezone.now() - RECENT).order_by()
    recent = made.values_list("asked_by").annotate(n=Count("pk"))
    for one in in_turn([Waiting(*row) for row in waiting], dict(recent)):
        installation.require_ours()  # before the row is touched: another process sees the right files
        with claim_turn(one.user) as is_ours:
            if is_ours and _try(one.key, find_task):
                return True
    return False


def _try(pk: UUID, find_task: FindTask) -> bool:
    waiting = NormalisedFile.objects.filter(pk=pk, state=State.WAITING)
    # Counted beforehand: what kills its worker does not come back forever.
    waiting.update(attempts=F("attempts") + 1)
    found = waiting.select_related("submission__corpus", "file_check__corpus", "file_check__upload").first()
    if found is None:
        return False
    if found.attempts > ATTEMPTS:
        return bool(waiting.update(state=State.FAILED, made_at=timezone.now()))
    try:
        digest = _write_whole(found, find_task(found.file.corpus), waiting.exists)
    except isolated.Abandoned:
        return False
    except Exception as error:
        if is_outage(error):
            raise  # the row is still due
        if is_store_outage(error):
            waiting.update(attempts=F("attempts") - 1)  # it is still due, and that was no try
            raise
        if failed := waiting.update(state=State.FAILED, made_at=timezone.now()):
            logger.exception("%s could not be written anew", found.file)
        return bool(failed)
    if waiting.update(state=State.READY, made_at=timezone.now(), digest=digest):
        return True
    let_go(found.place)  # thrown away while it was made
    return False


def _write_whole(found: NormalisedFile, task: Task, is_wanted: Callable[[], bool]) -> str:
    """Write the file to its place, all of it or nothing; return its SHA-256."""
    with store().draft(found.place) as draft:
        write(file=found.file, task=task, to=draft.file, is_wanted=is_wanted)
        draft.file.seek(0)
        digest = hashlib.file_digest(cast(BufferedRandom, draft.file), "sha256").hexdigest()
        draft.keep()
    return digest
