"""How uncertain each claim's label is planned to be, learnt from claims in documents annotated in full.

Whether a claim is right there follows from the annotation, not from any sampled label: no random number of
the epoch has a part in it, so that the probabilities which rest on it are as good as any.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotations.models import DocumentAnnotation
from annotations.ontologies import plain_ontology_of
from evaluation.design import columns
from evaluation.estimators import coordinated, planned_variance
from evaluation.estimators.planned_variance import Claimant, Scale, VarianceModel
from evaluation.kbp import matching
from evaluation.kbp.recall import annotated
from evaluation.models import Epoch, PlannedVariance, SampleBatch, Submission
from evaluation.units import FloatArray, IntArray, Plan
from kbpo.core.database.bulk import array_literal, read_columns, read_rows
from kbpo.core.database.coded import pack, unpack, unpack_coded
from kbpo_formats.ontologies.ontology import Ontology

PARTS = ("relation", "all")
"""The first is learnt; what is planned must do for both."""
AGREE = 2e-6
"""Within which a model that is fitted again agrees: sums may differ in their last digits."""


@dataclass(frozen=True, eq=False)
class _Evidence:
    """Claims whose truth is known, by document, predicate and spans: an order that is in every database."""

    ids: IntArray
    folds: IntArray
    labels: Sequence[FloatArray]

    def pack(self) -> bytes:
        """Return all of it in one array."""
        return pack(np.stack([self.ids, self.folds, *(one.astype(np.int64) for one in self.labels)]))

    @classmethod
    def unpack(cls, data: bytes) -> "_Evidence":
        """Return what `pack` was called on."""
        ids, folds, *labels = unpack(data)
        return cls(ids, folds, [one.astype(np.float64) for one in labels])


def plan(
    submission: Submission, epoch: Epoch, ids: IntArray, *, number: int, foreseen: bool = False
) -> Plan | None:
    """Plan the variances of a submission's labels, as a batch of an epoch.

    Parameters
    ----------
    submission : Submission
    epoch : Epoch
    ids : int[n]
        The row ids of its instances.
    number : int
        Of the batch: its systems and those of the batches before it have a part in what is learnt.
    foreseen : bool
        Whether it is not sampled yet: then its own claims have none. A file that nobody judges could else be
        made to find out which documents are annotated in full.

    Returns
    -------
    Plan or None
        None where no documents are annotated in full, or too few claims stand in them.
    """
    sample = annotated.read_sample(epoch.document_sample)
    if sample is None:
        return None
    systems = _Systems.read(submission, epoch, number)
    learnt_from = systems.submissions[:-1] if foreseen else systems.submissions
    evidence = _read_evidence(learnt_from, epoch, sample.annotations, systems.ontology)
    model = planned_variance.fit(systems.features(evidence.ids), evidence.labels, evidence.folds)
    if model is None:
        return None
    digests = dict(
        DocumentAnnotation.objects.filter(pk__in=sample.annotations.values()).values_list("pk", "digest")
    )
    return Plan(
        variance=_variances(systems, model, epoch, ids),
        version=planned_variance.VERSION,
        matching=matching.RULE,
        error_ratio=model.error_ratio,
        coefficients=model.coefficients.tolist(),
        evidence=evidence.pack(),
        annotations=sorted(digests.items()),
        units=evidence.ids.size,
    )


def plan_again(stored: PlannedVariance, ids: IntArray) -> tuple[FloatArray, list[str]]:
    """Plan the variances of a batch's labels again, from what is stored of it.

    Returns
    -------
    float[n]
        From the stored coefficients.
    list of str
        What does not come out as it is stored: the labels that were learnt from, as far as those annotations
        and their texts still stand and the rule is the same; the coefficients and the error ratio.
    """
    batch = stored.batch
    if stored.version != planned_variance.VERSION:
        return np.full(ids.size, np.nan), [f"variances were planned by {stored.version!r}, which is unknown"]
    systems = _Systems.read(batch.submission, batch.epoch, batch.number)
    evidence = _Evidence.unpack(bytes(stored.evidence))
    findings = _audit_labels(stored, systems, evidence)
    features = systems.features(evidence.ids)
    model = VarianceModel(np.array(stored.coefficients), stored.error_ratio)
    again = planned_variance.fit(features, evidence.labels, evidence.folds)
    if again is None or again.coefficients.shape != model.coefficients.shape:
        return np.full(ids.size, np.nan), [*findings, "the model of planned variances cannot be fitted again"]
    if not np.allclose(again.coefficients, model.coefficients, rtol=0, atol=AGREE):
        findings.append("the coefficients of planned variances differ")
    if abs(again.error_ratio - model.error_ratio) > AGREE:
        findings.append(f"the error ratio is {again.error_ratio!r}; stored is {model.error_ratio!r}")
    return _variances(systems, model, batch.epoch, ids), findings


@dataclass(frozen=True, eq=False)
class _Systems:
    """The systems of an epoch up to one of them, in the order of arrival.

    Attributes
    ----------
    submissions : list of Submission
        The one that is planned for comes last.
    scales : mapping of int to Scale
        By team.
    ontology : Ontology
        Their corpus'.
    """

    submissions: list[Submission]
    scales: Mapping[int, Scale]
    ontology: Ontology

    @classmethod
    def read(cls, submission: Submission, epoch: Epoch, number: int) -> "_Systems":
        before = list(
            SampleBatch.objects.filter(epoch=epoch, number__lt=number)
            .order_by("number")
            .select_related("submission")
        )
        given: dict[int, list[tuple[FloatArray, IntArray]]] = {}
        stored = columns.read([batch.pk for batch in before], [columns.CONFIDENCE])
        for batch, one in zip(before, stored, strict=True):
            coded = unpack_coded(one[columns.CONFIDENCE])
            counts = np.bincount(coded.codes, minlength=coded.values.size)
            given.setdefault(batch.submission.team_id, []).append((coded.values, counts))
        own = read_columns(
            "SELECT confidence FROM evaluation_prediction WHERE submission_id = %s",
            [submission.pk],
            {"confidence": "float8"},
        )["confidence"]
        given.setdefault(submission.team_id, []).append((own, np.ones(own.size, dtype=np.int64)))
        scales = {
            team: Scale.of(np.concatenate([v for v, _ in some]), np.concatenate([n for _, n in some]))
            for team, some in given.items()
        }
        return cls(
            [*(batch.submission for batch in before), submission], scales, plain_ontology_of(epoch.corpus)
        )

    def features(self, ids: IntArray) -> Any:
        """Return what these systems say of instances: their own ones, and those that were learnt from."""
        order = np.argsort(ids)
        place = {one.pk: number for number, one in enumerate(self.submissions)}
        literal = array_literal(ids.tolist())
        found = read_columns(
            "SELECT prediction.submission_id, prediction.instance_id, prediction.confidence"
            " FROM unnest(%s::bigint[]) AS wanted (id)"
            " JOIN evaluation_prediction AS prediction ON prediction.instance_id = wanted.id"
            " WHERE prediction.submission_id = ANY(%s)",
            [literal, list(place)],
            {"submission": "bigint", "instance": "bigint", "confidence": "float8"},
        )
        rows = order[np.searchsorted(ids, found["instance"], sorter=order)]
        claimants = [
            Claimant(one.team_id, rows[own], found["confidence"][own])
            for one in self.submissions
            for own in [np.flatnonzero(found["submission"] == one.pk)]
        ]
        code = {name: number for number, name in enumerate(self.ontology.relations_by_name)}
        predicates = np.full(ids.size, -1, dtype=np.int64)
        for instance, predicate in read_rows(
            "SELECT id, predicate FROM evaluation_instance WHERE id = ANY(%s::bigint[])", [literal]
        ):
            predicates[order[np.searchsorted(ids, instance, sorter=order)]] = code[predicate]
        return planned_variance.features(ids.size, claimants, self.scales, [(predicates, len(code))])


def _read_evidence(
    submissions: Sequence[Submission], epoch: Epoch, annotations: Mapping[int, int], ontology: Ontology
) -> _Evidence:
    of_corpus = epoch.corpus.documents.filter(pk__in=list(annotations))
    names = sorted(of_corpus.values_list("doc_id", "pk"))  # by Python's order of strings
    found = annotated.read_correct(submissions, {pk: annotations[pk] for _, pk in names}, ontology)
    folds = coordinated.document_folds(bytes.fromhex(epoch.secret), [doc_id for doc_id, _ in names])
    return _Evidence(
        found.instance,
        folds[found.document] if found.instance.size else np.empty(0, dtype=np.int64),
        [found.correct[part].astype(np.float64) for part in PARTS],
    )


def _audit_labels(stored: PlannedVariance, systems: _Systems, evidence: _Evidence) -> list[str]:
    digests = dict(map(tuple, stored.annotations))
    standing = {
        document_id: pk
        for pk, document_id, digest in DocumentAnnotation.objects.filter(
            pk__in=digests, document__takedown=None
        )
        .order_by("document_id")
        .values_list("pk", "document_id", "digest")
        if digest == digests[pk]
    }
    if stored.matching != matching.RULE or not standing:
        return []
    again = _read_evidence(systems.submissions, stored.batch.epoch, standing, systems.ontology)
    order = np.argsort(evidence.ids)
    at = np.searchsorted(evidence.ids, again.ids, sorter=order)
    at = order[np.minimum(at, evidence.ids.size - 1)]
    findings = []
    whole = len(standing) == len(digests)
    if (evidence.ids[at] != again.ids).any() or (whole and again.ids.size != evidence.ids.size):
        return ["the claims that variances were planned from differ"]
    if (evidence.folds[at] != again.folds).any():
        findings.append("the folds of documents that variances were planned from differ")
    if any((one[at] != other).any() for one, other in zip(evidence.labels, again.labels, strict=True)):
        findings.append("what is true in the documents that variances were planned from differs")
    return findings


def _variances(systems: _Systems, model: VarianceModel, epoch: Epoch, ids: IntArray) -> FloatArray:
    rows = read_rows(
        "SELECT instance.id, document.doc_id FROM evaluation_instance AS instance"
        " JOIN annotations_document AS document ON document.id = instance.document_id"
        " WHERE instance.id = ANY(%s::bigint[])",
        [array_literal(ids.tolist())],
    )
    document = dict(rows)
    names = sorted(set(document.values()))
    fold = dict(
        zip(names, coordinated.document_folds(bytes.fromhex(epoch.secret), names).tolist(), strict=True)
    )
    folds = np.array([fold[document[pk]] for pk in ids.tolist()], dtype=np.int64)
    return model.variances(systems.features(ids), folds)
