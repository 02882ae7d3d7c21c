"""Quotes of a corpus' texts in problems of files: they go when a text is removed, or the texts are closed.

Files are read without a lock. What quotes may be of is remembered before, and looked at again when what was
found is stored; a removal waits for those who are storing then, and they for it.
"""

from collections.abc import Mapping
from typing import NamedTuple

from django.db import transaction
from django.db.models import Q, QuerySet

from annotations.models import Corpus, Takedown
from evaluation.models import Problem
from evaluation.submissions import problem_files
from evaluation.submissions.problem_files import ReadFile
from kbpo.core.database.locks import hold
from kbpo_formats.problems import Code

REMOVED = "What was quoted here is of a text that was removed, or is closed, since the file was read."
_NAMED = 190  # characters of a document's id that a message surely has

Codes = Mapping[str, Code]


class Texts(NamedTuple):
    """What may be quoted of a corpus: to whom its texts are open, and how many of them are removed."""

    open_to: str
    removed: int


def texts_of(corpus: Corpus) -> Texts:
    """Return what may be quoted of a corpus, by the row that is at hand, from which it is read too."""
    return Texts(corpus.texts, Takedown.objects.filter(document__corpus=corpus).count())


def may_stay(*, corpus: Corpus, since: Texts) -> bool:
    """Say whether what was read may still be quoted; until this transaction ends, that stays so.

    Parameters
    ----------
    since : Texts
        As it was before the file was read.
    """
    hold(_name(corpus), shared=True)
    return texts_of(Corpus.objects.get(pk=corpus.pk)) == since


def remove_of_file(*, file: ReadFile, codes: Codes) -> None:
    """Remove the quotes in the problems of a file."""
    _remove(file.problems.all(), codes)


@transaction.atomic
def remove(*, corpus: Corpus, codes: Codes, doc_id: str = "") -> None:
    """Remove the quotes in the problems of a corpus' files, and throw its files of all problems away.

    Parameters
    ----------
    codes : mapping of str to Code
        Those of its task.
    doc_id : str
        Only quotes of that document; empty for all.
    """
    hold(_name(corpus), shared=False)
    problem_files.discard_all(corpus=corpus)
    found = Problem.objects.filter(Q(submission__corpus=corpus) | Q(file_check__corpus=corpus))
    _remove(found.filter(message__contains=f" {doc_id}:"[:_NAMED]) if doc_id else found, codes)


def _remove(problems: "QuerySet[Problem]", codes: Codes) -> None:
    quoting = [name for name, code in codes.items() if code.quotes]
    problems.filter(code__in=quoting).update(message=REMOVED, text="")


def _name(corpus: Corpus) -> str:
    return f"quotes of corpus {corpus.pk}"
