"""Draw every stored sample again from its secret: the same, bit for bit, or a finding."""

from collections.abc import Mapping

import numpy as np

from annotations.models import Corpus
from evaluation.design import columns, epochs, sampling
from evaluation.estimators import coordinated
from evaluation.models import Epoch, InclusionProbability, SampleBatch
from evaluation.task import Task
from evaluation.units import FloatArray


def audit_corpus(corpus: Corpus, task: Task) -> list[str]:
    """Draw the samples of all of a corpus' epochs again from secret, order, p, b and target, and its task's.

    Returns
    -------
    list of str
        What differs, one sentence each; empty when every sample came out the same.
    """
    task.check_corpus(corpus)
    findings: list[str] = []
    for epoch in corpus.epochs.order_by("number"):
        findings += _audit_epoch(epoch, task)
    return findings + task.audit(corpus)


def _audit_epoch(epoch: Epoch, task: Task) -> list[str]:
    findings = []
    secret = bytes.fromhex(epoch.secret)
    if epochs.commitment(secret) != epoch.commitment:
        findings.append(f"epoch {epoch.number}: the secret is not the one that was committed to")
    if epoch.key_version != task.key_version:
        findings.append(f"epoch {epoch.number}: keys have format {epoch.key_version}, not {task.key_version}")
        return findings
    pi: dict[int, float] = {}
    batches = list(epoch.batches.order_by("number").select_related("submission"))
    if [batch.number for batch in batches] != list(range(1, len(batches) + 1)):
        findings.append(f"epoch {epoch.number}: batches are not numbered 1 to {len(batches)}")
    for batch in batches:
        findings += [
            f"epoch {epoch.number}, batch {batch.number}: {finding}"
            for finding in _audit_batch(batch, secret, pi, task)
        ]
    return findings


def _audit_batch(batch: SampleBatch, secret: bytes, pi: dict[int, float], task: Task) -> list[str]:
    """Replay one arrival on `pi`, which it updates."""
    findings: list[str] = []
    units = task.read_units(batch.submission)
    unit_ids = units.ids.tolist()

    def make(after: FloatArray | None) -> dict[str, bytes]:
        weights = task.weights(units, batch.weights_version)
        return columns.make(units, secret, after, weights=weights, others=task.columns(units))

    stored_draws = dict(batch.sampled.values_list("unit_id", "draws"))
    p = sampling.design_weights(batch, units, task)
    if abs(units.p.sum() - 1) > 1e-9:
        return [f"p sums to {float(units.p.sum())!r}, not to 1"]
    if batch.draws is not None:
        counts = sampling.count_draws(p, batch.draws, secret=secret, number=batch.number)
        drawn = {unit_ids[row]: int(counts[row]) for row in np.flatnonzero(counts)}
        needed = sampling.draws_needed(batch, units, p)
        if needed != batch.draws:
            findings.append(f"{needed} draws meet the target; stored are {batch.draws}")
        if drawn != stored_draws:
            findings.append(_difference("draws", drawn, stored_draws))
        return findings + _audit_columns(batch, make(None))
    stored_pi = dict(InclusionProbability.objects.filter(batch=batch).values_list("unit_id", "probability"))
    before = np.array([pi.get(unit_id, 0.0) for unit_id in unit_ids])
    known = task.known(batch.submission, units)
    arrival = sampling.arrive(pi=before, p=p, known=known, target_variance=batch.target_variance)
    if (arrival.lam, arrival.floor) != (batch.lam, batch.floor):
        findings.append(
            f"λ and b are {arrival.lam!r}, {arrival.floor!r}; stored are {batch.lam!r}, {batch.floor!r}"
        )
    changed = {unit_ids[row]: float(arrival.pi[row]) for row in np.flatnonzero(arrival.pi > before)}
    if changed != stored_pi:
        findings.append(_difference("inclusion probabilities", changed, stored_pi))
    u = coordinated.uniforms(secret, units.keys)
    drawn_ids = {unit_ids[row] for row in np.flatnonzero((u < arrival.pi) & (u >= before))}
    if drawn_ids != set(stored_draws):
        findings.append(_difference("sampled units", dict.fromkeys(drawn_ids), stored_draws))
    pi.update(changed)
    return findings + _audit_columns(batch, make(arrival.pi))


def _audit_columns(batch: SampleBatch, again: Mapping[str, bytes]) -> list[str]:
    stored = {name: bytes(data) for name, data in batch.columns.values_list("name", "data")}
    differing = sorted(name for name in again if stored.get(name) != again[name])
    return [f"what is kept for scores differs: {', '.join(differing)}"] if differing else []


def _difference(what: str, again: Mapping[int, object], stored: Mapping[int, object]) -> str:
    differing = sorted(
        key for key in again.keys() | stored.keys() if again.get(key, ...) != stored.get(key, ...)
    )
    return f"{what} differ at {len(differing)} units, the first with row id {differing[0]}"
