"""Rate limits: declared here by name, counted in one table that all web processes share.

A count is one row and one statement, so two simultaneous requests cannot both take the last place. It starts
with the first request and ends a fixed time later. The table is unlogged: counts need no write to the disk,
and start again after a crash of the database.

Requests count by network, by account and in total. An IPv6 customer controls up to 65,536 of the networks
that addresses are counted by, so wider networks are counted too. Of a total that all networks share, the
first few requests of each network are counted separately: nobody can use it up for newcomers.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import DatabaseError, connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.crypto import salted_hmac

from kbpo.core.clients import client_address, networks_of
from kbpo.core.errors import TooMany
from kbpo.core.models import RequestCount
from kbpo.core.refusals import outage_answer, refuse

READING_METHODS = ("GET", "HEAD", "OPTIONS")
NEWCOMER_REQUESTS = 3  # requests of each network that count as those of a newcomer
MINUTE, QUARTER_HOUR, HOUR, DAY = 60, 900, 3600, 24 * 3600  # seconds


@dataclass(frozen=True, slots=True)
class RateLimit:
    """A number of requests in a period.

    Attributes
    ----------
    name : str
        Counts of the same name and owner are one count.
    amount : int
        Requests allowed in a period.
    seconds : float
        Length of a period, which starts with its first request.
    noun : str
        Plural noun phrase in the error message: "wrong passwords from your network".
    """

    name: str
    amount: int
    seconds: float
    noun: str = ""


@dataclass(frozen=True, slots=True)
class SharedLimit:
    """A limit that all networks share.

    Attributes
    ----------
    first : RateLimit
        Requests of one network that count as those of a newcomer.
    newcomers : RateLimit
        Newcomers' requests of all networks.
    others : RateLimit
        All other requests.
    """

    first: RateLimit
    newcomers: RateLimit
    others: RateLimit


@dataclass(frozen=True, slots=True)
class Policy:
    """Limits of one kind of request, checked in this order.

    A request that one limit refuses is not counted by the next.

    Attributes
    ----------
    network, account : RateLimit
    total : SharedLimit
        Counted separately for visitors and for signed-in people: visitors cannot use up the latter's.
    counts_reads : bool
        Whether GET requests count as well.
    """

    network: RateLimit
    account: RateLimit
    total: SharedLimit
    counts_reads: bool = False


@dataclass(frozen=True, slots=True)
class Count:
    """State of a count after a request.

    Attributes
    ----------
    limit : RateLimit
    is_allowed : bool
        Whether the request was within the limit.
    left : int
        Requests that are still allowed in this period.
    seconds : int
        Until the period ends, 1 or more.
    """

    limit: RateLimit
    is_allowed: bool
    left: int
    seconds: int


#: A limit and the owner of the count: an address, an account, a token.
Counter = tuple[RateLimit, tuple[str, ...]]


def shared_limit(
    name: str, amount: int, seconds: float, noun: str, *, first: int, newcomers: int
) -> SharedLimit:
    """Return a limit that networks share; with `first` 0 no request counts as a newcomer's."""
    return SharedLimit(
        first=RateLimit(f"{name}, first", first, seconds, noun),
        newcomers=RateLimit(f"{name}, newcomers", newcomers, seconds, noun),
        others=RateLimit(name, amount, seconds, noun),
    )


def policy(
    noun: str,
    seconds: float,
    *,
    network: int,
    account: int,
    total: int,
    counts_reads: bool = False,
    first: int = NEWCOMER_REQUESTS,
) -> Policy:
    """Return the limits of one kind of request, in requests of a network, of an account, and in total."""
    return Policy(
        network=RateLimit(f"{noun}, network", network, seconds, f"{noun} from your network"),
        account=RateLimit(f"{noun}, account", account, seconds, f"{noun} by your account"),
        total=shared_limit(
            f"{noun}, total",
            total,
            seconds,
            f"{noun} by everybody together",
            first=first,
            newcomers=4 * total,
        ),
        counts_reads=counts_reads,
    )


# Declared limits -----------------------------------------------------------------------------------------

SIGN_UPS = policy("sign-ups", HOUR, network=20, account=20, total=500)
PASSWORD_RESETS = policy("requests for a new password", HOUR, network=20, account=20, total=500)
ACCOUNT_CHANGES = policy("changes to an account", 300, network=300, account=20, total=3000)
PASSKEYS = policy("sign-ins by a passkey", QUARTER_HOUR, network=60, account=60, total=6000)
ORGANISATIONS = policy(
    "sign-ins by an organisation", QUARTER_HOUR, network=60, account=60, total=3000, counts_reads=True
)
TEAM_CHANGES = policy("changes to a team", HOUR, network=240, account=60, total=3000)
UPLOADS = policy("uploads", HOUR, network=240, account=120, total=3000)
FILE_CHECKS = policy("checks of a file", HOUR, network=120, account=60, total=1000)
VISITOR_FILE_CHECKS = policy("checks of a file without an account", HOUR, network=20, account=20, total=200)
API_CALLS = policy("calls of the API", MINUTE, network=1200, account=900, total=12000, counts_reads=True)
API_CALLS_BY_TOKEN = RateLimit("API calls, token", 600, MINUTE, "calls of the API with this token")

SIGN_INS = RateLimit("sign-ins", 60, HOUR, "sign-ins to this account")
USED_CODE = RateLimit("used code", 1, 120, "uses of one code")
WRONG_TOKENS = RateLimit("wrong tokens", 30, QUARTER_HOUR, "wrong tokens from your network")
MAILS = RateLimit("mails", 5, HOUR, "messages of a kind to one address")
CONFIRMATIONS = RateLimit("confirmations", 1, 180, "messages that confirm an address")
FORECASTS = RateLimit("forecasts", 30, DAY, "forecasts by your account")
INVITATIONS = RateLimit("invitations", 40, DAY, "invitations from you")
INVITATION_MAILS = RateLimit("mails of invitations", 5, 7 * DAY)
INVITATION_MAILS_OF_TEAM = RateLimit("mails of invitations, team", 1, 30 * DAY)
WEBHOOKS = RateLimit("webhooks", 20, DAY, "webhooks added by you")
WEBHOOK_TESTS = RateLimit("webhook tests", 20, HOUR, "tests and repetitions of your team")
WIKIPEDIA_SEARCHES = RateLimit("searches of Wikipedia", 60, MINUTE, "searches of Wikipedia")
WORKER_ARRIVALS = RateLimit("arrivals of workers", 60, MINUTE, "arrivals from your network")
# Networks from which an account or a token was used: others' guesses do not lock those out.
KNOWN_NETWORK = RateLimit("known network", 1, 90 * DAY)
KNOWN_NETWORK_OF_TOKEN = RateLimit("known network of a token", 1, 90 * DAY)

#: Policies by URL name; calls of the API count as `API_CALLS` as well.
POLICIES: Mapping[str, Policy] = {
    "account_signup": SIGN_UPS,
    "socialaccount_signup": SIGN_UPS,
    "account_reset_password": PASSWORD_RESETS,
    "account_reset_password_from_key": PASSWORD_RESETS,
    "account_change_password": ACCOUNT_CHANGES,
    "account_set_password": ACCOUNT_CHANGES,
    "account_email": ACCOUNT_CHANGES,
    "mfa_login_webauthn": PASSKEYS,
    "openid_connect_login": ORGANISATIONS,
    "organisation_sign_in": ORGANISATIONS,
    "organisation_come_back": ORGANISATIONS,
    "openid_connect_callback": ORGANISATIONS,
    "team_new": TEAM_CHANGES,
    "team": TEAM_CHANGES,
    "invitation": TEAM_CHANGES,
    "upload": UPLOADS,
    "api_uploads": UPLOADS,
    "api_submissions": UPLOADS,
    "check": FILE_CHECKS,
    "api_checks": FILE_CHECKS,
}
API_PREFIX = "api_"  # of URL names whose views throttle themselves, because they know the token


# Counting ------------------------------------------------------------------------------------------------


def hit(limit: RateLimit, *owner: str, now: datetime) -> Count:
    """Count a request unless the limit is reached.

    Call it outside of transactions: requests of the same owner wait until the surrounding one ends.

    Parameters
    ----------
    limit : RateLimit
    *owner : str
        Owner of the count, such as an address or an account; empty for a count of all requests.
    now : datetime
        Aware.
    """
    ends_at = now + timedelta(seconds=limit.seconds)
    with connection.cursor() as cursor:
        # A period that ends later than one that starts now was started by a clock that was ahead.
        cursor.execute(
            """
            INSERT INTO core_requestcount AS kept (key, count, ends_at) VALUES (%(key)s, 1, %(ends_at)s)
            ON CONFLICT (key) DO UPDATE SET
                count = CASE WHEN kept.ends_at > %(now)s AND kept.ends_at <= %(ends_at)s
                             THEN LEAST(kept.count, %(amount)s) + 1 ELSE 1 END,
                ends_at = CASE WHEN kept.ends_at > %(now)s AND kept.ends_at <= %(ends_at)s
                               THEN kept.ends_at ELSE %(ends_at)s END
            RETURNING count, ends_at
            """,
            {"key": _key(limit, owner), "ends_at": ends_at, "now": now, "amount": limit.amount},
        )
        counted, ends_at = cursor.fetchone()
    wait = max(1, -int((now - ends_at) // timedelta(seconds=1)))
    return Count(limit, counted <= limit.amount, max(0, limit.amount - counted), wait)


def require(limit: RateLimit, *owner: str, now: datetime) -> None:
    """Count a request; raise TooMany, with the time to wait, if the limit is reached."""
    require_allowed(hit(limit, *owner, now=now))


def require_each(counters: list[Counter], *, now: datetime) -> None:
    """Count a request by each limit in turn; raise TooMany at the first that is reached."""
    for limit, owner in counters:
        require(limit, *owner, now=now)


def require_shared(shared: SharedLimit, address: str, *owner: str, now: datetime) -> list[Counter]:
    """Count a request by a limit that networks share; return the counters, or raise TooMany."""
    widest = networks_of(address)[-1].name
    if shared.first.amount and hit(shared.first, *owner, widest, now=now).is_allowed:
        require(shared.newcomers, *owner, now=now)
        return [(shared.first, (*owner, widest)), (shared.newcomers, owner)]
    require(shared.others, *owner, now=now)
    return [(shared.others, owner)]


def require_allowed(count: Count) -> None:
    """Raise TooMany, with the time to wait, if a count was over its limit."""
    if not count.is_allowed:
        limit = count.limit
        raise TooMany(
            f"Too many {limit.noun}: more than {limit.amount} in {format_seconds(limit.seconds)}. "
            f"Try again in {format_seconds(count.seconds)}.",
            retry_after=count.seconds,
        )


def by_network(limit: RateLimit, address: str, *owner: str) -> list[Counter]:
    """Return the counters of an address's networks, the narrowest first; wider ones allow more."""
    return [
        (replace(limit, amount=limit.amount * network.share), (*owner, network.name))
        for network in networks_of(address)
    ]


def is_reached(limit: RateLimit, *owner: str, now: datetime) -> bool:
    """Return whether another request would be refused, without counting one."""
    rows = RequestCount.objects.filter(key=_key(limit, owner), ends_at__gt=now, count__gte=limit.amount)
    return rows.exists()


def give_back(limit: RateLimit, *owner: str) -> None:
    """Take a request off a count, such as a password that was right off the wrong ones."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE core_requestcount SET count = count - 1 WHERE key = %s AND count > 0",
            [_key(limit, owner)],
        )


def mark(limit: RateLimit, *owner: str, now: datetime) -> None:
    """Remember an event for the limit's period from now on."""
    ends_at = now + timedelta(seconds=limit.seconds)
    RequestCount.objects.bulk_create(
        [RequestCount(key=_key(limit, owner), count=1, ends_at=ends_at)],
        update_conflicts=True,
        unique_fields=["key"],
        update_fields=["ends_at"],
    )


def is_marked(limit: RateLimit, *owner: str, now: datetime) -> bool:
    """Return whether an event is remembered."""
    return RequestCount.objects.filter(key=_key(limit, owner), ends_at__gt=now).exists()


def sweep(*, now: datetime) -> int:
    """Delete the counts that have ended; return their number."""
    return RequestCount.objects.filter(ends_at__lte=now).delete()[0]


def format_seconds(seconds: float) -> str:
    """Return a duration in its largest unit, rounded up: "2 minutes"."""
    for unit, length in (("hour", HOUR), ("minute", MINUTE), ("second", 1)):
        if seconds >= length:
            number = int(-(-seconds // length))
            return f"{number} {unit}{'' if number == 1 else 's'}"
    return "a moment"


def _key(limit: RateLimit, owner: tuple[str, ...]) -> str:
    # A digest, so that the table reveals no addresses; lengths, so that no separator can be part of a name.
    text = "".join(f"{len(part)}:{part}" for part in (limit.name, *owner))
    return salted_hmac("kbpo.core.rate_limits", text.encode(errors="replace"), algorithm="sha256").hexdigest()


# Requests ------------------------------------------------------------------------------------------------


def require_request(request: HttpRequest, policy: Policy, *, now: datetime) -> None:
    """Count a request by network, by account and in total; raise TooMany if a limit is reached."""
    if request.method in READING_METHODS and not policy.counts_reads:
        return
    require_each(by_network(policy.network, client_address(request)), now=now)
    if request.user.is_authenticated:
        require(policy.account, str(request.user.pk), now=now)
    require_total(request, policy, now=now)


def require_total(request: HttpRequest, policy: Policy, *, now: datetime) -> None:
    """Count a request in the total of visitors or of signed-in people; raise TooMany if it is reached."""
    owner = "accounts" if request.user.is_authenticated else "visitors"
    require_shared(policy.total, client_address(request), owner, now=now)


class RateLimitMiddleware:
    """Refuses requests for pages over the limits of `POLICIES`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass the request on."""
        return self._get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponseBase], args: object, kwargs: object
    ) -> HttpResponseBase | None:
        """Count the request by the policy of its URL name."""
        name = (request.resolver_match and request.resolver_match.url_name) or ""
        if name.startswith(API_PREFIX) or name not in POLICIES:
            return None
        try:
            require_request(request, POLICIES[name], now=timezone.now())
        except TooMany as error:
            return refuse(request, error)
        except DatabaseError as error:
            if (answer := outage_answer(request, error)) is not None:
                return answer
            raise
        return None
