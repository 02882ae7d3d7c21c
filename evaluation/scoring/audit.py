"""Compute the stored scores of a corpus again: the same, or a finding."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any
from zipfile import BadZipFile

import numpy as np

from annotations.models import Corpus
from evaluation.design import batches
from evaluation.models import Comparison, Epoch, Estimate, FittedModel, Ranking, Score
from evaluation.scores import Choice, ScoreRow
from evaluation.scoring import estimation, lost_texts
from evaluation.scoring.published import freezing
from evaluation.scoring.ranks import find_ranks
from evaluation.task import Task
from evaluation.units import Pool
from kbpo_estimators.intervals import Interval
from kbpo_estimators.pooled import PooledModel

AGREE = 1e-6
"""Within which figures agree: the last digits of sums and logarithms depend on the machine."""

_Key = tuple[Any, ...]
_KEY = ("submission_id", *Choice._fields, "level")


def audit(corpus: Corpus, task: Task) -> list[str]:
    """Compute scores, fitted models, comparisons and ranks of all of a corpus' epochs again; check snapshots.

    Scores that are due are left out: they are about to be replaced. So are subsets', of which nothing is
    ranked. What rests on a text that was removed after the scores were made cannot be computed again.

    Returns
    -------
    list of str
        What differs, one sentence each; empty when everything came out the same.
    """
    task.check_corpus(corpus)
    findings: list[str] = []
    is_whole = True
    for epoch in corpus.epochs.select_related("corpus", "document_sample").order_by("number"):
        if epoch.scores_due or epoch.scoring_failures:
            is_whole = False
            continue
        try:
            found = list(_audit_epoch(epoch, task))
        except (
            ArithmeticError,
            LookupError,
            ValueError,
            EOFError,
        ) as error:  # what is stored may be anything
            found = [f"its scores cannot be computed again: {error!r}"]
        findings += [
            f"epoch {epoch.number}{', ' if finding.startswith('batch ') else ': '}{finding}"
            for finding in found
        ]
    if is_whole and not findings:
        findings += _audit_ranks(corpus, task)
    return [*findings, *freezing.audit(corpus)]


def _audit_epoch(epoch: Epoch, task: Task) -> Iterator[str]:
    stored = _Stored.read(epoch)
    through = batches.last_scored(epoch)
    if not through:
        if stored.scores:
            yield "it has scores, and its first batch is not labelled"
        return
    pool, scored = estimation.estimate(epoch, through, task)
    left_out = task.choices.of_truth if lost_texts.count_lost(epoch) else ()
    differing: Counter[int] = Counter()
    seen: set[_Key] = set()
    parts = set()
    for part in scored.parts:
        parts.add(part.name)
        yield from _audit_model(pool, part.name, part.model, stored.models.get(part.name))
        for row in part.rows:
            key = (pool.submissions[row.system].pk, *row.choice, row.level)
            seen.add(key)
            differing[key[0]] += not _is_same(pool, row, stored, scored.rule, left_out)
        for choice, arrays in part.comparisons:
            kept = stored.comparisons.get(choice)
            asked = [submission.pk for submission in pool.submissions]
            if not left_out and (kept is None or kept[0] != asked or not _is_close(kept[1], arrays)):
                yield f"what comparing its systems rests on differs for {', '.join(choice)}"
    for key in stored.scores.keys() - seen:
        differing[key[0]] += 1
    versions = {score.code_version for score in stored.scores.values()}
    why = "" if versions <= {estimation.code_version(task)} else ", by this version of the code"
    numbers = {one.submission_id: one.number for one in epoch.batches.all()}
    for number, count in sorted((numbers.get(pk, 0), count) for pk, count in (+differing).items()):
        yield (
            f"batch {number}: {count} scores of its system are not what sample, labels and documents come to"
            f"{why}"
        )
    for name in sorted(stored.models.keys() - parts):
        yield f"a fitted model of {name} is stored on which nothing rests"


@dataclass(frozen=True, eq=False)
class _Stored:
    """What is stored of an epoch's scores.

    Attributes
    ----------
    scores : dict
        By submission, choice and level.
    figures : dict of int to dict
        By score and measure, the ends of the interval around its estimate.
    models : dict of str to FittedModel
        By part.
    comparisons : dict of Choice to (list of int, bytes)
        The submissions, and the arrays.
    """

    scores: Mapping[_Key, Score]
    figures: Mapping[int, Mapping[str, Sequence[float | None]]]
    models: Mapping[str, FittedModel]
    comparisons: Mapping[Choice, tuple[list[int], bytes]]

    @classmethod
    def read(cls, epoch: Epoch) -> "_Stored":
        scores = {
            tuple(getattr(one, name) for name in _KEY): one
            for one in Score.objects.filter(epoch=epoch).select_related("model")
        }
        figures: dict[int, dict[str, Sequence[float | None]]] = {one.pk: {} for one in scores.values()}
        rows = Estimate.objects.filter(score__epoch=epoch)
        for pk, measure, *ends in rows.values_list("score_id", "measure", "estimate", "low", "high"):
            figures[pk][measure] = ends
        models = {one.part: one for one in FittedModel.objects.filter(epoch=epoch).select_related("batch")}
        comparisons = {
            Choice(*choice): (submissions, bytes(arrays))
            for submissions, arrays, *choice in Comparison.objects.filter(epoch=epoch).values_list(
                "submissions", "arrays", *Choice._fields
            )
        }
        return cls(scores, figures, models, comparisons)


def _is_same(pool: Pool, row: ScoreRow, stored: _Stored, rule: str, left_out: Collection[str]) -> bool:
    """Say whether a stored score is what was computed, but for the measures that are left out."""
    score = stored.scores.get((pool.submissions[row.system].pk, *row.choice, row.level))
    if score is None:
        return False
    model = stored.models.get(row.choice.part)
    if (score.batch_id, score.labels, score.matching) != (pool.batches[-1].pk, row.labels, rule):
        return False
    if score.model_id != (model and model.pk):
        return False
    if not left_out and score.counts != estimation.counts(pool, row):
        return False
    figures = stored.figures[score.pk]
    return figures.keys() == row.measures.keys() and all(
        _agrees(interval, figures[measure])
        for measure, interval in row.measures.items()
        if measure not in left_out
    )


def _agrees(interval: Interval | None, stored: Sequence[float | None]) -> bool:
    again = [None] * 3 if interval is None else [interval.estimate, interval.low, interval.high]
    return all(
        one is other if one is None or other is None else abs(one - other) <= AGREE
        for one, other in zip(again, stored, strict=True)
    )


def _audit_model(
    pool: Pool, part: str, again: PooledModel | None, stored: FittedModel | None
) -> Iterator[str]:
    if again is None or stored is None:
        if again is not None:
            yield f"the fitted model of {part} is missing"
        elif stored is not None:
            yield f"a fitted model of {part} is stored on which nothing rests"
        return
    where = f"batch {stored.batch.number}: the fitted model of {part}"
    kept = PooledModel(
        tuple(stored.names), np.array(stored.coefficients), np.array(stored.rows), stored.inputs
    )
    if kept.digest != stored.digest:
        yield f"{where} is not what its digest says"
    if stored.batch_id != pool.batches[-1].pk:
        yield f"{where} is not of the last labelled batch"
    if (kept.inputs, kept.rows.tolist()) != (again.inputs, again.rows.tolist()):
        yield f"{where} was fitted on other features, labels or folds than there are"
    if kept.names != again.names or not _alike(kept.coefficients, again.coefficients):
        yield f"{where} has other coefficients than its labels make"


def _is_close(stored: bytes, again: bytes) -> bool:
    """Say whether what tasks packed agrees, up to the last digits of arrays."""
    if stored == again:
        return True
    try:
        with (
            np.load(BytesIO(stored), allow_pickle=False) as one,
            np.load(BytesIO(again), allow_pickle=False) as other,
        ):
            return set(one.files) == set(other.files) and all(
                _alike(one[name], other[name]) for name in one.files
            )
    except (BadZipFile, ValueError, EOFError, AttributeError):
        return False


def _alike(one: Any, other: Any) -> bool:
    if one.dtype.kind != "f" or other.dtype.kind != "f":
        return np.array_equal(one, other)
    return one.shape == other.shape and np.allclose(one, other, rtol=AGREE, atol=AGREE**2, equal_nan=True)


def _audit_ranks(corpus: Corpus, task: Task) -> Iterator[str]:
    again = find_ranks(corpus=corpus, task=task)
    scores = Score.objects.filter(epoch__corpus=corpus)
    differing: Counter[tuple[int, int]] = Counter()
    place = ("epoch__number", "submission__batch__number")
    for epoch, batch, rank, *key in scores.values_list(*place, "rank", *_KEY):
        differing[epoch, batch] += rank != again.ranks.get(tuple(key))
    for (epoch, batch), number in sorted((+differing).items()):
        yield f"epoch {epoch}, batch {batch}: {number} ranks of its system are not what the scores come to"
    rankings = Ranking.objects.filter(corpus=corpus).values_list(*Choice._fields, "level", "systems", "apart")
    stored = {tuple(key): (systems, apart) for *key, systems, apart in rankings}
    choices = [key for key in stored.keys() | again.counts.keys() if stored.get(key) != again.counts.get(key)]
    if choices:
        yield f"in {len(choices)} choices how many systems are ranked, or differ, is not what scores come to"
