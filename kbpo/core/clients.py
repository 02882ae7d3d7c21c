"""Where a request comes from, however many proxies it went through.

Each proxy appends the address that it was asked from to ``X-Forwarded-For``, so the header is read from the
right, as long as who wrote the part is one of ``TRUSTED_PROXIES``. What stands further left was sent by the
client, who may have made it up.
"""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

Address = IPv4Address | IPv6Address

#: A connection without an address came through a socket of this machine.
_LOCAL = IPv4Address("127.0.0.1")
#: IPv6 customers get a /64, /56 or /48, and choose among its addresses as they like: how long these networks'
#: prefixes are, and how many times as much the wider ones may, in which there may be several customers.
_CUSTOMERS = ((64, 1), (56, 2), (48, 4))


def client_address(request: HttpRequest) -> str:
    """Return the address of who asks.

    Never fails, and never returns what a client made up: where a trusted proxy says something that is no
    address, it is the proxy's own.

    Returns
    -------
    str
        An IPv4 or IPv6 address, without a port or a zone.
    """
    address = _peer(request)
    for hop in reversed(request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")):
        if not _is_trusted(address):
            break
        named = _parsed(hop)
        if named is None:
            break
        address = named
    return str(address)


@dataclass(frozen=True, slots=True)
class Network:
    """What an address is counted by.

    Attributes
    ----------
    name : str
    share : int
        How many times as much as the narrowest may.
    """

    name: str
    share: int


def networks_of(address: str) -> tuple[Network, ...]:
    """Return what an address is counted by, the narrowest first: itself, or for IPv6 its /64, /56 and /48."""
    parsed = _parsed(address)
    if isinstance(parsed, IPv6Address):
        return tuple(
            Network(str(ip_network(f"{parsed}/{length}", strict=False)), share)
            for length, share in _CUSTOMERS
        )
    return (Network(str(parsed or address), 1),)


def network_of(address: str) -> str:
    """Return the narrowest network of an address, by which somebody is known again."""
    return networks_of(address)[0].name


def comes_from_proxy(request: HttpRequest) -> bool:
    """Say whether one of ``TRUSTED_PROXIES`` asks."""
    return _is_trusted(_peer(request))


def _peer(request: HttpRequest) -> Address:
    return _parsed(request.META.get("REMOTE_ADDR") or "") or _LOCAL


def _is_trusted(address: Address) -> bool:
    return any(address in network for network in settings.TRUSTED_PROXIES)


def _parsed(text: str) -> Address | None:
    """Return the address that a proxy wrote, as 1.2.3.4, 1.2.3.4:56, ::1, [::1] or [::1]:56; None if none."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
