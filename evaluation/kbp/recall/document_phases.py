"""The exhaustive documents in two phases: some uniformly, then more of those that speak of the same entities.

The first phase's mentions, found by people, say which names the second looks for: a document is taken with a
probability that grows with the TF-IDF of those names in it, so that names of low and medium frequency come up
in several documents. Every document can be taken, and each probability is stored before anybody looks at it
(docs/estimation.md, 3.5).
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from annotations import names, questions
from annotations.models import AnnotatedMention, Corpus, Document, DocumentAnnotation, Question
from annotations.models.kind_names import ENTITIES
from annotations.names import Occurrence
from annotations.ontologies import plain_ontology_of
from evaluation.kbp.recall import exhaustive
from evaluation.kbp.recall.annotated import read_sample
from evaluation.models import DocumentSample, Epoch, SampledDocument, SampleName, SecondPhaseProbability
from kbpo.accounts.models import User
from kbpo.core.acts import What, record
from kbpo.core.database.locks import claim
from kbpo.core.errors import Conflict, InvalidInput
from kbpo_estimators import coordinated, document_samples
from kbpo_estimators._checks import FloatArray

UNIFORM_SHARE = 0.2
FLOOR_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a corpus' exhaustive documents are drawn and annotated.

    Attributes
    ----------
    sample : DocumentSample
    drawn : int
        Documents, in both phases.
    lacking : int
        Those whose annotation is not complete.
    """

    sample: DocumentSample
    drawn: int
    lacking: int


@transaction.atomic
def sample_documents(
    *, corpus: Corpus, size: int, uniform_share: float = UNIFORM_SHARE, by: User | None = None
) -> Progress:
    """Draw the first phase of a corpus' exhaustive documents, and the second as soon as it can be drawn.

    People are asked for the mentions of every document that is drawn and not annotated yet. Calling it again
    goes on where it stands.

    Parameters
    ----------
    corpus : Corpus
    size : int
        n: documents to be annotated in all, from 2 to the corpus' number.
    uniform_share : float
        The first phase's share of them, above 0 and at most 1; it has at least two documents.
    by : User, optional
        Who has them drawn; somebody at the command line if left out.

    Raises
    ------
    InvalidInput
        If an argument is out of range.
    Conflict
        If the corpus has another sample.
    """
    Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
    sample = DocumentSample.current(corpus)
    root = sample and exhaustive.root_of(sample)
    number = root.number if root else exhaustive.next_number(corpus)
    ids = exhaustive.drawable(corpus, number, by_experts=False)
    if not 2 <= size <= len(ids):
        which = "" if number == 1 else ", of those that were in no sample yet"
        raise InvalidInput(
            f"{size} is not between 2 and the {len(ids)} documents of {corpus.tag}{which}", where="--n"
        )
    if not 0 < uniform_share <= 1:
        raise InvalidInput(f"{uniform_share} is not above 0 and at most 1", where="--uniform-share")
    first_size = min(size, max(2, round(uniform_share * size)))
    if sample is None or root is None:
        sample = _draw_first(corpus, number, size, first_size, ids)
        record(What.DOCUMENTS_DRAWN, by=by, about=sample, after={"corpus": corpus.tag, "size": size})
    elif (root.size, root.first_size) != (size, first_size):
        phases = "in one phase" if sample.first_size is None else f"{sample.first_size} of them first"
        raise Conflict(
            f"{corpus.tag} has its exhaustive sample of {sample.size} documents, {phases}: another is not"
            " drawn"
        )
    draw_second_phase(sample=sample)
    ask_documents(sample=sample)
    sample.refresh_from_db()
    return progress(sample)


def progress(sample: DocumentSample) -> Progress:
    """Return how far a sample is drawn and annotated."""
    return Progress(sample, sample.documents.count(), _lacking(sample).count())


def ask_documents(*, sample: DocumentSample) -> int:
    """Ask for the mentions of the sample's documents that nobody was asked about and that lack an annotation.

    Safe to run twice, and at the same time as itself.

    Returns
    -------
    int
        For how many documents.
    """
    asked = Question.objects.filter(kind=ENTITIES, document=OuterRef("document"))
    unasked = _lacking(sample).filter(~Exists(asked)).values_list("document", flat=True)
    return len(questions.ask_entities(list(unasked)))


@transaction.atomic
def draw_second_phase(*, sample: DocumentSample) -> bool:
    """Draw the second phase of a sample if all documents of the first are annotated.

    Returns
    -------
    bool
        False where it is drawn already, there is none, the first phase is not annotated yet, or another
        sample has taken over.
    """
    # The corpus first, as everywhere: its row is locked again by what is counted of its names.
    Corpus.objects.select_for_update(no_key=True).get(pk=sample.corpus_id)
    sample = DocumentSample.objects.select_for_update(of=("self",)).select_related("corpus").get(pk=sample.pk)
    if sample.first_size is None or sample.second_drawn_at is not None or sample.retired_at is not None:
        return False
    if sample.documents.filter(document__annotations=None).exists():
        return False
    if sample.first_size < sample.size:
        _draw_second(sample, sample.size - sample.first_size)
    sample.second_drawn_at = timezone.now()
    sample.save(update_fields=["second_drawn_at"])
    ask_documents(sample=sample)
    return True


def draw_due_phases() -> int:
    """Draw every second phase that can be drawn, and ask about its documents; return how many."""
    due = DocumentSample.objects.filter(first_size__isnull=False, second_drawn_at=None, retired_at=None)
    drawn = 0
    for sample in due.order_by("pk"):
        with claim(f"document sample {sample.pk}") as is_ours:  # nobody queues behind who is at it
            drawn += is_ours and draw_second_phase(sample=sample)
    return drawn


def notice_annotations() -> int:
    """Have epochs scored again whose exhaustive documents, or what is said of them, has changed.

    Returns
    -------
    int
        Of how many samples.
    """
    in_phases = DocumentSample.objects.filter(first_size__isnull=False).order_by("pk")
    return sum(_notice(pk) for pk in list(in_phases.values_list("pk", flat=True)))


@transaction.atomic
def _notice(sample_id: int) -> bool:
    sample = DocumentSample.objects.get(pk=sample_id)
    now = _fingerprint(sample)
    if sample.scored_as == now:
        return False
    # The sample's row comes after the corpus' epochs, as everywhere.
    Epoch.objects.filter(document_sample=sample).update(scores_due=True)
    DocumentSample.objects.filter(pk=sample_id).update(scored_as=now)
    return True


def _fingerprint(sample: DocumentSample) -> str:
    """Return a digest of what recall rests on: which documents, and what is said of each."""
    read = read_sample(sample)
    if read is None:
        return "nothing"
    said = DocumentAnnotation.objects.filter(pk__in=read.annotations.values()).order_by("document__doc_id")
    rows = [type(read.design).__name__, *said.values_list("document__doc_id", "source", "digest")]
    return hashlib.sha256(repr(rows).encode()).hexdigest()


def second_sample(sample: DocumentSample) -> list[str]:
    """Draw the second phase again from its secret and its stored probabilities; return ids of documents."""
    rows = list(
        sample.second_phase.order_by("document__doc_id").values_list("document__doc_id", "probability")
    )
    u = coordinated.uniforms(bytes.fromhex(sample.secret), [_key(doc_id) for doc_id, _ in rows])
    return [doc_id for (doc_id, p2), number in zip(rows, u, strict=True) if number < p2]


def first_seed(sample_secret: str) -> int:
    """Return the seed of the first phase's uniform draw, which its secret makes."""
    return exhaustive.seed_of(sample_secret, "first phase")


def _draw_first(
    corpus: Corpus, number: int, size: int, first_size: int, ids: Mapping[str, int]
) -> DocumentSample:
    secret = exhaustive.make_secret(corpus, number)
    seed = first_seed(secret)
    sample = DocumentSample.objects.create(
        corpus=corpus,
        number=number,
        seed=seed,
        size=size,
        first_size=first_size,
        secret=secret,
        population=len(ids),
    )
    SampledDocument.objects.bulk_create(
        SampledDocument(
            sample=sample, document_id=ids[doc_id], probability=first_size / len(ids), since=number
        )
        for doc_id in document_samples.draw_documents(list(ids), first_size, seed)
    )
    exhaustive.rest_scores_on(sample)
    return sample


def _draw_second(sample: DocumentSample, expected: int) -> None:
    # By their ids: the same documents in any order of loading give the same sums.
    never_drawn = exhaustive.drawable(sample.corpus, sample.number + 1, by_experts=False)
    left = [(pk, doc_id) for doc_id, pk in never_drawn.items()]
    frequency, occurrences = _find_names(sample)
    scores = _score(sample, [pk for pk, _ in left], frequency, occurrences)
    p2 = document_samples.second_phase_probabilities(scores, expected, FLOOR_SHARE)
    SecondPhaseProbability.objects.bulk_create(
        (
            SecondPhaseProbability(sample=sample, document_id=pk, score=score, probability=probability)
            for (pk, _), score, probability in zip(left, scores.tolist(), p2.tolist(), strict=True)
        ),
        batch_size=5000,
    )
    u = coordinated.uniforms(bytes.fromhex(sample.secret), [_key(doc_id) for _, doc_id in left])
    SampledDocument.objects.bulk_create(
        SampledDocument(
            sample=sample,
            document_id=left[place][0],
            phase=2,
            probability=float(p2[place]),
            since=sample.number,
        )
        for place in np.flatnonzero(u < p2)
    )
    phase = {pk: 0 for pk, _ in left} | dict(sample.documents.values_list("document_id", "phase"))
    counts = Counter((one.name, phase[one.document_id]) for one in occurrences if one.document_id in phase)
    SampleName.objects.bulk_create(
        (
            SampleName(
                sample=sample,
                name=name,
                documents=sum(counts[name, number] for number in range(3)),
                first=counts[name, 1],
                sampled=counts[name, 1] + counts[name, 2],
            )
            for name in frequency
            if any(counts[name, number] for number in range(3))
        ),
        batch_size=5000,
    )


def _find_names(sample: DocumentSample) -> tuple[dict[str, int], list[Occurrence]]:
    """Find the first phase's names in the corpus: df of each, in their order, and every occurrence."""
    occurrences = names.find_occurrences(sample.corpus, _names(sample))
    documents = Counter(one.name for one in occurrences)  # a name has one occurrence for each document
    return {name: documents[name] for name in sorted(documents)}, occurrences


def _score(
    sample: DocumentSample,
    document_ids: list[int],
    frequency: Mapping[str, int],
    occurrences: Sequence[Occurrence],
) -> FloatArray:
    """Return the TF-IDF of documents, summed in the order of their places and names."""
    place = {pk: number for number, pk in enumerate(document_ids)}
    of = {name: number for number, name in enumerate(frequency)}
    found = sorted(
        (place[one.document_id], of[one.name], one.times) for one in occurrences if one.document_id in place
    )
    at, name, times = np.array(found, dtype=np.int64).reshape(-1, 3).T
    return document_samples.tfidf_scores(
        at, times, name, list(frequency.values()), len(document_ids), sample.corpus.documents.count()
    )


def _names(sample: DocumentSample) -> set[str]:
    """Return the canonical mentions of the entities in the first phase's documents."""
    mentions = AnnotatedMention.objects.filter(
        annotation__document__sampled__sample=sample,
        annotation__document__sampled__phase=1,
        type__in=[one.name for one in plain_ontology_of(sample.corpus).entity_types],
    ).values_list("annotation__document_id", "canonical_start", "canonical_end")
    spans: dict[int, set[tuple[int, int]]] = {}
    for document_id, start, end in mentions:
        spans.setdefault(document_id, set()).add((start, end))
    texts = Document.objects.filter(pk__in=spans).values_list("pk", "text")
    return {names.normalised(text[start:end]) for pk, text in texts for start, end in spans[pk]} - {""}


def _lacking(sample: DocumentSample) -> QuerySet[SampledDocument]:
    """Select the documents of a sample whose annotation is not complete, be it the crowd's or an expert's."""
    return sample.documents.exclude(document__annotations__completed_at__isnull=False)


def _key(doc_id: str) -> str:
    return f"document|{doc_id}"
