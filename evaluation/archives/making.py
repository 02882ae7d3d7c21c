"""Making archives: a stage of the pipeline after releases, killable anywhere."""

import hashlib
import logging
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta
from io import SEEK_END, BytesIO
from typing import Any, BinaryIO
from zipfile import BadZipFile

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Max, Q, QuerySet
from django.utils import timezone

from annotations.models import Corpus
from evaluation.archives.contents import Contents
from evaluation.archives.datasheet import datasheet
from evaluation.archives.removing import copy_without
from evaluation.design.batches import last_scored
from evaluation.models import (
    ArchiveKey,
    Edition,
    Epoch,
    ReleasedLabels,
    RetiredDocument,
    Score,
)
from evaluation.scoring import estimation, lost_texts
from evaluation.scoring import pool as pools
from evaluation.scoring.published.files import digest_of
from evaluation.task import FindTask, Task
from kbpo.core.database.locks import claim
from kbpo.core.database.outages import is_outage, is_store_outage
from kbpo.core.keeping import installation
from kbpo.core.leftovers import unfinished_before
from kbpo.core.storage import Stored, store
from kbpo_archive.tables import FORMAT
from kbpo_archive.writing import Writer

FOLDER = "media/archives"
logger = logging.getLogger(__name__)

LONGEST_WRITING = timedelta(days=1)  # far longer than it takes
LONGEST_REMOVAL = timedelta(days=1)  # far longer than from when a removal is said to be until it is stored
PAUSE = timedelta(minutes=10)  # after a failure


def state_of(epoch: Epoch) -> str:
    """Return what an archive rests on: its form, documents retired and removed, the published scores."""
    removed = removed_documents(epoch)
    retired = RetiredDocument.objects.filter(document__sampled__sample=epoch.document_sample).count()
    scores = Score.objects.filter(epoch=epoch).aggregate(last=Max("computed_at"), count=Count("pk"))
    said = f"{scores['count']}|{scores['last'].isoformat() if scores['last'] else ''}"
    state = f"{FORMAT}-{retired}-{hashlib.sha256(said.encode()).hexdigest()[:16]}"
    return f"{state}-{removed}" if removed else state


def removed_documents(epoch: Epoch) -> int:
    """Count the removed documents among those annotated in full that an epoch's archive tells one by one.

    Of these alone an archive has something that their texts say: a digest, and what mentions are linked to.
    Of a document that was retired long after it had been removed no edition ever had either.
    """
    return _removed(epoch).filter(pk__in=_told_before_removal()).count()


def _removed(epoch: Epoch) -> QuerySet[RetiredDocument]:
    retired = RetiredDocument.objects.filter(document__sampled__sample=epoch.document_sample)
    return retired.filter(document__takedown__isnull=False)


def _told_before_removal() -> QuerySet[RetiredDocument]:
    """Return the removed documents that may have been retired by then."""
    is_later = Q(document__takedown__removed_at__gte=F("sample__retired_at") - LONGEST_REMOVAL)
    removed = RetiredDocument.objects.filter(document__takedown__isnull=False)
    return removed.filter(is_later | Q(sample__retired_at=None))


def removed_by_epoch(corpus: Corpus) -> Mapping[int, int]:
    """Count the same for each epoch of a corpus, by row id. An edition that knew of fewer is withdrawn."""
    documents = "document_sample__documents__document"
    is_told = Q(**{f"{documents}__retirement__in": _told_before_removal()})
    count = Count(documents, filter=is_told, distinct=True)
    return dict(corpus.epochs.annotate(removed=count).values_list("pk", "removed"))


def newest(epoch: Epoch) -> Edition | None:
    """Return the newest edition of a released epoch's archive; None if there is none."""
    return _editions(epoch).last()


def _editions(epoch: Epoch) -> QuerySet[Edition]:
    return Edition.objects.filter(epoch=epoch, kind=Edition.Kind.EPOCH).order_by("edition")


def _next(epoch: Epoch) -> int:
    """Return the number of an epoch's next edition, of either kind."""
    return 1 + (epoch.editions.aggregate(last=Max("edition"))["last"] or 0)


def waits_until(epoch: Epoch) -> datetime | None:
    """Return until when an archive waits for a name; None where it does not.

    Which systems are of one team can be worked out from an archive. So a system that is anonymous beside
    another of its team keeps it waiting: that one is known by name, or may come to be before.
    """
    now = timezone.now()
    batches = epoch.batches.select_related("submission")
    systems = Counter(batch.submission.team_id for batch in batches)
    veiled = [
        batch.submission.anonymous_until
        for batch in batches
        if batch.submission.anonymous_until is not None
        and batch.submission.anonymous_until > now
        and systems[batch.submission.team_id] > 1
    ]
    return max((one for one in veiled if one is not None), default=None)


def is_given(edition: Edition, removed: int) -> bool:
    """Return whether an edition may be downloaded: not if a document that it describes was removed.

    Parameters
    ----------
    edition : Edition
    removed : int
        As `removed_documents` counts for its epoch.
    """
    return edition.kind == Edition.Kind.LEADERBOARD or edition.removed >= removed


def make_archives(*, find_task: FindTask, now: datetime) -> int:
    """Make the archive of every released epoch that lacks one of what may be told by now; return how many.

    What may not be given any more is deleted first, whatever the next edition waits for.
    """
    made = 0
    there: dict[str, Stored] | None = None
    released = Epoch.objects.filter(released_at__isnull=False)
    for epoch in released.select_related("corpus", "document_sample").order_by("pk"):
        task = find_task(epoch.corpus)
        if task.archiving is None:
            continue
        if there is None:
            there = {one.place: one for one in store().listed(FOLDER)}
        made += _replace_withdrawn(epoch, task, there)
        if epoch.scores_due or epoch.subsets_due:
            continue
        last, failed = newest(epoch), there.get(_failure(epoch))
        is_current = last is not None and last.state == state_of(epoch) and _is_there(last, there)
        if is_current and failed is not None:
            _delete(failed.place)
        has_failed = failed is not None and failed.written_at > now - PAUSE
        if is_current or has_failed or waits_until(epoch):
            continue
        with claim(f"archive of epoch {epoch.pk}") as is_ours:
            if is_ours:
                installation.require_ours()
                made += _try(epoch, task)
    return made


def make(epoch: Epoch, task: Task) -> Edition:
    """Make an edition of an epoch's archive; one of the same contents stays the one that it is.

    Returns
    -------
    Edition
        Stored, and its bytes in its place.
    """
    state, removed = state_of(epoch), removed_documents(epoch)
    keys = _release_keys(epoch)
    last = newest(epoch)
    again = last is not None and last.state == state
    edition = last.edition if last is not None and again else _next(epoch)
    with store().draft(f"{FOLDER}/{epoch.pk}-{edition}.zip") as draft:  # its digest tells its name
        manifest, figures = _write(draft.file, epoch, task, edition, keys)
        digest = digest_of(draft.file)
        if last is not None and again and last.digest != digest:
            edition = _next(epoch)  # such as votes that were looked at since: the other's bytes are lost
            manifest, figures = _write(draft.file, epoch, task, edition, keys)
            digest = digest_of(draft.file)
        elif last is not None and again:
            draft.keep(last.place)
            return last
        if state_of(epoch) != state:  # it was scored anew meanwhile, and what was read may not go together
            return make(epoch, task)
        archive = Edition(
            epoch=epoch,
            edition=edition,
            kind=Edition.Kind.EPOCH,
            reason=Edition.Reason.RELEASE,
            code_version=estimation.code_version(task),
            systems=epoch.batches.count(),
            state=state,
            digest=digest,
            size=draft.file.seek(0, SEEK_END),
            told=(manifest["documents"] or {}).get("told", ""),
            figures=figures,
            removed=removed,  # of before it was written: a document that is removed by now blocks it
        )
        draft.keep(archive.place)  # a file without a row is made again; a row without one never is
    archive.save(force_insert=True)
    return archive


def _replace_withdrawn(epoch: Epoch, task: Task, there: Mapping[str, Stored]) -> int:
    """Copy the last edition without what its removed texts said, if it may not be given any more for that.

    Then delete the bytes of all that may not be given, copied or not: what cannot be copied is computed once
    it is due. The copy is made whatever the next edition waits for, since it tells nothing that the last one
    did not. Returns how many were made.
    """
    removed = removed_documents(epoch)
    withdrawn = [one for one in _editions(epoch) if not is_given(one, removed)]
    if not any(one.place in there for one in withdrawn):
        return 0
    with claim(f"archive of epoch {epoch.pk}") as is_ours:
        if not is_ours:
            return 0
        installation.require_ours()
        last = newest(epoch)
        try:
            is_made = last is not None and last.removed < removed and _copy(last, removed, task)
        except Exception as error:
            if is_outage(error) or is_store_outage(error):
                raise
            logger.exception("the archive of epoch %s could not be copied", epoch)
            is_made = False
        for one in withdrawn:
            if one.place in there:
                _delete(one.place)
    return int(is_made)


def _copy(last: Edition, removed: int, task: Task) -> bool:
    """Make an edition that is the last one without what it says of removed texts; say whether it could be."""
    epoch = last.epoch
    if not last.state.startswith(f"{FORMAT}-"):
        return False
    gone = set(_removed(epoch).values_list("document__doc_id", flat=True))
    edition = _next(epoch)
    with store().draft(f"{FOLDER}/{epoch.pk}-{edition}.zip") as draft:
        try:
            with last.open() as earlier:
                if digest_of(earlier) != last.digest:
                    logger.error("the bytes of the archive %s are not those that were made", last)
                    return False
                earlier.seek(0)
                copy_without(
                    earlier, draft.file, gone, edition, lambda manifest: datasheet(epoch, task, manifest)
                )
        except (FileNotFoundError, BadZipFile):
            return False
        archive = Edition(
            epoch=epoch,
            edition=edition,
            kind=last.kind,
            reason=last.reason,
            code_version=last.code_version,
            systems=last.systems,
            state=f"{_but_removed(last.state)}-{removed}",
            digest=digest_of(draft.file),
            size=draft.file.seek(0, SEEK_END),
            told=last.told,
            figures=last.figures,
            removed=removed,
        )
        draft.keep(archive.place)
    archive.save(force_insert=True)
    return True


def _but_removed(state: str) -> str:
    """Return what `state_of` says, but for how many documents were removed."""
    return "-".join(state.split("-")[:3])


def _is_there(archive: Edition, there: Mapping[str, Stored]) -> bool:
    """Say whether an edition's bytes are in the store: when that was listed, or since."""
    return archive.place in there or store().look(archive.place) is not None


def _delete(place: str) -> None:
    installation.require_ours()
    store().delete(place)


def _release_keys(epoch: Epoch) -> Mapping[int, bytes]:
    """Return what pseudonyms are made with, of each released epoch of a corpus, by row id."""
    released = Epoch.objects.filter(corpus=epoch.corpus_id, released_at__isnull=False).order_by("number")
    found = (ArchiveKey.objects.get_or_create(epoch=one)[0] for one in released)
    return {one.epoch_id: bytes.fromhex(one.key) for one in found}


def remove_unfinished(*, now: datetime) -> int:
    """Delete the files whose writer was killed, and whole ones that no row came to be of; return how many."""
    before = now - LONGEST_WRITING
    there = list(store().listed(FOLDER))
    unfinished = list(unfinished_before(there, before))
    whole = [one.place for one in there if one.place.endswith(".zip") and one.written_at < before]
    if whole:  # rows are read after files: a file's row comes after it
        kept = {one.place for one in Edition.objects.filter(kind=Edition.Kind.EPOCH)}
        unfinished += [place for place in whole if place not in kept]
    for place in unfinished:
        store().delete(place)
    return len(unfinished)


@transaction.atomic
def _write(
    file: BinaryIO, epoch: Epoch, task: Task, edition: int, keys: Mapping[int, bytes]
) -> tuple[dict[str, Any], int]:
    """Write an edition, and nothing else, to a file; return its manifest, and how many figures it states."""
    assert task.archiving is not None, "it is asked before"
    manifest = _manifest(epoch, task, edition)
    file.seek(0)
    file.truncate()
    writer, figures = Writer(file), 0
    if epoch.batches.exists():
        pool = pools.read_pool(epoch, last_scored(epoch), task.choices.weightings)
        sample = pools.read_sample(pool)
        contents = Contents(epoch, task, task.archiving, pool, sample, keys)
        contents.write(writer)
        figures = contents.figures
        manifest |= contents.about_figures
        manifest |= task.archiving.write(writer, contents)
        if manifest["documents"] is not None:
            manifest["documents"] |= {"lost": lost_texts.count_lost(epoch)}
    writer.add("README.md", [datasheet(epoch, task, manifest).encode()])
    writer.finish(manifest)
    return manifest, figures


def _manifest(epoch: Epoch, task: Task, edition: int) -> dict[str, Any]:
    corpus, released = epoch.corpus, epoch.released_at
    assert released is not None, "it is released"
    sealed = ReleasedLabels.objects.filter(epoch=epoch).first()
    return {
        "format": FORMAT,
        "kind": Edition.Kind.EPOCH,
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
        if is_outage(error) or is_store_outage(error):
            raise
        logger.exception("the archive of epoch %s could not be made", epoch)
        store().put(_failure(epoch), BytesIO())
        return False
    store().delete(_failure(epoch))
    return True


def _failure(epoch: Epoch) -> str:
    """Return the place of what says when making it failed last."""
    return f"{FOLDER}/{epoch.pk}-failed"
