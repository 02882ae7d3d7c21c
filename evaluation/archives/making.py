"""Making archives: a stage of the pipeline after releases, killable anywhere."""

import hashlib
import logging
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Max
from django.utils import timezone

from annotations.models import Corpus
from evaluation.archives.contents import Contents
from evaluation.archives.datasheet import datasheet
from evaluation.design.batches import last_scored
from evaluation.models import (
    ArchiveKey,
    Epoch,
    EpochArchive,
    Estimate,
    ReleasedLabels,
    RetiredDocument,
    Score,
    Submission,
)
from evaluation.scoring import estimation
from evaluation.scoring import pool as pools
from evaluation.submissions.visibility import PUBLISHED
from evaluation.task import FindTask, Task
from kbpo.core.database.locks import claim
from kbpo.core.database.outages import is_outage
from kbpo.core.leftovers import written_before
from kbpo_archive.tables import FORMAT
from kbpo_archive.writing import Writer

logger = logging.getLogger(__name__)

LONGEST_WRITING = timedelta(days=1)  # far longer than it takes
PAUSE = timedelta(minutes=10)  # after a failure


def state_of(epoch: Epoch) -> str:
    """Return what an archive rests on: its form, the documents that were retired, the published scores."""
    retired = RetiredDocument.objects.filter(document__sampled__sample=epoch.document_sample).count()
    scores = Score.objects.filter(epoch=epoch).aggregate(last=Max("computed_at"), count=Count("pk"))
    said = f"{scores['count']}|{scores['last'].isoformat() if scores['last'] else ''}"
    return f"{FORMAT}-{retired}-{hashlib.sha256(said.encode()).hexdigest()[:16]}"


def newest(epoch: Epoch) -> EpochArchive | None:
    """Return the newest edition of an epoch's archive; None while there is none."""
    return EpochArchive.objects.filter(epoch=epoch).order_by("edition").last()


def waits_until(epoch: Epoch) -> datetime | None:
    """Return until when an archive waits for a name; None where it does not.

    Which systems are of one team can be worked out from an archive. So a system that is anonymous while
    another of its team is known by name keeps it waiting.
    """
    now = timezone.now()
    batches = epoch.batches.select_related("submission")
    known = set(
        epoch.batches.exclude(submission__anonymous_until__gt=now)
        .filter(submission__in=Submission.objects.filter(PUBLISHED))
        .values_list("submission__team", flat=True)
    )
    veiled = [
        batch.submission.anonymous_until
        for batch in batches
        if batch.submission.anonymous_until is not None
        and batch.submission.anonymous_until > now
        and batch.submission.team_id in known
    ]
    return max((one for one in veiled if one is not None), default=None)


def make_archives(*, find_task: FindTask, now: datetime) -> int:
    """Make the archive of every released epoch that lacks one of what may be told by now; return how many."""
    made = 0
    due = Epoch.objects.filter(released_at__isnull=False, scores_due=False, subsets_due=False)
    for epoch in due.select_related("corpus", "document_sample").order_by("pk"):
        task = find_task(epoch.corpus)
        last = newest(epoch)
        is_current = last is not None and last.state == state_of(epoch) and last.is_here
        if task.archiving is None or is_current or _has_failed(epoch, now) or waits_until(epoch):
            continue
        with claim(f"archive of epoch {epoch.pk}") as is_ours:
            if is_ours:
                made += _try(epoch, task)
    return made


def make(epoch: Epoch, task: Task) -> EpochArchive:
    """Make an edition of an epoch's archive; one of the same contents stays the one that it is.

    Returns
    -------
    EpochArchive
        Stored, and its bytes where its path says.
    """
    state = state_of(epoch)
    key, _ = ArchiveKey.objects.get_or_create(epoch=epoch)
    last = newest(epoch)
    again = last is not None and last.state == state
    edition = 1 if last is None else last.edition if again else last.edition + 1
    folder = _folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = folder / f".{uuid4().hex}.unfinished"
    try:
        manifest = _write(unfinished, epoch, task, edition, bytes.fromhex(key.key))
        digest = hashlib.sha256()
        with unfinished.open("rb") as stream:
            while chunk := stream.read(1 << 20):
                digest.update(chunk)
        if last is not None and again and last.digest != digest.hexdigest():
            edition += 1  # such as votes that were looked at since: the other's bytes are lost
            unfinished.unlink()
            manifest = _write(unfinished, epoch, task, edition, bytes.fromhex(key.key))
            digest = hashlib.sha256(unfinished.read_bytes())
        elif last is not None and again:
            unfinished.replace(last.path)
            return last
        archive = EpochArchive(
            epoch=epoch,
            edition=edition,
            state=state,
            format=FORMAT,
            digest=digest.hexdigest(),
            size=unfinished.stat().st_size,
            told=(manifest["documents"] or {}).get("told", ""),
            figures=Estimate.objects.filter(score__epoch=epoch).count(),
        )
        unfinished.replace(archive.path)  # a file without a row is made again; a row without one never is
        archive.save(force_insert=True)
        return archive
    finally:
        unfinished.unlink(missing_ok=True)


def remove_unfinished(*, now: datetime) -> int:
    """Delete the files whose writer was killed, and whole ones that no row came to be of; return how many."""
    before = now - LONGEST_WRITING
    unfinished = list(written_before(_folder().glob(".*.unfinished"), before))
    whole = list(written_before(_folder().glob("*.zip"), before))
    if whole:  # rows are read after files: a file's row comes after it
        kept = {one.path for one in EpochArchive.objects.all()}
        unfinished += [path for path in whole if path not in kept]
    for path in unfinished:
        path.unlink(missing_ok=True)
    return len(unfinished)


@transaction.atomic
def _write(path: Path, epoch: Epoch, task: Task, edition: int, key: bytes) -> dict[str, Any]:
    """Write an edition; return its manifest."""
    assert task.archiving is not None, "it is asked before"
    manifest = _manifest(epoch, task, edition)
    with path.open("wb") as stream:
        writer = Writer(stream)
        if epoch.batches.exists():
            pool = pools.read_pool(epoch, last_scored(epoch), task.choices.weightings)
            sample = pools.read_sample(pool)
            contents = Contents(epoch, task, task.archiving, pool, sample, key)
            contents.write(writer)
            manifest |= contents.about_figures
            manifest |= task.archiving.write(writer, contents)
        writer.add("README.md", [datasheet(epoch, task, manifest).encode()])
        writer.finish(manifest)
    return manifest


def _manifest(epoch: Epoch, task: Task, edition: int) -> dict[str, Any]:
    corpus, released = epoch.corpus, epoch.released_at
    assert released is not None, "it is released"
    sealed = ReleasedLabels.objects.filter(epoch=epoch).first()
    return {
        "format": FORMAT,
        "edition": edition,
        "corpus": {"tag": corpus.tag, "name": corpus.name, "language": corpus.language},
        "task": task.name,
        "epoch": epoch.number,
        "opened": epoch.opened_at.isoformat(),
        "released": released.isoformat(),
        "design": corpus.design,
        "growth": epoch.growth if corpus.design == Corpus.Design.COORDINATED else None,
        "weighting": epoch.weighting,
        "weightings": list(task.choices.weightings),
        "key_version": epoch.key_version,
        "secret": epoch.secret,
        "commitment": epoch.commitment,
        "labels_sha256": None if sealed is None else sealed.digest,
        "code_version": Score.objects.filter(epoch=epoch).values_list("code_version", flat=True).first()
        or estimation.code_version(task),
        "settings": {
            "target_half_width": corpus.target_half_width,
            "target_level": corpus.target_level,
            "audit_share": corpus.audit_share,
            "policy": corpus.policy,
            "most_votes": corpus.most_votes,
            "least_posterior": corpus.least_posterior,
        },
        "licence": {"judgements": settings.KBPO_JUDGEMENTS_LICENCE, "texts": corpus.licence or None},
        "documents": None,
    }


def _try(epoch: Epoch, task: Task) -> bool:
    """Make one; one that fails is told, and does not keep the others from theirs."""
    try:
        make(epoch, task)
    except Exception as error:
        if is_outage(error):
            raise
        logger.exception("the archive of epoch %s could not be made", epoch)
        _folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        _failure(epoch).touch()
        return False
    return True


def _has_failed(epoch: Epoch, now: datetime) -> bool:
    """Say whether making it has failed of late."""
    try:
        return _failure(epoch).stat().st_mtime > (now - PAUSE).timestamp()
    except FileNotFoundError:
        return False


def _failure(epoch: Epoch) -> Path:
    return _folder() / f"{epoch.pk}-failed"


def _folder() -> Path:
    return Path(settings.MEDIA_ROOT, "archives")
