"""Seven votes at once, for a question that is asked again to learn how often judges err.

What people say of it stands for the truth, so its own errors must be rare: where one vote in ten is wrong, a
majority of seven is in 0.3% of the verdicts, one of five in 0.9%, one of three in 2.8%.
"""

from annotations.policies.policy import Ask, Decision, Expert, Limits, Policy, Settle, Votes, Wait

VOTES = 7
MOST = 15
"""What so many leave open goes to an expert."""


def _decide(votes: Votes, limits: Limits) -> Decision:
    if votes.number < votes.asked:
        return Wait()
    if votes.verdicts is not None:
        return Settle()
    return Ask(1) if votes.number < MOST else Expert()


def _expected_votes(error: float) -> float:
    return float(VOTES)


POLICY = Policy(
    name="audits",
    title="seven votes, more where they settle nothing",
    words="Seven people who have not judged it before judge it again.",
    first_votes=VOTES,
    usual_votes=VOTES,
    measured_votes=None,
    gathers=False,
    decide=_decide,
    expected_votes=_expected_votes,
)
