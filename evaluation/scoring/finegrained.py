"""What a submission's page says beyond its scores: parts of it, and what it cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from annotations.models import Corpus
from evaluation.choices import Choices
from evaluation.design import columns
from evaluation.models import InclusionProbability, PlannedVariance, SampleBatch, Submission, SubsetScore
from evaluation.scoring.stored import Measure, Measures, StoredScore, measures, newest_scores
from evaluation.task import Task
from evaluation.units import IntArray
from kbpo.core.database.bulk import read_columns
from kbpo.core.database.coded import unpack
from kbpo_estimators.scores import VOTES
from kbpo_estimators.subsets import LEAST_LABELS


@dataclass(frozen=True, slots=True)
class SubsetRow:
    """One subset's scores; `labels` is None where they are too few for any."""

    name: str
    measures: Measures
    labels: int | None
    true: int | None


@dataclass(frozen=True, slots=True)
class SubsetTable:
    """A division of a submission's claims: the subsets that have scores, and the names of the others."""

    division: str
    title: str
    rows: Sequence[SubsetRow]
    too_few: Sequence[str]


def subset_tables(submission: Submission, task: Task, part: str, standard: str = VOTES) -> list[SubsetTable]:
    """Read a submission's scores by subset for one part, a table a division; empty before it is scored."""
    stored = SubsetScore.objects.filter(
        submission=submission, part=part, standard=standard, division__in=task.subsets
    )
    rows = stored.order_by("division", "order")
    found: dict[str, list[list[SubsetScore]]] = {division: [] for division in task.subsets}
    for (division, _), of_subset in groupby(rows, key=lambda row: (row.division, row.name)):
        found[division].append(list(of_subset))
    return [
        _subset_table(division, subsets, task, submission.corpus)
        for division, subsets in found.items()
        if subsets
    ]


def _subset_table(
    division: str, found: Sequence[Sequence[SubsetScore]], task: Task, corpus: Corpus
) -> SubsetTable:
    subsets = task.subsets[division]
    name_of = subsets.names(corpus)
    return SubsetTable(
        division,
        subsets.title,
        [
            _subset_row(rows, name_of(rows[0].name), task.choices)
            for rows in found
            if rows[0].labels is not None
        ],
        [name_of(rows[0].name) for rows in found if rows[0].labels is None],
    )


def _subset_row(rows: Sequence[SubsetScore], name: str, choices: Choices) -> SubsetRow:
    score = rows[0]
    shown = dict(measures(rows, score.part, choices))
    if score.true is None:
        few = choices.few_true.format(LEAST_LABELS)
        for measure in choices.parts[score.part].measures:
            if measure in choices.of_truth:
                shown[measure] = Measure(None, None, None, few)
    return SubsetRow(name, shown, score.labels, score.true)


def subset_standard(submission: Submission, standard: str) -> str:
    """Return by which standard scores of subsets are shown: the one that is asked for, if there are any."""
    found = SubsetScore.objects.filter(submission=submission, standard=standard)
    return standard if found.exists() else VOTES


@dataclass(frozen=True, slots=True)
class Cost:
    """What a submission's scores took.

    Attributes
    ----------
    reused : int
        Its claims that had been sampled for systems before it.
    published : int
        Its further claims whose verdict was public before it came: they count exactly.
    new : int
        Its claims that were sampled for it.
    later : int
        Its claims that were sampled for systems after it and that its scores rest on as well.
    half_width, target : float or None
        Of the measure that the sample is designed for, in points, as if every verdict were right; None before
        it is scored.
    level : int
        At which both are meant, in per cent.
    is_planned : bool
        Whether the target is met if labels vary as the documents that are annotated in full let expect;
        otherwise it is met however they vary.
    epoch : int
    is_released : bool
    """

    reused: int
    published: int
    new: int
    later: int
    half_width: float | None
    target: float
    level: int
    is_planned: bool
    epoch: int
    is_released: bool

    @property
    def all(self) -> int:
        """The claims of the submission that its own batch has."""
        return self.reused + self.published + self.new


def cost(submission: Submission, choices: Choices) -> Cost | None:
    """Count what a submission's sample reused and what it needed; None before its claims are sampled."""
    return costs([submission], choices).get(submission.pk)


def costs(submissions: Sequence[Submission], choices: Choices) -> dict[int, Cost]:
    """Return `cost` of submissions to one corpus, by row id; without those whose claims are not sampled."""
    batches = list(
        SampleBatch.objects.filter(submission__in=submissions)
        .select_related("epoch", "submission__corpus")
        .order_by("epoch__number", "number")
    )
    if not batches:
        return {}
    corpus = batches[0].submission.corpus
    level = round(100 * corpus.target_level)
    newest = newest_scores(
        choices,
        submission__in=submissions,
        part=choices.part,
        weighting=choices.default_weighting(corpus.design),
        estimator=choices.estimators_of[corpus.design][0],
        standard=VOTES,  # what the sample was drawn for knows nothing of judges' errors
        level=level,
    )
    scores = {one.score.submission_id: one for one in newest}
    planned = set(PlannedVariance.objects.filter(batch__in=batches).values_list("batch", flat=True))
    found = {}
    for epoch_id, of_epoch in groupby(batches, key=lambda batch: batch.epoch_id):
        sampled = read_columns(
            "SELECT unit_id, batch.number FROM evaluation_sampledunit AS sampled"
            " JOIN evaluation_samplebatch AS batch ON batch.id = sampled.batch_id"
            " WHERE sampled.epoch_id = %s",
            [epoch_id],
            {"unit": "bigint", "batch": "bigint"},
        )
        units = columns.Wanted.of(sampled["unit"])
        since = np.full(units.ids.size, np.iinfo(np.int64).max)
        np.minimum.at(since, np.searchsorted(units.ids, sampled["unit"]), sampled["batch"])
        for batch in of_epoch:
            stored = scores.get(batch.submission_id)
            is_planned = batch.pk in planned
            new = int((sampled["batch"] == batch.number).sum())  # some of them again, under `iid`
            found[batch.submission_id] = _cost(
                batch, new, units, since, stored, choices, is_planned=is_planned
            )
    return found


def _cost(
    batch: SampleBatch,
    new: int,
    units: columns.Wanted,
    since: IntArray,
    stored: StoredScore | None,
    choices: Choices,
    *,
    is_planned: bool,
) -> Cost:
    corpus, epoch = batch.submission.corpus, batch.epoch
    (kept,) = columns.read([batch.pk], [columns.UNITS])
    _, own = units.among(unpack(kept[columns.UNITS]) if kept else np.zeros(0, dtype=np.int64))
    reused = int((since[own] < batch.number).sum())
    known = InclusionProbability.objects.filter(batch=batch, is_known=True)
    published = known.filter(unit__sampled__batch=batch).count() if epoch.number > 1 else 0
    designed = stored.measures[choices.designed] if stored else None
    half_width = None
    if designed is not None and designed.low is not None and designed.high is not None:
        half_width = 50 * (designed.high - designed.low)
    return Cost(
        reused=reused,
        published=published,
        new=new - published,
        later=max(0, stored.score.labels - reused - new) if stored else 0,
        half_width=half_width,
        target=100 * corpus.target_half_width,
        level=round(100 * corpus.target_level),
        is_planned=is_planned,
        epoch=epoch.number,
        is_released=epoch.released_at is not None,
    )
