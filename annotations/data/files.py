"""The files of a corpus' documents: made by the pipeline, the same bytes every time, kept until they change.

One pass over the documents, some at a time, writes both: the texts, and the ids with the texts' digests.
Their row says what they are; the files are in the store, and can be made again.
"""

import gzip
import hashlib
import json
import logging
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from io import BytesIO
from typing import IO, Any, Protocol, cast

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, Func, IntegerField, Max, OuterRef, Q, Sum
from django.utils import timezone

from annotations import prompts
from annotations.models import Corpus, CorpusFiles, Document, Sentence
from kbpo.core.database.locks import claim
from kbpo.core.database.outages import is_outage, is_store_outage
from kbpo.core.errors import StoreAway
from kbpo.core.keeping import installation
from kbpo.core.leftovers import unfinished_before
from kbpo.core.storage import Draft, Stored, store

logger = logging.getLogger(__name__)

FORM = 2  # of what is in the files: those of another form are made again
BATCH = 200  # documents in memory
TEXTS, IDS = "corpus.jsonl.gz", "documents.jsonl.gz"
NAMES = (TEXTS, IDS)
FOLDER = "home/data"
LONGEST_WRITING = timedelta(days=1)  # far longer than it takes
PAUSE = timedelta(minutes=10)  # after a failure


def state_of(corpus: Corpus) -> str:
    """Return what the files rest on: a document never changes, but more come, and texts are removed."""
    found = Document.objects.filter(corpus=corpus).aggregate(
        documents=Count("pk"), last=Max("pk"), removed=Count("pk", filter=Q(takedown__isnull=False))
    )
    return f"{FORM}-{found['documents']}-{found['last'] or 0}-{found['removed']}"


def place_of(files: CorpusFiles, name: str) -> str:
    """Return where a file is, once it is made."""
    return f"{FOLDER}/{files.corpus_id}-{files.state}-{name}"


def current(corpus: Corpus, *, there: Mapping[str, Stored] | None = None) -> CorpusFiles | None:
    """Return the files of a corpus' documents as these are now; None until they are made.

    Parameters
    ----------
    there : mapping, optional
        What is in the store, by place, for who has it at hand; else the store is asked.
    """
    found = CorpusFiles.objects.filter(corpus=corpus).first()
    if found is None or found.state != state_of(corpus):
        return None
    for name, size in ((TEXTS, found.texts_size), (IDS, found.ids_size)):
        place = place_of(found, name)
        stored = store().look(place) if there is None else there.get(place)
        if stored is None or stored.size != size:
            return None
    return found


def make_files(*, now: datetime) -> int:
    """Make the files of every corpus that has none of its documents as they are; return of how many."""
    made = 0
    there = {one.place: one for one in store().listed(FOLDER)}
    for corpus in Corpus.objects.order_by("pk"):
        failed = there.get(_failure(corpus))
        has_failed = failed is not None and failed.written_at > now - PAUSE
        if has_failed or current(corpus, there=there) is not None:
            continue
        with claim(f"files of corpus {corpus.pk}") as is_ours:
            if is_ours:
                installation.require_ours()
                made += _try(corpus)
    return made


def forget(corpus: Corpus) -> None:
    """Delete the files of a corpus; they are made again. Where the store is away, that is done later."""
    try:
        _delete_others(corpus, kept=())
    except StoreAway as error:
        logger.error("The files of corpus %s are deleted when they are made anew: %s", corpus, error.detail)


def remove_unfinished(*, now: datetime) -> int:
    """Delete the files whose writer was killed; return how many."""
    unfinished = list(unfinished_before(store().listed(FOLDER), now - LONGEST_WRITING))
    for place in unfinished:
        store().delete(place)
    return len(unfinished)


def make(corpus: Corpus) -> CorpusFiles | None:
    """Make the files of a corpus; None if its documents have changed meanwhile.

    Returns
    -------
    CorpusFiles
        Stored. Its texts are as the database has them: a removed one is as long as it was, and blotted out.
    """
    state = state_of(corpus)
    files = CorpusFiles(corpus=corpus, state=state)
    counts = _Counts()
    with ExitStack() as stack:
        texts = stack.enter_context(_written(place_of(files, TEXTS)))
        ids = stack.enter_context(_written(place_of(files, IDS)))
        for document, is_removed, sentences in _documents(corpus):
            counts.add(document, is_removed=is_removed)
            texts.write(_line(_text_record(document, sentences)))
            ids.write(_line(_id_record(document, is_removed=is_removed)))
        if state_of(corpus) != state:
            return None  # it may hold a text that was removed while it was written
        texts.keep()
        ids.keep()
    length = Func("token_starts", function="cardinality", output_field=IntegerField())
    of_sentences = Sentence.objects.filter(document__corpus=corpus).aggregate(
        sentences=Count("pk"), tokens=Sum(length)
    )
    values = {
        **counts.as_fields(),
        "state": state,
        "texts_digest": texts.digest,
        "texts_size": texts.size,
        "ids_digest": ids.digest,
        "ids_size": ids.size,
        "sentences": of_sentences["sentences"],
        "tokens": of_sentences["tokens"] or 0,
        "made_at": timezone.now(),
    }
    stored, _ = CorpusFiles.objects.update_or_create(corpus=corpus, defaults=values)
    _delete_others(corpus, kept=[place_of(stored, name) for name in NAMES])
    return stored


def _delete_others(corpus: Corpus, kept: Collection[str]) -> None:
    for found in list(store().listed(FOLDER)):
        if found.place.startswith(f"{FOLDER}/{corpus.pk}-") and found.place not in kept:
            store().delete(found.place)


def _text_record(document: Document, sentences: list[int]) -> dict[str, Any]:
    """Return a document as a line of the file of texts has it, which `load_corpus` reads."""
    return {
        "doc_id": document.doc_id,
        "title": document.title,
        "date": None if document.date is None else document.date.isoformat(),
        "text": document.text,
        "sentences": sentences,
        **(prompts.as_line(document.given) if hasattr(document, "given") else {}),
    }


def _id_record(document: Document, *, is_removed: bool) -> dict[str, Any]:
    return {
        "doc_id": document.doc_id,
        "date": None if document.date is None else document.date.isoformat(),
        "characters": len(document.text),
        "sha256": None if is_removed else hashlib.sha256(document.text.encode()).hexdigest(),
    }


def _documents(corpus: Corpus) -> Iterator[tuple[Document, bool, list[int]]]:
    """Yield the documents in the order in which they were loaded.

    With each, whether its text was removed, and where its sentences begin.
    """
    last = 0
    begins = ArraySubquery(Sentence.objects.filter(document=OuterRef("pk")).order_by("index").values("start"))
    while True:
        found = Document.objects.filter(corpus=corpus, pk__gt=last).order_by("pk").defer("suggestions")
        batch = list(found.select_related("takedown", "given").annotate(begins=begins)[:BATCH])
        if not batch:
            return
        for document in batch:
            yield document, hasattr(document, "takedown"), document.begins
        last = batch[-1].pk


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


@dataclass
class _Counts:
    """What is counted while documents pass."""

    documents: int = 0
    removed: int = 0
    characters: int = 0
    shortest: int | None = None
    longest: int | None = None
    dates: list[date] = field(default_factory=list)  # the first and the last
    dated: int = 0

    def add(self, document: Document, *, is_removed: bool) -> None:
        length = len(document.text)
        self.documents += 1
        self.removed += is_removed
        self.characters += length
        self.shortest = length if self.shortest is None else min(self.shortest, length)
        self.longest = length if self.longest is None else max(self.longest, length)
        if document.date is not None:
            self.dated += 1
            every = [*self.dates, document.date]
            self.dates = [min(every), max(every)]

    def as_fields(self) -> dict[str, Any]:
        first, last = self.dates or (None, None)
        names = ("documents", "removed", "characters", "shortest", "longest", "dated")
        return {**{name: getattr(self, name) for name in names}, "first_date": first, "last_date": last}


class _Digested:
    """A file that is written once: its digest and size are known in the end."""

    def __init__(self, raw: IO[bytes]) -> None:
        self.raw, self.size, self._sha256 = raw, 0, hashlib.sha256()

    def write(self, data: bytes) -> int:
        self._sha256.update(data)
        self.size += len(data)
        return self.raw.write(data)

    def flush(self) -> None:
        self.raw.flush()

    @property
    def digest(self) -> str:
        return self._sha256.hexdigest()


class _Writer(Protocol):
    digest: str
    size: int

    def write(self, line: bytes) -> None: ...

    def keep(self) -> None: ...


class _Packed:
    """A gzip file with nothing of when and where it was made; it is there as a whole once it is kept."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self.digest, self.size = "", 0
        self._digested = _Digested(draft.file)
        self._gzip = gzip.GzipFile(
            filename="", mode="wb", compresslevel=6, fileobj=cast("IO[bytes]", self._digested), mtime=0
        )

    def write(self, line: bytes) -> None:
        self._gzip.write(line)

    def keep(self) -> None:
        self._gzip.close()
        self.digest, self.size = self._digested.digest, self._digested.size
        self._draft.keep()


@contextmanager
def _written(place: str) -> Iterator[_Writer]:
    with store().draft(place) as draft:
        yield _Packed(draft)


def _try(corpus: Corpus) -> bool:
    """Make them; one that fails is told, and does not keep the others from theirs."""
    try:
        return make(corpus) is not None
    except Exception as error:
        if is_outage(error) or is_store_outage(error):
            raise
        logger.exception("the files of corpus %s could not be made", corpus.tag)
        store().put(_failure(corpus), BytesIO())
        return False


def _failure(corpus: Corpus) -> str:
    """Return the place of what says when making them failed last."""
    return f"{FOLDER}/{corpus.pk}-failed"
