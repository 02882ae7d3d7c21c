"""Files of all problems: kept where rows have the first of each code alone, gone with what they are about.

Such a file is stored before the row that names it, and deleted after that row.
"""

from functools import partial
from typing import BinaryIO

from django.db import transaction
from django.db.models import Q, QuerySet

from annotations.models import Corpus
from evaluation.models import FileCheck, ProblemFile, Submission
from kbpo.core.storage import let_go, store

ReadFile = Submission | FileCheck


def keep(content: BinaryIO, *, count: int) -> ProblemFile | None:
    """Store what was recorded while a file was read; return the row that will name it, not stored yet.

    Parameters
    ----------
    content : binary file
        As `evaluation.reading.recording` writes it.
    count : int
        How many problems it has. Of 0 nothing is stored: rows have them all.
    """
    if not count:
        return None
    made = ProblemFile(count=count)
    content.seek(0)
    store().put(made.place, content)
    return made


def name(made: ProblemFile | None, file: ReadFile) -> None:
    """Have a row name a file of problems, in the transaction that stores what was read."""
    if made is not None:
        setattr(made, "submission" if isinstance(file, Submission) else "file_check", file)
        made.save(force_insert=True)


def let_go_of(made: ProblemFile | None) -> None:
    """Delete a file of problems that no row will name."""
    if made is not None:
        let_go(made.place)


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
    _discard(_of(file))


@transaction.atomic
def discard_all(*, corpus: Corpus) -> None:
    """Throw away the files of problems of a corpus: they may quote its texts."""
    _discard(ProblemFile.objects.filter(Q(submission__corpus=corpus) | Q(file_check__corpus=corpus)))


def _discard(found: "QuerySet[ProblemFile]") -> None:
    for one in found:
        transaction.on_commit(partial(let_go, one.place))
        one.delete()


def _of(file: ReadFile) -> "QuerySet[ProblemFile]":
    if isinstance(file, Submission):
        return ProblemFile.objects.filter(submission=file)
    return ProblemFile.objects.filter(file_check=file)
