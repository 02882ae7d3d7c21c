"""Two votes, and a third only where they differ: label for label the majority of three, for fewer votes.

Where two votes say the same of everything that a question asks, no third one can outvote them. So it is not
asked for, unless the corpus wants more certainty than two votes can give. What three votes do not settle goes
on as under `fixed`.
"""

from annotations.policies.policy import Ask, Decision, Limits, Policy, Votes, Wait, settle_or_ask

FIRST, MAJORITY = 2, 3


def _decide(votes: Votes, limits: Limits) -> Decision:
    if votes.number < votes.asked:
        return Wait()
    # Their verdicts may look settled, as those on a document word by word do: a third can still change them.
    if not votes.agree and votes.number < min(MAJORITY, limits.most_votes):
        return Ask(1)
    return settle_or_ask(votes, limits)


def _expected_votes(error: float) -> float:
    """Return the two first votes and the probability that they differ; two that err are taken to differ."""
    return FIRST + 1 - (1 - error) ** 2


POLICY = Policy(
    name="curtailed",
    title="two votes, a third where they differ, more where three settle nothing",
    words="Two people answer each question; where they differ a third does, in a second round of waiting."
    " Two who agree cannot be outvoted by a third. What three leave open gets more votes, and then an"
    " expert.",
    first_votes=FIRST,
    usual_votes=MAJORITY,
    measured_votes=FIRST,
    gathers=True,
    decide=_decide,
    expected_votes=_expected_votes,
)
