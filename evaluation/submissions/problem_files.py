"""Files of all problems: kept where rows have the first of each code alone, gone with what they are about.

Such a file is stored before the row that names it, and deleted after that row.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, BinaryIO

from django.db import transaction
from django.db.models import Q, QuerySet

from annotations.models import Corpus
from evaluation.models import FileCheck, NormalisedFile, ProblemFile, Submission
from kbpo.core.storage import let_go, store

ReadFile = Submission | FileCheck


@contextmanager
def stored(content: BinaryIO, *, count: int) -> Iterator[ProblemFile | None]:
    """Store what was recorded while a file was read, for the time in which a row may come to name it.

    Without one in the end, be it for an error, it is deleted; where the worker is killed, the trash takes it.

    Parameters
    ----------
    content : binary file
        As `evaluation.reading.recording` writes it.
    count : int
        How many problems it has. Of 0 nothing is stored: rows have them all.

    Yields
    ------
    ProblemFile or None
        What `attach` makes the row of.
    """
    if not count:
        yield None
        return
    made = ProblemFile(count=count)
    content.seek(0)
    try:
        store().put(made.place, content)
        yield made
    finally:
        if not ProblemFile.objects.filter(pk=made.pk).exists():
            let_go(made.place)


def attach(made: ProblemFile | None, file: ReadFile) -> None:
    """Have a row name a file of problems, in the transaction that stores what was read."""
    if made is not None:
        for name, value in owner_of(file).items():
            setattr(made, name, value)
        made.save(force_insert=True)


def find(file: ReadFile) -> ProblemFile | None:
    """Return what is known of a file's file of problems; None where there is none, or it was lost."""
    found = _of(file).first()
    return None if found is None or store().look(found.place) is None else found


def opened(file: ReadFile) -> BinaryIO | None:
    """Open a file's file of all problems; None where there is none, or it was lost."""
    found = _of(file).first()
    try:
        return store().open(found.place) if found else None
    except FileNotFoundError:
        return None


@transaction.atomic
def discard(*, file: ReadFile) -> None:
    """Throw a file's file of problems away, if there is any, when the transaction is over."""
    throw_away(_of(file))


@transaction.atomic
def discard_all(*, corpus: Corpus) -> None:
    """Throw away the files of problems of a corpus: they may quote its texts."""
    throw_away(ProblemFile.objects.filter(Q(submission__corpus=corpus) | Q(file_check__corpus=corpus)))


def throw_away(found: "QuerySet[ProblemFile] | QuerySet[NormalisedFile]") -> None:
    """Delete rows, and their files when the transaction is over."""
    for one in found:
        transaction.on_commit(partial(let_go, one.place))
        one.delete()


def owner_of(file: ReadFile) -> dict[str, Any]:
    """Return what a row that is of a file says of it."""
    return {"submission" if isinstance(file, Submission) else "file_check": file}


def _of(file: ReadFile) -> "QuerySet[ProblemFile]":
    return ProblemFile.objects.filter(**owner_of(file))
