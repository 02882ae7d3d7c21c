"""The documents annotated in full as an archive tells them: those that are retired each, others by sums."""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.db.models import Q

from annotations.kinds import entities
from annotations.models import AnnotatedMention, Document, DocumentAnnotation, Question
from evaluation.kbp import matching
from evaluation.kbp.pool_labels import read_outside
from evaluation.kbp.recall import annotated
from evaluation.kbp.recall.annotated import Exhaustive
from evaluation.models import Epoch, RetiredDocument
from evaluation.task import ToArchive
from kbpo_archive.kbp import EACH, NOTHING_TOLD, SUMS
from kbpo_archive.tables import OTHER_LINK, SUBSET, TABLES
from kbpo_archive.writing import Writer
from kbpo_estimators.document_samples import TwoPhase
from kbpo_estimators.document_sums import LEAST_SEALED, DocumentSums

RELATION_COLUMNS = tuple(
    one.name for one in TABLES["true_relations"].columns if not one.name.startswith(SUBSET)
)
Rows = Iterator[Sequence[Any]]


def questions_of_retired(epoch: Epoch) -> Collection[int]:
    """Return the published questions, by row id, whose answers annotate an epoch's retired documents."""
    sample = annotated.read_sample(epoch.document_sample)
    return set() if sample is None else {pk for _, pk in _asked(_retired(sample.annotations))}


def _retired(documents: Collection[int]) -> set[int]:
    rows = RetiredDocument.objects.filter(document__in=list(documents))
    return set(rows.values_list("document_id", flat=True))


def _asked(documents: Collection[int]) -> list[tuple[int, int]]:
    """Return each document with the published questions that were asked to annotate it, by row ids."""
    said = Q(kind=entities.NAME) | Q(annotations__completed_at__isnull=False)
    found = Question.objects.filter(said, document__in=list(documents), published_at__isnull=False)
    return sorted(found.values_list("document_id", "pk").distinct())


def write(writer: Writer, contents: ToArchive) -> Mapping[str, Any] | None:
    """Write the documents, and return what stands in the manifest of them; None where there are none."""
    exhaustive = annotated.read_exhaustive(contents.pool.submissions, contents.epoch)
    if exhaustive is None:
        return None
    documents = exhaustive.documents
    open_ids = _retired(exhaustive.annotations)
    sealed = documents.size - len(open_ids)
    told = EACH if not sealed else SUMS if sealed >= LEAST_SEALED else NOTHING_TOLD
    _write_retired(writer, contents, exhaustive, open_ids)
    shown: dict[str, Any] = {"told": told, "retired": len(open_ids), "rule": matching.RULE}
    if told == NOTHING_TOLD:
        return shown
    design = documents.sample
    shown |= {
        "size": documents.size,
        "population": design.population,
        "census": design.is_census(documents.size),
        "true": int(documents.true.sum()),
        "phases": 2 if isinstance(design, TwoPhase) else 1,
        "planned": design.planned if isinstance(design, TwoPhase) else documents.size,
    }
    if told == SUMS:
        weightings = list(contents.pool.systems[0].weights)
        sums = DocumentSums.of(replace(documents, outside=read_outside(contents.pool)), weightings)
        writer.add_table("recall_sums", _sums(sums))
    return shown


def _sums(sums: DocumentSums) -> Rows:
    for (part, weighting), of_systems in sums.sums.items():
        for number, (one, found) in enumerate(zip(of_systems, sums.found[part], strict=True), start=1):
            figures = (
                (None,) * 5
                if one is None
                else (one.estimate, one.variance, one.ratio, one.covariance, one.spread)
            )
            yield part, weighting, number, *figures, one and one.documents, found


def _write_retired(writer: Writer, contents: ToArchive, exhaustive: Exhaustive, open_ids: set[int]) -> None:
    """Write the documents that are open, in the order in which estimates have them."""
    every = list(exhaustive.annotations)
    shown_columns = np.array([place for place, pk in enumerate(every) if pk in open_ids], dtype=np.int64)
    ids = [every[place] for place in shown_columns.tolist()]
    number = {pk: one for one, pk in enumerate(ids)}
    stored = {one.pk: one for one in Document.objects.filter(pk__in=ids).select_related("takedown")}
    sources = dict(
        DocumentAnnotation.objects.filter(pk__in=list(exhaustive.annotations.values())).values_list(
            "pk", "source"
        )
    )
    documents = exhaustive.documents
    design = documents.sample
    first = design.first if isinstance(design, TwoPhase) else np.ones(documents.size, dtype=np.bool_)
    p2 = design.p2 if isinstance(design, TwoPhase) else np.ones(documents.size)
    writer.add_table(
        "documents",
        (
            (
                *(one, stored[pk].doc_id, 1 if first[column] else 2, float(p2[column])),
                int(documents.true[column]),
                _digest(stored[pk]),
                sources[exhaustive.annotations[pk]],
            )
            for one, (pk, column) in enumerate(zip(ids, shown_columns.tolist(), strict=True))
        ),
    )
    writer.add_table(
        "document_counts",
        (
            row
            for part in documents.found
            for row in _counts(
                part,
                documents.found[part][:, shown_columns].tolist(),
                documents.correct[part][:, shown_columns].tolist(),
                documents.pool_correct[part][shown_columns].tolist(),
            )
        ),
    )
    texts = annotated.read_texts(every)
    relations = annotated.read_true_relations(exhaustive.annotations.values(), texts)
    keys = documents.relations
    assert keys is not None, "they are read with their relations"
    shown = [place for place, one in enumerate(relations) if int(one.doc_id) in open_ids]
    place_of = {place: one for one, place in enumerate(shown)}
    divided = [one for one in contents.divided if one.of_relations is not None]
    of_division = [np.asarray(one.of_relations).tolist() for one in divided]
    writer.add_table(
        "true_relations",
        (
            (
                *(one, number[int(relations[place].doc_id)], relations[place].predicate),
                *(*relations[place].subject, *relations[place].object),
                *(int(keys.subject[place]), int(keys.object[place])),
                *(None if one[place] < 0 else one[place] for one in of_division),
            )
            for place, one in place_of.items()
        ),
        (*RELATION_COLUMNS, *(f"{SUBSET}{one.name}" for one in divided)),
    )
    writer.add_table(
        "findings",
        (
            (part, system + 1, place_of[place])
            for part, found in documents.finds.items()
            for system, place in np.argwhere(found).tolist()
            if place in place_of
        ),
    )
    of_annotation = {
        annotation: number[pk] for pk, annotation in exhaustive.annotations.items() if pk in number
    }
    rows = AnnotatedMention.objects.filter(annotation__in=list(of_annotation)).values_list(
        "annotation_id", "start", "end", "type", "canonical_start", "canonical_end", "link"
    )
    removed = {number[pk] for pk, one in stored.items() if hasattr(one, "takedown")}
    mentions: list[tuple[Any, ...]] = sorted(
        (of_annotation[pk], *row, "" if of_annotation[pk] in removed else link) for pk, *row, link in rows
    )
    writer.add_table("mentions", iter(mentions))
    _write_votes(writer, contents, number, {(document, link) for document, *_, link in mentions})


def _write_votes(
    writer: Writer, contents: ToArchive, number: Mapping[int, int], links: Collection[tuple[int, str]]
) -> None:
    """Write what people said of retired documents; where only experts did, nothing.

    A link has words that one person chose. So it is told where the annotation has it too, and else only that
    there is another.
    """
    asked = [(number[pk], question) for pk, question in _asked(number) if question in contents.questions]
    if not asked:
        return
    writer.add_table(
        "document_questions",
        iter(sorted((document, contents.questions[question]) for document, question in asked)),
    )
    of_question = {question: document for document, question in asked}
    rows: list[tuple[Any, ...]] = []
    for one in entities.read_published_marks(of_question):
        document = of_question[one.question]
        head = document, contents.pseudonym(one.worker, one.question), one.is_expert, one.is_valid
        told: list[tuple[Any, ...]] = [
            (*said.span, said.type, *said.canonical, _told_link(said.link, (document, said.link) in links))
            for said in one.mentions
        ]
        rows += [(*head, *mention) for mention in told or [(None, None, "", None, None, "")]]
    writer.add_table("mention_votes", iter(sorted(rows, key=_in_order)))


def _told_link(link: str, is_annotated: bool) -> str:
    return link if not link or is_annotated else OTHER_LINK


def _in_order(row: Sequence[Any]) -> tuple[Any, ...]:
    document, annotator, *_ = row
    return document, annotator, -1 if row[4] is None else row[4], row[5] or -1, row[6]


def _counts(part: str, found: list[list[int]], correct: list[list[int]], of_pool: list[int]) -> Rows:
    yield from ((part, 0, document, None, count) for document, count in enumerate(of_pool))
    for system, (finds, right) in enumerate(zip(found, correct, strict=True), start=1):
        for document, (one, other) in enumerate(zip(finds, right, strict=True)):
            yield part, system, document, one, other


def _digest(document: Document) -> str | None:
    return None if hasattr(document, "takedown") else hashlib.sha256(document.text.encode()).hexdigest()
