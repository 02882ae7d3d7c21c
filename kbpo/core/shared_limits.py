"""Limits by network, and limits that all networks share, which a few of them cannot use up.

An IPv6 customer is given up to 65,536 of the networks that addresses are counted by, so theirs are counted
together as well. Of what all share, each network's first few in a time are counted apart: others who fill the
count of the many leave it open to whoever comes for the first time.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from kbpo.core import limits
from kbpo.core.clients import networks_of
from kbpo.core.limits import Limit

#: Limits, and whose counts of them: what `limits.require` asks for.
Counts = list[tuple[Limit, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Total:
    """So many by everybody.

    Attributes
    ----------
    first : Limit
        How many of a network count as the first ones.
    newcomers : Limit
        How many of those are taken, of all networks.
    others : Limit
        How many of all others.
    """

    first: Limit
    newcomers: Limit
    others: Limit


def total(name: str, amount: int, seconds: int, what: str, *, first: int, newcomers: int) -> Total:
    """Make a total; nobody is a newcomer where `first` is 0."""
    return Total(
        first=Limit(f"{name}, first", first, seconds, what),
        newcomers=Limit(f"{name}, newcomers", newcomers, seconds, what),
        others=Limit(name, amount, seconds, what),
    )


def by_network(limit: Limit, address: str, *whose: str) -> Counts:
    """Return what counts by where a request comes from, the narrowest network first.

    Parameters
    ----------
    limit : Limit
        Of the narrowest; wider ones have a few times as many.
    address : str
        Of the client.
    *whose : str
        Whose count it is besides.
    """
    return [
        (replace(limit, amount=limit.amount * network.share), (*whose, network.name))
        for network in networks_of(address)
    ]


def require(counts: Counts, *, now: datetime) -> None:
    """Count one more in each; what one refuses is not counted by the next. TooMany where one is reached."""
    for limit, whose in counts:
        limits.require(limit, *whose, now=now)


def require_total(shared: Total, address: str, *whose: str, now: datetime) -> Counts:
    """Count one more of what networks share.

    Returns
    -------
    list of (Limit, tuple of str)
        Where it is counted.

    Raises
    ------
    TooMany
        The limit is reached.
    """
    widest = networks_of(address)[-1].name
    if shared.first.amount and not limits.take(shared.first, *whose, widest, now=now):
        limits.require(shared.newcomers, *whose, now=now)
        return [(shared.first, (*whose, widest)), (shared.newcomers, whose)]
    limits.require(shared.others, *whose, now=now)
    return [(shared.others, whose)]
