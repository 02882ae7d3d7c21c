"""The exhaustive documents of a corpus: a uniform draw, once, from those that are annotated in full."""

import secrets

from django.db import transaction
from django.db.models import QuerySet

from annotations.models import Corpus, Document, DocumentAnnotation
from evaluation.estimators import documents
from evaluation.models import DocumentSample, Epoch, SampledDocument
from kbpo.core.errors import Conflict, InvalidInput


def current(corpus: Corpus) -> DocumentSample | None:
    """Return the sample that scores of the open epoch rest on; None while there is none."""
    return DocumentSample.objects.filter(corpus=corpus, retired_at=None).first()


def opened(corpus: Corpus) -> QuerySet[Document]:
    """Select the documents whose annotations everybody may see: the retired ones.

    They were taken out of the sample when an epoch was released; every epoch whose recall rests on them was.
    """
    return Document.objects.filter(corpus=corpus, retirement__isnull=False)


@transaction.atomic
def draw_documents(*, corpus: Corpus, size: int | None = None, seed: int | None = None) -> DocumentSample:
    """Draw the exhaustive sample of a corpus from its annotated documents, uniformly and without replacement.

    Parameters
    ----------
    size : int or None
        How many documents; None for all that are annotated.
    seed : int or None
        Of the draw; None for a secret one, which is stored.

    Returns
    -------
    DocumentSample
        The one there is, if it was drawn in the same way before; or, without a size, one in two phases, of
        which experts annotate documents beside the crowd.

    Raises
    ------
    InvalidInput
        If there are fewer annotated documents than asked for, or the seed cannot be stored.
    Conflict
        If another sample was drawn before: to draw until one pleases would make it a chosen one.
    """
    Corpus.objects.select_for_update().get(pk=corpus.pk)
    existing = current(corpus)
    if existing is not None and existing.first_size is not None and size is None:
        return existing
    annotated = dict(
        Document.objects.filter(
            corpus=corpus, annotations__source=DocumentAnnotation.Source.EXPERT
        ).values_list("doc_id", "id")
    )
    if not annotated:
        raise InvalidInput(f"no document of {corpus.tag} is annotated", where="--documents")
    if size is not None and not 1 <= size <= len(annotated):
        raise InvalidInput(
            f"{size} is not between 1 and the {len(annotated)} annotated documents", where="--documents"
        )
    if seed is not None and not 0 <= seed < 2**63:
        raise InvalidInput(f"{seed} is not between 0 and {2**63 - 1}", where="--seed")
    if size is None:
        seed, drawn = None, sorted(annotated)
    else:
        if seed is None:
            seed = secrets.randbits(62) if existing is None or existing.seed is None else existing.seed
        drawn = documents.draw_documents(list(annotated), size, seed)
    if existing is not None:
        members = set(existing.documents.values_list("document__doc_id", flat=True))
        if existing.first_size is None and existing.seed == seed and members == set(drawn):
            return existing
        raise Conflict(
            f"{corpus.tag} has its exhaustive sample of {existing.size} documents: another is not drawn"
        )
    population = Document.objects.filter(corpus=corpus).count()
    sample = DocumentSample.objects.create(corpus=corpus, seed=seed, size=len(drawn), population=population)
    SampledDocument.objects.bulk_create(
        SampledDocument(sample=sample, document_id=annotated[doc_id], probability=len(drawn) / population)
        for doc_id in drawn
    )
    rest_scores_on(sample)
    return sample


def rest_scores_on(sample: DocumentSample) -> int:
    """Have the recall of those epochs of its corpus that rest on no documents rest on a new sample's."""
    return Epoch.objects.filter(corpus=sample.corpus_id, document_sample=None).update(
        document_sample=sample, scores_due=True
    )
