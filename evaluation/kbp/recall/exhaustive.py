"""The exhaustive documents of a corpus: which they are, and a draw of them from those annotated in full."""

import hmac
import secrets
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from annotations.models import Corpus, Document, DocumentAnnotation
from evaluation.models import DocumentSample, Epoch, SampledDocument
from evaluation.models.sample import new_secret
from evaluation.submissions.visibility import Viewer, is_operator
from kbpo.core.errors import Conflict, InvalidInput
from kbpo_estimators import document_samples


def readable(viewer: Viewer, corpus: Corpus) -> QuerySet[Document]:
    """Select the documents of which the viewer may see what people marked.

    Operators see all, everybody else the open ones. Not those that are annotated and in no sample: they may
    be drawn later, as replacements.
    """
    return corpus.documents.all() if is_operator(viewer) else opened(corpus)


def opened(corpus: Corpus) -> QuerySet[Document]:
    """Select the documents whose annotations everybody may see: the retired ones.

    They were taken out of the sample when an epoch was released; every epoch whose recall rests on them was.
    """
    return Document.objects.filter(corpus=corpus, retirement__isnull=False)


def drawable(
    corpus: Corpus, number: int, *, by_experts: bool, loaded_by: datetime | None = None
) -> dict[str, int]:
    """Return the documents that a sample's draw could take: those in no sample before it.

    Parameters
    ----------
    corpus : Corpus
    number : int
        The sample's.
    by_experts : bool
        Whether only documents that experts have annotated.
    loaded_by : datetime or None
        By when their annotations were loaded; None for all that are.

    Returns
    -------
    dict of str to int
        From ``doc_id`` to row id, in the database's order of the former.
    """
    before = SampledDocument.objects.filter(sample__corpus=corpus, sample__number__lt=number)
    found = Document.objects.filter(corpus=corpus).exclude(pk__in=before.values("document"))
    if by_experts:
        annotations = DocumentAnnotation.objects.filter(source=DocumentAnnotation.Source.EXPERT)
        if loaded_by is not None:
            annotations = annotations.filter(loaded_at__lte=loaded_by)
        found = found.filter(pk__in=annotations.values("document"))
    return dict(found.order_by("doc_id").values_list("doc_id", "pk"))


def next_number(corpus: Corpus) -> int:
    """Return the number of a corpus' next sample."""
    return 1 + corpus.document_samples.count()


def make_secret(corpus: Corpus, number: int) -> str:
    """Return the secret of a new sample: random, but in a run that must come out the same."""
    fixed: bytes | None = settings.KBPO_EPOCH_SECRET
    if not fixed:
        return new_secret()
    name = f"{corpus.tag}|documents" + (f"|{number}" if number > 1 else "")
    return hmac.digest(fixed, name.encode(), "sha256").hex()


def seed_of(secret: str, what: str) -> int:
    """Return the seed that a sample's secret makes for one of its draws."""
    return int.from_bytes(hmac.digest(bytes.fromhex(secret), what.encode(), "sha256")[:7], "big")


@transaction.atomic
def draw_documents(*, corpus: Corpus, size: int | None = None, seed: int | None = None) -> DocumentSample:
    """Draw the exhaustive sample of a corpus from its annotated documents, uniformly and without replacement.

    Parameters
    ----------
    size : int or None
        How many documents; None for all that are annotated. None that was ever in a sample is drawn again.
    seed : int or None
        Of the draw; None for a secret one, which is stored.

    Returns
    -------
    DocumentSample
        The current one, if it or the one that it goes back to was drawn in the same way before; or, without a
        size, one in two phases, of which experts annotate documents beside the crowd.

    Raises
    ------
    InvalidInput
        If there are fewer annotated documents than asked for, or the seed cannot be stored.
    Conflict
        If another sample was drawn before: to draw until one pleases would make it a chosen one.
    """
    Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
    existing = DocumentSample.current(corpus)
    if existing is not None and existing.first_size is not None and size is None:
        return existing
    root = existing and root_of(existing)
    number = root.number if root else next_number(corpus)
    annotated = drawable(corpus, number, by_experts=True)
    if not annotated:
        why = "is annotated" if number == 1 else "is annotated that was in no sample yet"
        raise InvalidInput(f"no document of {corpus.tag} {why}", where="--documents")
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
            seed = secrets.randbits(62) if root is None or root.seed is None else root.seed
        drawn = document_samples.draw_documents(list(annotated), size, seed)
    if existing is not None and root is not None:
        members = set(root.documents.values_list("document__doc_id", flat=True))
        if root.first_size is None and root.seed == seed and members == set(drawn):
            return existing
        raise Conflict(
            f"{corpus.tag} has its exhaustive sample of {existing.size} documents: another is not drawn"
        )
    population = len(drawable(corpus, number, by_experts=False))
    sample = DocumentSample.objects.create(
        corpus=corpus,
        number=number,
        seed=seed,
        size=len(drawn),
        population=population,
        secret=make_secret(corpus, number),
    )
    SampledDocument.objects.bulk_create(
        SampledDocument(
            sample=sample,
            document_id=annotated[doc_id],
            probability=len(drawn) / population,
            since=number,
        )
        for doc_id in drawn
    )
    rest_scores_on(sample)
    return sample


def root_of(sample: DocumentSample) -> DocumentSample:
    """Return the sample that was drawn anew and to which another goes back, retirement by retirement."""
    while sample.replaces is not None:
        sample = sample.replaces
    return sample


def rest_scores_on(sample: DocumentSample) -> int:
    """Have the recall of those epochs of its corpus that rest on no documents rest on a new sample's."""
    return Epoch.objects.filter(corpus=sample.corpus_id, document_sample=None).update(
        document_sample=sample, scores_due=True
    )
