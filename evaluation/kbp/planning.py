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
from evaluation.kbp import matching
from evaluation.kbp.recall import annotated
from evaluation.models import Epoch, PlannedVariance, SampleBatch, Submission
from evaluation.units import FloatArray, IntArray, Plan
from kbpo.core.database.bulk import array_literal, read_columns, read_rows
from kbpo.core.database.coded import pack, unpack, unpack_coded
from kbpo_estimators import coordinated, planned_variance
from kbpo_estimators.planned_variance import Claimant, Scale, VarianceModel
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
    said = systems.said(np.concatenate([evidence.ids, ids]))
    model = planned_variance.fit(said.features(evidence.ids), evidence.labels, evidence.folds)
    if model is None:
        return None
    digests = dict(
        DocumentAnnotation.objects.filter(pk__in=sample.annotations.values()).values_list("pk", "digest")
    )
    return Plan(
        variance=_variances(said, model, epoch, ids),
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
    said = systems.said(np.concatenate([evidence.ids, ids]))
    model = VarianceModel(np.array(stored.coefficients), stored.error_ratio)
    again = planned_variance.fit(said.features(evidence.ids), evidence.labels, evidence.folds)
    if again is None or again.coefficients.shape != model.coefficients.shape:
        return np.full(ids.size, np.nan), [*findings, "the model of planned variances cannot be fitted again"]
    if not np.allclose(again.coefficients, model.coefficients, rtol=0, atol=AGREE):
        findings.append("the coefficients of planned variances differ")
    if abs(again.error_ratio - model.error_ratio) > AGREE:
        findings.append(f"the error ratio is {again.error_ratio!r}; stored is {model.error_ratio!r}")
    return _variances(said, model, batch.epoch, ids), findings


@dataclass(frozen=True, eq=False)
class _Systems:
    """The systems of an epoch up to one of them, in the order of arrival.

    Attributes
    ----------
    batches : list of SampleBatch
        Those before it.
    submissions : list of Submission
        The one that is planned for comes last.
    ontology : Ontology
        Their corpus'.
    """

    batches: list[SampleBatch]
    submissions: list[Submission]
    ontology: Ontology

    @classmethod
    def read(cls, submission: Submission, epoch: Epoch, number: int) -> "_Systems":
        before = list(
            SampleBatch.objects.filter(epoch=epoch, number__lt=number)
            .order_by("number")
            .select_related("submission")
        )
        return cls(before, [*(one.submission for one in before), submission], plain_ontology_of(epoch.corpus))

    def said(self, wanted: IntArray) -> "_Said":
        """Read what these systems say of instances, by their row ids: of all of them in one pass."""
        ids = np.unique(wanted)
        given: dict[int, list[tuple[FloatArray, IntArray]]] = {}
        claimants = []
        # From the columns of their samples: a look for each instance into the rows of all predictions takes
        # a hundred times as long.
        stored = columns.read([batch.pk for batch in self.batches], [columns.UNITS, columns.CONFIDENCE])
        wanted_ids = columns.Wanted.of(ids)
        for submission, one in zip(self.submissions[:-1], stored, strict=True):
            coded = unpack_coded(one[columns.CONFIDENCE])
            counts = np.bincount(coded.codes, minlength=coded.values.size)
            given.setdefault(submission.team_id, []).append((coded.values, counts))
            own, rows = wanted_ids.among(unpack(one[columns.UNITS]))
            claimants.append(Claimant(submission.team_id, rows, coded.values[coded.codes[own]]))
        team = self.submissions[-1].team_id
        last = read_columns(
            "SELECT instance_id, confidence FROM evaluation_prediction WHERE submission_id = %s",
            [self.submissions[-1].pk],
            {"instance": "bigint", "confidence": "float8"},
        )
        confidence = last["confidence"]
        given.setdefault(team, []).append((confidence, np.ones(confidence.size, dtype=np.int64)))
        own, rows = wanted_ids.among(last["instance"])
        claimants.append(Claimant(team, rows, confidence[own]))
        scales = {
            team: Scale.of(np.concatenate([v for v, _ in some]), np.concatenate([n for _, n in some]))
            for team, some in given.items()
        }
        code = {name: number for number, name in enumerate(self.ontology.relations_by_name)}
        stored_rows = read_rows(
            "SELECT id, document_id, predicate FROM evaluation_instance WHERE id = ANY(%s::bigint[])",
            [array_literal(ids.tolist())],
        )
        found = np.array([(pk, document, code[name]) for pk, document, name in stored_rows], dtype=np.int64)
        documents, predicates = np.full((2, ids.size), -1)
        at, *known = found.reshape(-1, 3).T
        documents[np.searchsorted(ids, at)], predicates[np.searchsorted(ids, at)] = known
        return _Said(ids, claimants, scales, documents, predicates, len(code))


@dataclass(frozen=True, eq=False)
class _Said:
    """What systems say of n instances.

    Attributes
    ----------
    ids : int[n]
        Their row ids, ascending.
    claimants : list of Claimant
        In the order of arrival; rows are positions among the ids.
    scales : mapping of int to Scale
        By team.
    documents : int[n]
        Row ids of those that they stand in.
    predicates : int[n]
        Codes.
    codes : int
        How many there are.
    """

    ids: IntArray
    claimants: list[Claimant]
    scales: Mapping[int, Scale]
    documents: IntArray
    predicates: IntArray
    codes: int

    def features(self, ids: IntArray) -> Any:
        """Return it as numbers, for some of the instances, in their order."""
        at = np.searchsorted(self.ids, ids)
        row = np.full(self.ids.size, -1, dtype=np.int64)
        row[at] = np.arange(ids.size)
        claimants = []
        for one in self.claimants:
            rows = row[one.rows]
            own = np.flatnonzero(rows >= 0)
            claimants.append(Claimant(one.team, rows[own], one.confidence[own]))
        return planned_variance.features(
            ids.size, claimants, self.scales, [(self.predicates[at], self.codes)]
        )


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


def _variances(said: _Said, model: VarianceModel, epoch: Epoch, ids: IntArray) -> FloatArray:
    distinct, document = np.unique(said.documents[np.searchsorted(said.ids, ids)], return_inverse=True)
    names = dict(
        read_rows(
            "SELECT id, doc_id FROM annotations_document WHERE id = ANY(%s::bigint[])",
            [array_literal(distinct.tolist())],
        )
    )
    folds = coordinated.document_folds(bytes.fromhex(epoch.secret), [names[pk] for pk in distinct.tolist()])
    return model.variances(said.features(ids), folds[document])
