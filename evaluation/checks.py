"""Checking a file without handing it in: the same reading, and nothing that lasts longer than a day."""

import logging
from datetime import timedelta
from typing import BinaryIO, cast
from uuid import UUID

from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone

from annotations.models import Corpus
from evaluation import problem_list
from evaluation.models import FileCheck, Submission, Upload
from evaluation.reading import isolated
from evaluation.submissions import read_kb
from evaluation.tac.problems import Format
from evaluation.texts import text_file
from evaluation.uploads import KEPT
from kbpo.core.errors import Gone, InvalidInput
from kbpo.core.nudge import nudge

logger = logging.getLogger(__name__)

State = FileCheck.State
CHECK_TASK = "kbpo.pipeline.read_checks"
ATTEMPTS = 10  # for workers that are stopped meanwhile; an error is told at once
LONGEST = timedelta(minutes=20)  # that one may wait to be read


@transaction.atomic
def start(*, upload: Upload, corpus: Corpus, format: str) -> FileCheck:
    """Have a whole upload checked. It is read by the pipeline, soon after, and kept for a day.

    Another check of the same upload is replaced.

    Raises
    ------
    InvalidInput
        If the format is unknown.
    Gone
        If the upload was thrown away.
    """
    if format not in Submission.Format.values:
        raise InvalidInput(f"{format!r} is not one of {', '.join(Submission.Format.values)}", where="format")
    locked = Upload.objects.select_for_update().filter(pk=upload.pk).first()
    if locked is None:
        raise Gone(f"{upload.name} was thrown away meanwhile: send it again")
    locked.expires_at = timezone.now() + KEPT
    locked.save(update_fields=["expires_at"])
    FileCheck.objects.filter(upload=locked).delete()
    check = FileCheck.objects.create(upload=locked, corpus=corpus, format=format)
    nudge(CHECK_TASK)
    return check


def read_checks() -> int:
    """Read what waits to be checked; return how many checks moved on."""
    waiting = FileCheck.objects.filter(state=State.WAITING).order_by("created_at")
    return sum(_try(pk) for pk in list(waiting.values_list("pk", flat=True)))


def write_normalised(*, check: FileCheck, to: BinaryIO) -> None:
    """Write what an accepted file claims as one without faults, gzip: see `submissions.write_normalised`."""
    with check.upload.path.open("rb") as stream:
        isolated.normalise(stream, to, format=cast(Format, check.format), texts=text_file(check.corpus))


def _try(pk: UUID) -> bool:
    with transaction.atomic():
        check = (
            FileCheck.objects.select_for_update(skip_locked=True).filter(pk=pk, state=State.WAITING).first()
        )
        if check is None:
            return False
        # Counted beforehand: what kills its worker does not come back forever.
        check.attempts += 1
        if check.attempts > ATTEMPTS or timezone.now() > check.created_at + LONGEST:
            check.state = State.FAILED
            check.read_at = timezone.now()
        check.save(update_fields=["attempts", "state", "read_at"])
        if check.state == State.FAILED:
            return True
    try:
        return _read(pk)
    except (OperationalError, InterfaceError):
        raise  # the database is away: the row is still due
    except Exception:
        logger.exception("check %s failed", pk)
        FileCheck.objects.filter(pk=pk, state=State.WAITING).update(
            state=State.FAILED, read_at=timezone.now()
        )
        return True


@transaction.atomic
def _read(pk: UUID) -> bool:
    check = (
        FileCheck.objects.select_for_update(skip_locked=True, of=("self",))
        .select_related("corpus", "upload")
        .filter(pk=pk, state=State.WAITING)
        .first()
    )
    if check is None:
        return False
    with check.upload.path.open("rb") as stream:
        reading = read_kb(stream=stream, corpus=check.corpus, format=check.format)
    problem_list.store(check, reading.problems)
    check.counts = dict(reading.counts)
    check.state = State.ACCEPTED if reading.accepted else State.REFUSED
    check.read_at = timezone.now()
    check.save(update_fields=["counts", "state", "read_at"])
    return True
