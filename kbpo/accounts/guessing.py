"""How often a password or a code may be guessed, so that no account is guessed and none is locked.

Whoever signed in to an account before, in this browser, is known by a cookie and has a count of their own:
what others try is nothing to them. All others are counted by where they come from; what is tried on one
account, and on all of them, from everywhere, slows only those from whose network nobody signed in to it
(ADR 37).
"""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from allauth.account.utils import filter_users_by_email
from django.conf import settings
from django.core import signing
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.crypto import get_random_string, salted_hmac

from kbpo.accounts.models import User
from kbpo.core import limits, shared_limits
from kbpo.core.clients import client_address, network_of
from kbpo.core.limits import Limit
from kbpo.core.shared_limits import Counts, Total

PASSWORD, CODE = "password", "code"

_QUARTER, _HOUR, _DAY = 900, 3600, 24 * 3600  # seconds
_WHAT = {PASSWORD: "wrong passwords", CODE: "wrong codes"}


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many wrong guesses of a kind are taken.

    Attributes
    ----------
    browser : Limit
        In a browser in which somebody signed in to the account before.
    network : Limit
        From anywhere else: by one network, whatever the account.
    pair : Limit
        By one network at one account.
    account : Total
        At one account, by all networks from which nobody signed in to it.
    strangers : Total
        At all accounts, by all such networks.
    """

    browser: Limit
    network: Limit
    pair: Limit
    account: Total
    strangers: Total


def _bounds(kind: str, *, account: int, newcomers: int) -> Bounds:
    what, first = _WHAT[kind], 3
    return Bounds(
        browser=Limit(f"{kind} browser", 10, _QUARTER, f"{what} in this browser"),
        network=Limit(f"{kind} network", 30, _QUARTER, f"{what} from your network"),
        pair=Limit(f"{kind} pair", 10, _QUARTER, f"{what} for this account from your network"),
        account=shared_limits.total(
            f"{kind} account",
            account,
            _HOUR,
            f"{what} for this account",
            first=first if newcomers else 0,
            newcomers=newcomers,
        ),
        strangers=shared_limits.total(
            f"{kind} strangers",
            1000,
            _QUARTER,
            f"{what} for all accounts together",
            first=first,
            newcomers=3000,
        ),
    )


#: A code has six digits, and is tried by who has the password: nobody is a newcomer there.
BOUNDS = {
    PASSWORD: _bounds(PASSWORD, account=100, newcomers=300),
    CODE: _bounds(CODE, account=30, newcomers=0),
}
SIGN_INS = Limit("sign-ins", 60, _HOUR, "sign-ins to this account")
KNOWN_NETWORK = Limit("known network", 1, 90 * _DAY, "")
KNOWN_BROWSER = 180 * _DAY  # seconds that its cookie is heeded
_SALT = "kbpo.accounts.guessing"


@dataclass(frozen=True, slots=True)
class Guess:
    """A guess that is counted until it turns out to be right.

    Attributes
    ----------
    counts : tuple of (Limit, tuple of str)
        Where it is counted, and as whose.
    """

    counts: Counts


def count_guess(request: HttpRequest, *, kind: str, account: str, now: datetime) -> Guess:
    """Count a guess before it is looked at, as a wrong one.

    Parameters
    ----------
    request : HttpRequest
    kind : str
        `PASSWORD` or `CODE`.
    account : str
        The email address that is given, be there such an account or not. All addresses of one are one.
    now : datetime
        Aware.

    Raises
    ------
    TooMany
        One of the limits is reached.
    """
    bounds, account, address = BOUNDS[kind], _account(account), client_address(request)
    if browser := _known_browser(request, account):
        counts: Counts = [(bounds.browser, (account, browser))]
        shared_limits.require(counts, now=now)
        return Guess(counts)
    # The narrow first: what is refused there fills no count that others share.
    counts = [
        *shared_limits.by_network(bounds.network, address),
        *shared_limits.by_network(bounds.pair, address, account),
    ]
    shared_limits.require(counts, now=now)
    if not limits.is_marked(KNOWN_NETWORK, account, network_of(address), now=now):
        counts += shared_limits.require_total(bounds.account, address, account, now=now)
        counts += shared_limits.require_total(bounds.strangers, address, now=now)
    return Guess(counts)


def take_back(guess: Guess) -> None:
    """Take a guess that was right off the counts of wrong ones."""
    for limit, whose in guess.counts:
        limits.give_back(limit, *whose)


def count_sign_in(*, account: str, now: datetime) -> None:
    """Count a right password; only who has it comes here.

    Raises
    ------
    TooMany
        There were too many in an hour.
    """
    limits.require(SIGN_INS, _account(account), now=now)


def remember(*, request: HttpRequest, user: User, **_: Any) -> None:
    """Remember where somebody has signed in: the network here, the browser by a cookie of the response."""
    account, network = _folded(user.email), network_of(client_address(request))
    limits.mark(KNOWN_NETWORK, account, network, now=timezone.now())
    request.known_browser = account  # type: ignore[attr-defined]


def known_browser(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Give a browser in which somebody has just signed in the cookie by which it is known."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if account := getattr(request, "known_browser", ""):
            response.set_cookie(
                _cookie(account),
                signing.dumps([_digest(account), get_random_string(22)], salt=_SALT),
                max_age=KNOWN_BROWSER,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response

    return middleware


def _known_browser(request: HttpRequest, account: str) -> str:
    """Return what this browser is known by at an account; empty if nobody has signed in to it here."""
    try:
        whose, browser = signing.loads(
            request.COOKIES.get(_cookie(account), ""), salt=_SALT, max_age=KNOWN_BROWSER
        )
    except (signing.BadSignature, TypeError, ValueError):
        return ""
    return str(browser) if whose == _digest(account) else ""


def _cookie(account: str) -> str:
    return f"known_{_digest(account)[:16]}"


def _digest(account: str) -> str:
    return salted_hmac(_SALT, account.encode(errors="replace"), algorithm="sha256").hexdigest()


def _account(address: str) -> str:
    """Return what an account is counted by, whichever of its addresses is given: the one mail goes to."""
    found = filter_users_by_email(address, prefer_verified=True)
    return _folded(found[0].email if len(found) == 1 else address)


def _folded(account: str) -> str:
    """Return an address such that all ways to write it that name one account are one."""
    return unicodedata.normalize("NFKC", account).strip().upper().casefold()
