"""The file in which reading processes look up a corpus' texts: made when and where it is needed.

It is made from the database, by whichever machine reads a file; so it is a cache of that machine, and no
other sees it. What was used longest ago makes room (``TEXTS_CACHE_GB``).
"""

import logging
import os
import sqlite3
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.contrib.postgres.aggregates import StringAgg
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, Value
from django.db.models.functions import MD5
from django.utils import timezone

from annotations.models import Corpus, Document, Sentence
from evaluation.reading.text_file import write_texts
from kbpo.core.leftovers import written_before

logger = logging.getLogger(__name__)

BATCH = 500
FORM = "with-sentences"  # of what is in a file: files of another form are no use
LONGEST_WRITING = timedelta(days=1)  # of one file: far longer than it takes
KEPT = timedelta(hours=1)  # that a file which is out of date stays, for those who are about to open it


def text_file(corpus: Corpus) -> Path:
    """Return the path of a corpus' text file, under ``KBPO_HOME``; write it if it is not there.

    Its name says what is in it, so that a corpus that has grown, or lost a text, has another.
    """
    documents = Document.objects.filter(corpus=corpus)
    folder = _folder()
    begins = Sentence.objects.filter(document=OuterRef("pk")).order_by("index").values("start")
    while True:
        removed = _removed(corpus)
        digest = documents.aggregate(digest=MD5(StringAgg("digest", Value(""), order_by="id")))["digest"]
        state = f"{digest or 'empty'}{f'-without-{removed}' if removed else ''}"
        path = folder / f"{corpus.pk}-{FORM}-{state}.sqlite"
        if path.exists():
            os.utime(path)  # who is about to open it has time to, also if the corpus grows meanwhile
            return path
        folder.mkdir(parents=True, exist_ok=True)
        texts = documents.values_list("doc_id", "text", ArraySubquery(begins))
        try:
            write_texts(path, texts.iterator(BATCH))
        except (OSError, sqlite3.OperationalError) as error:
            if not make_room(room=0):
                raise
            logger.warning("Texts that nobody reads now made room at %s: %s", folder, error)
            write_texts(path, texts.iterator(BATCH))
        if _removed(corpus) == removed:
            break
        path.unlink(missing_ok=True)  # it may have the text that was removed while it was written
    for other in written_before(folder.glob(f"{corpus.pk}-*.sqlite"), timezone.now() - KEPT):
        if other != path:
            other.unlink(missing_ok=True)
    make_room(room=settings.TEXTS_CACHE, besides=path)
    return path


def make_room(*, room: int, besides: Path | None = None) -> int:
    """Delete the text files that were used longest ago, until the others take no more; return how many.

    Those that were used within `KEPT` stay, for somebody may be about to open them.

    Parameters
    ----------
    room : int
        Bytes.
    besides : Path, optional
        A file that stays.
    """
    found = []
    for path in _folder().glob("*.sqlite"):
        with suppress(FileNotFoundError):
            status = path.stat()
            found.append((status.st_mtime, status.st_size, path))
    taken, deleted = sum(size for _, size, _ in found), 0
    for used, size, path in sorted(found):
        if taken <= room or used > (timezone.now() - KEPT).timestamp():
            break
        if path != besides:
            path.unlink(missing_ok=True)
            taken, deleted = taken - size, deleted + 1
    return deleted


def _removed(corpus: Corpus) -> int:
    return Document.objects.filter(corpus=corpus, takedown__isnull=False).count()


def forget(corpus: Corpus) -> None:
    """Delete the text files of a corpus on this machine; they are written anew when they are needed."""
    for path in _folder().glob(f"{corpus.pk}-*.sqlite"):
        path.unlink(missing_ok=True)


def remove_unfinished(*, now: datetime) -> int:
    """Delete the files whose writer was killed; return how many.

    Parameters
    ----------
    now : datetime
        Aware.
    """
    unfinished = list(written_before(_folder().glob(".*"), now - LONGEST_WRITING))
    for path in unfinished:
        path.unlink(missing_ok=True)
    return len(unfinished)


def _folder() -> Path:
    return Path(settings.KBPO_HOME) / "texts"
