"""Draw every stored sample again from its secret: the same, bit for bit, or a finding."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from annotations import checking
from annotations.models import Corpus
from evaluation.design import audits, columns, designs, epochs, plans, released, sampling, settled
from evaluation.models import Attachment, Epoch, PlannedVariance, SampleBatch, Submission
from evaluation.task import Task
from evaluation.units import BoolArray, FloatArray, Units
from kbpo.core.errors import InvalidInput
from kbpo_estimators import coordinated

CHUNK = 2**20
"""Bytes of a file that are in memory at a time."""


@dataclass(frozen=True)
class _Design:
    """An epoch's design, batch by batch: π and, under the quadratic sum, the sums of squares."""

    pi: dict[int, float] = field(default_factory=dict)
    squares: dict[int, float] = field(default_factory=dict)

    def of(self, unit_ids: list[int]) -> designs.Before:
        """Return it for some units."""
        return designs.Before(
            *(np.array([known.get(pk, 0.0) for pk in unit_ids]) for known in (self.pi, self.squares))
        )


def audit_corpus(corpus: Corpus, task: Task) -> list[str]:
    """Draw the samples of all of a corpus' epochs again from secret, order, p, b and target; and its audits.

    What the samples rest on is looked at too: the documents, the files that were read, which questions settle
    what was drawn, and the labels of open and released epochs. `evaluation.scoring.audit` looks at scores.

    Returns
    -------
    list of str
        What differs, one sentence each; empty when every sample came out the same.
    """
    task.check_corpus(corpus)
    findings: list[str] = []
    changed = checking.changed_documents(corpus)
    if changed:
        findings.append(f"{len(changed)} documents are not as they were loaded, the first {changed[0]}")
    numbers = list(corpus.epochs.order_by("number").values_list("number", flat=True))
    if numbers != list(range(1, len(numbers) + 1)):
        findings.append(f"epochs are not numbered 1 to {len(numbers)}")
    for epoch in corpus.epochs.select_related("corpus").order_by("number"):
        findings += [
            f"epoch {epoch.number}{', ' if finding.startswith('batch ') else ': '}{finding}"
            for one in OF_EPOCHS
            for finding in one(epoch, task)
        ]
    return findings + task.audit(corpus)


def _audit_samples(epoch: Epoch, task: Task) -> list[str]:
    findings = []
    secret = bytes.fromhex(epoch.secret)
    if epochs.commitment(secret) != epoch.commitment:
        findings.append("the secret is not the one that was committed to")
    if epoch.key_version != task.key_version:
        findings.append(f"keys have format {epoch.key_version}, not {task.key_version}")
        return findings
    design = _Design()
    batches = list(epoch.batches.order_by("number").select_related("submission"))
    if [batch.number for batch in batches] != list(range(1, len(batches) + 1)):
        findings.append(f"batches are not numbered 1 to {len(batches)}")
    for batch in batches:
        try:
            found = _audit_batch(batch, secret, design, task)
        except (
            ArithmeticError,
            LookupError,
            ValueError,
            EOFError,
        ) as error:
            # What is stored may be anything.
            found = [f"it cannot be drawn again: {error!r}"]
        findings += [f"batch {batch.number}: {finding}" for finding in found]
    return findings


def _audit_batch(batch: SampleBatch, secret: bytes, design: _Design, task: Task) -> list[str]:
    """Replay one arrival on `design`, which it updates."""
    if (batch.draws is None) != (batch.epoch.corpus.design == Corpus.Design.COORDINATED):
        return [f"it was not sampled by the corpus' design, which is {batch.epoch.corpus.design}"]
    findings = _audit_file(batch.submission)
    units = task.read_units(batch.submission)
    unit_ids = units.ids.tolist()

    def make(after: FloatArray | None, of_design: Mapping[str, bytes]) -> dict[str, bytes]:
        others = {**task.columns(units), **of_design}
        weights = task.weights(units, batch.weights_version)
        keys = task.random_keys(units)
        return columns.make(units, secret, after, weights=weights, others=others, random_keys=keys)

    stored_draws = dict(batch.sampled.values_list("unit_id", "draws"))
    try:
        p = sampling.design_weights(batch, units, task)
    except InvalidInput as error:
        return [*findings, str(error)]
    if abs(units.p.sum() - 1) > 1e-9:
        return [*findings, f"p sums to {float(units.p.sum())!r}, not to 1"]
    if batch.draws is not None:
        counts = sampling.count_draws(p, batch.draws, secret=secret, number=batch.number)
        drawn = {unit_ids[row]: int(counts[row]) for row in np.flatnonzero(counts)}
        needed = sampling.draws_needed(batch, units, p)
        if needed != batch.draws:
            findings.append(f"{needed} draws meet the target; stored are {batch.draws}")
        if drawn != stored_draws:
            findings.append(_difference("draws", drawn, stored_draws))
        return findings + _audit_columns(batch, make(None, {}))
    before, known = design.of(unit_ids), task.known(batch.submission, units)
    arrival, of_design, differing = _arrive_again(batch, units, p, before, known, task)
    findings += differing
    if (arrival.lam, arrival.floor) != (batch.lam, batch.floor):
        findings.append(
            f"λ and b are {arrival.lam!r}, {arrival.floor!r}; stored are {batch.lam!r}, {batch.floor!r}"
        )
    changed = np.flatnonzero(arrival.changed(before))
    stored = batch.inclusions.all()
    pi = {unit_ids[row]: float(arrival.pi[row]) for row in changed}
    squares = (
        {} if arrival.squares is None else {unit_ids[row]: float(arrival.squares[row]) for row in changed}
    )
    of_known = {unit_ids[row]: bool(known[row]) for row in changed}
    for what, name, again in (
        ("inclusion probabilities", "probability", pi),
        ("sums of squares", "squares", squares or dict.fromkeys(pi)),
        ("known units", "is_known", of_known),
    ):
        kept = dict(stored.values_list("unit_id", name))
        if again != kept:
            findings.append(_difference(what, again, kept))
    u = coordinated.uniforms(secret, task.random_keys(units))
    drawn_once = dict.fromkeys(unit_ids[row] for row in np.flatnonzero((u < arrival.pi) & (u >= before.pi)))
    if drawn_once != stored_draws:
        findings.append(_difference("sampled units", drawn_once, stored_draws))
    design.pi.update(pi)
    design.squares.update(squares)
    return findings + _audit_columns(batch, make(arrival.pi, of_design))


def _arrive_again(
    batch: SampleBatch,
    units: Units,
    p: FloatArray,
    before: designs.Before,
    known: BoolArray,
    task: Task,
) -> tuple[designs.Arrival, Mapping[str, bytes], list[str]]:
    """Return what a batch did to the design, its columns of it, and what of its planned variances differs."""
    if batch.epoch.growth == designs.QUADRATIC:
        variance, findings = plans.audit(batch, units, task)
    else:
        planned = PlannedVariance.objects.filter(batch=batch).exists()
        variance = None
        findings = ["variances were planned for it, and its epoch plans none"] if planned else []
    found = designs.arrive(
        batch.epoch.growth,
        before=before,
        p=p,
        known=known,
        target_variance=batch.target_variance,
        variance=variance,
        most=task.label_variance,
    )
    return found, columns.of_design(found.flat_term, variance), findings


def _audit_file(submission: Submission) -> list[str]:
    """Compare the files that were read, where they were not deleted since, with the digests of what came."""
    files: list[tuple[Submission | Attachment, str]] = [(submission, "file")]
    files += [(one, one.name) for one in submission.attachments.all()]
    found = []
    for one, words in files:
        file = one.open_file()
        if file is None:
            continue
        digest = hashlib.sha256()
        with file:
            while chunk := file.read(CHUNK):
                digest.update(chunk)
        if digest.hexdigest() != one.digest:
            found.append(f"the {words} that it was read from is another")
    return found


def _audit_columns(batch: SampleBatch, again: Mapping[str, bytes]) -> list[str]:
    stored = {name: bytes(data) for name, data in batch.columns.values_list("name", "data")}
    differing = sorted(name for name in again.keys() | stored.keys() if stored.get(name) != again.get(name))
    return [f"what is kept for scores differs: {', '.join(differing)}"] if differing else []


def _difference(what: str, again: Mapping[int, object], stored: Mapping[int, object]) -> str:
    differing = sorted(
        key for key in again.keys() | stored.keys() if again.get(key, ...) != stored.get(key, ...)
    )
    return f"{what} differ at {len(differing)} units, the first with row id {differing[0]}"


OF_EPOCHS: tuple[Callable[[Epoch, Task], Iterable[str]], ...] = (
    _audit_samples,
    settled.audit,
    audits.check,
    released.audit,
)
"""What is looked at in each epoch. Each says what differs; what is of a batch begins with its number."""
