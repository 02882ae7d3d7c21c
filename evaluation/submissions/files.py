"""The files that rows name, and those that no row has.

A file is stored before the row that names it, and deleted after the row has let go of it. A process that is
killed between the two leaves a file behind: no harm but its room, and that its owner may have deleted it. It
goes into the trash, unless there is any doubt that the database knows what is there.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings

from evaluation.models import Attachment, NormalisedFile, Submission, Upload
from kbpo.core.keeping import installation, trash
from kbpo.core.leftovers import written_before
from kbpo.core.storage.folder import path_of

YOUNGEST = timedelta(days=1)  # far longer than an upload takes from its file to its row


def folders() -> tuple[Path, ...]:
    """Return the folders of what people sent, and of what was made of it."""
    home = Path(settings.KBPO_HOME)
    return Path(settings.MEDIA_ROOT, "submissions"), home / "normalised", home / "uploads"


def named() -> Iterator[Path]:
    """Yield the files that rows name; those that are still being sent or made may not be there."""
    for (name,) in Submission.objects.exclude(file="").order_by().values_list("file"):
        yield Path(settings.MEDIA_ROOT, name)
    for (name,) in Attachment.objects.exclude(file="").order_by().values_list("file"):
        yield Path(settings.MEDIA_ROOT, name)
    for one in NormalisedFile.objects.order_by().only("pk"):
        yield path_of(one.place)
    for upload in Upload.objects.order_by().only("pk"):
        yield path_of(upload.place)


def remove_orphans(*, now: datetime, youngest: timedelta = YOUNGEST) -> int:
    """Move the files that no row names into the trash; return how many.

    None is moved where files and database do not know each other, or where more than a small share of all
    files would be: operators are warned, and nothing else happens.

    Parameters
    ----------
    now : datetime
        Aware.
    youngest : timedelta
        A file that was written more recently may belong to an upload that is not over, and stays.
    """
    standing = installation.look(now=now)
    if not standing.is_together:
        installation.warn(message=standing.trouble, now=now)
        return 0
    everything = [path for folder in folders() for path in folder.rglob("*") if path.is_file()]
    old = list(written_before(everything, now - youngest))
    kept = set(named())
    orphans = [path for path in old if path not in kept]
    if not trash.is_few(len(orphans), len(everything)):
        message = (
            f"{len(orphans):,} of {len(everything):,} files are named by no row, such as {orphans[0]}: more"
            " than killed uploads leave, so nothing was moved. Is this database older than its files?"
        )
        installation.warn(message=message, now=now)
        return 0
    installation.warn(message="", now=now)
    return trash.move(paths=orphans, reason="no row names them", now=now, is_wanted=_is_named_by_none)


def _is_named_by_none(path: Path) -> bool:
    """Ask about one file once more: its row may have come meanwhile."""
    media = Path(settings.MEDIA_ROOT)
    if path.is_relative_to(media):
        name = path.relative_to(media).as_posix()
        return not any(model.objects.filter(file=name).exists() for model in (Submission, Attachment))
    return path not in set(named())
