import numpy as np
import pytest

from evaluation.estimators.judging.audited import MOST_DOUBT, Audit, AuditedLabels
from kbpo.core.errors import InvalidInput


def audit(labels, answers, rho, *, doubts=None, questions=None, audited=None):
    n = len(labels)
    seen = ~np.isnan(np.array(answers, dtype=float))
    one = AuditedLabels(np.arange(n), labels, answers, np.full(n, 0.1) if doubts is None else doubts)
    return Audit(
        np.full(n, 0.5),
        np.arange(n) if questions is None else np.array(questions),
        np.array(rho, dtype=float),
        seen if audited is None else np.array(audited),
        {"relation": one},
    )


NAN = np.nan


def test_error_rates_by_hand():
    # Labels 1: six, one false by an audit at ρ = ½ (it counts for two). Labels 0: four, one false at ρ = 1.
    answers = [0, 1, 1, NAN, NAN, NAN, 1, 0, NAN, NAN]
    rho = [0.5] * 6 + [1, 0.5, 0.5, 0.5]
    rates = audit([1] * 6 + [0] * 4, answers, rho).rates["relation"]
    assert rates.false_positives == pytest.approx(2 / (4 + 2 - 1))
    assert rates.false_negatives == pytest.approx(1 / (6 - 2 + 1))
    assert rates.told == pytest.approx(1 - 2 / 5 - 1 / 5)
    assert rates.corrected[[0, -1]] == pytest.approx([(1 - 0.4) / 0.4, -0.4 / 0.4])


def test_rates_move_with_the_errors_counted_as_the_derivatives_say():
    def rates(a, b, n0=400.0, n1=300.0):
        return np.array([a / (n0 + a - b), b / (n1 - a + b)])

    # Of 700 labels, errors weighing 20 and 30.
    labels = np.r_[np.ones(300), np.zeros(400)]
    answers = labels.copy()
    answers[[0, 1]], answers[[300, 301, 302]] = 0, 1
    found = audit(labels, answers, [0.1] * 700).rates["relation"]
    step = 1e-6
    for column, moved in enumerate([rates(20 + step, 30), rates(20, 30 + step)]):
        assert found.by_count[:, column] == pytest.approx((moved - rates(20, 30)) / step, rel=1e-4)


def test_with_everything_audited_the_rates_are_those_of_the_labels():
    rng = np.random.default_rng(4)
    true = (rng.random(400) < 0.3).astype(float)
    labels = np.where(rng.random(400) < 0.1, 1 - true, true)
    rates = audit(labels, true, np.ones(400)).rates["relation"]
    assert rates.false_positives == pytest.approx(labels[true == 0].mean())
    assert rates.false_negatives == pytest.approx(1 - labels[true == 1].mean())


def test_without_an_error_found_there_may_still_be_some():
    rates = audit([1, 0, 1, 0], [1, 0, NAN, NAN], [0.5] * 4).rates["relation"]
    assert (rates.false_positives, rates.false_negatives) == (0, 0)
    assert (rates.chances > 0).all()


def test_chances_are_the_doubts_scaled_by_the_errors_found():
    # Expected among the audited .2 + .2, found one: (1 + 1)/(.4 + 1).
    rates = audit([1, 1, 1], [0, 1, NAN], [0.5] * 3, doubts=[0.2, 0.2, 0.1]).rates["relation"]
    assert rates.chances == pytest.approx(np.array([0.2, 0.2, 0.1]) * 2 / 1.4)
    assert audit([1], [0], [0.5], doubts=[1.0]).rates["relation"].chances[0] == MOST_DOUBT


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"audited": [True, False]}, "audits: the answer at position 1 is there although"),
        ({"answers": [1, NAN], "audited": [True, True]}, "audits: the answer at position 1 is missing"),
        ({"rho": [0.5, 1.0], "answers": [1, NAN]}, "position 1 is not audited although its ρ is 1"),
        ({"questions": [7, 7], "rho": [0.5, 0.6]}, "position 1 is not audited as the rest of its question"),
        ({"rho": [0.0, 0.5]}, "rho: the value 0.0"),
        ({"labels": [0.5, 1]}, "labels: the value 0.5"),
    ],
)
def test_what_cannot_be_is_refused(change, message):
    given = {"labels": [1, 0], "answers": [1, 0], "rho": [0.5, 0.5]} | change
    with pytest.raises(InvalidInput, match=message):
        audit(given.pop("labels"), given.pop("answers"), given.pop("rho"), **given)
