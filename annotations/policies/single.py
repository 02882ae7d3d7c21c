"""As many votes as a question was asked with, one or a few: what they say is their mean.

For judgements that differ from person to person, where none is right: there is nothing to settle, and more
questions with a vote each tell more of a system than a few with many.
"""

from annotations.policies.policy import Decision, Limits, Policy, Settle, Votes, Wait

VOTES = 1
SECOND, SECOND_SHARE = 2, 0.3
"""Votes of some questions, and their share, so that it is seen how people differ."""


def _decide(votes: Votes, limits: Limits) -> Decision:
    return Wait() if votes.number < votes.asked else Settle()


def _expected_votes(error: float) -> float:
    return VOTES + SECOND_SHARE * (SECOND - VOTES)


POLICY = Policy(
    name="single",
    title="one vote, for some questions two, and their mean",
    words="One person judges each, two a random share, so that it is seen how far people differ. What they"
    " say is averaged.",
    first_votes=VOTES,
    usual_votes=SECOND,
    measured_votes=None,
    gathers=False,
    decide=_decide,
    expected_votes=_expected_votes,
)
