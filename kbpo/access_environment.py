"""What the environment says of who comes in: by which proxies, and as whom an organisation knows them.

============================  ========================================================================
variable                      meaning
============================  ========================================================================
``TRUSTED_PROXIES``           addresses and networks of the proxies in front, with commas between: their
                              ``X-Forwarded-For`` and ``X-Forwarded-Proto`` are believed, nobody else's
``READ_ONLY``                 1 or 0; 1: people may read, and nothing is taken in, as while the server is
                              worked on
``HSTS_SECONDS``              how long browsers are told to come by HTTPS alone; 3600 unless given
``OIDC_NAME``                 what people call the organisation that they may sign in by: ``ORCID``
``OIDC_SERVER_URL``           its OpenID Connect issuer, ``https://orcid.org``; unset: nobody may
``OIDC_CLIENT_ID``            what it knows this site by
``OIDC_CLIENT_SECRET``        and the secret that goes with it
============================  ========================================================================

Those of ``OIDC_…`` are given together or not at all.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network
from urllib.parse import urlsplit

from kbpo.core.errors import InvalidInput

_OIDC = ("OIDC_NAME", "OIDC_SERVER_URL", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET")
VARIABLES = frozenset({"TRUSTED_PROXIES", "READ_ONLY", "HSTS_SECONDS", *_OIDC})
LONGEST_HSTS = 2 * 365 * 24 * 3600  # seconds


@dataclass(frozen=True)
class Organisation:
    """An OpenID Connect provider by which people may sign in.

    Attributes
    ----------
    name : str
        What its button says.
    server_url : str
        The issuer's address.
    client_id, client_secret : str
    """

    name: str
    server_url: str
    client_id: str
    client_secret: str


@dataclass(frozen=True)
class AccessEnvironment:
    """The part of the environment that says who comes in, checked.

    Attributes
    ----------
    trusted_proxies : tuple of IPv4Network or IPv6Network
    is_read_only : bool
    hsts_seconds : int
    organisation : Organisation or None
    """

    trusted_proxies: tuple[IPv4Network | IPv6Network, ...]
    is_read_only: bool
    hsts_seconds: int
    organisation: Organisation | None


def read(given: Mapping[str, str], *, debug: bool) -> AccessEnvironment:
    """Read and check these variables.

    Parameters
    ----------
    given : mapping of str to str
        Those that are set, and not empty.
    debug : bool
        Whether this is a development machine.

    Raises
    ------
    InvalidInput
        Naming the variable that is wrong and what would be right.
    """
    return AccessEnvironment(
        trusted_proxies=_proxies(given.get("TRUSTED_PROXIES", "")),
        is_read_only=_is_read_only(given.get("READ_ONLY", "0")),
        hsts_seconds=_seconds(given.get("HSTS_SECONDS", "3600")),
        organisation=_organisation(given, debug=debug),
    )


def _proxies(value: str) -> tuple[IPv4Network | IPv6Network, ...]:
    where = "TRUSTED_PROXIES"
    found = []
    for word in filter(None, (part.strip() for part in value.split(","))):
        try:
            network = ip_network(word, strict=False)
        except ValueError:
            raise InvalidInput(
                f"{word!r} is no address or network; it should be like 10.0.0.5 or 172.16.0.0/12", where=where
            ) from None
        if network.prefixlen == 0:
            raise InvalidInput(
                f"{word} trusts everybody, so that anybody could choose their address; name the proxies'",
                where=where,
            )
        found.append(network)
    return tuple(found)


def _is_read_only(value: str) -> bool:
    if value not in ("0", "1"):
        raise InvalidInput(f"must be 0 or 1, not {value[:20]!r}", where="READ_ONLY")
    return value == "1"


def _seconds(value: str) -> int:
    if not value.isascii() or not value.isdigit() or len(value) > 9 or int(value) > LONGEST_HSTS:
        raise InvalidInput(
            f"must be a number of seconds up to {LONGEST_HSTS}, not {value[:20]!r}", where="HSTS_SECONDS"
        )
    return int(value)


def _organisation(given: Mapping[str, str], *, debug: bool) -> Organisation | None:
    missing = [name for name in _OIDC if name not in given]
    if len(missing) == len(_OIDC):
        return None
    if missing:
        raise InvalidInput(
            "must be set too, or none of OIDC_NAME, OIDC_SERVER_URL, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET",
            where=", ".join(missing),
        )
    url = urlsplit(given["OIDC_SERVER_URL"])
    if url.scheme not in (("https", "http") if debug else ("https",)) or not url.hostname:
        raise InvalidInput("should be like https://orcid.org", where="OIDC_SERVER_URL")
    return Organisation(
        name=given["OIDC_NAME"],
        server_url=given["OIDC_SERVER_URL"].rstrip("/"),
        client_id=given["OIDC_CLIENT_ID"],
        client_secret=given["OIDC_CLIENT_SECRET"],
    )
