"""The file in which reading processes look up a corpus' texts: made when it is needed."""

import time
from pathlib import Path

from django.conf import settings
from django.contrib.postgres.aggregates import StringAgg
from django.db.models import Value
from django.db.models.functions import MD5

from annotations.models import Corpus, Document
from evaluation.reading.texts import write_texts

BATCH = 500
KEPT = 3600.0  # seconds that a file which is out of date stays, for those who are about to open it


def text_file(corpus: Corpus) -> Path:
    """Return the path of a corpus' text file, under ``KBPO_HOME``; write it if it is not there.

    Its name says what is in it, so that a corpus that has grown has another.
    """
    documents = Document.objects.filter(corpus=corpus)
    digest = documents.aggregate(digest=MD5(StringAgg("digest", Value(""), order_by="id")))["digest"]
    folder = settings.KBPO_HOME / "texts"
    path: Path = folder / f"{corpus.pk}-{digest or 'empty'}.sqlite"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    write_texts(path, documents.values_list("doc_id", "text").iterator(BATCH))
    for other in folder.glob(f"{corpus.pk}-*.sqlite"):
        if other != path and other.stat().st_mtime < time.time() - KEPT:
            other.unlink(missing_ok=True)
    return path
