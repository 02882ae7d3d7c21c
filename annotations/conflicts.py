"""Conflicts of interest: who may not judge a corpus.

Who competes where is known above this package, so the package that knows registers a check when the service
starts.
"""

from collections.abc import Callable

Check = Callable[[int, int], bool]

_checks: list[Check] = []


def register(check: Check) -> None:
    """Add a check; adding it again changes nothing.

    Parameters
    ----------
    check : callable
        Takes the ids of a worker and of a corpus, and says whether the worker may *not* judge it.
    """
    if check not in _checks:
        _checks.append(check)


def unregister(check: Check) -> None:
    """Take a check away again."""
    _checks.remove(check)


def exists(*, worker_id: int, corpus_id: int) -> bool:
    """Say whether a registered check keeps the worker from judging the corpus."""
    return any(check(worker_id, corpus_id) for check in _checks)
