"""Host names as browsers read them: which addresses lead to the same host. Pure."""

import ipaddress
import re
import socket
from collections.abc import Iterable

_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)


def canonical(host: str) -> str:
    """Return a host's name as a browser would ask for it.

    Letters are small, there is no dot at the end, and an IP address is written in the one usual way, though
    browsers take ``2130706433``, ``0x7f.1`` and ``[::ffff:127.0.0.1]`` for ``127.0.0.1`` as well.

    Examples
    --------
    >>> [canonical(name) for name in ("KBP.Example.Org.", "0x7f.1", "::FFFF:127.0.0.1")]
    ['kbp.example.org', '127.0.0.1', '127.0.0.1']
    """
    name = host.strip("[]").lower().rstrip(".")
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return _legacy(name)
    mapped = getattr(address, "ipv4_mapped", None)
    return str(mapped or address)


def is_one_of(host: str, names: Iterable[str]) -> bool:
    """Say whether a host is one of those named; a name that begins with a dot stands for all below it too."""
    found = canonical(host)
    for name in names:
        own = canonical(name.removeprefix("."))
        if found == own or (name.startswith(".") and found.endswith(f".{own}")):
            return True
    return False


def _legacy(name: str) -> str:
    """Return an IP address that is written in another way than the usual; other names as they are."""
    if not _NUMBER.fullmatch(name.rpartition(".")[2]):
        return name
    try:
        return str(ipaddress.ip_address(socket.inet_aton(name)))
    except OSError:
        return name
