"""Auditing: draw which labels are judged again as batches are labelled, ask, note what is answered."""

import numpy as np
from django.db import transaction
from django.utils import timezone

from annotations import questions
from annotations.models import Question
from evaluation.design import audits, batches
from evaluation.design.evidence import read_evidence, read_labels
from evaluation.models import AuditDrawing, Epoch, SampleBatch
from evaluation.scoring import pool as pools
from evaluation.task import Task
from evaluation.units import BoolArray, FloatArray, Pool
from kbpo.core.database.analysing import analyse
from kbpo_estimators.pooled import SampleEntries, learn
from kbpo_estimators.scores import CoordinatedSample

LEAST_LABELS = 20
"""With fewer labelled units nothing is learnt: each label is as likely 1 as 0."""
DECIMALS = 6
"""To which what was learnt is rounded before anything is drawn by it."""
_UNITS = "units"


@transaction.atomic
def audit_epoch(*, epoch_id: int, task: Task) -> bool:
    """Draw the audits of the next batch that is labelled and ask them; note which batches are audited.

    Safe to run twice, and at the same time as itself: what is drawn for a batch follows from the batches up
    to it alone.

    Parameters
    ----------
    epoch_id : int
    task : Task
        Its corpus'.

    Returns
    -------
    bool
        False where there was nothing to do, or somebody is at it.
    """
    epoch = (
        Epoch.objects.select_for_update(skip_locked=True, of=("self",))
        .select_related("corpus")
        .filter(pk=epoch_id, released_at=None, corpus__audit_share__gt=0)
        .first()
    )
    if epoch is None:
        return False
    task.check_corpus(epoch.corpus)
    before = batches.last_scored(epoch)
    drawn = AuditDrawing.objects.filter(batch__epoch=epoch).count()
    is_drawn = drawn < batches.last_labelled(epoch)
    if is_drawn:
        drawn += 1
        _draw(SampleBatch.objects.get(epoch=epoch, number=drawn), epoch, task)
    noted = _note_audited(epoch, drawn, task)
    if batches.last_scored(epoch) > before:
        Epoch.objects.filter(pk=epoch.pk).update(scores_due=True)
    return is_drawn or noted > 0


def _draw(batch: SampleBatch, epoch: Epoch, task: Task) -> None:
    batch.epoch = epoch
    rows = read_labels(epoch, batch.number, after=batch.number - 1)
    prior = np.empty(0)
    if rows:
        pool = pools.read_pool(epoch, batch.number, task.choices.weightings)
        units = np.array([one.unit for one in rows], dtype=np.int64)
        prior = _prior(pool, task)[pool.positions(units)]
    evidence = read_evidence(epoch, batch.number, rows, prior, task)
    share = epoch.corpus.audit_share
    keys = {one.question: one.key for one in rows}
    drawn = audits.draw(evidence, keys, share=share, secret=bytes.fromhex(epoch.secret))
    audits.store(batch, evidence, drawn, share=share)
    asked = questions.ask_audits(questions=audits.wanted(epoch, batch.number, task))
    analyse({Question: len(asked)})


def _prior(pool: Pool, task: Task) -> FloatArray:
    """Return how likely each label was by what other folds say, float[N]; ½ where they say too little."""
    sample = pools.read_sample(pool)
    assert isinstance(sample, CoordinatedSample)
    values = pools.read_values(pool)
    labelled = sample.sampled & (~np.isnan(values) if task.prior is None else True)
    if labelled.sum() < LEAST_LABELS or np.unique(pool.folds[labelled]).size < 2:
        return np.full(pool.size, 0.5)
    found = _learnt(pool, task, labelled, values) if task.prior is None else task.prior(pool, sample)
    return np.asarray(found.round(DECIMALS))


def _learnt(pool: Pool, task: Task, labelled: BoolArray, values: FloatArray) -> FloatArray:
    entries = SampleEntries.of(pool.systems, labelled)
    of_entries = values[labelled][entries.positions]
    found = learn(pool.systems, task.features(pool), labelled, pool.folds, entries, {_UNITS: of_entries})
    return found[_UNITS].of_pool


def _note_audited(epoch: Epoch, drawn: int, task: Task) -> int:
    """Note the batches, in their order, of whose audits none waits for an answer; return how many."""
    noted = 0
    for batch in SampleBatch.objects.filter(epoch=epoch, number__lte=drawn, audited_at=None).order_by(
        "number"
    ):
        if audits.unanswered(audits.wanted(epoch, batch.number, task)):
            break
        batch.audited_at = timezone.now()
        batch.save(update_fields=["audited_at"])
        noted += 1
    return noted
