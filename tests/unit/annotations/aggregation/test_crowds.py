import itertools

import numpy as np
import pytest

from annotations.aggregation.crowds import CROWDS, alike
from kbpo.core.errors import InvalidInput


def wrong_majorities(name, workers=30):
    """The share of labels of two answers that the majority of three gets wrong, over all crews of three."""
    crowd = CROWDS[name]
    found = 0.0
    for chance, luck in ((crowd.hard, 0.0), (1 - crowd.hard, 1 - 1e-9)):
        errors = [crowd.error(one, luck) for one in crowd.errors(workers)]
        crews = np.array(list(itertools.combinations(errors, 3)))
        a, b, c = crews.T
        found += chance * (a * b + a * c + b * c - 2 * a * b * c).mean()
    return found


@pytest.mark.parametrize(("name", "share"), [("alike", 0.028), ("mixed", 0.030), ("hard", 0.081)])
def test_each_crowd_gets_its_share_of_labels_wrong(name, share):
    assert wrong_majorities(name) == pytest.approx(share, abs=0.001)


def test_a_fifth_of_a_mixed_crowd_is_careless():
    errors = CROWDS["mixed"].errors(30)
    assert ((errors >= 0.02) & (errors <= 0.10)).sum() == 24
    assert ((errors >= 0.20) & (errors <= 0.36)).sum() == 6


def test_on_a_hard_question_everybody_errs_more():
    hard = CROWDS["hard"]
    assert hard.error(0.05, luck=0.19) == pytest.approx(0.30)
    assert hard.error(0.05, luck=0.21) == 0.05


def test_an_error_that_is_no_probability_is_refused():
    with pytest.raises(InvalidInput, match="it must be a probability"):
        alike(float("nan"))
