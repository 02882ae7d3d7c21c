"""What the archive of an epoch of knowledge bases has beside what all have: documents, ontology, models."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from annotations.ontologies import plain_ontology_of
from evaluation.design import columns
from evaluation.kbp import archived_documents, divisions, kept, matching
from evaluation.kbp.pool_labels import read_labels, read_outside
from evaluation.kbp.recall import annotated
from evaluation.models import FittedModel, SampledClaim
from evaluation.task import ArchivedDivision, Archiving, ToArchive
from kbpo.core.database.coded import unpack_coded, unpack_names
from kbpo_archive.kbp import ONTOLOGY
from kbpo_archive.writing import Writer
from kbpo_estimators.scores import CoordinatedSample, pooled_models
from kbpo_formats.ontologies.normal import compute_digest, write_normal

MODELS = "models.json"
UNIT_COLUMNS = ("relation", "subject_start", "subject_end", "object_start", "object_end", "outside")
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
        "documents": archived_documents.write(writer, contents),
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


ARCHIVING = Archiving(
    unit_columns=UNIT_COLUMNS,
    describe=describe,
    divide=divide,
    prediction_columns=prediction_columns,
    write=write,
    further_questions=archived_documents.questions_of_retired,
)
