import numpy as np
import pytest

from kbpo.core.errors import InvalidInput
from kbpo_estimators.judging.audited import (
    MOST_DOUBT,
    Audit,
    AuditedLabels,
    chances,
    error_rates,
    estimated_errors,
)


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
    # Labels 1: six, one wrong that counts for two. Labels 0: four, one wrong.
    rates = error_rates(np.array([1.0] * 6 + [0.0] * 4), np.array([2.0, 0, 0, 0, 0, 0, 0, 1, 0, 0]))
    assert rates.false_positives == pytest.approx(2 / (4 + 2 - 1))
    assert rates.false_negatives == pytest.approx(1 / (6 - 2 + 1))
    assert rates.told == pytest.approx(1 - 2 / 5 - 1 / 5)
    assert rates.corrected(np.array([1.0, 0.0])) == pytest.approx([(1 - 0.4) / 0.4, -0.4 / 0.4])


def test_rates_move_with_the_errors_counted_as_the_derivatives_say():
    labels = np.r_[np.ones(300), np.zeros(400)]

    def rates(a, b):
        found = error_rates(labels, np.r_[a, np.zeros(299), b, np.zeros(399)])
        return found, np.array([found.false_positives, found.false_negatives])

    found, before = rates(20.0, 30.0)
    step = 1e-6
    for column, (_, moved) in enumerate([rates(20 + step, 30.0), rates(20.0, 30 + step)]):
        assert found.by_count[:, column] == pytest.approx((moved - before) / step, rel=1e-4)


def test_with_everything_audited_the_rates_are_those_of_the_labels():
    rng = np.random.default_rng(4)
    true = (rng.random(400) < 0.3).astype(float)
    labels = np.where(rng.random(400) < 0.1, 1 - true, true)
    seen, wrong = np.ones(400, dtype=bool), labels != true
    rates = error_rates(labels, estimated_errors(np.full(400, 0.2), seen, wrong, np.ones(400)))
    assert rates.false_positives == pytest.approx(labels[true == 0].mean())
    assert rates.false_negatives == pytest.approx(1 - labels[true == 1].mean())


@pytest.mark.parametrize("wrong", [False, True])
@pytest.mark.parametrize("doubt", [0.0, 0.1, 0.5])
def test_estimated_errors_are_right_on_average_and_vary_as_claimed(wrong, doubt):
    rho = 0.3
    told, untold = (
        float(estimated_errors(np.array([doubt]), np.array([seen]), np.array([wrong]), np.array([rho]))[0])
        for seen in (True, False)
    )
    assert rho * told + (1 - rho) * untold == pytest.approx(float(wrong))
    spread = rho * (told - wrong) ** 2 + (1 - rho) * (untold - wrong) ** 2
    assert spread == pytest.approx((1 - rho) / rho * (wrong - doubt) ** 2)


def test_without_an_error_found_there_may_still_be_some():
    assert (chances(np.full(4, 0.1), np.array([1, 1, 0, 0], bool), np.zeros(4, bool)) > 0).all()


def test_chances_are_the_doubts_scaled_by_the_errors_found():
    # Expected among the audited .2 + .2, found one: (1 + 1)/(.4 + 1).
    seen, wrong = np.array([True, True, False]), np.array([True, False, False])
    doubts = np.array([0.2, 0.2, 0.1])
    assert chances(doubts, seen, wrong) == pytest.approx(doubts * 2 / 1.4)
    assert chances(np.array([1.0]), seen[:1], wrong[:1])[0] == MOST_DOUBT


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
