"""Scores: computed from an epoch's arrays, and stored in place of those that were."""

import gc
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

import kbpo
import kbpo_estimators
from annotations import agreements
from annotations.labels import update_posteriors
from annotations.models import Corpus
from evaluation import scores, units
from evaluation.design import batches, columns
from evaluation.design.prices import Source
from evaluation.models import (
    Comparison,
    Epoch,
    Estimate,
    FittedModel,
    Score,
    Submission,
    SubsetScore,
)
from evaluation.scores import Choice, Divided, Measured, Scored, ScoreRow
from evaluation.scoring import comparing, lost_texts, notices, ranks
from evaluation.scoring import pool as pools
from evaluation.scoring.published import recording
from evaluation.submissions import work
from evaluation.submissions.lifecycle import fail, move
from evaluation.task import Task
from evaluation.units import Pool
from kbpo.core.database import coded
from kbpo.core.database.analysing import analyse
from kbpo.core.database.bulk import copy_rows, reserve_ids
from kbpo_estimators.pooled import PooledModel

FIGURES = ("measure", "estimate", "low", "high")


@transaction.atomic
def score_epoch(*, epoch_id: int, task: Task, prices: Source | None = None) -> bool:
    """Compute and store the scores of an epoch whose inputs have changed.

    Parameters
    ----------
    epoch_id : int
    task : Task
        Its corpus'.
    prices : Source, optional
        Knows what judging cost, for those who are told of their scores.

    Returns
    -------
    bool
        False where there was nothing to do, or somebody is at it.
    """
    # Before its epochs, as everywhere; ranks are over all of them.
    Corpus.objects.select_for_update(no_key=True, of=("self",)).get(epochs=epoch_id)
    epoch = (
        Epoch.objects.select_for_update(skip_locked=True, of=("self",))
        .select_related("corpus")
        .filter(pk=epoch_id, scores_due=True)
        .first()
    )
    if epoch is None:
        return False
    task.check_corpus(epoch.corpus)
    through = batches.last_scored(epoch)
    epoch.texts_removed = lost_texts.count_removed(epoch)  # before any is read: one may go meanwhile
    if through:
        pool = _score(epoch, through, task)
        connection.check_constraints()  # now, instead of under the locks that buttons wait for
        judged = Submission.objects.select_for_update(of=("self",), no_key=True).filter(
            batch__epoch=epoch, batch__number__lte=through, state=Submission.State.JUDGING
        )
        scored = list(judged.select_related("corpus", "team", "uploaded_by").order_by("pk"))
        for submission in scored:
            size = len(pool.submissions)
            move(submission, Submission.State.SCORED, f"{size} system{'s' * (size != 1)} in the pool")
        notices.tell_scored(scored, choices=task.choices, prices=prices)
        epoch.subsets_due = True
    else:
        measure_labels(epoch.corpus)
    epoch.scores_due = False
    _succeeded(epoch, "texts_removed")
    return True


def score_subsets(*, epoch_id: int, task: Task) -> bool:
    """Compute and store the scores of subsets that belong to an epoch's newest scores; measure its labels.

    They come after these: names may still have to be counted in texts, and nobody's rank waits for that, nor
    for measures of labels on which no score rests, nor does anybody for the epoch's lock, which is taken when
    these are done.

    Returns
    -------
    bool
        False where there was nothing to do, somebody is at it, or the scores are due themselves.
    """
    due = Epoch.objects.filter(pk=epoch_id, subsets_due=True, scores_due=False)
    epoch = due.select_related("corpus").first()
    if epoch is None:
        return False
    measure_labels(epoch.corpus)
    task.count_names(epoch.corpus)
    return _score_subsets(epoch_id, task)


def measure_labels(corpus: Corpus) -> None:
    """Measure how probable the labels of a corpus are, and how far its workers agree."""
    update_posteriors(corpus=corpus)
    agreements.update_agreement(corpus=corpus)


@transaction.atomic
def _score_subsets(epoch_id: int, task: Task) -> bool:
    Corpus.objects.select_for_update(no_key=True, of=("self",)).get(epochs=epoch_id)  # before its epochs
    epoch = (
        Epoch.objects.select_for_update(skip_locked=True, of=("self",))
        .select_related("corpus")
        .filter(pk=epoch_id, subsets_due=True, scores_due=False)
        .first()
    )
    if epoch is None:
        return False
    pool = pools.read_pool(epoch, batches.last_scored(epoch), task.choices.weightings)
    sample = pools.read_sample(pool)
    divided = task.divide(pool, sample, task.features(pool))
    SubsetScore.objects.filter(epoch=epoch).delete()
    analyse({SubsetScore: sum(_store_subsets(pool, one) for one in divided)})
    if task.study is not None:
        task.study(pool, sample)
    epoch.subsets_due = False
    _succeeded(epoch)
    return True


def _succeeded(epoch: Epoch, *also: str) -> None:
    epoch.scoring_failures = 0
    epoch.scoring_not_before = None
    epoch.save(update_fields=["scores_due", "subsets_due", "scoring_failures", "scoring_not_before", *also])


@transaction.atomic
def score_again(*, epoch_id: int) -> bool:
    """Have the scores of an epoch computed again that could not be; return whether there is such an epoch."""
    failing = Epoch.objects.select_for_update().filter(pk=epoch_id, scoring_failures__gt=0)
    return bool(failing.update(scores_due=True, scoring_failures=0, scoring_not_before=None))


@transaction.atomic
def note_failure(*, epoch_id: int) -> None:
    """Record that scoring an epoch raised an error: it is tried again after a pause.

    After as many in a row as `evaluation.submissions.work` allows, those who wait for it are told. Scores of
    subsets, for which nobody waits, are left out until there are other scores.
    """
    epoch = Epoch.objects.select_for_update().get(pk=epoch_id)
    epoch.scoring_failures += 1
    epoch.scoring_not_before = work.again_at(errors=epoch.scoring_failures, now=timezone.now())
    if epoch.scoring_failures >= work.ERRORS and not epoch.scores_due:
        epoch.subsets_due = False
    elif epoch.scoring_failures >= work.ERRORS:
        epoch.scores_due = False
        through = batches.last_scored(epoch)
        waiting = Submission.objects.filter(batch__epoch=epoch, batch__number__lte=through, state="judging")
        for pk in list(waiting.values_list("pk", flat=True)):
            fail(
                submission_id=pk,
                stage=Submission.State.JUDGING,
                detail="Everything is judged, but computing the scores failed. This is our fault; resume it"
                " to have us try again. Nothing that was judged is lost.",
            )
    epoch.save(update_fields=["scores_due", "subsets_due", "scoring_failures", "scoring_not_before"])


def _score(epoch: Epoch, through: int, task: Task) -> Pool:
    """Store whatever can be estimated from batches 1 to `through`, in place of what was."""
    with uncollected():
        pool, scored = estimate(epoch, through, task)
        # The newest scores of an epoch replace the others: m systems would leave m(m + 1)/2 sets of them.
        _forget(epoch)
        ranker = ranks.Ranker.of(epoch.corpus, task, epoch)
        code = code_version(task)
        _store(pool, scored, ranker, code)
        ranks.store_ranks(ranker, scored=epoch)
        recording.record_changes(
            epoch=epoch,
            submissions=pool.submissions,
            choices=task.choices,
            through=through,
            code=code,
            now=timezone.now(),
        )
    return pool


@contextmanager
def uncollected() -> Iterator[None]:
    """Do not look for objects that only refer to each other: scores are many, but none of them does."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def estimate(epoch: Epoch, through: int, task: Task) -> tuple[Pool, Scored]:
    """Return whatever can be estimated from batches 1 to `through`, and their pool."""
    pool = pools.read_pool(epoch, through, task.choices.weightings)
    return pool, task.score(pool, pools.read_sample(pool), task.features(pool))


def _forget(epoch: Epoch) -> None:
    Estimate.objects.filter(score__epoch=epoch).delete()
    # Not `delete()`, which would read all scores first, to see what hangs on them: nothing does by now.
    old = Score.objects.filter(epoch=epoch)
    old._raw_delete(old.db)
    for model in (SubsetScore, Comparison, FittedModel):
        model._default_manager.filter(epoch=epoch).delete()


def _store(pool: Pool, scored: Scored, ranker: ranks.Ranker, code: str) -> None:
    batch, now = pool.batches[-1], timezone.now()
    stored = measured = 0
    known: dict[tuple[Any, ...], str] = {}  # what many scores of a system rest on alike

    def rests_on(score: ScoreRow) -> str:
        key = score.system, *score.counts.items()
        if key not in known:
            known[key] = json.dumps(counts(pool, score))
        return known[key]

    submissions = [submission.pk for submission in pool.submissions]
    models: dict[str, int] = {}  # a part's model is the same by whatever standard its labels are right
    for part in scored.parts:
        if part.model is not None and part.name not in models:
            models[part.name] = _store_model(pool, part.name, part.model)
        model = None if part.model is None else models[part.name]
        rows, comparisons = list(part.rows), list(part.comparisons)
        ranker.rank(pool.epoch, pool.submissions, rows, comparisons)
        ids = reserve_ids(Score, len(rows))
        stored += copy_rows(
            Score,
            (
                *("id", "submission_id", "epoch_id", "batch_id", *Choice._fields, "level"),
                *("rank", "matching", "labels", "counts", "model_id", "code_version", "computed_at"),
            ),
            (
                (
                    *(pk, submissions[score.system], pool.epoch.pk, batch.pk, *score.choice, score.level),
                    ranker.found.ranks.get((submissions[score.system], *score.choice, score.level)),
                    *(scored.rule, score.labels, rests_on(score), model, code, now),
                )
                for pk, score in zip(ids, rows, strict=True)
            ),
        )
        measured += copy_rows(
            Estimate,
            ("score_id", *FIGURES),
            (
                (pk, *figures)
                for pk, score in zip(ids, rows, strict=True)
                for figures in _figures(score.measures)
            ),
        )
        for choice, arrays in comparisons:
            comparing.store(arrays, epoch=pool.epoch, submissions=submissions, choice=choice)
    analyse({Score: stored, Estimate: measured})


def _store_model(pool: Pool, part: str, model: PooledModel) -> int:
    fitted = FittedModel.objects.create(
        epoch=pool.epoch,
        batch=pool.batches[-1],
        part=part,
        names=list(model.names),
        coefficients=model.coefficients.tolist(),
        rows=model.rows.tolist(),
        inputs=model.inputs,
        digest=model.digest,
    )
    return fitted.pk


def counts(pool: Pool, score: ScoreRow) -> dict[str, int | None]:
    """Return what is stored of how much a score rests on."""
    of_pool = {"instances": len(pool.systems[score.system].rows), "pool": len(pool.submissions)}
    return {**of_pool, **score.counts}


def _store_subsets(pool: Pool, divided: Divided) -> int:
    return copy_rows(
        SubsetScore,
        (
            *("submission_id", "epoch_id", "division", "name", "order", "part", "standard", "labels", "true"),
            *FIGURES,
        ),
        (
            (
                *(pool.submissions[score.system].pk, pool.epoch.pk),
                *(divided.name, divided.names[score.subset], score.subset, score.part),
                *(score.standard, score.labels, score.true),
                *figures,
            )
            for score in divided.rows
            for figures in _figures(score.measures)
        ),
    )


def _figures(measures: Measured) -> Iterator[tuple[str, float | None, float | None, float | None]]:
    """Yield the values of `FIGURES` for each measure."""
    for measure, interval in measures.items():
        if interval is None:
            yield measure, None, None, None
        else:
            yield measure, interval.estimate, interval.low, interval.high


@cache
def code_version(task: Task) -> str:
    """Return the release and a digest of the code that makes scores, so that a score says what made it."""
    digest = hashlib.sha256()
    for path in code_files(task):
        digest.update(path.read_bytes())
    return f"{kbpo.__version__}+{digest.hexdigest()[:12]}"


def code_files(task: Task) -> list[Path]:
    """List the files of the code that makes a task's scores: of a package all but what only pages need."""
    found: list[Path] = []
    for module in (kbpo_estimators, coded, units, scores, columns, pools, *task.scored_by):
        path = Path(module.__file__ or "")
        found += sorted(path.parent.rglob("*.py")) if path.name == "__init__.py" else [path]
    shown = ("views", "explorer", "starting")
    return [*(path for path in found if not set(shown) & set(path.parts)), Path(__file__)]
