"""Finding documents by what is in them: texts, ids and titles.

English texts are found by Postgres' full-text search. It knows no other punctuation than ASCII's, and words
only by the spaces between them, so texts in other languages are found by what stands in them, wherever words
end.
"""

import re
from collections.abc import Collection, Mapping

from django.contrib.postgres.search import SearchHeadline, SearchQuery, SearchVector
from django.db import OperationalError, connection, transaction
from django.db.models import Q, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.functions import Left

from annotations.models import Corpus, Document
from annotations.models.corpus import SEARCHED_CHARACTERS
from annotations.texts.languages import DEFAULT, ENGLISH, Language
from kbpo.core.database.bulk import array_literal, read_columns
from kbpo.core.database.outages import is_too_slow
from kbpo.core.errors import InvalidInput
from kbpo.core.marking import Mark, Segment, cut
from kbpo_formats.spans import Span

# Characters for private use mark the hits, so that nothing that people write is taken for a mark.
_OPEN, _CLOSE = "\ue000", "\ue001"
_TERM = re.compile(r'(-?)(?:"([^"]*)"?|(\S+))')
_FOUND = {"pk": "bigint", "corpus_id": "bigint"}
LONGEST_LOOKED = 3
"""Seconds that may pass while texts are looked at for a phrase."""
_AROUND = 80  # characters of an excerpt before and after what is found


def search_documents(corpus: Corpus, words: str) -> QuerySet[Document]:
    """Select the documents that a search finds, in the order in which they were loaded.

    Parameters
    ----------
    corpus : Corpus
    words : str
        As people write a search: words that must all occur, "a phrase", -without; in English also or. A
        document is also found by a part of its id or title. Empty: every document.

    Raises
    ------
    InvalidInput
        A phrase of words that are too frequent (`_in_index`).
    """
    found = corpus.documents.order_by("id")
    if not words:
        return found
    # one parameter, however many were found
    ids = array_literal(find_documents(corpus, words))
    return found.filter(pk__in=RawSQL("SELECT unnest(%s::bigint[])", [ids]))


def find_documents(corpus: Corpus, words: str) -> list[int]:
    """Return the row ids of the documents that a search finds, in the order in which they were loaded.

    Parameters and errors are those of `search_documents`.
    """
    named = corpus.documents.filter(Q(doc_id__icontains=words) | Q(title__icontains=words))
    if corpus.written_in.code == DEFAULT:
        found = _in_index(corpus, words)
    else:
        found = list(_containing(words).filter(corpus=corpus).order_by().values_list("pk", flat=True))
    return sorted({*found, *named.order_by().values_list("pk", flat=True)})


def excerpts(
    document_ids: Collection[int], words: str, language: Language = ENGLISH
) -> Mapping[int, list[Segment]]:
    """Cut a short passage out of each text around what a search finds in it, the hits marked.

    Parameters
    ----------
    document_ids : collection of int
        Of a page of what `search_documents` found; one query for all.
    words : str
    language : Language, optional
        The corpus'.

    Returns
    -------
    mapping of int to list of Segment
        A document that was found by its id or title alone has none.
    """
    if not words or not document_ids:
        return {}
    if language.code != DEFAULT:
        texts = Document.objects.filter(pk__in=document_ids).values_list("pk", "text")
        passages = {pk: _around(text, words, language) for pk, text in texts}
        return {pk: passage for pk, passage in passages.items() if passage}
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


def _in_index(corpus: Corpus, words: str) -> list[int]:
    """Return the row ids of the texts of a corpus that have the words, found by the index alone.

    Left to itself Postgres goes through all texts for a word that most of them have, and cuts each into
    words: seconds where its index takes milliseconds. It knows nothing of what cutting costs. Other corpora's
    are left out afterwards, since by its index of corpora it would do the same.

    Raises
    ------
    InvalidInput
        A phrase of words that are too frequent: texts are looked at one by one for it, and it took too long.
    """
    found = _with_words(words).order_by().values_list("pk", "corpus_id")
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            limits = f"SET LOCAL statement_timeout = '{LONGEST_LOOKED}s'"
            cursor.execute(f"SET LOCAL enable_seqscan = off; SET LOCAL enable_indexscan = off; {limits}")
            ids, corpora = read_columns(*found.query.sql_with_params(), _FOUND).values()
            # Where a transaction is around this one, what is local would hold until its end.
            cursor.execute(
                "SET LOCAL enable_seqscan TO DEFAULT; SET LOCAL enable_indexscan TO DEFAULT;"
                "SET LOCAL statement_timeout TO DEFAULT"
            )
            of_corpus: list[int] = ids[corpora == corpus.pk].tolist()
            return of_corpus
    except OperationalError as error:
        if not is_too_slow(error):
            raise
        raise InvalidInput(
            f"Too many texts have all words of {words!r:.80} to be looked at for it in {LONGEST_LOOKED} s:"
            " add a rarer word, or leave out the quotation marks.",
            where="q",
        ) from error


def _terms(words: str) -> tuple[list[str], list[str]]:
    """Return what must occur and what must not."""
    found = [(minus, phrase or word) for minus, phrase, word in _TERM.findall(words)]
    return (
        [term for minus, term in found if term and not minus],
        [term for minus, term in found if term and minus],
    )


def _containing(words: str) -> QuerySet[Document]:
    wanted, unwanted = _terms(words)
    found = Document.objects.all() if wanted else Document.objects.none()
    for term in wanted:
        found = found.filter(text__icontains=term)
    for term in unwanted:
        found = found.exclude(text__icontains=term)
    return found


def _around(text: str, words: str, language: Language) -> list[Segment]:
    """Cut a passage around the first of what is found, with all of it that stands there marked."""
    wanted, _ = _terms(words)
    if not wanted:
        return []
    longest_first = sorted(wanted, key=len, reverse=True)
    hits = re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)
    first = hits.search(text)
    if first is None:
        return []
    start, end = max(0, first.start() - _AROUND), min(len(text), first.end() + _AROUND)
    if language.has_spaces:
        while 0 < start < first.start() and not text[start - 1].isspace():
            start += 1
        while first.end() < end < len(text) and not text[end].isspace():
            end -= 1
    shown = text[start:end]
    return cut(shown, [Mark(Span(*hit.span()), "hit", "") for hit in hits.finditer(shown)])


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
