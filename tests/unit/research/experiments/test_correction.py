import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kbpo.core.errors import InvalidInput
from research.experiments.correction import Calibration, calibrate, noise_adjusted_precisions
from tests.oracles.precision import noise_adjusted_precision
from tests.unit.kbpo_estimators.test_many import Pool

ERROR = 0.11
SHARE = 0.3


def outcomes():
    """How three votes can fall: for 0 to 3 in favour, the posterior and its chance if false, if true."""
    ways, yes = np.array([1, 3, 3, 1]), np.arange(4)
    if_true = ways * (1 - ERROR) ** yes * ERROR ** (3 - yes)
    if_false = if_true[::-1]
    return SHARE * if_true / (SHARE * if_true + (1 - SHARE) * if_false), if_false, if_true


TAU, IF_FALSE, IF_TRUE = outcomes()
UNKNOWN = [-1] * 4


def population(size=1_000_000):
    """Claims in the expected numbers: posteriors and truths."""
    true = np.round(size * SHARE * IF_TRUE).astype(int)
    false = np.round(size * (1 - SHARE) * IF_FALSE).astype(int)
    return np.repeat([*TAU, *TAU], [*true, *false]), np.repeat([1] * 4 + [0] * 4, [*true, *false])


def test_an_example_by_hand():
    # Half at .2, half at .8: a_1 = (.04 + .64)/1, a_0 = (.16 + .16)/1.
    found = calibrate([0.2, 0.8], [-1, -1])
    assert (found.of_false, found.of_true) == (pytest.approx(0.32), pytest.approx(0.68))


def test_an_example_by_hand_with_an_expert():
    # The claim at .5 is true: a_1 = (.04 + .64 + .25 − .5)/(1.5 − 1), a_0 = (.16 + .16 + .25)/1.5.
    found = calibrate([0.2, 0.8, 0.5], [-1, -1, 1])
    assert (found.of_false, found.of_true) == (pytest.approx(0.57 / 1.5), pytest.approx(0.43 / 0.5))


def test_labels_by_hand():
    got = Calibration(0.2, 0.7).correct([0.2, 0.45, 0.7], [-1, -1, -1])
    assert got.tolist() == pytest.approx([0.0, 0.5, 1.0])


def test_an_experts_label_stays():
    assert Calibration(0.2, 0.7).correct([0.4, 0.4], [0, 1]).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(("chances", "truth"), [(IF_FALSE, 0.0), (IF_TRUE, 1.0)])
def test_the_expected_label_is_the_truth(chances, truth):
    posteriors, _ = population()
    calibration = calibrate(posteriors, np.full(posteriors.size, -1))
    assert calibration.correct(TAU, UNKNOWN) @ chances == pytest.approx(truth, abs=1e-5)


def test_the_expected_label_is_the_truth_in_a_system_unlike_the_pool():
    posteriors, _ = population()
    labels = calibrate(posteriors, np.full(posteriors.size, -1)).correct(TAU, UNKNOWN)
    assert labels @ (0.8 * IF_TRUE + 0.2 * IF_FALSE) == pytest.approx(0.8, abs=1e-5)


def test_the_mean_posterior_is_not_the_truth_in_a_system_unlike_the_pool():
    assert TAU @ (0.8 * IF_TRUE + 0.2 * IF_FALSE) < 0.77


@pytest.mark.parametrize("truth", [0, 1])
def test_the_mean_label_is_the_truth_though_votes_decide_what_experts_see(truth):
    posteriors, truths = population()
    # Experts see nine in ten of the claims with one vote of three.
    seen = (posteriors == TAU[1]) & (np.arange(posteriors.size) % 10 > 0)
    known = np.where(seen, truths, -1)
    labels = calibrate(posteriors, known).correct(posteriors, known)
    assert labels[(truths == truth) & ~seen].mean() == pytest.approx(truth, abs=1e-4)


@given(st.lists(st.floats(0.001, 0.999), min_size=2, max_size=30))
def test_the_mean_label_is_the_mean_posterior_where_it_was_calibrated(posteriors):
    known = np.full(len(posteriors), -1)
    calibration = calibrate(posteriors, known)
    assume(calibration is not None and calibration.of_true - calibration.of_false > 1e-3)
    assert calibration.correct(posteriors, known).mean() == pytest.approx(np.mean(posteriors), abs=1e-6)


@pytest.mark.parametrize(
    ("posteriors", "known"),
    [
        ([], []),
        ([0.3, 0.3, 0.3], [-1, -1, -1]),
        ([0.2, 0.8], [1, 1]),
        ([0.0, 0.0], [-1, -1]),
    ],
)
def test_what_is_not_estimable_is_none(posteriors, known):
    assert calibrate(posteriors, known) is None


@pytest.mark.parametrize(
    ("posteriors", "known", "message"),
    [
        ([0.5, 1.2], [-1, -1], "posteriors: the value 1.2 at position 1 is wrong"),
        ([0.5, float("nan")], [-1, -1], "posteriors: the value nan at position 1 is wrong"),
        ([[0.5]], [-1], "posteriors: has 2 dimensions"),
        ([0.5, 0.5], [-1, 2], "known: the value 2 at position 1 is wrong"),
        ([0.5, 0.5], [-1], "known: has 1 values where the other arguments have 2"),
    ],
)
@pytest.mark.parametrize("function", [calibrate, Calibration(0.1, 0.9).correct])
def test_a_wrong_argument_is_named(function, posteriors, known, message):
    with pytest.raises(InvalidInput) as refused:
        function(posteriors, known)
    assert message in str(refused.value)


@given(seed=st.integers(0, 10_000))
def test_noise_adjusted_precisions_are_those_of_each_system(seed):
    pool = Pool(seed)
    reduced = pool.reduced()
    pool.f = pool.f * 1.2 - 0.1
    found = noise_adjusted_precisions(reduced, pool.f[pool.sampled][reduced.positions])
    for system, one in enumerate(found):
        own = slice(pool.P.indptr[system], pool.P.indptr[system + 1])
        rows = pool.P.indices[own]
        expected = noise_adjusted_precision(
            *(pool.P.data[own], pool.pi[rows], pool.sampled[rows], pool.f[rows], pool.folds[rows]),
            pool.confidence.data[own],
        )
        assert one.estimate == pytest.approx(expected.estimate, abs=1e-12)
        assert one.variance == pytest.approx(expected.variance, abs=1e-12)
        assert one.n_eff == pytest.approx(expected.n_eff, rel=1e-12)
