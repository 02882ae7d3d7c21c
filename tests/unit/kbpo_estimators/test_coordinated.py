import hashlib
import hmac
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from kbpo.core.errors import InvalidInput
from kbpo_estimators import coordinated
from kbpo_estimators.coordinated import (
    document_folds,
    floor_labels,
    folds,
    quadratic_sum,
    target_variance,
    top_up,
    uniforms,
)

SECRET = b"secret"


def variance_of(pi, p):
    """Σ p² s² (1/π − 1), exactly summed."""
    return math.fsum(w * w * 0.25 * (1 / x - 1) for w, x in zip(p, pi, strict=True) if w > 0)


@st.composite
def designs(draw):
    """π so far, a new system's p, a target and a floor."""
    n = draw(st.integers(1, 12))
    pi = draw(st.lists(st.one_of(st.just(0.0), st.just(1.0), st.floats(1e-6, 1)), min_size=n, max_size=n))
    raw = draw(st.lists(st.one_of(st.just(0.0), st.floats(1e-4, 1)), min_size=n, max_size=n))
    assume(sum(raw) > 0)
    p = np.array(raw) / math.fsum(raw)
    return np.array(pi), p, draw(st.floats(1e-6, 0.2)), draw(st.one_of(st.just(0.0), st.floats(0, 1.5)))


# The permanent random numbers


def test_a_uniform_is_the_top_53_bits_of_the_hmac():
    digest = hmac.new(SECRET, "Zoë|1".encode(), hashlib.sha256).hexdigest()
    assert uniforms(SECRET, ["Zoë|1"])[0] * 2**53 == int(digest, 16) >> (256 - 53)


def test_uniforms_follow_their_keys_not_their_order():
    keys = [f"k{i}" for i in range(50)]
    assert uniforms(SECRET, keys[::-1]).tolist() == uniforms(SECRET, keys)[::-1].tolist()


def test_another_secret_gives_other_numbers():
    assert uniforms(SECRET, ["k"])[0] != uniforms(b"other", ["k"])[0]


def test_uniforms_look_uniform():
    u = uniforms(SECRET, [f"k{i}" for i in range(20_000)])
    assert u.min() >= 0
    assert u.max() < 1
    assert stats.kstest(u, "uniform").pvalue > 1e-3


def test_no_keys_give_no_numbers():
    assert uniforms(SECRET, []).shape == (0,)


def test_an_empty_secret_is_refused():
    with pytest.raises(InvalidInput, match="secret"):
        uniforms(b"", ["k"])


# The folds


def test_a_fold_is_the_first_8_bytes_of_its_own_hmac_modulo_k():
    digest = hmac.new(SECRET, b"fold|key", hashlib.sha256).digest()
    assert folds(SECRET, ["key"])[0] == int.from_bytes(digest[:8], "big") % 5


def test_folds_are_even_and_independent_of_the_uniforms():
    keys = [f"k{i}" for i in range(20_000)]
    table = np.histogram2d(folds(SECRET, keys), uniforms(SECRET, keys), bins=(5, 10))[0]
    assert stats.chisquare(table.sum(axis=1)).pvalue > 1e-3
    assert stats.chi2_contingency(table).pvalue > 1e-3


def test_one_fold_is_refused():
    with pytest.raises(InvalidInput, match="k: is 1"):
        folds(SECRET, ["key"], k=1)


# The target


def test_the_default_target_costs_a_lone_system_about_456_labels():
    assert 0.25 / target_variance() == pytest.approx(456.2, abs=0.1)


def test_the_target_is_the_half_width_over_the_normal_quantile_squared():
    assert target_variance(0.03, 0.80) == pytest.approx((0.03 / 1.2815516) ** 2, rel=1e-7)


def test_the_floor_spends_half_of_a_lone_systems_labels():
    assert floor_labels(0.25 / 500, 0.5) == pytest.approx(250)


def test_a_half_width_in_percent_is_refused():
    with pytest.raises(InvalidInput, match="half_width: is 3"):
        target_variance(3, 0.80)


# The top-up


def test_a_lone_uniform_system_is_sampled_evenly():
    # ¼ · 10 · .1² · (1/π − 1) = .025 at π = 1/2, so λ = 5.
    pi, lam = top_up(np.zeros(10), np.full(10, 0.1), 0.025)
    assert pi == pytest.approx(np.full(10, 0.5))
    assert lam == pytest.approx(5)


def test_an_instance_with_most_of_the_weight_is_taken_for_certain():
    # λ·.8 reaches 1 first; the others then need ¼ · 2 · .1² · (1/π − 1) = .005: π = 1/2, λ = 5.
    pi, lam = top_up(np.zeros(3), np.array([0.8, 0.1, 0.1]), 0.005)
    assert pi == pytest.approx([1, 0.5, 0.5])
    assert lam == pytest.approx(5)


def test_what_other_systems_have_had_sampled_counts():
    # The first instance is certain already; ¼ · .5² · (1/π − 1) = .0625 is met at π = 1/2: λ = 1.
    pi, lam = top_up(np.array([1.0, 0.1]), np.array([0.5, 0.5]), 0.0625)
    assert pi == pytest.approx([1, 0.5])
    assert lam == pytest.approx(1)


def test_a_target_that_is_met_already_costs_nothing():
    before = np.array([0.9, 0.9, 0.2])
    pi, lam = top_up(before, np.array([0.5, 0.5, 0.0]), 0.1)
    assert pi.tolist() == before.tolist()
    assert lam == 0


def test_the_floor_applies_to_the_systems_instances_only():
    pi, lam = top_up(np.array([0.0, 0.0, 0.1]), np.array([0.5, 0.5, 0.0]), 0.125, floor=0.5)
    assert pi.tolist() == [0.5, 0.5, 0.1]
    assert lam == 0


def test_a_floor_above_one_is_a_census_of_the_system():
    pi, _ = top_up(np.zeros(2), np.array([0.5, 0.5]), 0.01, floor=114.0)
    assert pi.tolist() == [1.0, 1.0]


@given(design=designs())
def test_the_target_is_met(design):
    pi, p, target, floor = design
    new, _ = top_up(pi, p, target, floor)
    assert variance_of(new, p) <= target * (1 + 1e-12)


@given(design=designs())
def test_the_target_is_missed_by_any_smaller_lambda(design):
    pi, p, target, floor = design
    _, lam = top_up(pi, p, target, floor)
    assume(lam > 0)
    less = np.maximum(np.where(p > 0, np.maximum(pi, min(1, floor)), pi), np.minimum(1, lam * (1 - 1e-9) * p))
    with np.errstate(divide="ignore"):
        assert variance_of(less, p) > target


@given(design=designs())
def test_inclusion_probabilities_are_what_lambda_and_floor_make_them(design):
    pi, p, target, floor = design
    new, lam = top_up(pi, p, target, floor)
    expected = np.where(p > 0, np.maximum(np.maximum(pi, min(1.0, floor)), np.minimum(1.0, lam * p)), pi)
    assert new.tolist() == expected.tolist()


@given(design=designs())
def test_an_inclusion_probability_never_falls(design):
    pi, p, target, floor = design
    assert (top_up(pi, p, target, floor)[0] >= pi).all()


@given(design=designs())
def test_whatever_a_system_predicts_can_be_sampled(design):
    pi, p, target, floor = design
    assert (top_up(pi, p, target, floor)[0][p > 0] > 0).all()


@given(design=designs(), data=st.data())
def test_the_order_of_the_instances_changes_no_bit(design, data):
    pi, p, target, floor = design
    order = list(data.draw(st.permutations(range(pi.size))))
    new, lam = top_up(pi, p, target, floor)
    new_shuffled, lam_shuffled = top_up(pi[order], p[order], target, floor)
    assert lam_shuffled == lam
    assert new_shuffled.tolist() == new[order].tolist()


@given(design=designs())
def test_the_same_system_again_needs_no_more(design):
    pi, p, target, floor = design
    once, _ = top_up(pi, p, target, floor)
    twice, lam = top_up(once, p, target, floor)
    assert lam == 0
    assert twice.tolist() == once.tolist()


@pytest.mark.slow
@given(design=designs())
def test_the_arguments_are_left_alone(design):
    pi, p, target, floor = design
    copies = pi.copy(), p.copy()
    top_up(pi, p, target, floor)
    assert pi.tolist() == copies[0].tolist()
    assert p.tolist() == copies[1].tolist()


def test_lambda_agrees_with_the_closed_form_on_a_large_system():
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.ones(50_000))
    target = target_variance()
    pi, lam = top_up(np.zeros(p.size), p, target)
    # With A the instances below 1: Σ_A (p/λ − p²) = 4V*, so λ = Σ_A p / (4V* + Σ_A p²).
    below = pi < 1
    assert lam == pytest.approx(p[below].sum() / (4 * target + (p[below] ** 2).sum()), rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.1, 1.2], [0.5, 0.5], 0.1), "pi: the value 1.2 at position 1 is wrong; a probability lies in"),
        (([0.1, math.nan], [0.5, 0.5], 0.1), "pi: the value nan at position 1"),
        (([0.1, 0.1], [0.5, 0.4], 0.1), "p: sums to 0.9"),
        (([0.1, 0.1], [1.5, -0.5], 0.1), "p: the value 1.5 at position 0"),
        (([0.1], [0.5, 0.5], 0.1), "p: has 2 values where the other arguments have 1"),
        (([], [], 0.1), "p: is empty"),
        (([0.1, 0.1], [0.5, 0.5], 0.0), "target_variance: is 0.0"),
        (([0.1, 0.1], [0.5, 0.5], 0.1, -1.0), "floor: is -1.0"),
    ],
)
def test_a_wrong_argument_is_named(arguments, message):
    with pytest.raises(InvalidInput, match=message.replace("[", r"\[")):
        top_up(*arguments)


def test_the_default_number_of_folds_is_five():
    assert coordinated.FOLDS == 5


def test_a_target_that_is_met_but_for_rounding_is_met():
    """A sum rounded down to it is no exact sum: λ was sought next to 0, and beyond all doubles."""
    p, target = np.full(1000, 1 / 1000), coordinated.LABEL_VARIANCE / 456
    pi, _ = top_up(np.zeros(1000), p, target)
    lacking = np.random.default_rng(0).random(1000) < 0.4
    pi[lacking] -= 4 * np.spacing(pi[lacking])
    terms = p * (p * (coordinated.LABEL_VARIANCE * (1 / pi - 1)))
    assert terms.sum() <= target < math.fsum(terms)
    grown, lam = top_up(pi, p, target)
    assert lam > 0
    assert math.fsum(p * (p * (coordinated.LABEL_VARIANCE * (1 / grown - 1)))) <= target


# The quadratic sum


def alone(pi, p, s2):
    """Σ p² s² (1/π − 1), exactly summed, where p > 0."""
    return math.fsum(w * w * v * (1 / x - 1) for w, x, v in zip(p, pi, s2, strict=True) if w > 0)


@st.composite
def quadratic_designs(draw):
    """π and sums of squares so far; a new system's p, its target, s², what is known to it, and a floor."""
    pi, p, target, floor = draw(designs())
    squares = pi**2 * draw(st.sampled_from([0.0, 0.5, 1.0]))
    s2 = np.array(draw(st.lists(st.floats(0.04, 0.25), min_size=p.size, max_size=p.size)))
    known = np.array(draw(st.lists(st.booleans(), min_size=p.size, max_size=p.size)))
    return pi, squares, p, target, {"variance": s2, "known": known, "floor": floor}


def test_a_lone_system_has_by_the_quadratic_sum_what_it_has_by_the_maximum():
    p = np.array([0.8, 0.1, 0.1])
    pi, lam = top_up(np.zeros(3), p, 0.005)
    found = quadratic_sum(np.zeros(3), np.zeros(3), p, 0.005)
    assert found.pi.tolist() == pi.tolist()
    assert found.lam == lam


def test_two_systems_that_share_an_instance_sample_it_with_the_root_of_the_sum_of_squares():
    # Each alone has π = 1/2 on two instances, of which they share one: it gets √(¼ + ¼).
    first = quadratic_sum(np.zeros(3), np.zeros(3), [0.5, 0.5, 0.0], 0.125)
    second = quadratic_sum(first.pi, first.squares, [0.0, 0.5, 0.5], 0.125)
    assert second.pi == pytest.approx([0.5, math.sqrt(0.5), 0.5])
    assert second.lam == first.lam == pytest.approx(1)


def test_what_is_planned_to_be_surer_is_sampled_less():
    # p is even; s is 1/2 and 1/4, so π = λp · 2s is twice as high where s is.
    found = quadratic_sum(np.zeros(2), np.zeros(2), [0.5, 0.5], 0.1, variance=[0.25, 0.0625])
    assert found.pi[0] == pytest.approx(2 * found.pi[1])
    assert alone(found.pi, [0.5, 0.5], [0.25, 0.0625]) == pytest.approx(0.1)


def test_a_known_instance_is_certain_and_needs_no_share():
    found = quadratic_sum([0.2, 0.0], [0.04, 0.0], [0.5, 0.5], 0.0625, known=[True, False])
    assert found.pi.tolist() == [1.0, 0.5]
    assert found.squares.tolist() == [0.04, 0.25]


def test_a_system_all_of_which_is_known_costs_nothing():
    found = quadratic_sum(np.zeros(2), np.zeros(2), [0.5, 0.5], 0.01, known=[True, True])
    assert found.lam == 0
    assert found.pi.tolist() == [1.0, 1.0]


def test_a_floor_is_no_part_of_the_sum_of_squares():
    first = quadratic_sum(np.zeros(2), np.zeros(2), [0.5, 0.5], 0.2, floor=0.9)
    assert first.pi.tolist() == [0.9, 0.9]
    assert quadratic_sum(first.pi, first.squares, [0.5, 0.5], 0.2).pi.tolist() == [0.9, 0.9]


@given(design=quadratic_designs())
def test_the_newcomer_alone_meets_its_target_and_by_no_smaller_lambda(design):
    pi, squares, p, target, options = design
    found = quadratic_sum(pi, squares, p, target, **options)
    share = p * (2 * np.sqrt(options["variance"]))

    def of(lam):
        return np.where(options["known"], 1.0, np.minimum(1.0, lam * share))

    assert found.term.tolist() == np.where(p > 0, of(found.lam), 0.0).tolist()
    assert alone(found.term, p, options["variance"]) <= target * (1 + 1e-12)
    if found.lam > 0:
        with np.errstate(divide="ignore"):
            assert alone(of(found.lam * (1 - 1e-9)), p, options["variance"]) > target


@given(design=quadratic_designs())
def test_by_the_quadratic_sum_no_probability_falls_and_the_newcomer_meets_its_target(design):
    pi, squares, p, target, options = design
    found = quadratic_sum(pi, squares, p, target, **options)
    assert (found.pi >= pi).all()
    assert (found.squares >= squares).all()
    assert (found.pi[p > 0] > 0).all()
    assert found.pi[p == 0].tolist() == pi[p == 0].tolist()
    assert alone(found.pi, p, options["variance"]) <= target * (1 + 1e-12)


@given(design=quadratic_designs(), data=st.data())
def test_the_order_of_the_instances_changes_no_bit_of_the_quadratic_sum(design, data):
    pi, squares, p, target, options = design
    order = list(data.draw(st.permutations(range(pi.size))))
    other = {name: one if name == "floor" else one[order] for name, one in options.items()}
    found = quadratic_sum(pi, squares, p, target, **options)
    shuffled = quadratic_sum(pi[order], squares[order], p[order], target, **other)
    assert shuffled.lam == found.lam
    assert shuffled.pi.tolist() == found.pi[order].tolist()
    assert shuffled.squares.tolist() == found.squares[order].tolist()


def test_the_order_of_arrival_changes_rounding_alone():
    rng = np.random.default_rng(3)
    systems = [(rng.dirichlet(np.ones(40)), rng.uniform(0.04, 0.25, 40)) for _ in range(6)]

    def grown(order):
        pi = squares = np.zeros(40)
        for p, s2 in (systems[number] for number in order):
            found = quadratic_sum(pi, squares, p, 0.004, variance=s2, floor=0.1)
            pi, squares = found.pi, found.squares
        return pi

    assert grown([5, 3, 1, 0, 2, 4]) == pytest.approx(grown(range(6)), rel=1e-14)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"squares": [-0.1, 0.0]}, "squares: has the value -0.1"),
        ({"squares": [0.0]}, "squares: has 1 values"),
        ({"variance": [0.0, 0.25]}, "variance: has the value 0.0; that of a label lies in"),
        ({"variance": [0.1, 0.26]}, "variance: has the value 0.26"),
        ({"known": [1, 0]}, "known: has the type int64"),
        ({"floor": math.inf}, "floor: is inf"),
        ({"target_variance": -1.0}, "target_variance: is -1.0"),
    ],
)
def test_a_wrong_argument_of_the_quadratic_sum_is_named(changed, message):
    given = {"pi": [0.1, 0.1], "squares": [0.0, 0.0], "p": [0.5, 0.5], "target_variance": 0.1} | changed
    with pytest.raises(InvalidInput, match=message):
        quadratic_sum(**given)


def test_a_document_has_a_fold_of_its_own_kind():
    digest = hmac.new(SECRET, b"document fold|D1", hashlib.sha256).digest()
    assert document_folds(SECRET, ["D1"])[0] == int.from_bytes(digest[:8], "big") % 5
