"""How often each address of the site may be asked for, by one network, one account, and in all."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import DatabaseError
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from kbpo.core import limits, shared_limits
from kbpo.core.clients import client_address
from kbpo.core.errors import TooMany
from kbpo.core.limits import Counted, Limit
from kbpo.core.refusals import outage_answer, refuse
from kbpo.core.shared_limits import Total

READING = ("GET", "HEAD", "OPTIONS")
API = "api_"  # how the names of the API's addresses begin: its views count, as they know whose token it is
FIRST = 3  # of each network are taken though others have used up what is taken in all


@dataclass(frozen=True, slots=True)
class Rule:
    """How often something may be asked for.

    Attributes
    ----------
    network, account : Limit
    everybody : Total
        Counted in this order; what one refuses is not counted by the next. Who has not signed in has a total
        apart from those who have: nobody closes anything to people with an account without having one.
    reading : bool
        Whether reading counts too, not only what changes something.
    """

    network: Limit
    account: Limit
    everybody: Total
    reading: bool = False


def _rule(
    what: str,
    seconds: int,
    *,
    network: int,
    account: int,
    everybody: int,
    reading: bool = False,
    first: int = FIRST,
) -> Rule:
    return Rule(
        network=Limit(f"{what}, network", network, seconds, f"{what} from your network"),
        account=Limit(f"{what}, account", account, seconds, f"{what} by your account"),
        everybody=shared_limits.total(
            f"{what}, everybody",
            everybody,
            seconds,
            f"{what} by everybody together",
            first=first,
            newcomers=4 * everybody,
        ),
        reading=reading,
    )


SIGN_UPS = _rule("sign-ups", 3600, network=20, account=20, everybody=500)
RESETS = _rule("requests for a new password", 3600, network=20, account=20, everybody=500)
CHANGES = _rule("changes to an account", 300, network=300, account=20, everybody=3000)
PASSKEYS = _rule("sign-ins by a passkey", 900, network=60, account=60, everybody=6000)
ORGANISATION = _rule("sign-ins by an organisation", 900, network=60, account=60, everybody=3000, reading=True)
TEAMS = _rule("changes to a team", 3600, network=240, account=60, everybody=3000)
UPLOADS = _rule("uploads", 3600, network=240, account=120, everybody=3000)
CHECKS = _rule("checks of a file", 3600, network=120, account=60, everybody=1000)
CHECKS_OF_VISITORS = _rule("checks of a file without an account", 3600, network=20, account=20, everybody=200)
CALLS = _rule("calls of the API", 60, network=1200, account=900, everybody=12000, reading=True)
CALLS_OF_TOKEN = Limit("calls of the API, token", 600, 60, "calls of the API with this token")

#: By the name of the address; those of the API are `CALLS` as well.
RULES: Mapping[str, Rule] = {
    "account_signup": SIGN_UPS,
    "socialaccount_signup": SIGN_UPS,
    "account_reset_password": RESETS,
    "account_reset_password_from_key": RESETS,
    "account_change_password": CHANGES,
    "account_set_password": CHANGES,
    "account_email": CHANGES,
    "mfa_login_webauthn": PASSKEYS,
    "openid_connect_login": ORGANISATION,
    "organisation_sign_in": ORGANISATION,
    "organisation_come_back": ORGANISATION,
    "openid_connect_callback": ORGANISATION,
    "team_new": TEAMS,
    "team": TEAMS,
    "invitation": TEAMS,
    "upload": UPLOADS,
    "api_uploads": UPLOADS,
    "api_submissions": UPLOADS,
    "check": CHECKS,
    "api_checks": CHECKS,
}


class RequestLimits:
    """Refuses pages that are asked for too often."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass the request on."""
        return self._get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponseBase], args: object, kwargs: object
    ) -> HttpResponseBase | None:
        """Count the request by the address that it is for."""
        name = (request.resolver_match and request.resolver_match.url_name) or ""
        try:
            if not name.startswith(API) and (rule := RULES.get(name)) is not None:
                count_request(request, rule, now=timezone.now())
        except TooMany as error:
            return refuse(request, error)
        except DatabaseError as error:
            if (answer := outage_answer(request, error)) is not None:
                return answer
            raise
        return None


def count_request(request: HttpRequest, rule: Rule, *, now: datetime) -> None:
    """Count a request by where it comes from, whose it is, and among all.

    Raises
    ------
    TooMany
    """
    if request.method in READING and not rule.reading:
        return
    shared_limits.require(shared_limits.by_network(rule.network, client_address(request)), now=now)
    if request.user.is_authenticated:
        limits.require(rule.account, str(request.user.pk), now=now)
    _count_among_all(request, rule, now)


def count_call(request: HttpRequest, *, token: int | None, now: datetime) -> Iterator[tuple[str, Counted]]:
    """Count a call of the API, one limit after the other.

    Whoever asks for the next one takes it that the last one was taken: what one refuses is not counted by
    the next.

    Parameters
    ----------
    token : int or None
        The id of the token by which the caller is known, if it is one.

    Yields
    ------
    (str, Counted)
        Whose count it is, in a word, and how it stands.

    Raises
    ------
    TooMany
        Everybody together asks too much.
    """
    for limit, whose in shared_limits.by_network(CALLS.network, client_address(request)):
        yield "network", limits.count(limit, *whose, now=now)
    if request.user.is_authenticated:
        yield "account", limits.count(CALLS.account, str(request.user.pk), now=now)
    if token is not None:
        yield "token", limits.count(CALLS_OF_TOKEN, str(token), now=now)
    _count_among_all(request, CALLS, now)


def _count_among_all(request: HttpRequest, rule: Rule, now: datetime) -> None:
    whose = "accounts" if request.user.is_authenticated else "visitors"
    shared_limits.require_total(rule.everybody, client_address(request), whose, now=now)
