"""Which other corpus a refused file was probably meant for, told by the documents that it names."""

from dataclasses import dataclass
from typing import BinaryIO

from django.db.models import Count

from annotations.models import Corpus, Document
from evaluation.reading.excerpt import excerpt
from evaluation.submissions.problem_files import ReadFile
from kbpo_formats.normal import normal_id
from kbpo_formats.recognising import find_documents

LINES = 100  # of the file that are looked at


@dataclass(frozen=True, slots=True)
class OtherCorpus:
    """Another corpus that a file seems to be for.

    Attributes
    ----------
    corpus : Corpus
    named : int
        How many documents the first lines of the file name.
    known : int
        How many of these the other corpus has.
    known_here : int
        How many the corpus has that the file was sent to: fewer.
    """

    corpus: Corpus
    named: int
    known: int
    known_here: int


def find_other_corpus(file: ReadFile) -> OtherCorpus | None:
    """Return the corpus that has most of the documents that a refused file names; None for its own."""
    if file.state != "refused":
        return None
    stream = file.open_file()
    if stream is None:
        return None
    with stream:
        return find_named_corpus(stream, sent_to=file.corpus)


def find_named_corpus(stream: BinaryIO, *, sent_to: Corpus) -> OtherCorpus | None:
    """Return the corpus that has most of the documents that a file names; None for that of `sent_to`.

    Every corpus is seen by everybody, with its documents' ids; one that is not would have to be left out.

    Parameters
    ----------
    stream : binary file
        At its start; plain or gzip.
    sent_to : Corpus
    """
    text = "\n".join(line.text for line in excerpt(stream, 1, LINES))
    named = [normal_id(one) for one in find_documents(text) if "\0" not in one]
    if not named:
        return None
    corpora = {one.pk: one for one in Corpus.objects.order_by("pk")}
    having = Document.objects.filter(corpus__in=list(corpora), doc_id__in=named).order_by()
    known = dict(having.values_list("corpus").annotate(n=Count("pk")))
    here = known.pop(sent_to.pk, 0)
    best = max(known, key=lambda pk: (known[pk], -pk), default=None)
    if best is None or known[best] <= here or 2 * known[best] < len(named):
        return None
    return OtherCorpus(corpora[best], len(named), known[best], here)
