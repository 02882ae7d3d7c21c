"""Archives of released epochs: made, and held against what was published."""

from django.utils import timezone

from annotations.models import Corpus
from evaluation.archives import making
from evaluation.kbp.task import TASK as KBP
from evaluation.models import EpochArchive
from evaluation.registry import task_of
from evaluation.scoring import releasing
from kbpo.core.storage.folder import path_of
from kbpo_archive.reading import Archive
from kbpo_archive.recomputing import Recomputed, compare


def recomputed(tag: str) -> Recomputed:
    """Make the archive of a corpus' newest released epoch; return what computing its scores again gives."""
    assert making.make_archives(find_task=task_of, now=timezone.now()) > 0
    found = EpochArchive.objects.filter(epoch__corpus__tag=tag).order_by("epoch__number").last()
    assert found is not None
    with Archive(path_of(found.place)) as archive:
        assert archive.check() > 0
        return compare(archive)


def released(retire: float | None) -> EpochArchive:
    """Release the one corpus' open epoch; return the archive that is made of it."""
    releasing.release(corpus=Corpus.objects.get(), task=KBP, retire=retire)
    return made()


def made() -> EpochArchive:
    """Return the archive that is made now."""
    assert making.make_archives(find_task=task_of, now=timezone.now()) == 1
    found = EpochArchive.objects.order_by("edition").last()
    assert found is not None
    return found
