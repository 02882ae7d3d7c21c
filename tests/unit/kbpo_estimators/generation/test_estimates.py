import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from kbpo.core.errors import InvalidInput
from kbpo_estimators import control
from kbpo_estimators.generation import SCALES, Given, Judgements, Scale, Scores
from kbpo_estimators.generation import pool as pool_module
from kbpo_estimators.generation.scales import MOST_EDITS, interval
from kbpo_estimators.generation.worth import Judged, worth
from kbpo_estimators.intervals import wilson
from tests.oracles import control as oracle

# Four inputs, two systems; for input 3 both give the same text. Units 0-3 are the first's, 4-6 the second's.
UNITS = np.array([[0, 1, 2, 3], [4, 5, 6, 3]])
INPUTS = np.arange(4)
F = np.array([1.0, 0.0, 0.5, 1.0, 0.0, 0.5, 1.0])
PI = np.array([0.5, 0.6, 0.4, 0.7, 0.5, 0.3, 0.4])
FOLDS = np.array([0, 1, 0, 1])
G = {0: np.array([0.9, 0.1, 0.4, 0.8]), 1: np.array([0.2, 0.7, 0.8, 0.1])}


@pytest.fixture
def few(monkeypatch):
    """Let anything be said of a single judged output, by lines from two on."""
    monkeypatch.setattr(pool_module, "FEW", 0)
    monkeypatch.setattr(control, "SLOPE_NEEDS", 2)


def given(system, candidates=None):
    return Given(INPUTS, UNITS[system], {"g": G[system]} if candidates is None else candidates)


def every_sample():
    """Every draw by input of a lone random number, and every way in which people judge it."""
    of_unit = np.array([0, 1, 2, 3, 0, 1, 2])
    cuts = [sorted({0.0, 1.0, *PI[of_unit == place]}) for place in range(4)]
    for low in itertools.product(*(range(len(one) - 1) for one in cuts)):
        u = np.array([(cuts[place][cut] + cuts[place][cut + 1]) / 2 for place, cut in enumerate(low)])
        chance = math.prod(cuts[place][cut + 1] - cuts[place][cut] for place, cut in enumerate(low))
        sampled = u[of_unit] < PI
        units = np.flatnonzero(sampled)
        options = [(0.0, 1.0) if F[unit] == 0.5 else (F[unit],) for unit in units]
        for values in itertools.product(*options):
            said = Judgements(units, np.zeros(units.size, int), {"any": np.array(values)})
            scores = Scores([given(0), given(1)], said, PI, sampled, FOLDS)
            yield scores, chance / math.prod(map(len, options))


@pytest.mark.usefixtures("few")
def test_scores_and_differences_are_unbiased_over_all_samples_and_judgements():
    total = np.zeros(3)
    for scores, chance in every_sample():
        found = scores.differences("any")
        total += chance * np.array(
            [
                scores._fit(0, "any").parts.estimate,
                scores._fit(1, "any").parts.estimate,
                found.estimates[0, 1],
            ]
        )
    first, second = F[UNITS[0]].mean(), F[UNITS[1]].mean()
    assert total == pytest.approx([first, second, first - second], abs=1e-12)


# A larger pool


def world(systems=3, size=400, *, seed=1, share=0.5, scale=(0.0, 1.0), twice=0.3, noise=0.15, workers=20):
    """Systems over the same inputs; the last two share half of their texts."""
    rng = np.random.default_rng(seed)
    units = np.arange(systems * size).reshape(systems, size)
    units[-1, : size // 2] = units[-2, : size // 2]
    u = systems * size
    g = rng.normal(size=u)
    f = 1 / (1 + np.exp(-g - 0.5 * rng.normal(size=u)))
    pi = np.full(u, share)
    drawn = rng.random(size) < share
    sampled = np.zeros(u, dtype=bool)
    for row in units:
        sampled[row] |= drawn
    pi[np.setdiff1d(np.arange(u), units)] = 0.5
    kept = np.flatnonzero(sampled)
    of = np.concatenate([kept, kept[rng.random(kept.size) < twice]])
    values = np.clip(f[of] + rng.normal(0, noise, of.size), 0, 1)
    values = scale[0] + (scale[1] - scale[0]) * values
    said = Judgements(of, rng.integers(0, workers, of.size), {"any": values})
    given = [Given(np.arange(size), row, {"g": g[row]}) for row in units]
    return given, said, pi, sampled, rng.integers(0, 5, size), g


def scored(**how):
    given, said, pi, sampled, folds, _ = world(**how)
    return Scores(given, said, pi, sampled, folds)


def test_the_score_is_the_cross_fitted_one_within_the_scale():
    given, said, pi, sampled, folds, g = world()
    got = Scores(given, said, pi, sampled, folds).score(0, "any")
    mine = np.flatnonzero(sampled[given[0].units])
    rows = np.isin(said.units, mine)
    items = np.searchsorted(mine, said.units[rows])
    by_control = oracle.cross_fitted(
        said.values["any"][rows], items, pi[mine], g[mine], folds[mine], g[given[0].units], folds
    )
    assert got.this_crowd.estimate == pytest.approx(by_control.estimate, abs=0.002)  # clipped to the scale
    assert got.this_crowd.variance == pytest.approx(by_control.variance, rel=0.02)
    assert got.metric == "g"
    assert got.this_crowd.variance == got.of_draw + got.of_people
    assert got.efficiency > 1.2
    assert got.saved == pytest.approx(got.judgements * (got.efficiency - 1))


def test_of_candidates_that_one_serves_which_helps():
    given, said, pi, sampled, folds, g = world()
    random = np.random.default_rng(2).normal(size=g.size)
    one = given[0]
    both = replace(one, candidates={"random": random[one.units], "good": {"any": g[one.units]}})
    other = replace(one, candidates={"constant": np.ones(400), "elsewhere": {"average": g[one.units]}})
    assert Scores([both], said, pi, sampled, folds).score(0, "any").metric == "good"
    found = Scores([other], said, pi, sampled, folds).score(0, "any")
    assert found.metric is None
    assert found.efficiency == pytest.approx(1)


def test_all_pairs_say_what_each_pair_says():
    scores = scored()
    found = scores.differences("any")
    for first, second in itertools.product(range(3), repeat=2):
        pair = scores.difference(first, second, "any")
        assert found.estimates[first, second] == pytest.approx(pair.estimate, abs=1e-12)
        assert found.variances[first, second] == pytest.approx(pair.variance, abs=1e-12)


@pytest.mark.parametrize("people", [1, 2, 9, 40])
def test_all_pairs_say_what_each_pair_says_of_another_crowd(people):
    given, said, pi, sampled, folds, _ = world()
    rng = np.random.default_rng(people)
    said = replace(said, workers=rng.integers(0, people, said.units.size))
    shorter = replace(
        given[1], **{name: getattr(given[1], name)[50:] for name in ("inputs", "units")}, candidates={}
    )
    copy = replace(given[0], candidates={})
    scores = Scores([*given, shorter, copy], said, pi, sampled, folds)
    for measure in scores.measures:
        found = scores.differences(measure).variances + scores.added_by_crowds(measure)
        for first, second in itertools.product(range(len(scores.systems)), repeat=2):
            pair = scores.difference(first, second, measure)
            assert found[first, second] == pytest.approx(pair.crowd_variance, rel=1e-9, abs=1e-15)


def test_where_all_outputs_are_shared_there_is_no_difference():
    given, said, pi, sampled, folds, _ = world()
    copy = replace(given[0], candidates={})
    scores = Scores([given[0], copy], said, pi, sampled, folds)
    pair = scores.difference(0, 1, "any")
    assert (pair.estimate, pair.variance, pair.different, pair.shared) == (0, 0, 0, 400)
    assert pair.interval().low == pair.interval(another_crowd=True).high == 0
    assert scores.differences("any").variances.tolist() == [[0, 0], [0, 0]]


def test_with_different_pi_the_covariance_of_two_residuals_has_that_expectation():
    # One input, u below both π or not: Cov(1/π, 1/π′) is 1/max π − 1.
    from kbpo_estimators.generation.comparing import Side, compare
    from kbpo_estimators.generation.fitting import Noise

    def side(pi, sampled, e):
        flag = np.array([int(sampled)])
        return Side(np.zeros(1), e * flag, np.array([pi]), flag, Noise(np.float64(0), np.float64(0)))

    expected, pi, other = 0.0, 0.3, 0.8
    for low, high in ((0.0, 0.3), (0.3, 0.8), (0.8, 1.0)):
        u = (low + high) / 2
        found = compare(side(pi, u < pi, 2.0), side(other, u < other, 1.5), 1)
        expected += (high - low) * found[1]
    truth = sum(
        (high - low) * ((u < pi) / pi * 2.0 - (u < other) / other * 1.5 - 0.5) ** 2
        for low, high, u in ((0, 0.3, 0.1), (0.3, 0.8, 0.5), (0.8, 1, 0.9))
    )
    assert expected == pytest.approx(truth)


def test_a_subset_of_inputs_is_scored_like_a_system_that_has_no_others():
    given, said, pi, sampled, folds, g = world()
    some = np.arange(400) < 200
    got = Scores(given, said, pi, sampled, folds).score(0, "any", some)
    mine = given[0]
    alone = Given(mine.inputs[:200], mine.units[:200], {"g": g[mine.units][:200]})
    # With the noise of the whole.
    rest = Given(mine.inputs[200:], mine.units[200:], {})
    wanted = Scores([alone, rest], said, pi, sampled, folds).score(0, "any")
    assert got.this_crowd.estimate == pytest.approx(wanted.this_crowd.estimate)
    assert got.outputs == wanted.outputs


def test_what_metrics_are_worth_for_all_outputs_counts_a_shared_one_once():
    given, said, pi, sampled, folds, g = world()
    scores = Scores(given, said, pi, sampled, folds)
    every = scores.units_of(None)
    assert (np.diff(every) > 0).all()
    got = scores.worth(None, "any", g[every][None])
    as_one = Given(every, every, {})  # a system that gives all of them, each for an input of its own
    wanted = Scores([as_one], said, pi, sampled, np.zeros(every.max() + 1, int)).worth(
        0, "any", g[every][None]
    )
    assert got.rho[0] == pytest.approx(wanted.rho[0])
    assert got.efficiency[0] == pytest.approx(wanted.efficiency[0])
    assert scores.judged(None, "any").means.size == int(sampled[every].sum())


def test_the_interval_of_a_correlation_stays_within_its_bounds():
    given, said, pi, sampled, folds, _ = world()
    means = np.bincount(said.units, said.values["any"], minlength=pi.size)
    means /= np.maximum(1, np.bincount(said.units, minlength=pi.size))
    got = Scores(given, said, pi, sampled, folds).worth(0, "any", means[given[0].units][None])
    assert got.rho[0] == 1.0  # the noise of people is in the metric itself: it would come out beyond 1
    assert got.rho_low[0] <= got.rho_high[0] == 1.0


def test_of_fewer_than_twenty_judged_outputs_nothing_is_said():
    scores = scored(size=30)
    assert scores.score(0, "any") is None
    assert scores.difference(0, 1, "any") is None
    assert np.isnan(scores.differences("any").estimates).all()
    assert scores.variances(0, "any") is None
    assert scores.worth(0, "any", np.zeros((1, 30))) is None


def test_with_few_judged_twice_the_noise_of_all_counts_for_what_is_missing():
    given, said, pi, sampled, folds, _ = world(twice=0.05)
    scores = Scores(given, said, pi, sampled, folds)
    found = scores.score(0, "any").sigma2_a
    twice = np.bincount(said.units, minlength=pi.size) > 1
    within = scores._within["any"]
    own, every = given[0].units[twice[given[0].units]], np.unique([one.units for one in given])
    share = own.size / 30
    assert 0 < share < 1
    pooled = within[every].sum() / twice[every].sum()
    assert found == pytest.approx(share * within[own].mean() + (1 - share) * pooled)


def test_enough_judged_twice_and_the_noise_is_the_systems_own():
    scores = scored(twice=0.5)
    units = scores.systems[0].units
    assert scores.score(0, "any").sigma2_a == scores._noise_among(units, "any").sigma2


def test_where_no_output_is_judged_twice_the_variance_is_a_bound():
    bound, usual = scored(twice=0.0).score(0, "any"), scored(twice=0.3).score(0, "any")
    assert math.isnan(bound.sigma2_a)
    assert bound.this_crowd.variance > usual.this_crowd.variance


def test_a_census_has_the_noise_of_people_alone():
    got = scored(share=1.0).score(0, "any")
    assert got.of_draw == 0
    assert got.of_people > 0


def test_what_was_published_counts_with_the_noise_of_people_alone():
    given, said, pi, sampled, folds, _ = world()
    drawn = np.isin(given[0].units, said.units)
    known = pi.copy()
    known[given[0].units[drawn]] = 1.0
    got = Scores(given, said, known, sampled, folds).score(0, "any")
    assert got.of_draw == 0
    assert got.of_people > 0


@pytest.mark.parametrize("measure", ["overall", "any", "edit"])
def test_where_everybody_is_of_one_opinion_the_interval_still_has_a_width(measure):
    given, said, pi, sampled, folds, _ = world()
    best = SCALES[measure].low if measure == "edit" else SCALES[measure].high
    said = replace(said, values={measure: np.full(said.units.size, best)})
    scores = Scores([replace(one, candidates={}) for one in given], said, pi, sampled, folds)
    got = scores.score(0, measure).this_crowd.interval()
    assert got.estimate == best
    assert 0.005 < (got.high - got.low) / SCALES[measure].span < 0.1
    pair = scores.difference(0, 1, measure).interval()
    assert pair.low < 0 < pair.high


@pytest.mark.parametrize("value", [0.1, 0.25, 0.5, 0.7, 2 / 3])
def test_equal_judgements_have_wilsons_interval_however_they_are_rounded(value):
    rng = np.random.default_rng(3)
    pi, folds = np.full(240, 0.25), np.tile(rng.integers(0, 5, 120), 2)
    sampled = rng.uniform(size=240) < pi
    units = np.repeat(np.flatnonzero(sampled), 3)
    # The second system's outputs are all judged higher by a tenth.
    values = np.where(units < 120, value, value + 0.1)
    said = Judgements(units, np.tile(np.arange(3), units.size // 3), {"average": values})
    systems = [Given(np.arange(120), np.arange(120) + first, {}) for first in (0, 120)]
    scores = Scores(systems, said, pi, sampled, folds[:120], {"average": SCALES["average"]})
    this = scores.score(0, "average").this_crowd
    assert this.variance == 0.0
    expected = wilson(value, this.n_eff)
    assert this.interval().low == pytest.approx(expected.low)
    assert this.interval().high == pytest.approx(expected.high)
    difference = scores.difference(1, 0, "average").interval()
    assert difference.estimate == pytest.approx(0.1)
    assert difference.high - difference.low > 0.1


def test_one_person_alone_says_nothing_of_another_crowd():
    assert scored(workers=1).score(0, "any").another_crowd is None


def test_people_who_differ_in_leniency_widen_the_interval_for_another_crowd_alone():
    given, said, pi, sampled, folds, _ = world()
    lenient = np.random.default_rng(9).normal(0, 0.25, 20)[said.workers]
    moved = replace(said, values={"any": np.clip(said.values["any"] + lenient, 0, 1)})
    usual, uneven = (Scores(given, one, pi, sampled, folds).score(0, "any") for one in (said, moved))
    assert uneven.another_crowd.variance > 3 * uneven.this_crowd.variance
    assert usual.another_crowd.variance < 2 * usual.this_crowd.variance
    assert usual.workers == pytest.approx(20, rel=0.2)


def test_the_cluster_part_by_hand():
    from kbpo_estimators.generation.pool import Scores as Pool

    given, said, pi, sampled, folds, _ = world(size=60, systems=2)
    scores = Pool([replace(given[0], candidates={})], said, pi, sampled, folds)
    fit, units = scores._fit(0, "any"), given[0].units
    got = scores.score(0, "any")
    counts = np.bincount(said.units[sampled[said.units]], minlength=pi.size)
    by_worker, of, squares = {}, {}, 0.0
    for unit, worker, value in zip(said.units, said.workers, said.values["any"], strict=True):
        if unit in units:
            c = 1 / 60 / (0.5 * counts[unit])
            ce = c * (value - fit.side.foretold[unit])
            by_worker[worker] = by_worker.get(worker, 0) + ce
            of[worker] = of.get(worker, 0) + c
            squares += ce**2
    g = sum(of.values()) ** 2 / sum(one**2 for one in of.values())
    extra = max(0.0, g / (g - 1) * (sum(one**2 for one in by_worker.values()) - squares))
    assert got.workers == pytest.approx(g)
    assert got.another_crowd.variance == pytest.approx(got.this_crowd.variance + extra)
    assert got.another_crowd.degrees_of_freedom <= g - 1 + 1e-12 * g


def test_variances_and_worth_are_those_of_the_definitions_where_pi_is_equal():
    given, said, pi, sampled, folds, g = world(twice=0.3)
    scores = Scores(given, said, pi, sampled, folds)
    rows = np.isin(said.units, given[0].units)
    values, items = said.values["any"][rows], said.units[rows]
    wanted, got = control.components(values, items), scores.variances(0, "any")
    assert got.sigma2_a == pytest.approx(wanted.sigma2_a)
    assert got.sigma2_f == pytest.approx(wanted.sigma2_f, rel=0.1)  # judgements there, outputs here
    assert got.cap == pytest.approx((1 + got.gamma) / got.gamma)
    found = scores.worth(0, "any", np.array([g[given[0].units], np.ones(400)]))
    assert found.rho[0] == pytest.approx(control.correlation(values, items, g[items]), rel=0.03)
    assert found.efficiency[0] == pytest.approx(oracle.data_efficiency(values, items, g[items]), rel=0.05)
    assert found.rho_low[0] < found.rho[0] < found.rho_high[0]
    assert 1 < found.efficiency_low[0] < found.efficiency[0] < found.efficiency_high[0] < got.cap
    assert (found.rho[1], found.efficiency[1], found.efficiency_low[1]) == (0, 1, 1)


def test_a_correlation_whose_interval_is_the_whole_range_is_not_estimable():
    rng = np.random.default_rng(4)
    values = rng.normal(size=6)
    judged = Judged(values, np.full(6, 0.9), np.full(6, 2), np.ones(6))
    of_people = judged.spread()[0] - 0.01  # nearly all of the variance: outputs show next to no difference
    found = worth(judged, rng.normal(size=(1, 6)), np.ones(1), of_people, is_own=True, level=0.95)
    assert np.isnan([found.rho[0], found.rho_low[0], found.rho_high[0]]).all()
    assert np.isfinite(found.efficiency[0])


def test_intervals_are_within_the_scale_and_hold_the_estimate():
    for measure, scale in SCALES.items():
        top = 3.0 if scale.high is None else scale.high
        for estimate in np.linspace(scale.low - 0.1, top + 0.1, 23):
            for variance in (0.0, 1e-8, 0.01, 4.0):
                got = interval(estimate, variance, 12.5, 80.0, scale, 0.95)
                assert scale.low <= got.low <= got.estimate <= got.high, measure
                assert scale.high is None or got.high <= scale.high


def test_no_interval_of_edits_ends_beyond_what_edits_can_be():
    got = interval(0.5, 0.4, 1.0, 20.0, SCALES["edit"], 0.95)
    assert (got.estimate, got.high) == (0.5, MOST_EDITS)


def test_on_a_scale_of_shares_it_is_the_logit_interval():
    got = interval(0.3, 0.001, math.inf, 80.0, Scale(0.0, 1.0))
    reach = 1.959964 * math.sqrt(0.001) / 0.21
    middle = math.log(0.3 / 0.7)
    assert got.low == pytest.approx(1 / (1 + math.exp(reach - middle)), abs=1e-6)
    assert got.high == pytest.approx(1 / (1 + math.exp(-reach - middle)), abs=1e-6)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda a: a | {"pi": a["pi"] * 0}, "pi"),
        (lambda a: a | {"pi": np.ones_like(a["pi"])}, "sampled"),
        (lambda a: a | {"sampled": a["sampled"][1:]}, "sampled"),
        (lambda a: a | {"folds": a["folds"] - 1}, "folds"),
        (lambda a: a | {"judgements": replace(a["judgements"], units=a["judgements"].units[1:])}, "workers"),
        (lambda a: a | {"judgements": replace(a["judgements"], values={"liked": np.zeros(3)})}, "values"),
        (
            lambda a: (
                a | {"judgements": replace(a["judgements"], values={"any": a["judgements"].units + 2.0})}
            ),
            "any",
        ),
        (
            lambda a: a | {"judgements": Judgements(np.zeros(0), np.zeros(0), {"any": np.zeros(0)})},
            "judgements",
        ),
        (lambda a: a | {"systems": [replace(a["systems"][0], inputs=np.zeros(400, int))]}, "system 0"),
        (lambda a: a | {"systems": [replace(a["systems"][0], candidates={"g": np.full(400, np.nan)})]}, "g"),
    ],
)
def test_what_cannot_be_is_refused_by_name(change, where):
    names = ("systems", "judgements", "pi", "sampled", "folds")
    with pytest.raises(InvalidInput) as refused:
        Scores(**change(dict(zip(names, world()[:5], strict=True))))
    assert refused.value.where == where
