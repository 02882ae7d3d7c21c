"""What the archive of an epoch of knowledge bases has beside what all have: documents, ontology, models."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from annotations.models import AnnotatedMention, Document
from annotations.ontologies import plain_ontology_of
from evaluation.design import columns
from evaluation.kbp import divisions, kept, matching
from evaluation.kbp.pool_labels import read_labels, read_outside
from evaluation.kbp.recall import annotated
from evaluation.kbp.recall.annotated import Exhaustive
from evaluation.models import FittedModel, RetiredDocument, SampledClaim
from evaluation.task import ArchivedDivision, Archiving, ToArchive
from kbpo.core.database.coded import unpack_coded, unpack_names
from kbpo_archive.kbp import EACH, NOTHING_TOLD, ONTOLOGY, SUMS
from kbpo_archive.tables import SUBSET, TABLES
from kbpo_archive.writing import Writer
from kbpo_estimators.document_samples import TwoPhase
from kbpo_estimators.document_sums import LEAST_SEALED, DocumentSums
from kbpo_estimators.scores import CoordinatedSample, pooled_models
from kbpo_formats.ontologies.normal import compute_digest, write_normal

MODELS = "models.json"
UNIT_COLUMNS = ("relation", "subject_start", "subject_end", "object_start", "object_end", "outside")
RELATION_COLUMNS = tuple(
    one.name for one in TABLES["true_relations"].columns if not one.name.startswith(SUBSET)
)
Rows = Iterator[Sequence[Any]]


def describe(contents: ToArchive, is_open: Sequence[bool]) -> Iterator[tuple[str | None, Sequence[Any]]]:
    """Yield each unit's document, and the values of `UNIT_COLUMNS`: of one that may not be told no place."""
    outside = read_outside(contents.pool).tolist()
    for key, may_be_told, is_outside in zip(contents.keys, is_open, outside, strict=True):
        _, relation, subject, object_, doc_id = key.split("|", 4)
        if may_be_told:
            yield doc_id, (relation, *subject.split("-"), *object_.split("-"), is_outside)
        else:
            yield None, (relation, None, None, None, None, is_outside)


def prediction_columns(contents: ToArchive) -> Mapping[str, Sequence[Sequence[Any]]]:
    """Return which questions settle the canonical mentions that systems claim at sampled instances."""
    subjects: list[list[int | None]] = []
    objects: list[list[int | None]] = []
    for submission, system in zip(contents.pool.submissions, contents.pool.systems, strict=True):
        rows = SampledClaim.objects.filter(submission=submission).values_list(
            "instance_id", "subject_question_id", "object_question_id"
        )
        some = list(rows)
        positions = contents.pool.positions(np.array([one for one, *_ in some], dtype=np.int64)).tolist()
        asked = dict(zip(positions, (sides for _, *sides in some), strict=True))
        for column, side in ((subjects, 0), (objects, 1)):
            column.append(
                [
                    contents.questions.get(asked[position][side]) if position in asked else None
                    for position in system.rows.tolist()
                ]
            )
    return {"subject_question": subjects, "object_question": objects}


def divide(contents: ToArchive) -> Iterator[ArchivedDivision]:
    """Yield the ways to divide claims, and the true relations of the documents annotated in full."""
    sample = annotated.read_sample(contents.epoch.document_sample)
    stored = list(columns.read([batch.pk for batch in contents.pool.batches], (kept.PREDICATES, kept.NAMES)))
    for name, division in divisions.divisions(
        contents.epoch.corpus,
        [unpack_names(one[kept.PREDICATES]) for one in stored],
        [unpack_coded(one[kept.NAMES]) for one in stored],
        sample.annotations.values() if sample else [],
    ):
        yield ArchivedDivision(name, division.names, division.of_claims, division.of_relations)


def write(writer: Writer, contents: ToArchive) -> Mapping[str, Any]:
    """Write ontology, models and documents; of documents that are sealed no more than sums over many."""
    ontology = plain_ontology_of(contents.epoch.corpus)
    writer.add(ONTOLOGY, [write_normal(ontology).encode()])
    _write_models(writer, contents)
    return {
        "ontology": {"name": contents.epoch.corpus.ontology_id, "sha256": compute_digest(ontology)},
        "matching": matching.RULE,
        "documents": _write_documents(writer, contents),
    }


def _write_models(writer: Writer, contents: ToArchive) -> None:
    pool, sample = contents.pool, contents.sample
    if not isinstance(sample, CoordinatedSample):
        return
    fitted = FittedModel.objects.filter(epoch=contents.epoch).order_by("part")
    models = [
        {
            "part": one.part,
            "names": [_renamed(name, contents.teams) for name in one.names],
            "coefficients": one.coefficients,
            "rows": one.rows,
        }
        for one in fitted
    ]
    writer.add(MODELS, [json.dumps(models, indent=1).encode() + b"\n"])
    predicted = pooled_models(pool.systems, read_labels(pool), sample, kept.features(pool))
    place = np.cumsum(sample.sampled) - 1

    def rows() -> Rows:
        for part, one in predicted.items():
            of_pool, of_sample = one.of_pool.tolist(), one.of_sample.tolist()
            for unit, (sampled, fold) in enumerate(
                zip(sample.sampled.tolist(), sample.folds.tolist(), strict=True)
            ):
                if sampled:
                    for other, value in enumerate(of_sample[place[unit]]):
                        yield part, unit, other, value
                else:
                    yield part, unit, fold, of_pool[unit]

    writer.add_table("predicted", rows())


def _renamed(name: str, teams: Mapping[int, int]) -> str:
    """Return the name of a coefficient with its team's number in the archive, where it is about a team."""
    head, _, number = name.rpartition("team ")
    return f"{head}team {teams[int(number)]}" if number.isdigit() else name


def _write_documents(writer: Writer, contents: ToArchive) -> Mapping[str, Any] | None:
    exhaustive = annotated.read_exhaustive(contents.pool.submissions, contents.epoch)
    if exhaustive is None:
        return None
    documents = exhaustive.documents
    open_ids = set(
        RetiredDocument.objects.filter(document__in=list(exhaustive.annotations)).values_list(
            "document_id", flat=True
        )
    )
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
    writer.add_table("mentions", iter(sorted((of_annotation[pk], *row) for pk, *row in rows)))


def _counts(part: str, found: list[list[int]], correct: list[list[int]], of_pool: list[int]) -> Rows:
    yield from ((part, 0, document, None, count) for document, count in enumerate(of_pool))
    for system, (finds, right) in enumerate(zip(found, correct, strict=True), start=1):
        for document, (one, other) in enumerate(zip(finds, right, strict=True)):
            yield part, system, document, one, other


def _digest(document: Document) -> str | None:
    return None if hasattr(document, "takedown") else hashlib.sha256(document.text.encode()).hexdigest()


ARCHIVING = Archiving(
    unit_columns=UNIT_COLUMNS,
    describe=describe,
    divide=divide,
    prediction_columns=prediction_columns,
    write=write,
)
