import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from annotations.aggregation.agreement import fleiss_kappa, interval_alpha
from kbpo.core.errors import InvalidInput

# Fleiss (1971), table 1: 30 patients, six diagnoses each: depression, personality disorder, schizophrenia,
# neurosis, other.
TABLE = """
00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""
FLEISS = [[int(count) for count in patient] for patient in TABLE.split()]

tables = st.lists(
    st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=2, max_size=12
).map(np.array)  # fmt: skip


def test_fleiss_own_example():
    assert round(fleiss_kappa(FLEISS).estimate, 3) == 0.430


def test_fleiss_own_example_has_30_items():
    assert fleiss_kappa(FLEISS).items == 30


def test_an_example_by_hand():
    # P = 1, 1, 1/3, 1/3: mean 2/3; both categories are half of the ratings: P_e = 1/2.
    assert fleiss_kappa([[3, 0], [0, 3], [2, 1], [1, 2]]).estimate == pytest.approx(1 / 3)


def test_an_example_by_hand_with_unequal_numbers_of_ratings():
    # P = 1, 0, 1: mean 2/3; shares of the first category 1, 1/2, 0: p = (1/2, 1/2), P_e = 1/2.
    assert fleiss_kappa([[4, 0], [1, 1], [0, 3]]).estimate == pytest.approx(1 / 3)


def test_the_variance_by_hand():
    # As above, κ = 1/3: every item has Σ_j p_j r_ij/r_i = P_e, so that k = 2(P − 2/3) = 2/3, -4/3, 2/3.
    assert fleiss_kappa([[4, 0], [1, 1], [0, 3]]).variance == pytest.approx((4 + 16 + 4) / 9 / 6)


def test_the_variance_is_that_of_the_jackknife():
    whole = fleiss_kappa(FLEISS)
    without = [fleiss_kappa(FLEISS[:i] + FLEISS[i + 1 :]).estimate for i in range(30)]
    jackknife = 29 / 30 * np.square(np.array(without) - np.mean(without)).sum()
    assert math.sqrt(whole.variance) == pytest.approx(math.sqrt(jackknife), rel=0.05)


def test_items_with_fewer_than_two_ratings_say_nothing():
    assert fleiss_kappa([*FLEISS, [1, 0, 0, 0, 0], [0, 0, 0, 0, 0]]) == fleiss_kappa(FLEISS)


def test_perfect_agreement_is_one():
    assert fleiss_kappa([[3, 0], [0, 3], [3, 0]]).estimate == 1.0


def test_perfect_agreement_on_few_items_is_no_certainty():
    assert fleiss_kappa([[3, 0], [0, 3], [3, 0]]).low < 0.5


def test_items_that_are_all_alike_are_no_certainty():
    kappa = fleiss_kappa([[2, 1], [2, 1], [1, 2], [1, 2]])
    assert kappa.low < kappa.estimate < kappa.high


def test_two_ratings_that_never_agree_are_minus_one():
    assert fleiss_kappa([[1, 1], [1, 1], [1, 1]]).estimate == -1.0


@pytest.mark.parametrize(
    "counts",
    [
        [[3, 0], [3, 0]],  # one category
        [[2, 1]],  # one item
        [[1, 0], [0, 1], [2, 1]],  # one item with two ratings
        np.zeros((0, 2), int),
    ],
)
def test_what_is_not_estimable_is_none(counts):
    assert fleiss_kappa(counts) is None


@given(tables)
def test_the_ends_hold_the_estimate(counts):
    kappa = fleiss_kappa(counts)
    assume(kappa is not None)
    assert -1 <= kappa.low <= kappa.estimate <= kappa.high <= 1


@given(tables, st.permutations(range(3)))
def test_the_order_of_the_categories_does_not_matter(counts, order):
    kappa, other = fleiss_kappa(counts), fleiss_kappa(counts[:, order])
    assume(kappa is not None)
    assert other.estimate == pytest.approx(kappa.estimate)


@given(tables)
def test_a_category_that_nobody_uses_changes_nothing(counts):
    wider = np.column_stack([counts, np.zeros(len(counts), int)])
    kappa, other = fleiss_kappa(counts), fleiss_kappa(wider)
    assume(kappa is not None)
    assert (other.estimate, other.low) == pytest.approx((kappa.estimate, kappa.low))


def test_a_higher_level_is_wider():
    narrow, wide = fleiss_kappa(FLEISS, level=0.8), fleiss_kappa(FLEISS, level=0.95)
    assert wide.low < narrow.low < narrow.high < wide.high


@pytest.mark.parametrize("items", [100, 400])
@pytest.mark.parametrize("raters", [(3, 3), (2, 5)])
def test_the_interval_holds_the_truth(items, raters):
    def counts(rng, n):
        truth = rng.random(n) < 0.1
        ratings = rng.integers(raters[0], raters[1] + 1, n)
        yes = rng.binomial(ratings, np.where(truth, 0.89, 0.11))
        return np.column_stack([ratings - yes, yes])

    rng = np.random.default_rng(7)
    truth = fleiss_kappa(counts(rng, 400_000)).estimate
    found = [fleiss_kappa(counts(rng, items)) for _ in range(600)]
    coverage = np.mean([one.low <= truth <= one.high for one in found])
    print(f"\n{items} items, {raters} ratings: the 95% interval holds κ = {truth:.3f} in {coverage:.3f}")
    assert 0.92 <= coverage <= 0.98


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[1, -1]], "counts: the value -1 at position (0, 1) is wrong"),
        ([[1, 0.5]], "counts: the value 0.5 at position (0, 1) is wrong"),
        ([1, 2], "counts: has 1 dimensions; 2 needed"),
    ],
)
def test_a_wrong_count_is_named(counts, message):
    with pytest.raises(InvalidInput) as refused:
        fleiss_kappa(counts)
    assert message in str(refused.value)


def test_a_level_out_of_range_is_refused():
    with pytest.raises(InvalidInput, match="level: is 1"):
        fleiss_kappa(FLEISS, level=1)


def test_interval_alpha_is_one_minus_the_variance_within_items_by_that_of_all() -> None:
    values, items = [0.0, 1.0, 0.5, 1.0, 0.0, 0.0, 0.25], [0, 0, 0, 1, 1, 2, 3]
    within = ((0.5**2 + 0.5**2) + (0.5**2 + 0.5**2)) / 3
    found = interval_alpha(values, items)
    assert found is not None
    assert found.estimate == pytest.approx(1 - within / np.var(values, ddof=1))
    assert found.low <= found.estimate <= found.high
    assert found.items == 2


def test_interval_alpha_of_perfect_agreement_is_one_and_leaves_room_below() -> None:
    found = interval_alpha([1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 2, 2])
    assert found is not None
    assert found.estimate == found.high == 1
    assert 0 < found.low < 1


@pytest.mark.parametrize(
    ("values", "items"), [([], []), ([1, 0], [0, 0]), ([1, 0, 1], [0, 1, 2]), ([1, 1, 1, 1], [0, 0, 1, 1])]
)
def test_interval_alpha_is_not_estimable_without_two_items_or_any_difference(
    values: list[float], items: list[int]
) -> None:
    assert interval_alpha(values, items) is None


def test_interval_alpha_has_the_interval_of_its_name() -> None:
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(1000):
        items = np.repeat(np.arange(200), 2)
        found = interval_alpha(rng.normal(size=200)[items] + rng.normal(size=400), items)
        assert found is not None
        held += found.low <= 0.5 <= found.high
    assert 0.92 <= held / 1000 <= 0.97


def test_interval_alpha_refuses_what_is_no_number() -> None:
    with pytest.raises(InvalidInput, match="finite"):
        interval_alpha([1, float("nan")], [0, 1])
