"""Checking a file without submitting it: the same reading, and nothing that lasts longer than a day.

People take turns, and one file of each is read at a time: a long one keeps its owner's others waiting, and
nobody else's. So a check may wait for as long as its upload is kept; no time limit counts that against it.
"""

import logging
import tempfile
from collections.abc import Mapping
from typing import BinaryIO, cast
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from annotations.models import Corpus
from evaluation.models import Attachment, FileCheck, ProblemFile, Upload
from evaluation.reading import isolated
from evaluation.submissions import normalised, problem_files, problem_list, quotes, uploads
from evaluation.submissions.attachments import opened
from evaluation.submissions.check_queue import RECENT, Waiting, claim_turn, in_turn, refuse_too_many
from evaluation.submissions.submitting import read_file
from evaluation.task import FindTask, Task
from kbpo.accounts.models import User
from kbpo.core.clock.nudge import nudge
from kbpo.core.database.locks import brief_transaction
from kbpo.core.database.outages import is_outage, is_store_outage
from kbpo.core.errors import Gone, InvalidInput
from kbpo.core.keeping import installation
from kbpo.core.storage import store

logger = logging.getLogger(__name__)

State = FileCheck.State
CHECK_TASK = "kbpo.pipeline.read_checks"
ATTEMPTS = 10  # for workers that are stopped meanwhile; an error is told at once


def start(
    *,
    upload: Upload,
    corpus: Corpus,
    task: Task,
    format: str,
    attachments: Mapping[str, Upload] | None = None,
) -> FileCheck:
    """Have a whole upload checked. It is read by the pipeline, in its owner's turn, and kept for a day.

    Another check of one of the same uploads is replaced, and its other uploads are thrown away. Without a
    format, the format is recognised.

    Parameters
    ----------
    attachments : mapping of str to Upload, optional
        What came beside it, whole too, by the names of `Reader.attachments`.

    Raises
    ------
    InvalidInput
        If the format is unknown, or the task knows no such attachment.
    Gone
        If an upload was thrown away.
    TooMany
        If as many files of its owner wait as may.
    """
    task.check_corpus(corpus)
    if not format:
        with uploads.as_file(upload) as file:
            format = task.reader.recognise(cast(BinaryIO, file))
    if format not in task.reader.formats:
        raise InvalidInput(f"{format!r} is not one of {', '.join(task.reader.formats)}", where="format")
    beside = attachments or {}
    task.reader.check_attachments(beside)
    sent = list({one.pk: one for one in (upload, *beside.values())}.values())
    if len(sent) <= len(beside):
        raise InvalidInput("a file cannot come beside itself: upload another", where="attachments")
    left: list[Upload] = []
    with brief_transaction(f"Something of {upload} is just being stored: try again in a moment."):
        User.objects.select_for_update(no_key=True).get(pk=upload.user_id)
        others = FileCheck.objects.filter(upload__user=upload.user_id, state=State.WAITING)
        refuse_too_many(others.exclude(upload=upload).count())
        # The update locks the row: whoever throws the upload away waits, or was first.
        expires_at = timezone.now() + settings.KEEP_UPLOADS
        for one in sorted(sent, key=lambda one: one.pk):
            if not Upload.objects.filter(pk=one.pk).update(expires_at=expires_at):
                raise Gone(f"{one.name} was thrown away meanwhile: send it again")
        for replaced in FileCheck.objects.filter(
            Q(upload__in=sent) | Q(attachments__upload__in=sent)
        ).distinct():
            rest = Upload.objects.filter(Q(file_check=replaced) | Q(attached__file_check=replaced))
            left += rest.exclude(pk__in=[one.pk for one in sent])
            normalised.discard(file=replaced)
            problem_files.discard(file=replaced)
            replaced.delete()
        check = FileCheck.objects.create(upload=upload, corpus=corpus, format=format)
        for name, one in beside.items():
            Attachment.objects.create(file_check=check, name=name, upload=one, digest=one.digest)
        nudge(CHECK_TASK)
    for one in left:
        uploads.discard(upload=one)
    return check


def read_checks(*, find_task: FindTask) -> int:
    """Read what waits to be checked, in turn; return how many checks moved on."""
    moved = 0
    while _read_next(find_task):
        moved += 1
    return moved


def in_words(check: FileCheck) -> str:
    """Say how many files come before one that waits: of those who came earlier, or had fewer turns."""
    keys = [one.key for one in _queue()] if check.state == State.WAITING else []
    before = keys.index(check.pk) if check.pk in keys else 0
    return f"{before} file{'s' if before > 1 else ''} before it: people take turns." if before else ""


def _queue() -> list[Waiting]:
    """Return what waits, the next first."""
    waiting = FileCheck.objects.filter(state=State.WAITING).values_list("pk", "upload__user", "created_at")
    read = FileCheck.objects.filter(read_at__gt=timezone.now() - RECENT).order_by()
    recent = read.values_list("upload__user").annotate(n=Count("pk"))
    return in_turn([Waiting(*one) for one in waiting], dict(recent))


def _read_next(find_task: FindTask) -> bool:
    """Read one check, of the first in turn for whom nobody reads; return whether there was one."""
    for one in _queue():
        installation.require_ours()  # before the row is touched: another process sees the right files
        with claim_turn(one.user) as is_ours:
            if is_ours and _try(one.key, find_task):
                return True
    return False


def _try(pk: UUID, find_task: FindTask) -> bool:
    waiting = FileCheck.objects.filter(pk=pk, state=State.WAITING)
    # Counted beforehand: what kills its worker does not come back forever.
    waiting.update(attempts=F("attempts") + 1)
    check = waiting.select_related("corpus", "upload").first()
    if check is None:
        return False
    if check.attempts > ATTEMPTS:
        return bool(waiting.update(state=State.FAILED, read_at=timezone.now()))
    try:
        return _read(check, waiting, find_task(check.corpus))
    except isolated.Abandoned:
        return False
    except Exception as error:
        if is_outage(error):
            raise  # the row is still due
        if is_store_outage(error):
            waiting.update(attempts=F("attempts") - 1)  # it is still due, and that was no try
            raise
        if failed := waiting.update(state=State.FAILED, read_at=timezone.now()):
            logger.exception("check %s failed", pk)
        return bool(failed)


def _read(check: FileCheck, waiting: "QuerySet[FileCheck]", task: Task) -> bool:
    """Read a check's file, and store what was found unless the check is gone by then."""
    since = quotes.texts_of(check.corpus)
    with (
        tempfile.TemporaryFile() as every_problem,
        store().open(check.upload.place) as stream,
        opened(check) as attachments,
    ):
        reading = read_file(
            task=task,
            stream=stream,
            corpus=check.corpus,
            format=check.format,
            attachments=attachments,
            every_problem=cast(BinaryIO, every_problem),
            is_wanted=waiting.exists,
        )
        with problem_files.stored(cast(BinaryIO, every_problem), count=reading.recorded) as made:
            return _store(waiting, reading, made, task, since)


@transaction.atomic
def _store(
    waiting: "QuerySet[FileCheck]",
    reading: isolated.Outcome,
    made: ProblemFile | None,
    task: Task,
    since: quotes.Texts,
) -> bool:
    """Store what was found in a check's file, unless the check is gone."""
    locked = waiting.select_related("corpus").select_for_update(of=("self",)).first()
    if locked is None:
        return False
    problem_list.store(locked, reading.problems)
    if quotes.may_stay(corpus=locked.corpus, since=since):
        problem_files.attach(made, locked)
    else:
        quotes.remove_of_file(file=locked, codes=task.reader.codes)
    locked.counts = dict(reading.counts)
    locked.state = State.ACCEPTED if reading.accepted else State.REFUSED
    locked.read_at = timezone.now()
    locked.save(update_fields=["counts", "state", "read_at"])
    return True
