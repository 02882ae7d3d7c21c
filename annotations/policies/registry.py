"""The policies there are. To add one of a corpus: its module, and its line here."""

from collections.abc import Mapping
from types import MappingProxyType

from annotations.policies import audits, curtailed, fixed, single
from annotations.policies.policy import Policy
from kbpo.core.errors import InvalidInput

POLICIES: Mapping[str, Policy] = MappingProxyType(
    {policy.name: policy for policy in (curtailed.POLICY, fixed.POLICY, single.POLICY)}
)

#: Of a corpus that is given none.
DEFAULT = curtailed.POLICY.name

#: Of questions that are asked again to learn how often judges err, whatever their corpus' policy.
OF_AUDITS = audits.POLICY


def find_policy(name: str) -> Policy:
    """Return the policy of a name.

    Raises
    ------
    InvalidInput
        If there is none; the message lists those there are.
    """
    policy = POLICIES.get(name)
    if policy is None:
        raise InvalidInput(f"unknown policy {name!r:.80}; known are {', '.join(POLICIES)}")
    return policy


def choices() -> list[tuple[str, str]]:
    """Return the name of each policy with its words for people."""
    return [(policy.name, policy.title) for policy in POLICIES.values()]


def measured_by_first() -> list[str]:
    """Return the names of the policies under which only a question's first votes are measured by."""
    return [policy.name for policy in POLICIES.values() if policy.measured_votes is not None]
