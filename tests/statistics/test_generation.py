"""Scores of generated text hold what they promise where recorded judgements are replayed; all is shown."""

import functools

import numpy as np
import pytest

from research.experiments.generation import replayed
from research.experiments.generation.learnt import columns_of, house_of_others
from tests.nlg import needs_nlg, recorded
from tests.oracles.control import data_efficiency
from tests.readers.nlg import REFERENCE

pytestmark = needs_nlg

SECRETS = 2_000  # of the 840 cells one in five hundred would miss .93 by chance if there were a thousand
SHORT = {("100", "ml"), ("100", "ml+rl"), ("four fifths", "ml")}  # of uncapped edits (ADR 21)
SIZES = {"cdm": 520, "marco": 500}
METRICS = ("none", "bigrams", "constant", "random", "reversed", "an outlier", "long-tailed", "rare")
DESIGNS = {"100": 100, "200": 200, "four fifths": None}


def share(name, design):
    outputs = DESIGNS[design]
    return 0.8 if outputs is None else outputs / SIZES[name]


def rng(*key):
    return np.random.default_rng([2018, *key])


@functools.cache
def bigrams(name):
    return replayed.bigrams(recorded()[name])


@functools.cache
def cells(name, design):
    """Every measure and system, without a metric, with repeated bigrams, and with metrics that are bad.

    Each metric has epochs of its own: bias over all cells is then not that of one draw, time and again.
    """
    data, found = recorded()[name], {}
    place = list(SIZES).index(name), list(DESIGNS).index(design)
    for number, metric in enumerate(METRICS, start=1):
        epochs = replayed.draw(data, share(name, design), SECRETS, rng(*place, number))
        for measure in data.values:
            measured = replayed.Measured(data, epochs, measure)
            for system in data.systems:
                got = plain = measured.replay(system, [])
                if metric != "none":
                    good = bigrams(name)[system.units]
                    columns = {"bigrams": good, **replayed.bad_metrics(good.size, good, rng(7))}
                    got = measured.replay(system, [columns[metric]])
                gain = plain.variance / got.variance
                found[measure, system.name, metric] = got.bias, got.coverage, gain
                print(
                    f"{name} {design:11} {measure:11} {system.name:13} {metric:11}"
                    f" bias {got.bias:5.2f} s.e., holds {got.coverage:.3f}, DE {gain:.2f}"
                )
    return found


CELLS = [pytest.param(name, design, marks=pytest.mark.slow) for name in SIZES for design in DESIGNS]


def test_of_a_hundred_judged_outputs_a_good_metric_saves_half_of_the_judgements_and_intervals_hold():
    data = recorded()["cdm"]
    system = data.system("seq2seq")
    epochs = replayed.draw(data, share("cdm", "100"), SECRETS, rng(9))
    measured = replayed.Measured(data, epochs, "redundancy")
    plain, got = (measured.replay(system, one) for one in ([], [bigrams("cdm")[system.units]]))
    assert abs(got.bias) < 3
    assert 0.93 <= got.coverage <= 0.97
    assert plain.variance / got.variance > 1.5


@pytest.mark.slow
def test_over_all_cells_the_bias_is_that_of_chance():
    biases = np.abs([one[0] for name in SIZES for design in DESIGNS for one in cells(name, design).values()])
    assert (biases < 3).mean() >= 0.99
    assert biases.max() < 4.5


@pytest.mark.parametrize(("name", "design"), CELLS)
def test_intervals_hold_the_truth_as_often_as_they_say(name, design):
    found = {key: one[1] for key, one in cells(name, design).items() if not falls_short(design, *key[:2])}
    assert {key: held for key, held in found.items() if not 0.93 <= held <= 0.97} == {}


@pytest.mark.slow
def test_over_all_cells_they_hold_the_truth_as_often_as_they_say():
    found = [one[1] for name in SIZES for design in DESIGNS for one in cells(name, design).values()]
    mean, least, most = np.mean(found), min(found), max(found)
    print(f"{len(found)} cells, {SECRETS} secrets: {mean:.4f}, from {least:.3f} to {most:.3f}")
    assert 0.94 <= mean <= 0.96


@pytest.mark.slow
@pytest.mark.xfail(
    reason="one text in a hundred was rewritten at length: .92 to .95 for two systems (ADR 21)", strict=True
)
def test_of_uncapped_edits_too_they_hold_the_truth_as_often_as_they_say():
    found = {
        (design, key): one[1]
        for design in DESIGNS
        for key, one in cells("cdm", design).items()
        if falls_short(design, *key[:2])
    }
    assert {key: held for key, held in found.items() if not 0.93 <= held <= 0.97} == {}


def falls_short(design, measure, system):
    return measure == "edit" and (design, system) in SHORT


@pytest.mark.parametrize(("name", "design"), CELLS)
def test_a_bad_metric_costs_at_most_a_twentieth(name, design):
    assert {key: one[2] for key, one in cells(name, design).items() if one[2] < 0.95} == {}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "design"), [("cdm", "100"), ("marco", "100"), ("cdm", "four fifths")])
def test_an_adversary_who_knows_all_judgements_biases_nothing_and_costs_a_twentieth_at_most(name, design):
    data, low = recorded()[name], {}
    draws = [replayed.draw(data, share(name, design), SECRETS, rng(8, part)) for part in range(2)]
    for measure in data.values:
        parts = [replayed.Measured(data, epochs, measure) for epochs in draws]
        for system in data.systems:
            metric = replayed.adversarial(data.means(measure)[system.units])
            plain, got = ([one.replay(system, some) for one in parts] for some in ([], [metric]))
            of_all = [np.concatenate([one.parts.estimate for one in each]) for each in (plain, got)]
            gain = of_all[0].var() / of_all[1].var()
            bias = (of_all[1].mean() - got[0].truth) / of_all[1].std() * np.sqrt(of_all[1].size)
            held = np.mean([one.coverage for one in got])
            print(
                f"{name} {design} {measure} {system.name}: bias {bias:.2f}, holds {held:.3f}, DE {gain:.3f}"
            )
            is_held = 0.93 <= held <= 0.97 or falls_short(design, measure, system.name)
            if abs(bias) >= 4.5 or gain < 0.95 or not is_held:
                low[measure, system.name] = bias, held, gain
    assert low == {}


@pytest.mark.slow
def test_plugging_in_is_biased_as_its_formula_says_and_cross_fitting_is_not():
    data = recorded()["cdm"]
    system, n = data.system("pointer"), 50
    metric = bigrams("cdm")[system.units]
    found = replayed.plugged_in(data, system, "overall", metric, n, 100_000, rng(1))
    truth = np.nanmean(data.means("overall")[system.units])
    formula = replayed.bias_of_plug_in(data, system, "overall", metric, n)
    error = found.std() / np.sqrt(found.size)
    print(f"plugged in: {found.mean() - truth:.4f} ± {error:.4f}; by the formula {formula:.4f}")
    assert formula == pytest.approx(0.009, abs=0.002)
    assert abs(found.mean() - truth - formula) < 3 * error
    errors = []
    for part in range(5):
        epochs = replayed.draw(data, n / SIZES["cdm"], SECRETS, rng(2, part))
        got = replayed.Measured(data, epochs, "overall").replay(system, [metric])
        errors.append(got.parts.estimate - got.truth)
    crossed = np.concatenate(errors)
    print(f"cross-fitted: {crossed.mean():.4f} ± {crossed.std() / np.sqrt(crossed.size):.4f}")
    assert abs(crossed.mean()) < 3 * crossed.std() / np.sqrt(crossed.size)


@pytest.mark.slow
@pytest.mark.parametrize("name", SIZES)
def test_intervals_for_another_crowd_hold_the_difference_of_two_halves_of_the_people(name):
    data = recorded()[name]
    held = {}
    for measure in data.values:
        found = replayed.halves(data, measure, 200, rng(3))
        print(name, measure, {system: round(one, 3) for system, one in found.items()})
        held |= {(measure, system): one for system, one in found.items()}
    assert {key: one for key, one in held.items() if one < 0.9} == {}


def test_answers_that_are_the_same_are_one_question():
    data = recorded()["marco"]
    assert sum(one.units.size for one in data.systems) == 2_500
    assert np.unique(np.concatenate([one.units for one in data.systems])).size == 1_861


def test_systems_that_share_answers_are_compared_with_a_third_of_the_variance():
    data = recorded()["marco"]
    first, second = data.system("snet.single"), data.system("snet.ensemble")
    epochs = replayed.draw(data, 0.2, SECRETS, rng(4))
    measured = replayed.Measured(data, epochs, "any")
    gaps = measured.differences(first, second, ([], []))
    apart = measured.replay(first, []).variance + measured.replay(second, []).variance
    truth = measured.replay(first, []).truth - measured.replay(second, []).truth
    ratio = gaps.var() / apart
    print(f"variance of the difference over that of independent samples: {ratio:.3f}")
    assert ratio <= 0.35
    assert abs(gaps.mean() - truth) < 3 * gaps.std() / np.sqrt(gaps.size)


@pytest.mark.slow
@pytest.mark.parametrize("name", SIZES)
def test_the_house_metric_learnt_on_other_systems_is_worth_what_was_asked(name):
    data = recorded()[name]
    columns = columns_of(data)
    least = {("redundancy", "seq2seq"): 1.7, ("edit", "seq2seq"): 2.2}
    low = {}
    for system in data.systems:
        rows = data.of(system)
        house = house_of_others(data, system, columns).of(columns)
        for measure, values in data.values.items():
            got = data_efficiency(values[rows], data.units[rows], house[measure][data.units[rows]])
            print(f"{name} {measure:11} {system.name:13} {got:.3f}")
            if system.name == REFERENCE:
                continue  # what people wrote: no metric tells their good texts from their bad ones
            wanted = least.get(
                (measure, system.name), {"edit": 1.15, "any": 1.02, "average": 1.02}.get(measure, 1)
            )
            if got < wanted:
                low[measure, system.name] = got
    assert low == {}


@pytest.mark.parametrize(("measure", "least", "most"), [("edit", 2.3, 2.8), ("redundancy", 1.7, 2.0)])
def test_repeated_bigrams_are_worth_more_than_any_metric_of_the_paper(measure, least, most):
    data = recorded()["cdm"]
    system = data.system("seq2seq")
    rows = data.of(system)
    values, items = data.values[measure][rows], data.units[rows]
    assert least < data_efficiency(values, items, bigrams("cdm")[items]) < most
    papers = [np.full(len(data.texts), np.nan) for _ in system.metrics]
    for column, values_of in zip(papers, system.metrics.values(), strict=True):
        column[system.units] = values_of
    assert max(data_efficiency(values, items, column[items]) for column in papers) < least / 1.4
