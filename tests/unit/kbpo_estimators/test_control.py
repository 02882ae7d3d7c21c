import itertools
import math

import numpy as np
import pytest

from kbpo.core.errors import InvalidInput
from kbpo_estimators import control
from tests.nlg import expected, needs_nlg, recorded
from tests.oracles import control as oracle
from tests.readers.nlg import PROMPTS
from tests.unit.kbpo_estimators.worlds import poisson_samples

# Seven outputs, each judged 0 or 1 by half of the people or by all alike.
F = np.array([0.0, 1.0, 0.5, 1.0, 0.5, 0.0, 1.0])
PI = np.array([0.5, 0.4, 0.7, 0.5, 1.0, 0.3, 0.6])
FOLDS = np.array([0, 1, 2, 0, 1, 2, 0])
METRICS = {
    "good": np.array([0.1, 0.8, 0.5, 0.9, 0.4, 0.2, 0.7]),
    "reversed": np.array([0.9, 0.2, 0.5, 0.1, 0.6, 0.8, 0.3]),
    "constant": np.ones(7),
    "an outlier": np.array([0.0, 0.01, 0.0, 0.02, 1e6, 0.0, 0.01]),
}


@pytest.fixture
def short(monkeypatch):
    """Let lines slope from two judged outputs on."""
    monkeypatch.setattr(control, "SLOPE_NEEDS", 2)
    monkeypatch.setattr(control, "SPREAD_NEEDS", 0.0)


def judged(sampled, twice=()):
    """Every way in which people may judge a sample, and its probability: values and items."""
    places = np.flatnonzero(sampled)
    items = np.repeat(np.arange(places.size), [2 if place in twice else 1 for place in places])
    split = [(0.0, 1.0) if F[place] == 0.5 else (F[place],) for place in places[items]]
    for values in itertools.product(*split):
        yield np.array(values), items, 1 / math.prod(map(len, split))


# Exactness, by listing every sample and every judgement


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("name", METRICS)
def test_the_expected_estimate_is_the_truth_over_all_samples_and_judgements(name):
    g, total = METRICS[name], 0.0
    for sampled, probability in poisson_samples(PI):
        for values, items, chance in judged(sampled, twice={1, 2}):
            got = oracle.cross_fitted(values, items, PI[sampled], g[sampled], FOLDS[sampled], g, FOLDS)
            total += probability * chance * got.estimate
    assert abs(total - F.mean()) < 1e-12


@pytest.mark.usefixtures("short")
def test_a_model_of_several_systems_is_unbiased_with_folds_by_input_and_biased_by_output():
    # Two systems, whose outputs for one input are drawn together; the line is fitted to both systems.
    f = np.array([0.0, 1.0, 0.2, 0.9, 0.7, 0.1])
    g = np.array([0.3, 0.9, 0.1, 0.8, 0.9, 0.2])
    of_input, pi = np.array([0, 1, 2, 0, 1, 2]), 0.5

    def bias(folds):
        total = 0.0
        for chosen in itertools.product([False, True], repeat=3):
            sampled = np.array(chosen)[of_input]
            w = sampled / pi
            fit = control.lines(f * sampled, w, g, folds, 6)
            e = f - fit.at(g, folds)
            total += ((f - e)[:3].sum() + (w * e)[:3].sum()) / 3 / 8
        return total - f[:3].mean()

    assert abs(bias(of_input)) < 1e-12
    assert abs(bias(np.arange(6))) > 1e-3


@pytest.mark.parametrize("n", [2, 3])
def test_the_bias_of_plugging_in_is_what_its_formula_says(n):
    f, g = np.array([0.1, 0.4, 0.3, 0.9]), np.array([0.0, 1.0, 0.2, 5.0])
    draws = [np.array(one) for one in itertools.product(range(4), repeat=n)]
    mean = np.mean([oracle.plug_in(f[one], g[one], g).estimate for one in draws])
    standardised = (g - g.mean()) / g.std()
    formula = -((n - 1) / n**2) * ((f - f.mean()) * standardised**2).mean()
    assert mean - f.mean() == pytest.approx(formula, abs=1e-12)
    assert abs(formula) > 0.01


# The variance


def test_the_variance_of_a_census_is_that_of_people_alone():
    ones = np.ones(7)
    got = oracle.cross_fitted(F, np.arange(7), ones, METRICS["good"], FOLDS, METRICS["good"], FOLDS, 0.25)
    assert got.estimate == pytest.approx(F.mean())
    assert got.variance == pytest.approx(0.25 / 7)


def test_both_parts_of_the_variance_by_hand():
    # A level line: three outputs of six judged, fold by fold, one of them twice.
    values, items = [1.0, 0.0, 1.0, 0.0], [0, 1, 1, 2]
    folds = np.array([0, 1, 1, 0, 0, 1])
    got = oracle.cross_fitted(values, items, [0.5] * 3, np.zeros(3), folds[[0, 1, 3]], np.zeros(6), folds)
    # Fold 0 is foretold .5 by the second output, fold 1 .5 by the first and third; people differ by .5.
    of_draw = 2.0 * (0.25 + 0.0 + 0.25)
    of_people = 0.5 * (1 / 0.5 + 1 / (0.5 * 2) + 1 / 0.5)
    assert got.estimate == pytest.approx((6 * 0.5 + 2 * (0.5 + 0.0 - 0.5)) / 6)
    assert got.variance == pytest.approx((of_draw + of_people) / 36)


def test_where_none_was_judged_twice_the_variance_is_at_least_that_with_any_noise_that_fits():
    rng = np.random.default_rng(3)
    y, pi, folds = rng.random(60), np.full(60, 0.8), np.arange(60) % 5
    bound = oracle.cross_fitted(y, np.arange(60), pi, y * 0, folds, np.zeros(75), np.arange(75) % 5)
    known = oracle.cross_fitted(y, np.arange(60), pi, y * 0, folds, np.zeros(75), np.arange(75) % 5, y.var())
    assert bound.estimate == known.estimate
    assert bound.variance >= 0.99 * known.variance


def test_a_line_through_all_judgements_leaves_no_variance():
    g = np.linspace(-1, 1, 60)
    y = 0.3 + 0.2 * g[::2]
    folds = np.arange(60) % 5
    got = oracle.cross_fitted(y, np.arange(30), np.full(30, 0.5), g[::2], folds[::2], g, folds, 0.0)
    assert got.estimate == pytest.approx(0.3)
    assert got.variance == 0.0


def test_an_outlier_of_the_metric_is_not_foretold_from_outputs_that_are_alike():
    rng = np.random.default_rng(4)
    g = rng.normal(0, 1e-6, 200)
    g[0] = 1.0
    folds = np.arange(200) % 5
    y = rng.random(100)
    chosen = np.arange(100) + 50
    got = oracle.cross_fitted(y, np.arange(100), np.full(100, 0.5), g[chosen], folds[chosen], g, folds)
    assert abs(got.estimate - y.mean()) < 0.1


# Components


def test_noise_and_variance_of_outputs_by_hand():
    found = control.components([1, 0, 1, 1, 0], [7, 7, 3, 3, 5])
    assert found.sigma2_a == pytest.approx(0.25)
    assert found.sigma2_f == pytest.approx(0.3 - 0.25)
    assert found.gamma == pytest.approx(5)
    assert found.alpha == pytest.approx(1 / 6)


@needs_nlg
@pytest.mark.parametrize("name", PROMPTS)
def test_every_expected_value_comes_out(name):
    data, worst, met = recorded()[name], {}, set()
    for measure, column in PROMPTS[name].items():
        for system in [None, *data.systems]:
            rows = np.arange(data.units.size) if system is None else data.of(system)
            values, items = data.values[measure][rows], data.units[rows]
            wanted = expected()[key := f"{name}/{column}/{'*' if system is None else system.name}"]
            met.add(key)
            found = control.components(values, items)
            means = data.means(measure)[np.unique(items)]
            pairs = [
                (means.size, wanted["items"]),
                (values.size, wanted["judgements"]),
                (means.mean(), wanted["mean_of_items"]),
                (found.sigma2_a, wanted["sigma2_a"]),
                (found.sigma2_f, wanted["sigma2_f"]),
                (found.gamma, wanted["gamma"]),
                (found.alpha, wanted["alpha"]),
                (means.var(ddof=1), wanted["variance_of_item_means"]),
            ]
            for metric, one in wanted["metrics"].items():
                of_unit = np.full(len(data.texts), np.nan)
                of_unit[system.units] = system.metrics[metric]
                g = of_unit[items]
                pairs += [
                    (control.correlation(values, items, g), one["rho"]),
                    (oracle.data_efficiency(values, items, g), one["data_efficiency"]),
                ]
            worst[measure, "*" if system is None else system.name] = max(abs(a - b) for a, b in pairs)
    assert {key: one for key, one in worst.items() if one > 1e-6} == {}
    assert met == {key for key in expected() if key.startswith(f"{name}/")}


def test_a_constant_metric_is_worth_nothing():
    for constant in (0.1, 0.7, 1 / 3, 3.0):
        assert control.correlation([1, 0, 1, 1], [0, 0, 1, 2], [constant] * 4) == 0


@pytest.mark.parametrize("constant", [0.1, 0.7, 2 / 3, 1e6])
def test_equal_judgements_vary_by_nothing_however_they_are_rounded(constant):
    found = control.components([constant] * 7, [0, 0, 0, 1, 1, 2, 3])
    assert (found.sigma2_a, found.sigma2_f) == (0.0, 0.0)
    assert oracle.data_efficiency([1, 0, 1, 1], [0, 0, 1, 2], [3.0] * 4) == 1


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: control.components([1, 0], [0, 1]), "items"),
        (lambda: control.components([1, math.nan], [0, 0]), "values"),
        (lambda: control.components([1, 0], [0, 0, 1]), "items"),
        (lambda: control.correlation([1, 0], [0, 0], [1, 2]), "metric"),
        (lambda: control.correlation([1, 0], [0, 0], [math.nan] * 2), "metric"),
        (lambda: oracle.data_efficiency([1, 0], [0, 0], [1]), "metric"),
        (lambda: oracle.plug_in([1], [1], [1]), "values"),
        (lambda: oracle.cross_fitted([1], [1], [0.5, 0.5], [0, 0], [0, 1], [0, 0], [0, 1]), "items"),
        (lambda: oracle.cross_fitted([1], [0], [0.0], [0], [0], [0, 0], [0, 1]), "pi"),
        (lambda: oracle.cross_fitted([1], [0], [0.5], [0], [0], [], []), "population"),
        (lambda: oracle.cross_fitted([1], [0], [0.5], [0], [0], [0, 0], [0, 1], -1.0), "sigma2_a"),
    ],
)
def test_what_cannot_be_is_refused_by_name(call, argument):
    with pytest.raises(InvalidInput) as refused:
        call()
    assert refused.value.where == argument
