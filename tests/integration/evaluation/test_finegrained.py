import numpy as np
import pytest

from evaluation.design import columns
from evaluation.kbp.task import TASK as KBP
from evaluation.models import InclusionProbability, SubsetScore, UnitColumn
from evaluation.scoring.finegrained import cost, subset_tables
from kbpo.core.database.coded import pack
from tests.factories import (
    EpochFactory,
    InstanceFactory,
    PredictionFactory,
    SampleBatchFactory,
    SampledInstanceFactory,
    ScoreFactory,
    SubmissionFactory,
    figures_of,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch():
    """The second arrival in a second epoch; the first is somebody else's."""
    submission = SubmissionFactory(state="judging")
    epoch = EpochFactory(corpus=submission.corpus, number=2)
    SampleBatchFactory(epoch=epoch, submission=SubmissionFactory(corpus=submission.corpus, state="judging"))
    return SampleBatchFactory(epoch=epoch, submission=submission)


def claimed(batch, *, sampled_in=None, known=False):
    instance = InstanceFactory(document__corpus=batch.epoch.corpus)
    PredictionFactory(submission=batch.submission, instance=instance)
    ids = batch.submission.predictions.order_by("pk").values_list("instance_id", flat=True)
    UnitColumn.objects.update_or_create(
        batch=batch, name=columns.UNITS, defaults={"data": pack(np.array(ids, dtype=np.int64))}
    )
    if known:
        InclusionProbability.objects.create(batch=batch, unit=instance.unit, probability=1.0, is_known=True)
    if sampled_in:
        SampledInstanceFactory(batch=sampled_in, instance=instance)


def test_each_sampled_claim_is_reused_published_or_new(batch):
    first = batch.epoch.batches.get(number=1)
    claimed(batch)
    claimed(batch, sampled_in=first)
    claimed(batch, sampled_in=first, known=True)  # sampled before, and certain now
    claimed(batch, sampled_in=batch, known=True)
    for _ in range(3):
        claimed(batch, sampled_in=batch)
    found = cost(batch.submission, KBP.choices)
    assert (found.reused, found.published, found.new, found.all) == (2, 1, 3, 6)


def test_what_others_claim_is_not_counted(batch):
    first = batch.epoch.batches.get(number=1)
    SampledInstanceFactory(batch=first, instance__document__corpus=batch.epoch.corpus)
    assert cost(batch.submission, KBP.choices).all == 0


def test_before_it_is_sampled_a_submission_has_cost_nothing():
    assert cost(SubmissionFactory(state="accepted"), KBP.choices) is None


def test_the_half_width_is_that_of_the_level_the_sample_is_drawn_for(batch):
    ScoreFactory(batch=batch, level=95)
    assert cost(batch.submission, KBP.choices).half_width is None
    ScoreFactory(batch=batch, level=80, p=(0.6, 0.58, 0.63))
    assert cost(batch.submission, KBP.choices).half_width == pytest.approx(2.5)


def test_too_few_labels_leave_the_name_alone(batch):
    fields = {"submission": batch.submission, "epoch": batch.epoch, "part": "all", "division": "predicate"}
    for measure in ("precision", "recall", "f1"):
        SubsetScore.objects.create(name="per:spouse", order=1, measure=measure, **fields)
        figures = figures_of(measure, (0.5, 0.4, 0.6) if measure == "precision" else None)
        SubsetScore.objects.create(name="per:title", order=0, labels=40, **figures, **fields)
    (table,) = subset_tables(batch.submission, KBP, "all")
    assert [row.name for row in table.rows] == ["per:title"]
    assert table.too_few == ["per:spouse"]
    assert "true relations" in table.rows[0].measures["recall"].reason
    assert subset_tables(batch.submission, KBP, "relation") == []
