"""Three votes at once; one more at a time where they do not settle the question, and then an expert."""

from annotations.policies.policy import Decision, Limits, Policy, Votes, Wait, settle_or_ask

VOTES = 3


def _decide(votes: Votes, limits: Limits) -> Decision:
    return Wait() if votes.number < votes.asked else settle_or_ask(votes, limits)


def _expected_votes(error: float) -> float:
    return float(VOTES)


POLICY = Policy(
    name="fixed",
    title="three votes, more where they settle nothing",
    words="Three people answer each question, more if they do not agree, then an expert.",
    first_votes=VOTES,
    usual_votes=VOTES,
    measured_votes=None,
    gathers=False,
    decide=_decide,
    expected_votes=_expected_votes,
)
