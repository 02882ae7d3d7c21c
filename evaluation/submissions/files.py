"""Files that no row has: uploaded ones, and those written anew.

A file is stored before the row that names it, and deleted after the row has let go of it. A process that is
killed between the two leaves a file behind: no harm but its room, and that its owner may have deleted it.
"""

from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path

from django.conf import settings

from evaluation.models import NormalisedFile, Submission
from kbpo.core.leftovers import written_before

YOUNGEST = timedelta(days=1)  # far longer than an upload takes from its file to its row


def remove_orphans(*, now: datetime, youngest: timedelta = YOUNGEST) -> int:
    """Delete the files that no submission has, and the normalised ones without a row; return how many.

    Parameters
    ----------
    now : datetime
        Aware.
    youngest : timedelta
        A file that was written more recently may belong to an upload that is not over, and stays.
    """
    uploaded, written = Path(settings.MEDIA_ROOT, "submissions"), Path(settings.KBPO_HOME, "normalised")
    found = list(written_before(chain(uploaded.rglob("*"), written.glob("*")), now - youngest))
    kept = {Path(settings.MEDIA_ROOT, name) for name in Submission.objects.values_list("file", flat=True)}
    kept |= {one.path for one in NormalisedFile.objects.all()}
    orphans = [path for path in found if path not in kept]
    for path in orphans:
        path.unlink(missing_ok=True)
    return len(orphans)
