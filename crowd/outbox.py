"""Acts at a provider: claimed by a lease, tried again ever later, never under a lock."""

from datetime import timedelta
from random import Random

LEASE = timedelta(minutes=10)  # longer than all tries of one request and a long list take
FIRST = timedelta(seconds=2)
LONGEST = timedelta(minutes=15)
DECLINED_FOR = timedelta(hours=1)  # what a provider declined is tried again after
#: After which nothing is on its way any more: a signature holds for five minutes, the clocks may differ.
IN_FLIGHT = timedelta(minutes=16)
#: That anything here is put off for; what says more was written by a clock that was wrong.
LONGEST_LEASE = DECLINED_FOR + IN_FLIGHT


def wait(tries: int, rng: Random, *, retry_after: float | None = None) -> timedelta:
    """Return how long to wait after so many tries: doubled each time, and never the same for two.

    Parameters
    ----------
    tries : int
        From 1.
    rng : Random
    retry_after : float, optional
        Seconds that the provider asks for; more than `DECLINED_FOR` is not believed.
    """
    longest = min(LONGEST, FIRST * float(2 ** min(tries - 1, 20)))
    pause = longest * (0.5 + 0.5 * rng.random())
    return max(pause, min(DECLINED_FOR, timedelta(seconds=min(retry_after or 0, 1e6))))
