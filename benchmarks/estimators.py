"""How long it takes to score a thousand systems of 100,000 instances each, over two million, in memory.

A process of its own makes the pool, learns a model from its sample of some 57,000 instances, reduces the pool
to that sample, estimates every precision, recall and F1 with intervals at three levels, corrects every
precision by an audit of a tenth of the labels, and draws 1,000 bootstrap replicates of them all.
"""

import itertools
import json
import os
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from kbpo_estimators import many
from kbpo_estimators.document_samples import SimpleRandom
from kbpo_estimators.f1 import f1
from kbpo_estimators.intervals import every_combined, every_interval
from kbpo_estimators.judging.audited import Audit, AuditedLabels
from kbpo_estimators.judging.corrected import corrected
from kbpo_estimators.judging.products import JudgedEntries
from kbpo_estimators.pooled import SampleEntries, UnitFeatures, learn
from kbpo_estimators.recall import document_recall
from kbpo_estimators.reduced import reduce
from kbpo_estimators.scores import System

SYSTEMS, OWN, POOL, LABELS = 1_000, 100_000, 2_000_000, 57_000
DOCUMENTS, CORPUS, PREDICATES = 300, 15_000, 41
REPLICATES = 1_000
AUDITED, KIND = 0.1, "asked"
QUICK = 10
# on two cores with nothing else to do
GOALS = {"scores, s": 5.0, "replicates, s": 5.0, "memory, GB": 3.0}


def run(out: Path, *, quick: bool = False) -> None:
    """Measure; write ``estimators.json``."""
    load = round(os.getloadavg()[0], 1)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as child:
        found = child.submit(measure, SYSTEMS // QUICK if quick else SYSTEMS).result()
    report = {"load_before": load, "load_after": round(os.getloadavg()[0], 1), "goals": GOALS} | found
    (out / "estimators.json").write_text(json.dumps(report, indent=2) + "\n")
    for name, value in found.items():
        print(f"{name:>30}: {value:,.2f}" if isinstance(value, float) else f"{name:>30}: {value:,}")
    print(f"load {report['load_before']} to {report['load_after']}; written to {out}")


def measure(systems: int) -> dict[str, Any]:
    """Make a pool of this many systems and score it; seconds on the clock and of the processor."""
    rng = np.random.default_rng(0)
    P, confidence = _pool(systems, rng)
    pi = np.clip(rng.gamma(2, LABELS / POOL / 2, POOL), 1e-4, 1)
    sampled = rng.random(POOL) < pi
    folds = rng.integers(0, 5, POOL)
    labels = (rng.random(int(sampled.sum())) < 0.4).astype(float)
    true = rng.poisson(9.2, DOCUMENTS)
    found = rng.binomial(true, rng.uniform(0.05, 0.6, (systems, 1)), (systems, DOCUMENTS))
    features = UnitFeatures(
        [f"relation {number}" for number in range(PREDICATES)],
        np.eye(PREDICATES),
        rng.integers(0, PREDICATES, POOL),
    )
    made = _memory()

    clock, cpu = time.perf_counter(), time.process_time()
    members = [
        System(P.indices[start:end], {}, confidence.data[start:end], number)
        for number, (start, end) in enumerate(itertools.pairwise(P.indptr))
    ]
    entries = SampleEntries.of(members, sampled)
    models = learn(members, features, sampled, folds, entries, {"all": labels[entries.positions]})
    learnt_at = time.perf_counter()
    reduced = reduce(P, pi, sampled, folds, confidence, models=models)
    reduced_at = time.perf_counter()
    precisions = many.difference_precisions(reduced, labels[reduced.positions], model="all")
    sample = SimpleRandom(CORPUS)
    recalls = [document_recall(true, own, sample) for own in found]
    of_precisions, of_recalls = every_interval(precisions), every_interval(recalls)
    of_f1 = every_combined(
        [f1(precision, recall) for precision, recall in zip(precisions, recalls, strict=True)],
        *(precisions, recalls, of_precisions, of_recalls),
    )
    scored_at, scored_cpu = time.perf_counter(), time.process_time()
    audited = rng.random(labels.size) < AUDITED
    answers = np.where(audited, np.where(rng.random(labels.size) < 0.03, 1 - labels, labels), np.nan)
    audit = Audit(
        pi[sampled],
        np.arange(labels.size),
        np.full(labels.size, AUDITED),
        audited,
        {KIND: AuditedLabels(np.arange(labels.size), labels, answers, np.full(labels.size, 0.03))},
    )
    judged = JudgedEntries(reduced.indptr, reduced.positions, (KIND,), reduced.positions[None, :])
    asked_at, asked_cpu = time.perf_counter(), time.process_time()
    corrected(audit, judged, {"all": reduced.p}, {"all": precisions})
    corrected_at, corrected_cpu = time.perf_counter(), time.process_time()
    replicates = many.bootstrap(reduced, precisions, recalls, REPLICATES, rng)
    estimates = [one.estimate for one, *_ in of_f1 if one is not None]
    widths = [one.high - one.low for one in replicates.intervals(replicates.f1, estimates, 0.95)]
    done_at, done_cpu = time.perf_counter(), time.process_time()
    return {
        "systems": systems,
        "labels": int(sampled.sum()),
        "entries in the sample": int(reduced.positions.size),
        "learning, s": learnt_at - clock,
        "reducing, s": reduced_at - learnt_at,
        "scores, s": scored_at - clock,
        "scores, CPU s": scored_cpu - cpu,
        "correcting, s": corrected_at - asked_at,
        "correcting, CPU s": corrected_cpu - asked_cpu,
        "replicates, s": done_at - corrected_at,
        "replicates, CPU s": done_cpu - corrected_cpu,
        "memory of the pool, GB": made,
        "memory at the peak, GB": _memory(),
        "median width of F1": float(np.median(widths)),
    }


def _pool(systems: int, rng: np.random.Generator) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Make systems of random instances, with weights and confidences; 32 bits are enough for positions."""
    indptr = (np.arange(systems + 1) * OWN).astype(np.int32)
    indices = np.empty(systems * OWN, dtype=np.int32)
    p, confidence = np.empty(indices.size), np.empty(indices.size, dtype=np.float32)
    gap = POOL // OWN
    for start in indptr[:-1]:
        own = slice(start, start + OWN)
        indices[own] = np.cumsum(rng.integers(1, 2 * gap - 1, OWN)) % POOL
        indices[own].sort()
        weights = rng.random(OWN) + 0.1
        p[own] = weights / weights.sum()
        confidence[own] = rng.random(OWN, dtype=np.float32)
    shape = (systems, POOL)
    return sparse.csr_array((p, indices, indptr), shape), sparse.csr_array(
        (confidence, indices, indptr), shape
    )


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
