"""Samples whose variances were planned: stored, foreseen, drawn again; and whatever is changed is found."""

from collections.abc import Callable

import numpy as np
import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import transaction

from annotations.models import AnnotatedRelation, Corpus, DocumentAnnotation
from evaluation.design import audit, columns, epochs, forecast, plans, sampling
from evaluation.kbp.claims import read_claims
from evaluation.kbp.task import TASK as KBP
from evaluation.models import (
    DocumentSample,
    Epoch,
    InclusionProbability,
    PlannedVariance,
    Prediction,
    SampleBatch,
    Submission,
    UnitColumn,
)
from evaluation.scoring import pool as pools
from kbpo import pipeline
from kbpo.core.database.coded import code
from kbpo_estimators import coordinated, planned_variance
from tests.integration.conftest import Submit

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def a_few_claims_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planned_variance, "LEAST_KNOWN", 10)
    cache.clear()


@pytest.fixture
def planned(submit: Submit, corpus: Corpus) -> Corpus:
    """Two systems of two teams, sampled."""
    submit("one", seed=1)
    submit("two", team="Beta", seed=2)
    pipeline.advance()
    return corpus


@pytest.mark.slow
def test_a_batch_is_planned_from_the_claims_in_exhaustive_documents(planned: Corpus) -> None:
    first, second = PlannedVariance.objects.order_by("batch__number")
    assert len(first.annotations) == 30
    assert 10 < first.units < second.units
    assert first.error_ratio >= 1
    assert first.digest == plans.digest(first)
    variance = columns.read_variance(first.batch)
    assert variance is not None
    assert 0.04 <= variance.min() < variance.max() <= 0.25


def test_the_planned_target_is_met_by_each_system_alone(planned: Corpus) -> None:
    for batch in SampleBatch.objects.all():
        p, variance = read_claims(batch.submission).p, columns.read_variance(batch)
        assert variance is not None
        pi = sampling.read_before(batch.epoch, read_claims(batch.submission).ids).pi
        assert (p**2 * variance * (1 / pi - 1)).sum() <= batch.target_variance * (1 + 1e-12)


@pytest.mark.slow
def test_what_the_last_system_left_as_it_was_is_as_systems_before_made_it(planned: Corpus) -> None:
    first, second = SampleBatch.objects.order_by("number")
    shared = InclusionProbability.objects.filter(batch=first, unit__inclusions__batch=second)
    one = shared.first()
    assert one is not None
    InclusionProbability.objects.filter(batch=second, unit=one.unit).delete()
    before = sampling.read_before(first.epoch, np.array([one.unit_id]))
    assert (before.pi.tolist(), before.squares.tolist()) == ([one.probability], [one.squares])


def test_it_is_drawn_again_bit_for_bit(planned: Corpus) -> None:
    assert audit.audit_corpus(planned, KBP) == []


@pytest.mark.slow
def test_it_is_drawn_again_after_its_documents_were_retired(
    planned: Corpus, judge: Callable[[], None], submit: Submit
) -> None:
    judge()
    epochs.release(task=KBP, corpus=planned, retire=0.2)
    submit("three", team="Gamma", seed=3)
    pipeline.advance()
    assert Epoch.objects.get(number=2).batches.get().planned_variance.units > 10
    assert InclusionProbability.objects.filter(is_known=True).exists()
    assert audit.audit_corpus(planned, KBP) == []


def read_third(submit: Submit) -> Submission:
    """A third system, accepted and not sampled."""
    third = submit("three", team="Gamma", seed=3)
    pipeline.validate_submissions()
    return Submission.objects.get(pk=third.pk)


@pytest.mark.slow
def test_a_forecast_is_about_what_sampling_then_does(planned: Corpus, submit: Submit) -> None:
    third = read_third(submit)
    foreseen = forecast.forecast(third, KBP)
    assert foreseen is not None
    before = sampling.read_before(Epoch.objects.get(), read_claims(third).ids).pi
    pipeline.sample_submissions()
    after = sampling.read_before(Epoch.objects.get(), read_claims(third).ids).pi
    assert foreseen.covered == pytest.approx(before.sum())
    assert foreseen.judged == pytest.approx((after - before).sum(), rel=0.3)


@pytest.mark.slow
def test_a_forecast_does_not_depend_on_whether_its_own_claims_are_true(
    planned: Corpus, submit: Submit
) -> None:
    third = read_third(submit)
    foreseen = forecast.forecast(third, KBP)
    others = Prediction.objects.exclude(submission=third).values(
        "instance__subject_start", "instance__document"
    )
    claimed = {(one["instance__document"], one["instance__subject_start"]) for one in others}
    for relation in AnnotatedRelation.objects.select_related("annotation"):
        if (relation.annotation.document_id, relation.subject_start) not in claimed:
            relation.delete()
    cache.clear()
    assert forecast.forecast(third, KBP) == foreseen


@pytest.mark.slow
def test_without_exhaustive_documents_every_label_counts_as_uncertain(submit: Submit, corpus: Corpus) -> None:
    Epoch.objects.update(document_sample=None)
    DocumentSample.objects.all().delete()
    submit("one", seed=1)
    pipeline.advance()
    assert not PlannedVariance.objects.exists()
    assert audit.audit_corpus(corpus, KBP) == []


def test_what_weighs_the_kinds_of_recall_rests_on_no_planned_variance(planned: Corpus) -> None:
    epoch = Epoch.objects.get()
    pool = pools.read_pool(epoch, 2, ["subject_relation"])
    squares, floor = np.zeros(pool.size), np.zeros(pool.size)
    for batch, system in zip(pool.batches, pool.systems, strict=True):
        p = read_claims(batch.submission).p
        alone = coordinated.quadratic_sum(np.zeros(p.size), np.zeros(p.size), p, batch.target_variance)
        squares[system.rows] += alone.term**2
        floor[system.rows] = np.maximum(floor[system.rows], min(1, (batch.floor or 0) / p.size))
    assert pool.flat_pi is not None
    assert pool.flat_pi == pytest.approx(np.maximum(np.sqrt(np.minimum(1, squares)), floor))
    assert (pool.flat_pi != pool.pi).any()


def change_coefficients() -> None:
    for plan in PlannedVariance.objects.all():
        plan.coefficients[0][1] += 0.01
        plan.digest = plans.digest(plan)
        plan.save()


def change_error_ratio() -> None:
    plan = PlannedVariance.objects.order_by("pk")[0]
    plan.error_ratio += 0.01
    plan.digest = plans.digest(plan)
    plan.save()


def change_variances() -> None:
    column = UnitColumn.objects.filter(name=columns.VARIANCE).order_by("pk")[0]
    values = columns.read_variance(column.batch)
    assert values is not None
    UnitColumn.objects.filter(pk=column.pk).update(data=code(np.where(values < 0.2, 0.2, values)).pack())


def annotate_otherwise() -> None:
    AnnotatedRelation.objects.filter(annotation__in=DocumentAnnotation.objects.all()).delete()


TAMPERED: dict[str, tuple[Callable[[], object], str]] = {
    "coefficients": (change_coefficients, "the coefficients of planned variances differ"),
    "error ratio": (change_error_ratio, "the error ratio is"),
    "variances": (change_variances, "the planned variances differ"),
    "digest": (
        lambda: PlannedVariance.objects.update(digest="0" * 64),
        "what variances were planned from is not what its digest says",
    ),
    "evidence": (
        lambda: PlannedVariance.objects.filter(batch__number=2).update(
            evidence=PlannedVariance.objects.get(batch__number=1).evidence
        ),
        "is not what its digest says",
    ),
    "version": (lambda: PlannedVariance.objects.update(version="claims 0"), "which is unknown"),
    "plan taken away": (
        lambda: PlannedVariance.objects.all().delete(),
        "planned variances are stored in part",
    ),
    "column taken away": (
        lambda: UnitColumn.objects.filter(name=columns.VARIANCE).delete(),
        "planned variances are stored in part",
    ),
    "truth": (annotate_otherwise, "what is true in the documents that variances were planned from differs"),
    "confidence": (
        lambda: Prediction.objects.filter(submission__name="one").update(confidence=0.5),
        "differ",
    ),
    "sums of squares": (
        lambda: InclusionProbability.objects.filter(batch__number=2).update(squares=0.25),
        "sums of squares differ",
    ),
    "flat terms": (
        lambda: UnitColumn.objects.filter(name=columns.FLAT_TERM).update(data=code([0.5]).pack()),
        "what is kept for scores differs: flat term",
    ),
    "growth": (lambda: Epoch.objects.update(growth="maximum"), "its epoch plans none"),
    "lambda": (lambda: SampleBatch.objects.filter(number=2).update(lam=7.0), "λ and b are"),
    "known": (
        lambda: InclusionProbability.objects.filter(batch__number=2).update(probability=1, is_known=True),
        "known units differ",
    ),
}


@pytest.mark.slow
def test_an_audit_finds_whatever_was_changed(planned: Corpus) -> None:
    unnoticed = []
    for what, (tamper, found) in TAMPERED.items():
        with transaction.atomic():
            tamper()
            if not any(found in finding for finding in audit.audit_corpus(planned, KBP)):
                unnoticed.append(what)
            transaction.set_rollback(True)
    assert unnoticed == []


@pytest.mark.slow
def test_the_command_says_that_all_is_the_same(planned: Corpus) -> None:
    call_command("audit_samples", "--corpus", planned.tag, verbosity=0)
