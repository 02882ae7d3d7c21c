"""Throttling of wrong passwords and codes, so that no account is guessed and none is locked.

A browser in which somebody signed in to an account before has a cookie and a count of its own: other people's
attempts do not affect it. All other attempts count by network. Attempts on one account, and on all accounts,
from all networks slow only those networks from which nobody signed in to the account (ADR 36).
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
from kbpo.core import rate_limits
from kbpo.core.clients import client_address, network_of
from kbpo.core.rate_limits import DAY, HOUR, KNOWN_NETWORK, QUARTER_HOUR, Counter, RateLimit, SharedLimit

PASSWORD, CODE = "password", "code"

_NOUNS = {PASSWORD: "wrong passwords", CODE: "wrong codes"}


@dataclass(frozen=True, slots=True)
class LoginLimits:
    """Limits of wrong attempts with a password, or with a code.

    Attributes
    ----------
    browser : RateLimit
        In a browser in which somebody signed in to the account before.
    network : RateLimit
        From any other browser: by one network, on all accounts.
    pair : RateLimit
        By one network on one account.
    account : SharedLimit
        On one account, by all networks from which nobody signed in to it.
    strangers : SharedLimit
        On all accounts, by all such networks.
    """

    browser: RateLimit
    network: RateLimit
    pair: RateLimit
    account: SharedLimit
    strangers: SharedLimit


def _login_limits(kind: str, *, account: int, newcomers: int) -> LoginLimits:
    noun, first = _NOUNS[kind], rate_limits.NEWCOMER_REQUESTS
    return LoginLimits(
        browser=RateLimit(f"{kind} browser", 10, QUARTER_HOUR, f"{noun} in this browser"),
        network=RateLimit(f"{kind} network", 30, QUARTER_HOUR, f"{noun} from your network"),
        pair=RateLimit(f"{kind} pair", 10, QUARTER_HOUR, f"{noun} for this account from your network"),
        account=rate_limits.shared_limit(
            f"{kind} account",
            account,
            HOUR,
            f"{noun} for this account",
            first=first if newcomers else 0,
            newcomers=newcomers,
        ),
        strangers=rate_limits.shared_limit(
            f"{kind} strangers",
            1000,
            QUARTER_HOUR,
            f"{noun} for all accounts together",
            first=first,
            newcomers=3000,
        ),
    )


#: A code has six digits and is tried only by people who have the password, so codes have no newcomers.
LOGIN_LIMITS = {
    PASSWORD: _login_limits(PASSWORD, account=100, newcomers=300),
    CODE: _login_limits(CODE, account=30, newcomers=0),
}
KNOWN_BROWSER_SECONDS = 180 * DAY  # lifetime of the cookie
_SALT = "kbpo.accounts.login_throttling"


def count_attempt(request: HttpRequest, *, kind: str, account: str, now: datetime) -> list[Counter]:
    """Count an attempt as a wrong one, before it is checked.

    Parameters
    ----------
    request : HttpRequest
    kind : str
        `PASSWORD` or `CODE`.
    account : str
        The email address that was entered, whether or not such an account exists. All addresses of an account
        count as one.
    now : datetime
        Aware.

    Returns
    -------
    list of (RateLimit, tuple of str)
        The counters, for `take_back`.

    Raises
    ------
    TooMany
        If one of the limits is reached.
    """
    limits, account, address = LOGIN_LIMITS[kind], _account(account), client_address(request)
    if browser := _known_browser(request, account):
        counters: list[Counter] = [(limits.browser, (account, browser))]
        rate_limits.require_each(counters, now=now)
        return counters
    # The narrow limits first: attempts that they refuse do not fill the counts that networks share.
    counters = [
        *rate_limits.by_network(limits.network, address),
        *rate_limits.by_network(limits.pair, address, account),
    ]
    rate_limits.require_each(counters, now=now)
    if not rate_limits.is_marked(KNOWN_NETWORK, account, network_of(address), now=now):
        counters += rate_limits.require_shared(limits.account, address, account, now=now)
        counters += rate_limits.require_shared(limits.strangers, address, now=now)
    return counters


def take_back(counters: list[Counter]) -> None:
    """Take an attempt that was right off the counts of wrong ones."""
    for limit, owner in counters:
        rate_limits.give_back(limit, *owner)


def count_sign_in(*, account: str, now: datetime) -> None:
    """Count a right password; raise TooMany after too many in an hour."""
    rate_limits.require(rate_limits.SIGN_INS, _account(account), now=now)


def remember(*, request: HttpRequest, user: User, **_: Any) -> None:
    """Remember the network of a sign-in, and have the response set the cookie of its browser."""
    account, network = _folded(user.email), network_of(client_address(request))
    rate_limits.mark(KNOWN_NETWORK, account, network, now=timezone.now())
    request.known_browser = account  # type: ignore[attr-defined]


def known_browser(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Return middleware that sets the cookie of a known browser after a sign-in."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if account := getattr(request, "known_browser", ""):
            response.set_cookie(
                _cookie(account),
                signing.dumps([_digest(account), get_random_string(22)], salt=_SALT),
                max_age=KNOWN_BROWSER_SECONDS,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response

    return middleware


def _known_browser(request: HttpRequest, account: str) -> str:
    """Return the id of this browser for an account; empty if nobody has signed in to the account here."""
    try:
        whose, browser = signing.loads(
            request.COOKIES.get(_cookie(account), ""), salt=_SALT, max_age=KNOWN_BROWSER_SECONDS
        )
    except (signing.BadSignature, TypeError, ValueError):
        return ""
    return str(browser) if whose == _digest(account) else ""


def _cookie(account: str) -> str:
    return f"known_{_digest(account)[:16]}"


def _digest(account: str) -> str:
    return salted_hmac(_SALT, account.encode(errors="replace"), algorithm="sha256").hexdigest()


def _account(address: str) -> str:
    """Return the primary address of an account, for any of its addresses."""
    found = filter_users_by_email(address, prefer_verified=True)
    return _folded(found[0].email if len(found) == 1 else address)


def _folded(account: str) -> str:
    """Return an address in one spelling for all spellings that name the same account."""
    return unicodedata.normalize("NFKC", account).strip().upper().casefold()
