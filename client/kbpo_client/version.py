"""Which client this is, and whether a server takes it."""

import re

from kbpo_client.errors import Outdated

__version__ = "0.7.0"

_NUMBERS = re.compile(r"(\d+)\.(\d+)\.(\d+)")


def check(*, server: str, oldest: str) -> str:
    """Hold the client against what a server says of itself.

    Parameters
    ----------
    server, oldest : str
        The server's version, and that of the oldest client that it serves; empty where it says nothing.

    Returns
    -------
    str
        What people should know; empty where all is well.

    Raises
    ------
    Outdated
        If the server serves only newer clients.
    """
    own, theirs, least = _numbers(__version__), _numbers(server), _numbers(oldest)
    if least is not None and own is not None and own < least:
        raise Outdated(
            f"this client is {__version__}, and the server serves none before {oldest}: install a newer one"
        )
    if theirs is not None and own is not None and theirs[:2] < own[:2]:
        return (
            f"the server is {server}, older than this client ({__version__}): some of it may not work there"
        )
    return ""


def _numbers(version: str) -> tuple[int, ...] | None:
    found = _NUMBERS.match(version)
    return tuple(map(int, found.groups())) if found else None
