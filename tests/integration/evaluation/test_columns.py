"""Scores from columns, all systems at once, are those of every system and every claim by itself."""

import numpy as np
import pytest

from annotations.models import Corpus
from evaluation.design import audit, columns, epochs
from evaluation.kbp import kept
from evaluation.kbp.claims import read_claims
from evaluation.kbp.task import TASK as KBP
from evaluation.models import (
    Epoch,
    FittedModel,
    SampleBatch,
    SampledClaim,
    SampledUnit,
    Score,
    SubsetScore,
    UnitColumn,
)
from kbpo import pipeline
from kbpo.core.database.coded import unpack, unpack_coded, unpack_names
from kbpo_estimators import weighting
from kbpo_estimators.coordinated import FOLDS
from kbpo_estimators.pooled import PooledModel
from kbpo_estimators.subsets import LEAST_LABELS
from tests.integration.conftest import Small
from tests.integration.evaluation import one_by_one

pytestmark = pytest.mark.django_db


def close(figures):
    """Compare figures, of which some are not estimable, up to rounding."""
    return pytest.approx(plain(figures), abs=1e-12, rel=1e-12)


def plain(figures):
    return [-1 if one is None else one for one in figures]


@pytest.fixture(scope="module")
def made(once):
    """Five systems of three teams, of which some claim much the same; the crowd makes errors."""

    def build(folder):
        small = Small(folder)
        small.load()
        Corpus.objects.update(target_half_width=0.04)
        for number, team in enumerate(("Alpha", "Alpha", "Beta", "Gamma")):
            recall, precision = 0.4 + 0.15 * number, 0.5 + 0.1 * number
            claims = small.world.system(recall=recall, precision=precision, seed=number // 2)
            small.submit(f"system{number}", claims, team=team)
        pipeline.advance()
        small.judge(error=0.1)
        Corpus.objects.update(weekly_quota=9)
        small.submit("last", small.world.system(recall=0.9, precision=0.3, seed=9), team="Beta")
        pipeline.advance()
        small.judge(error=0.1)
        assert set(Score.objects.values_list("batch__number", flat=True)) == {5}

    return once(build)


@pytest.fixture
def judged(made, afresh):
    return Small(afresh(made))


@pytest.fixture
def corpus(judged):
    return Corpus.objects.get()


def figures_of(scores):
    """Return by choice the ends of precision, recall and F1, in this order, and the labels."""
    found = {}
    for score in scores.prefetch_related("estimates"):
        ends = {row.measure: (row.estimate, row.low, row.high) for row in score.estimates.all()}
        key = (score.submission_id, score.estimator, score.weighting, score.part, score.level)
        found[key] = (*ends["precision"], *ends["recall"], *ends["f1"], score.labels)
    return found


@pytest.mark.slow
def test_every_score_is_that_of_the_definition(judged):
    expected = one_by_one.coordinated_scores(Epoch.objects.get(), 5)
    found = figures_of(Score.objects.all())
    assert found.keys() == expected.keys()
    for key, figures in expected.items():
        assert plain(found[key]) == close(figures), key


def test_every_score_names_the_model_of_its_part(judged):
    models = {model.part: model for model in FittedModel.objects.all()}
    assert models.keys() == {"all", "relation", "linking"}
    for part, model in models.items():
        assert set(Score.objects.filter(part=part).values_list("model", flat=True)) == {model.pk}
        coefficients, rows = np.array(model.coefficients), np.array(model.rows)
        assert coefficients.shape == (FOLDS, len(model.names))
        fitted = PooledModel(tuple(model.names), coefficients, rows, model.inputs)
        assert fitted.digest == model.digest


def test_scoring_again_learns_the_same_models_in_place_of_the_old(judged):
    before = dict(FittedModel.objects.values_list("part", "digest"))
    Epoch.objects.update(scores_due=True)
    pipeline.advance()
    assert dict(FittedModel.objects.values_list("part", "digest")) == before


@pytest.mark.slow
def test_every_precision_of_a_subset_is_that_of_the_definition(judged):
    expected = one_by_one.subset_precisions(Epoch.objects.get(), 5, LEAST_LABELS)
    rows = SubsetScore.objects.exclude(labels=None).exclude(division="frequency").filter(measure="precision")
    columns = ("submission_id", "division", "name", "part", "estimate", "low", "high", "labels")
    found = {tuple(row[:4]): row[4:] for row in rows.values_list(*columns)}
    assert found
    for key, figures in found.items():
        assert plain(figures) == close(expected[key]), key


def test_what_is_kept_is_what_was_read(judged):
    for batch in SampleBatch.objects.select_related("submission"):
        claims = read_claims(batch.submission)
        (stored,) = columns.read(
            [batch.pk], [*columns.figures(weighting.WEIGHTINGS), kept.PREDICATES, kept.NAMES]
        )
        assert unpack(stored[columns.UNITS]).tolist() == claims.ids.tolist()
        p = unpack_coded(stored[columns.weight(weighting.DEFAULT)]).column()
        assert p.tolist() == claims.p.tolist()
        assert unpack_coded(stored[columns.CONFIDENCE]).column().tolist() == claims.confidence.tolist()
        assert unpack_names(stored[kept.PREDICATES]).column().tolist() == claims.predicates
        names = one_by_one.subject_names(batch.submission)
        assert unpack_coded(stored[kept.NAMES]).column().tolist() == [names[pk] for pk in claims.ids.tolist()]


@pytest.mark.slow
def test_every_claim_at_a_sampled_instance_knows_its_questions(judged):
    sampled = set(SampledUnit.objects.values_list("unit_id", flat=True))
    claimed = {
        (batch.submission_id, row.instance_id)
        for batch in SampleBatch.objects.all()
        for row in read_claims(batch.submission).rows
        if row.instance_id in sampled
    }
    assert set(SampledClaim.objects.values_list("submission_id", "instance_id")) == claimed


@pytest.mark.slow
def test_an_audit_finds_a_column_that_was_changed(judged, corpus):
    assert audit.audit_corpus(corpus, KBP) == []
    column = UnitColumn.objects.filter(name="p instance").first()
    other = UnitColumn.objects.filter(name="p relation", batch=column.batch).get()
    UnitColumn.objects.filter(pk=column.pk).update(data=other.data)
    (finding,) = audit.audit_corpus(corpus, KBP)
    assert "what is kept for scores differs: p instance" in finding


@pytest.mark.slow
def test_what_is_known_from_a_released_epoch_counts_exactly(judged, corpus):
    epochs.release(task=KBP, corpus=corpus)
    judged.submit("again", judged.world.system(recall=0.7, precision=0.7, seed=1), team="Delta")
    pipeline.advance()
    judged.judge(error=0.1)
    epoch = Epoch.objects.get(number=2)
    (pi,) = columns.read([epoch.batches.get().pk], [columns.PI])
    assert (unpack(pi[columns.PI]) == 1).any()
    expected = one_by_one.coordinated_scores(epoch, 1)
    found = figures_of(Score.objects.filter(epoch=epoch))
    for key, figures in expected.items():
        assert plain(found[key]) == close(figures), key
        assert not np.isnan(figures[0])
