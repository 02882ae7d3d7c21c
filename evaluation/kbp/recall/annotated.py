"""What is true in documents that are annotated in full, and what systems find there."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from annotations.models import AnnotatedMention, AnnotatedRelation, DocumentAnnotation
from annotations.ontologies import plain_ontology_of
from evaluation.kbp import matching
from evaluation.kbp.recall.relation_keys import number_relations
from evaluation.kbp.words import Words
from evaluation.models import DocumentSample, Epoch, Instance, Submission
from kbpo.core.database.bulk import array_literal, read_columns, read_rows
from kbpo_estimators import document_samples
from kbpo_estimators.document_sums import LEAST_SEALED
from kbpo_estimators.documents import Documents
from kbpo_estimators.subsets import Relations
from kbpo_formats.ontologies.ontology import Ontology
from kbpo_formats.spans import Span

IntArray = NDArray[np.int64]

SPANS = ("subject_start", "subject_end", "object_start", "object_end")


@dataclass(frozen=True, eq=False)
class AnnotatedDocuments:
    """The documents annotated in full that estimates may rest on.

    Attributes
    ----------
    annotations : dict of int to int
        For each document's row id, in their order, that of its annotation: the experts', or else the crowd's.
    design : estimators.document_samples.DocumentSample
        How they were drawn.
    """

    annotations: dict[int, int]
    design: document_samples.DocumentSample


@dataclass(frozen=True, eq=False)
class Exhaustive:
    """The exhaustive documents, with what is found in each, and with each true relation."""

    annotations: dict[int, int]
    documents: Documents
    relations: Relations


@dataclass(frozen=True, eq=False)
class _Claims:
    """What systems claim in some documents: whose each claim is, and its instance."""

    system: IntArray
    instance: IntArray
    columns: matching.ClaimColumns


@dataclass(frozen=True, eq=False)
class Correct:
    """The instances that systems claim in annotated documents: in order of document, predicate and spans.

    Attributes
    ----------
    instance : int[k]
    document : int[k]
        The position of its document.
    correct : mapping of str to bool[k]
        By part: whether some system's claim of it matches a true relation.
    """

    instance: IntArray
    document: IntArray
    correct: Mapping[str, NDArray[np.bool_]]


def read_sample(sample: DocumentSample | None) -> AnnotatedDocuments | None:
    """Read which exhaustive documents are annotated, and how those were drawn.

    A phase counts when all its documents are annotated, and not before: those that are done first are not any
    documents. Until the second phase is, the first is a simple random sample. So are the documents that it
    took over from the sample before, until all that were drawn in the place of retired ones are annotated.

    A second phase of fewer than `LEAST_SEALED` documents is told jointly with the first alone: else scores
    before and after would tell what is in each. While it may still be so small, or is and lacks annotations,
    the sample rests on what it rested on before its first phase was whole (ADR 22).

    Returns
    -------
    AnnotatedDocuments or None
        None where no documents are drawn, or none of these sets is annotated yet.
    """
    if sample is None:
        return None
    rows = list(
        sample.documents.order_by("document_id").values_list("document_id", "phase", "probability", "since")
    )
    annotated = read_annotations([document_id for document_id, *_ in rows])
    lacking = [(phase, since) for document_id, phase, _, since in rows if document_id not in annotated]
    design: document_samples.DocumentSample = document_samples.SimpleRandom(sample.population)
    is_partial = sample.second_drawn_at is None or sample.first_size == sample.size
    if is_partial or lacking:
        whole = sample.number if _waits_for_second(sample, rows) else sample.number + 1
        first_gap = min((since for phase, since in lacking if phase == 1), default=whole)
        rows = [row for row in rows if row[1] == 1 and row[3] < first_gap]
    else:  # also where the second phase happened to take no document
        design = document_samples.TwoPhase(
            np.array([phase == 1 for _, phase, *_ in rows]),
            np.array([1.0 if phase == 1 else p2 for _, phase, p2, _ in rows]),
            sample.population,
            sample.size,
        )
    if not rows:
        return None
    return AnnotatedDocuments({document_id: annotated[document_id] for document_id, *_ in rows}, design)


def _waits_for_second(sample: DocumentSample, rows: Sequence[tuple[int, int, float, int]]) -> bool:
    """Say whether the first phase is not told by itself: the second may be, or is, of few documents."""
    if sample.first_size is None or sample.first_size == sample.size:
        return False
    if sample.second_drawn_at is None:
        return sample.retired_at is None  # it is drawn as soon as the first is annotated
    return 0 < sum(phase == 2 for _, phase, *_ in rows) < LEAST_SEALED


def read_annotations(document_ids: Collection[int]) -> dict[int, int]:
    """Return the complete annotation of each document that has one: the experts', or else the crowd's."""
    found = DocumentAnnotation.objects.filter(document__in=document_ids, completed_at__isnull=False).order_by(
        "source"
    )
    return dict(found.values_list("document_id", "pk"))  # "expert" comes after "crowd", and stays


def read_exhaustive(
    submissions: Sequence[Submission], epoch: Epoch, document_ids: Sequence[int] | None = None
) -> Exhaustive | None:
    """Read the exhaustive documents, and what each system finds in them.

    Parameters
    ----------
    submissions : sequence of Submission
        The pool.
    epoch : Epoch
        With its corpus.
    document_ids : sequence of int or None
        Which annotated documents, in which order, as if drawn uniformly; None for the epoch's sample.

    Returns
    -------
    Exhaustive or None
        None where there are none.
    """
    sample = read_sample(epoch.document_sample)
    if document_ids is not None:
        annotated = read_annotations(document_ids)
        sample = AnnotatedDocuments(
            {document_id: annotated[document_id] for document_id in document_ids},
            document_samples.SimpleRandom(epoch.corpus.documents.count()),
        )
    if sample is None:
        return None
    document_ids = list(sample.annotations)
    texts = read_texts(document_ids)
    relations = read_true_relations(sample.annotations.values(), texts)
    column_of = {str(document_id): column for column, document_id in enumerate(document_ids)}
    columns = np.array([column_of[relation.doc_id] for relation in relations], dtype=np.int64)
    ontology = plain_ontology_of(epoch.corpus)
    claims = _read_claims(submissions, document_ids, ontology)
    words = Words.of(texts)
    m, size = len(submissions), len(document_ids)
    found: dict[str, NDArray[np.bool_]] = {}
    counted: dict[str, IntArray] = {}
    correct: dict[str, IntArray] = {}
    pool_correct: dict[str, IntArray] = {}
    for part in matching.PARTS:
        matched = matching.match(claims.columns, relations, words, ontology, part)
        found[part] = np.zeros((m, len(relations)), dtype=np.bool_)
        found[part][claims.system[matched.claim], matched.true] = True
        counted[part] = np.array([np.bincount(columns[own], minlength=size) for own in found[part]])
        right = np.flatnonzero(matched.correct)
        cells = claims.system[right] * size + claims.columns.document[right]
        correct[part] = np.bincount(cells, minlength=m * size).reshape(m, size)
        _, first = np.unique(claims.instance[right], return_index=True)
        pool_correct[part] = np.bincount(claims.columns.document[right[first]], minlength=size)
    true = np.bincount(columns, minlength=size)
    return Exhaustive(
        sample.annotations,
        Documents(
            sample.design,
            true,
            counted,
            correct,
            pool_correct,
            relations=number_relations(relations, columns, texts),
            finds=found,
        ),
        Relations(sample.design, size, columns, found),
    )


def read_texts(document_ids: Sequence[int]) -> dict[str, str]:
    """Read the texts of documents in their order, by their row ids as `read_true_relations` writes them."""
    rows = read_rows("SELECT id, text FROM annotations_document WHERE id = ANY(%s)", [list(document_ids)])
    texts = dict(rows)
    return {str(pk): texts[pk] for pk in document_ids}


def read_correct(
    submissions: Sequence[Submission], annotations: Mapping[int, int], ontology: Ontology
) -> Correct:
    """Read what systems claim in documents, and whether it is true there.

    Their order is the same in every database, if that of the documents is.

    Parameters
    ----------
    submissions : sequence of Submission
    annotations : mapping of int to int
        For each document's row id that of its annotation.
    ontology : Ontology
        Their corpus', whose relations give the order.
    """
    claims = _read_claims(submissions, list(annotations), ontology)
    texts = read_texts(list(annotations))
    relations = read_true_relations(annotations.values(), texts)
    words = Words.of(texts)
    instance, first, place = np.unique(claims.instance, return_index=True, return_inverse=True)
    correct = {}
    for part in matching.PARTS:
        right = np.zeros(instance.size, dtype=np.bool_)
        matched = matching.match(claims.columns, relations, words, ontology, part)
        right[place[matched.correct]] = True
        correct[part] = right
    of = claims.columns
    spans = (*of.object[first].T[::-1], *of.subject[first].T[::-1])
    order = np.lexsort((*spans, of.predicate[first], of.document[first]))
    return Correct(
        instance[order], of.document[first][order], {part: one[order] for part, one in correct.items()}
    )


def _read_claims(
    submissions: Sequence[Submission], document_ids: Sequence[int], ontology: Ontology
) -> _Claims:
    """Read what systems claim in documents; the instances by themselves, since many systems share one."""
    predicates = list(ontology.relations_by_name)
    code = {predicate: number for number, predicate in enumerate(predicates)}
    column_of = {document_id: column for column, document_id in enumerate(document_ids)}
    rows = Instance.objects.filter(document__in=document_ids).values_list(
        "pk", "document_id", "predicate", *SPANS
    )
    instances = np.array(
        [(pk, column_of[document], code[predicate], *spans) for pk, document, predicate, *spans in rows],
        dtype=np.int64,
    ).reshape(-1, 7)
    instances = instances[np.argsort(instances[:, 0])]
    numbers = {submission.pk: number for number, submission in enumerate(submissions)}
    claimed = read_columns(
        # OFFSET 0 keeps Postgres from reading all predictions of the systems to find these few.
        "SELECT claim.submission_id, wanted.id, subject_canonical_start,"
        " subject_canonical_end, COALESCE(object_canonical_start, -1), COALESCE(object_canonical_end, -1)"
        " FROM unnest(%s::bigint[]) AS wanted (id) CROSS JOIN LATERAL ("
        "SELECT * FROM evaluation_prediction AS prediction WHERE prediction.instance_id = wanted.id OFFSET 0"
        ") AS claim WHERE claim.submission_id = ANY(%s)",
        [array_literal(instances[:, 0].tolist()), list(numbers)],
        dict.fromkeys(("submission", "instance", "start", "end", "object_start", "object_end"), "bigint"),
    )
    pks = np.array(sorted(numbers), dtype=np.int64)
    number_of = np.array([numbers[pk] for pk in pks.tolist()], dtype=np.int64)
    own = instances[np.searchsorted(instances[:, 0], claimed["instance"])]
    return _Claims(
        number_of[np.searchsorted(pks, claimed["submission"])],
        claimed["instance"],
        matching.ClaimColumns(
            [str(document_id) for document_id in document_ids],
            predicates,
            own[:, 1],
            own[:, 2],
            own[:, 3:5],
            own[:, 5:7],
            np.stack([claimed["start"], claimed["end"]], axis=1),
            np.stack([claimed["object_start"], claimed["object_end"]], axis=1),
        ),
    )


def read_true_relations(
    annotation_ids: Collection[int], texts: Mapping[str, str]
) -> list[matching.TrueRelation]:
    """Read the true relations of annotations, in the order of their row ids.

    Parameters
    ----------
    annotation_ids : collection of int
    texts : mapping of str to str
        Those of their documents, as `read_texts` returns them.
    """
    canonical: dict[tuple[int, Span], set[Span]] = defaultdict(set)  # of a mention
    entities: dict[tuple[int, Span], set[Span]] = defaultdict(set)  # mentions by canonical mention
    rows = AnnotatedMention.objects.filter(annotation__in=annotation_ids).values_list(
        "annotation_id", "start", "end", "canonical_start", "canonical_end"
    )
    for annotation_id, start, end, *name in rows:
        canonical[annotation_id, Span(start, end)].add(Span(*name))
        entities[annotation_id, Span(*name)].add(Span(start, end))
    relations = AnnotatedRelation.objects.filter(annotation__in=annotation_ids).order_by("pk")
    values = relations.values_list(
        "annotation__document_id",
        "annotation_id",
        "predicate",
        "subject_start",
        "subject_end",
        "object_start",
        "object_end",
    )

    @cache  # a mention is in many relations
    def names(annotation_id: int, doc_id: str, mention: Span) -> tuple[Span, ...]:
        spans = {
            span
            for name in canonical[annotation_id, mention]
            for span in matching.full_names(texts[doc_id], name, entities[annotation_id, name])
        }
        return tuple(sorted(spans))

    found = []
    for document, annotation_id, predicate, subject_start, subject_end, object_start, object_end in values:
        doc_id = str(document)
        subject, object_ = Span(subject_start, subject_end), Span(object_start, object_end)
        found.append(
            matching.TrueRelation(
                doc_id,
                predicate,
                subject,
                object_,
                names(annotation_id, doc_id, subject),
                names(annotation_id, doc_id, object_),
            )
        )
    return found
