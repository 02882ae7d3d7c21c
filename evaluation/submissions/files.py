"""The files that rows name, and those that no row has.

A file is stored before the row that names it, and deleted after the row has let go of it. A process that is
killed between the two leaves a file behind: no harm but its room, and that its owner may have deleted it. It
goes into the trash, unless there is any doubt that the database knows what is there.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from evaluation.models import Attachment, NormalisedFile, ProblemFile, Submission, Upload
from kbpo.core.keeping import installation, trash
from kbpo.core.storage import store, whole_of

YOUNGEST = timedelta(days=1)  # far longer than an upload takes from its file to its row


#: Of what people sent, and of what was made of it.
FOLDERS = ("media/submissions", "home/normalised", "home/problems", "home/uploads")


def named() -> Iterator[str]:
    """Yield the places of files that rows name; those that are still being sent or made may not be there."""
    for (name,) in Submission.objects.exclude(file="").order_by().values_list("file"):
        yield f"media/{name}"
    for (name,) in Attachment.objects.exclude(file="").order_by().values_list("file"):
        yield f"media/{name}"
    for one in NormalisedFile.objects.order_by().only("pk"):
        yield one.place
    for made in ProblemFile.objects.order_by().only("pk"):
        yield made.place
    for upload in Upload.objects.order_by().only("pk"):
        yield upload.place


def remove_orphans(*, now: datetime) -> int:
    """Move the files that no row names into the trash; return how many.

    None is moved where files and database do not know each other, or where more than a small share of all
    files would be: operators are warned, and nothing else happens.

    Parameters
    ----------
    now : datetime
        Aware. A file that was written less than `YOUNGEST` before may belong to an upload that is not over,
        and stays.
    """
    standing = installation.look(now=now)
    if not standing.is_together:
        installation.warn(message=standing.trouble, now=now)
        return 0
    everything = [one for folder in FOLDERS for one in store().listed(folder)]
    kept = set(named())  # rows are read after files: a file's row comes after it
    orphans = [
        one.place for one in everything if one.written_at < now - YOUNGEST and whole_of(one.place) not in kept
    ]
    if not trash.is_few(len(orphans), len(everything)):
        message = (
            f"{len(orphans):,} of {len(everything):,} files are named by no row, such as"
            f" {store().address(orphans[0])}: more"
            " than killed uploads leave, so nothing was moved. Is this database older than its files?"
        )
        installation.warn(message=message, now=now)
        return 0
    installation.warn(message="", now=now)
    return trash.move(places=orphans, reason="no row names them", now=now, is_wanted=_is_named_by_none)


def _is_named_by_none(place: str) -> bool:
    """Ask about one file once more: its row may have come meanwhile."""
    root, _, name = place.partition("/")
    if root == "media":
        return not any(model.objects.filter(file=name).exists() for model in (Submission, Attachment))
    return whole_of(place) not in set(named())
