"""Texts that scores rest on and that are gone: then these cannot be computed again.

Which names of an entity count as full ones is read in texts. So what of recall rests on a document that was
removed since cannot be had any more, be it to audit scores or to make an archive.
"""

from annotations.models import Takedown
from evaluation.models import Epoch, Score


def count_removed(epoch: Epoch) -> int:
    """Count the removed documents among those that an epoch's recall rests on."""
    return Takedown.objects.filter(document__sampled__sample=epoch.document_sample_id).count()


def count_lost(epoch: Epoch) -> int:
    """Count those that were removed since an epoch's scores began to be computed; 0 where it has none.

    One that went while they were computed counts, whether or not its text had been read.
    """
    if not Score.objects.filter(epoch=epoch).exists():
        return 0
    before = Epoch.objects.values_list("texts_removed", flat=True).get(pk=epoch.pk)
    return count_removed(epoch) - before
