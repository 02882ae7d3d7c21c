"""Reads that several callers share."""

from collections.abc import Collection

from annotations.models import Corpus, Document, DocumentAnnotation, Sentence
from annotations.texts.languages import DEFAULT
from annotations.texts.passages import Passage
from annotations.texts.records import AnnotationRecord, MentionRecord, RelationRecord
from kbpo.core.errors import InvalidInput
from kbpo_formats.spans import Span


def corpus_by_tag(tag: str) -> Corpus:
    """Find a corpus.

    Raises
    ------
    InvalidInput
        If there is none of that tag; the message lists those there are.
    """
    corpus = None if "\0" in tag else Corpus.objects.filter(tag=tag).first()
    if corpus is None:
        tags = ", ".join(Corpus.objects.values_list("tag", flat=True)) or "none is loaded"
        raise InvalidInput(f"there is no corpus {tag!r}; there are: {tags}", where="--corpus")
    return corpus


def read_passages(documents: Collection[Document]) -> dict[int, Passage]:
    """Read the words of documents, by their ids."""
    sentences: dict[int, list[list[Span]]] = {document.pk: [] for document in documents}
    languages: dict[int, str] = {}
    rows = Sentence.objects.filter(document__in=sentences).order_by("document", "index")
    columns = ("document", "token_starts", "token_ends", "document__corpus__language")
    for document_id, starts, ends, language in rows.values_list(*columns):
        sentences[document_id].append([Span(*both) for both in zip(starts, ends, strict=True)])
        languages[document_id] = language
    return {
        document.pk: Passage(document.text, sentences[document.pk], languages.get(document.pk, DEFAULT))
        for document in documents
    }


def read_record(annotation: DocumentAnnotation) -> AnnotationRecord:
    """Read an annotation back from its rows."""
    mentions = [
        MentionRecord(Span(start, end), kind, Span(canonical_start, canonical_end), link)
        for start, end, kind, canonical_start, canonical_end, link in annotation.mentions.values_list(
            "start", "end", "type", "canonical_start", "canonical_end", "link"
        )
    ]
    rows = annotation.relations.values_list(
        "predicate", "subject_start", "subject_end", "object_start", "object_end"
    )
    relations = [
        RelationRecord(predicate, Span(subject_start, subject_end), Span(object_start, object_end))
        for predicate, subject_start, subject_end, object_start, object_end in rows
    ]
    return AnnotationRecord(annotation.document.doc_id, tuple(sorted(mentions)), tuple(sorted(relations)))
