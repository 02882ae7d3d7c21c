import hashlib
import hmac

import numpy as np
import pytest

from kbpo.core.errors import InvalidInput
from kbpo_estimators import coordinated
from kbpo_estimators.judging.drawing import (
    audit_probabilities,
    audit_uniforms,
    doubts,
    doubts_in_predictions,
    drawn,
)

SECRET = b"an epoch's"


def test_the_random_number_is_that_of_the_key_with_a_prefix_of_its_own():
    digest = hmac.new(SECRET, b"audit|D1|1-2|3-4", hashlib.sha256).digest()
    assert audit_uniforms(SECRET, ["D1|1-2|3-4"])[0] == (int.from_bytes(digest[:8], "big") >> 11) * 2.0**-53


def test_whether_a_question_is_audited_says_nothing_of_its_sample():
    keys = [f"v1|per:spouse|{number}-1|2-3|D" for number in range(2_000)]
    assert abs(np.corrcoef(audit_uniforms(SECRET, keys), coordinated.uniforms(SECRET, keys))[0, 1]) < 0.08


def test_an_expert_s_label_is_not_doubted():
    assert doubts([1, 0], [0, 0], [0, 0], [0.1, 0.9]).tolist() == [0, 0]


def test_split_votes_are_doubted_more():
    together, split = doubts([1, 1], [2, 3], [0, 1], [0.5, 0.5])
    assert split > 3 * together


def test_a_label_against_what_the_claims_make_likely_is_doubted_more():
    likely, unlikely, missed = doubts([1, 1, 0], [3, 3, 3], [1, 1, 1], [0.9, 0.1, 0.9])
    assert unlikely > 3 * likely
    assert missed == pytest.approx(unlikely)


def test_more_dissenting_votes_than_votes_are_refused():
    with pytest.raises(InvalidInput, match="3 of 2 votes at position 0"):
        doubts([1], [2], [3], [0.5])


def test_a_claim_is_as_doubtful_as_its_labels_together_and_a_unit_as_its_claims_on_average():
    found = doubts_in_predictions([0.1, 0.3], [0, 0, 1], [0.8 * 0.9, 1.0, 0.5])
    assert found == pytest.approx([1 - 0.9 * (0.72 + 1) / 2, 1 - 0.7 * 0.5])


def test_a_unit_of_which_nothing_else_is_needed_keeps_its_doubt_to_the_last_bit():
    doubt = np.random.default_rng(2).beta(0.3, 5, 50)
    assert doubts_in_predictions(doubt, [], []).tolist() == doubt.tolist()


@pytest.mark.parametrize("share", [0.1, 0.2, 0.7])
def test_the_probabilities_are_the_share_on_average(share):
    doubt = np.random.default_rng(1).beta(0.3, 5, 400)
    assert audit_probabilities(doubt, share).mean() == pytest.approx(share)


def test_no_probability_is_below_the_least_one_or_above_one():
    rho = audit_probabilities([1e-9, 1e-9, 1e-9, 1.0], 0.3)
    assert rho.tolist() == pytest.approx([0.05, 0.05, 0.05, 1.0], abs=0.02)
    assert rho.max() <= 1


def test_probabilities_follow_the_root_of_the_doubt():
    low, high = audit_probabilities([0.01] * 9 + [0.09], 0.2)[[0, -1]]
    assert high / low == pytest.approx(3)


@pytest.mark.parametrize(("doubt", "share", "rho"), [([0, 0], 0.3, 0.3), ([0.1, 0.2], 0.01, 0.05)])
def test_without_anything_to_choose_from_all_are_alike(doubt, share, rho):
    assert audit_probabilities(doubt, share).tolist() == pytest.approx([rho, rho])


def test_a_share_of_nothing_is_refused():
    with pytest.raises(InvalidInput, match="share: is 0; a number above 0"):
        audit_probabilities([0.1], 0)


def test_what_is_drawn_is_drawn_again():
    keys = [f"D{number}" for number in range(500)]
    once = drawn(SECRET, keys, np.full(500, 0.2))
    assert 60 < once.sum() < 140
    assert (drawn(SECRET, keys[::-1], np.full(500, 0.2))[::-1] == once).all()
    assert (drawn(SECRET, keys, np.full(500, 0.4)) >= once).all()
