"""Scores of knowledge bases, from an archive."""

import hashlib
import hmac
from collections.abc import Iterator
from functools import partial

import numpy as np

from kbpo_archive.figures import (
    LABELS,
    Choice,
    Differ,
    Figure,
    Place,
    Scored,
    SubsetPlace,
    measured,
    measured_subset,
)
from kbpo_archive.pool import ArchivedPool
from kbpo_archive.reading import NOTHING, Archive, Columns
from kbpo_archive.tables import SUBSET
from kbpo_estimators._checks import BoolArray, FloatArray, IntArray
from kbpo_estimators.comparison import Comparable, comparables, differences
from kbpo_estimators.differences import Differences
from kbpo_estimators.document_samples import DocumentSample, SimpleRandom, TwoPhase
from kbpo_estimators.document_sums import DocumentSums, RecallSums
from kbpo_estimators.documents import Documents
from kbpo_estimators.kbp.claims import SampledLabels, audited_labels, sample_labels
from kbpo_estimators.kbp.features import of_relations
from kbpo_estimators.kbp.labels import Labels
from kbpo_estimators.pooled import UnitFeatures
from kbpo_estimators.resampling import Resampling
from kbpo_estimators.scores import (
    VOTES,
    CoordinatedSample,
    Estimates,
    IidSample,
    coordinated_estimates,
    iid_estimates,
    pooled_models,
)
from kbpo_estimators.subsets import Division, Relations, subset_scores
from kbpo_estimators.weighted_recall import TrueRelations
from kbpo_formats.ontologies.normal import read_normal

ONTOLOGY = "ontology.json"
KINDS = ("relation", "canonical")
"""Of the questions about relations, and about canonical mentions."""
CROWD = "crowd"
"""Who annotated a document in full, if not experts."""
MAJORITY = "majority"
"""Who decided on a label, if votes did."""
EACH, SUMS, NOTHING_TOLD = "each", "sums", "nothing"
"""How documents annotated in full are told: each of them, by sums over all, or not at all."""
LOST = "lost"
"""Of how many documents annotated in full the text was removed since scores were computed."""


def score(archive: Archive) -> Iterator[Scored]:
    """Compute every score of an epoch's systems, part by part."""
    pool = ArchivedPool(archive)
    claims = _claims(pool)
    labels = sample_labels(pool.systems, pool.values(), claims)
    documents = read_documents(pool)
    every: Iterator[Estimates]
    if archive.manifest["design"] == "coordinated":
        sample = _sample(pool)
        answers = _answers(pool)
        audit = pool.audit(answers)
        audited = (
            None
            if audit is None
            else audited_labels(pool.systems, sample.pi, sample.sampled, labels, claims, audit, KINDS)
        )
        every = coordinated_estimates(
            pool.systems, labels, sample, documents, features=features(pool), audited=audited
        )
    else:
        every = _iid(pool, labels, documents)
    design = documents.sample if isinstance(documents, Documents) else None
    for estimates in every:
        yield Scored(_figures(estimates), _differs(estimates, design))


def _figures(estimates: Estimates) -> Iterator[tuple[Place, Figure]]:
    for one in estimates.scores():
        choice = one.estimator, one.weighting, one.part, one.standard
        yield from measured(one.system + 1, choice, one.level, one.measures)


def _differs(estimates: Estimates, design: DocumentSample | None) -> Iterator[tuple[Choice, Differ]]:
    """Yield what comparing systems needs; where single documents are not told, recalls are not compared."""
    for estimator, weighting, one in comparables(estimates):
        choice = Choice(estimator, weighting, estimates.part, estimates.standard)
        yield choice, partial(_differences, one, design)


def _differences(one: Comparable, design: DocumentSample | None, measure: str) -> Differences:
    return differences(one, one, measure, design)


def subsets(archive: Archive) -> Iterator[tuple[SubsetPlace, Figure]]:
    """Compute every score of subsets of what systems claim."""
    pool = ArchivedPool(archive)
    divided = archive.manifest["subsets"]
    labels = sample_labels(pool.systems, pool.values(), _claims(pool))
    documents, relations = read_documents(pool), None
    columns: Columns = {}
    if isinstance(documents, Documents):
        columns = archive.table("true_relations")
        found = documents.finds or {}
        relations = Relations(documents.sample, documents.size, columns["document"], found)
    sample: CoordinatedSample | IidSample
    models = None
    if archive.manifest["design"] == "coordinated":
        sample = _sample(pool)
        models = pooled_models(pool.systems, labels, sample, features(pool))
    else:
        sample = _drawn(pool)
    for name, names in divided["divisions"].items():
        of_relations = columns.get(f"{SUBSET}{name}", np.zeros(0, dtype=np.int64))
        division = Division(names, pool.split(f"{SUBSET}{name}"), of_relations)
        for one in subset_scores(
            pool.systems, labels, sample, relations, division, weighting=divided["weighting"], models=models
        ):
            place = SubsetPlace(one.system + 1, name, one.subset, one.part, VOTES, "")
            yield from measured_subset(place, one.measures, one.labels, one.true)


def is_subset_held_back(archive: Archive, place: SubsetPlace) -> bool:
    """Say whether a subset's figure rests on sealed documents, told not even by sums, or on lost texts."""
    documents = archive.manifest["documents"]
    rests = place.measure not in ("precision", LABELS)
    return documents is not None and rests and (documents["told"] != EACH or documents[LOST] > 0)


def is_held_back(archive: Archive, place: Place) -> bool:
    """Say whether a figure rests on sealed documents in a way that is not told, or on lost texts."""
    documents = archive.manifest["documents"]
    if documents is None or place.measure == "precision":
        return False
    if documents[LOST] > 0 or documents["told"] == NOTHING_TOLD:
        return True
    return documents["told"] == SUMS and place.estimator.endswith("_bootstrap")


def features(pool: ArchivedPool) -> UnitFeatures:
    """Return what the pooled model learns from of each claim."""
    relations = read_normal(pool.archive.read(ONTOLOGY).decode()).relations
    number = {relation.name: code for code, relation in enumerate(relations)}
    codes = np.array([number[name] for name in pool.units["relation"]], dtype=np.int64)
    return of_relations(relations, codes)


def _sample(pool: ArchivedPool) -> CoordinatedSample:
    return CoordinatedSample(pool.units["pi"], pool.sampled, pool.units["fold"], pool.flat_pi)


def _drawn(pool: ArchivedPool) -> IidSample:
    draws = []
    for rows, times in zip(pool.split("unit"), pool.split("draws"), strict=True):
        own = times > 0
        order = np.argsort(rows[own])
        draws.append(np.repeat(rows[own][order], times[own][order]))
    return IidSample(draws, pool.archive.manifest["weighting"])


def _iid(
    pool: ArchivedPool, labels: Labels, documents: Documents | DocumentSums | None
) -> Iterator[Estimates]:
    manifest, sample = pool.archive.manifest, _drawn(pool)
    resampling = None
    if not isinstance(documents, DocumentSums):  # documents are drawn again one by one
        last = f"bootstrap|{len(sample.draws)}".encode()
        seed = hmac.digest(bytes.fromhex(manifest["secret"]), last, hashlib.sha256)
        resampling = Resampling(int.from_bytes(seed, "big"))
    return iid_estimates(pool.systems, labels, sample, documents, resampling=resampling)


def _claims(pool: ArchivedPool) -> SampledLabels:
    """Return the claims at sampled instances, with the labels of their canonical mentions."""
    predictions, labels = pool.predictions, pool.labels
    own = np.flatnonzero(predictions["subject_question"] != NOTHING)
    asked = np.stack([predictions["subject_question"][own], predictions["object_question"][own]])
    last = np.full(1 + int(max(asked.max(initial=0), labels.question.max(initial=0))), labels.value.size)
    last[labels.question] = np.arange(labels.question.size)  # such a question has one claim
    return SampledLabels(
        predictions["system"][own] - 1,
        predictions["unit"][own],
        np.where(asked == NOTHING, -1, last[asked]),
        labels.value,
        labels.answer,
        labels.votes,
        labels.dissenting,
    )


def _answers(pool: ArchivedPool) -> FloatArray:
    """Return what the audit says of the relation of each sampled instance."""
    units, labels = pool.units, pool.labels
    at = [
        labels.place.get((question, units["claim"][one]), NOTHING)
        for one, question in zip(
            np.flatnonzero(pool.sampled), units["question"][pool.sampled].tolist(), strict=True
        )
    ]
    return np.asarray(np.append(labels.answer, np.nan)[at])


def read_documents(pool: ArchivedPool) -> Documents | DocumentSums | None:
    """Return what an archive tells of the documents annotated in full; None where that is nothing."""
    told = pool.archive.manifest["documents"]
    if told is None or told["told"] == NOTHING_TOLD:
        return None
    outside: BoolArray = pool.units["outside"]
    return _sums(pool, told, outside) if told["told"] == SUMS else _each(pool, told, outside)


def _sums(pool: ArchivedPool, told: dict[str, int], outside: BoolArray) -> DocumentSums:
    table = pool.archive.table("recall_sums")
    m = len(pool.systems)
    sums: dict[tuple[str, str], list[RecallSums | None]] = {}
    found: dict[str, list[int]] = {}
    names = ("system", "recall", "variance", "ratio", "covariance", "spread", "documents", "found")
    rows = zip(
        table["part"],
        table["weighting"],
        *(table[name].tolist() for name in names),
        strict=True,
    )
    for part, weighting, system, recall, variance, ratio, covariance, spread, size, finds in rows:
        ratio = None if np.isnan(ratio) else ratio
        one = None if np.isnan(recall) else RecallSums(recall, variance, ratio, covariance, spread, size)
        sums.setdefault((part, weighting), [None] * m)[system - 1] = one
        found.setdefault(part, [0] * m)[system - 1] = finds
    return DocumentSums(
        told["size"], told["population"], bool(told["census"]), told["true"], found, sums, outside
    )


def _each(pool: ArchivedPool, told: dict[str, int], outside: BoolArray) -> Documents:
    archive, m = pool.archive, len(pool.systems)
    documents, counts = archive.table("documents"), archive.table("document_counts")
    relations, findings = archive.table("true_relations"), archive.table("findings")
    n, size = documents["document"].size, relations["true_relation"].size
    sample: DocumentSample = SimpleRandom(told["population"])
    if told["phases"] == 2:
        first = documents["phase"] == 1
        sample = TwoPhase(first, documents["probability"], told["population"], told["planned"])
    found: dict[str, IntArray] = {}
    correct: dict[str, IntArray] = {}
    pool_correct: dict[str, IntArray] = {}
    finds: dict[str, BoolArray] = {}
    for part in dict.fromkeys(counts["part"]):
        own = np.array([one == part for one in counts["part"]])
        cells = np.zeros((2, m + 1, n), dtype=np.int64)
        at = counts["system"][own], counts["document"][own]
        cells[0][at], cells[1][at] = counts["found"][own], counts["correct"][own]
        found[part], correct[part], pool_correct[part] = cells[0, 1:], cells[1, 1:], cells[1, 0]
        finds[part] = np.zeros((m, size), dtype=np.bool_)
        of_part = np.array([one == part for one in findings["part"]], dtype=np.bool_)
        finds[part][findings["system"][of_part] - 1, findings["true_relation"][of_part]] = True
    predicates = np.unique(np.array(relations["relation"], dtype=object), return_inverse=True)[1]
    keys = relations["subject_key"], predicates.astype(np.int64), relations["object_key"]
    return Documents(
        sample,
        documents["true"],
        found,
        correct,
        pool_correct,
        outside,
        TrueRelations(n, relations["document"], *keys),
        finds,
    )
