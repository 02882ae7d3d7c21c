"""As many votes as a question was asked with."""

import pytest

from annotations.aggregation.majority import Verdict
from annotations.policies.policy import Limits, Settle, Votes, Wait
from annotations.policies.single import POLICY

LIMITS = Limits(most_votes=5, least_posterior=0.5)


@pytest.mark.parametrize(("number", "asked", "decision"), [(0, 1, Wait()), (1, 1, Settle()), (1, 2, Wait())])
def test_it_waits_for_the_votes_that_were_asked_for(number: int, asked: int, decision: object) -> None:
    votes = Votes(number=number, asked=asked, agree=False, verdicts=[Verdict(0.5, number, number)])
    assert POLICY.decide(votes, LIMITS) == decision


def test_nobody_waits_for_a_second_round() -> None:
    assert not POLICY.has_rounds
