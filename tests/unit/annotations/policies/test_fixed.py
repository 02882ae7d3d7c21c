import pytest

from annotations.aggregation.majority import Verdict
from annotations.policies import fixed
from annotations.policies.policy import Ask, Expert, Limits, Settle, Votes, Wait

LIMITS = Limits(most_votes=5, least_posterior=0.5)
TWO_OF_THREE = [Verdict(1.0, 2, 3)]


def decide(number, verdicts, *, asked=3, agree=False, limits=LIMITS):
    return fixed.POLICY.decide(Votes(number=number, asked=asked, agree=agree, verdicts=verdicts), limits)


def test_three_are_asked_at_first_whatever_the_first_two_say():
    assert fixed.POLICY.first_votes == 3
    assert decide(2, [Verdict(1.0, 2, 2)], agree=True) == Wait()


def test_a_majority_settles():
    assert decide(3, TWO_OF_THREE) == Settle()


def test_a_question_without_claims_is_settled_by_its_votes():
    assert decide(3, []) == Settle()


def test_what_is_not_settled_asks_for_one_more():
    assert decide(3, None) == Ask(1)


def test_with_the_most_votes_an_expert_decides():
    assert decide(5, None, asked=5) == Expert()


@pytest.mark.parametrize(("least", "decision"), [(0.9, Settle()), (0.95, Ask(1))])
def test_a_corpus_may_want_more_than_a_majority(least, decision):
    limits = Limits(most_votes=5, least_posterior=least)
    assert decide(3, TWO_OF_THREE, limits=limits) == decision


@pytest.mark.parametrize("error", [0.0, 0.1, 1.0])
def test_three_votes_are_expected_whatever_the_error(error):
    assert fixed.POLICY.expected_votes(error) == 3


def test_all_votes_are_measured_by():
    assert fixed.POLICY.measured_votes is None
