"""Finding documents by what is in them: Postgres' full-text search over texts, ids and titles."""

from collections.abc import Collection, Mapping

from django.contrib.postgres.search import SearchHeadline, SearchQuery, SearchVector
from django.db.models import Q, QuerySet
from django.db.models.functions import Left

from annotations.models import Corpus, Document
from annotations.models.corpus import SEARCHED_CHARACTERS
from kbpo.core.marking import Mark, Segment, cut
from kbpo.core.spans import Span

# Characters for private use mark the hits, so that nothing that people write is taken for a mark.
_OPEN, _CLOSE = "\ue000", "\ue001"


def search_documents(corpus: Corpus, words: str) -> QuerySet[Document]:
    """Select the documents that a search finds, in the order in which they were loaded.

    Parameters
    ----------
    corpus : Corpus
    words : str
        As people write a search: words that must all occur, "a phrase", or, -without. A document is also
        found by a part of its id or title. Empty: every document.
    """
    found = corpus.documents.order_by("id")
    if not words:
        return found
    in_text = _with_words(words).filter(corpus=corpus).values("pk")
    return found.filter(Q(pk__in=in_text) | Q(doc_id__icontains=words) | Q(title__icontains=words))


def excerpts(document_ids: Collection[int], words: str) -> Mapping[int, list[Segment]]:
    """Cut a short passage out of each text around what a search finds in it, the hits marked.

    Parameters
    ----------
    document_ids : collection of int
        Of a page of what `search_documents` found; one query for all.
    words : str

    Returns
    -------
    mapping of int to list of Segment
        A document that was found by its id or title alone has none.
    """
    if not words or not document_ids:
        return {}
    headline = SearchHeadline(
        Left("text", SEARCHED_CHARACTERS),
        _query(words),
        config="simple",
        start_sel=_OPEN,
        stop_sel=_CLOSE,
        max_words=30,
        min_words=15,
        max_fragments=1,
    )
    found = _with_words(words).filter(pk__in=document_ids).annotate(headline=headline)
    return {pk: _segments(text) for pk, text in found.values_list("pk", "headline")}


def _with_words(words: str) -> QuerySet[Document]:
    # The very expression of the index `document_words`, so that it is used.
    vector = SearchVector(Left("text", SEARCHED_CHARACTERS), config="simple")
    return Document.objects.annotate(words=vector).filter(words=_query(words))


def _query(words: str) -> SearchQuery:
    return SearchQuery(words, config="simple", search_type="websearch")


def _segments(headline: str) -> list[Segment]:
    """Turn Postgres' headline into marked text."""
    text, marks = "", []
    for piece in headline.split(_OPEN):
        hit, closed, rest = piece.partition(_CLOSE)
        if closed:
            marks.append(Mark(Span(len(text), len(text) + len(hit)), "hit", ""))
        text += f"{hit}{rest}"
    return cut(text, marks)
