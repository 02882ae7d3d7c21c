"""Which addresses may be sent to: public ones, whatever their name leads to when it is looked up.

The service stands in a network that its users do not: an address that leads back into it would have it ask
what they cannot. So a name is looked up once, for each connection, every address behind it must be public,
and the connection goes to one of those, not to the name again.
"""

import ipaddress
import socket
from urllib.parse import urlsplit

from kbpo.core.errors import InvalidInput

LONGEST = 500  # characters
PORTS = (443, 8443)
EXAMPLE = "https://example.org/kbp"


#: That `ipaddress` takes for public, in part or in some releases: for protocols and documents alone, and ways
#: from IPv4 to IPv6 or back.
_SPECIAL = tuple(
    map(
        ipaddress.ip_network,
        ("192.0.0.0/24", "192.88.99.0/24", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "3fff::/20"),
    )
)


class NotPublic(Exception):
    """A name has no public address, or none that could be looked up."""


def check_url(url: str, *, own_hosts: tuple[str, ...] = (), is_anywhere: bool = False) -> str:
    """Check an address that somebody names; its name is looked up when something is sent.

    Parameters
    ----------
    url : str
    own_hosts : tuple of str
        The service's own, which it does not send to.
    is_anywhere : bool
        Whether this is a development machine: HTTP, other ports and private networks will do.

    Returns
    -------
    str
        The address, without space around it.

    Raises
    ------
    InvalidInput
        Saying what is wrong with it, and what would be right.
    """
    url = url.strip()
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or ""), parts.port
    except ValueError:
        raise InvalidInput(f"{url[:100]!r} is no address: it should be like {EXAMPLE}") from None
    if len(url) > LONGEST or not url.isascii() or not url.isprintable() or " " in url:
        raise InvalidInput(f"an address has at most {LONGEST} ASCII characters and no spaces, as {EXAMPLE}")
    if parts.scheme not in (("http", "https") if is_anywhere else ("https",)) or not host:
        raise InvalidInput(f"{url!r} should begin with https:// and a host, like {EXAMPLE}")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise InvalidInput("an address has no name, password or # in it: the signature says who sends")
    if is_anywhere:
        return url
    if port not in (None, *PORTS):
        raise InvalidInput(f"port {port} is not sent to: {' and '.join(map(str, PORTS))} are")
    if host.rstrip(".") in own_hosts:
        raise InvalidInput(f"{host} is this service itself: name an address of yours")
    if not _may_be_public(host):
        raise InvalidInput(f"{host} is not an address that everybody can reach: name a public one")
    return url


def is_public(address: str) -> bool:
    """Say whether an IP address is one of the public internet's.

    Examples
    --------
    >>> [is_public(ip) for ip in ("93.184.215.14", "127.0.0.1", "::ffff:10.0.0.1", "169.254.169.254")]
    [True, False, False, False]
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is not None:
            return is_public(str(ip.ipv4_mapped))
        if ip.teredo is not None or ip.is_site_local:
            return False
    if any(ip in network for network in _SPECIAL):
        return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)


def resolve(host: str, port: int, *, is_anywhere: bool = False) -> list[str]:
    """Look a host up.

    Returns
    -------
    list of str
        Its IP addresses, each once, in the order in which they are to be tried.

    Raises
    ------
    NotPublic
        One of them is not public, be the others.
    OSError
        It is not found.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not is_anywhere and not all(map(is_public, addresses)):
        raise NotPublic(host)
    return addresses


def _may_be_public(host: str) -> bool:
    try:
        return is_public(host)
    except ValueError:
        names = host.rstrip(".").split(".")
        # Digits at the end are another way to write an IPv4 address, which the look-up would heed.
        return (
            len(names) > 1
            and names[-1].isalpha()
            and names[-1] not in ("localhost", "local", "internal", "home", "lan", "test", "invalid")
        ) or names[-1].startswith("xn--")
