"""Archives of released epochs: made, and held against what was published."""

from django.utils import timezone

from evaluation.archives import making
from evaluation.models import EpochArchive
from evaluation.registry import task_of
from kbpo_archive.reading import Archive
from kbpo_archive.recomputing import Recomputed, compare


def recomputed(tag: str) -> Recomputed:
    """Make the archive of a corpus' newest released epoch; return what computing its scores again gives."""
    assert making.make_archives(find_task=task_of, now=timezone.now()) > 0
    found = EpochArchive.objects.filter(epoch__corpus__tag=tag).order_by("epoch__number").last()
    assert found is not None
    with Archive(found.path) as archive:
        assert archive.check() > 0
        return compare(archive)
