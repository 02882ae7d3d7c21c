import pytest

from annotations.aggregation.majority import Verdict
from annotations.policies import curtailed
from annotations.policies.policy import Ask, Expert, Limits, Settle, Votes, Wait

LIMITS = Limits(most_votes=5, least_posterior=0.5)
BOTH = [Verdict(1.0, 2, 2), Verdict(0.0, 0, 2)]
TWO_OF_THREE = [Verdict(1.0, 2, 3)]


def decide(number, verdicts, *, agree, asked=2, limits=LIMITS):
    return curtailed.POLICY.decide(Votes(number=number, asked=asked, agree=agree, verdicts=verdicts), limits)


def test_two_are_asked_at_first():
    assert curtailed.POLICY.first_votes == 2
    assert decide(1, [Verdict(1.0, 1, 1)], agree=True) == Wait()


def test_two_that_agree_settle():
    assert decide(2, BOTH, agree=True) == Settle()


def test_two_that_differ_ask_for_a_third():
    assert decide(2, None, agree=False) == Ask(1)


def test_two_that_differ_ask_for_a_third_also_where_they_amount_to_something():
    """As documents do, which are settled word by word."""
    assert decide(2, [], agree=False) == Ask(1)


def test_the_majority_of_three_settles():
    assert decide(3, TWO_OF_THREE, agree=False, asked=3) == Settle()


def test_what_three_do_not_settle_goes_on_one_by_one():
    assert decide(3, None, agree=False, asked=3) == Ask(1)
    assert decide(4, None, agree=False, asked=3) == Ask(1)  # one came late


def test_with_the_most_votes_an_expert_decides():
    assert decide(5, None, agree=False, asked=5) == Expert()


def test_where_two_are_the_most_an_expert_decides_between_them():
    limits = Limits(most_votes=2, least_posterior=0.5)
    assert decide(2, None, agree=False, limits=limits) == Expert()


@pytest.mark.parametrize(("least", "decision"), [(0.98, Settle()), (0.99, Ask(1))])
def test_a_corpus_may_want_more_than_two_that_agree(least, decision):
    limits = Limits(most_votes=5, least_posterior=least)
    assert decide(2, BOTH, agree=True, limits=limits) == decision


def test_while_votes_are_to_come_nothing_is_decided():
    assert decide(2, BOTH, agree=True, asked=3) == Wait()


@pytest.mark.parametrize(("error", "votes"), [(0.0, 2.0), (0.1, 2.19), (1.0, 3.0)])
def test_a_third_vote_is_expected_as_often_as_two_differ(error, votes):
    assert curtailed.POLICY.expected_votes(error) == pytest.approx(votes)


def test_only_the_first_two_votes_are_measured_by():
    assert curtailed.POLICY.measured_votes == 2
