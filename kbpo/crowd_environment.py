"""What the environment says of the crowd: where work is posted, with whose keys, and where it is done.

============================  ========================================================================
variable                      meaning
============================  ========================================================================
``HIT_BASE_URL``              the origin of the pages on which workers answer, another host than the
                              site's; unset on a development machine: the site's by its other name
                              (``127.0.0.1`` for ``localhost``)
``MTURK_ENDPOINT_URL``        where MTurk's API is spoken; unset: the built-in marketplace
``MTURK_ACCESS_KEY_ID``       with the next one, the requester's keys; unset: nothing is posted there
``MTURK_SECRET_ACCESS_KEY``   the other of the two
``MTURK_UNSIGNED_ARRIVALS``   1: workers of another service with MTurk's API are let in though it signs no
                              arrivals, and are asked no gold questions; unset: they are refused
``PROLIFIC_API_URL``          where Prolific's API is spoken
``PROLIFIC_TOKEN``            a researcher's token; unset: nothing is posted there
``PROLIFIC_PROJECT``          the id of the project that pays
``PROLIFIC_WEBHOOK_SECRET``   signs what Prolific tells us; unset: it is not listened to
``PROLIFIC_FEE_PERCENT``      of rewards and bonuses; unset: 33.34, a third (42.86 for companies; with
                              VAT where it is due)
``PROLIFIC_HITS_PER_WORKER``  how many HITs of a batch one worker may do; unset: 1
``WIKIPEDIA_API_URL``         the MediaWiki API in which pages are looked up, with ``{language}`` where the
                              corpus' language stands; unset: that language's Wikipedia
``CROWD_HOURLY_CENTS``        the wage at which rewards are suggested, in cents; 1500 unless given
``CROWD_FASTEST_READING``     words a second that nobody reads faster than: work that was sent sooner waits
                              for a person; 8 unless given
``CROWD_MOST_PERCENT``        of an epoch's judgements of what systems write, how many one worker may give, in
                              per cent; 5 unless given
============================  ========================================================================
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from urllib.parse import SplitResult, urlsplit

from kbpo.core.errors import InvalidInput

VARIABLES = frozenset(
    {
        "HIT_BASE_URL",
        "MTURK_ENDPOINT_URL",
        "MTURK_ACCESS_KEY_ID",
        "MTURK_SECRET_ACCESS_KEY",
        "MTURK_UNSIGNED_ARRIVALS",
        "PROLIFIC_API_URL",
        "PROLIFIC_TOKEN",
        "PROLIFIC_PROJECT",
        "PROLIFIC_WEBHOOK_SECRET",
        "PROLIFIC_FEE_PERCENT",
        "PROLIFIC_HITS_PER_WORKER",
        "WIKIPEDIA_API_URL",
        "CROWD_HOURLY_CENTS",
        "CROWD_FASTEST_READING",
        "CROWD_MOST_PERCENT",
    }
)
MARKETPLACE_API = "/marketplace/api/"
_OTHER_NAMES = {"localhost": "127.0.0.1", "127.0.0.1": "localhost"}


@dataclass(frozen=True)
class CrowdEnvironment:
    """The crowd's part of the environment, checked.

    Attributes
    ----------
    hit_base_url : str
        Scheme and host, without a path; empty: there are no HIT pages.
    mturk_endpoint_url : str
    mturk_is_built_in : bool
        Whether that is the marketplace of this site.
    mturk_keys : (str, str) or None
    mturk_unsigned_arrivals : bool
        Whether workers of another service are let in though it signs no arrivals.
    prolific_api_url, prolific_token, prolific_project, prolific_webhook_secret : str
    prolific_fee_percent : Decimal
    prolific_hits_per_worker : int
    wikipedia_api_url : str
    hourly_cents : int
    fastest_reading : float
        Words a second.
    most_percent : float
        Of an epoch's judgements, that one worker may give.
    """

    hit_base_url: str
    mturk_endpoint_url: str
    mturk_is_built_in: bool
    mturk_keys: tuple[str, str] | None
    mturk_unsigned_arrivals: bool
    prolific_api_url: str
    prolific_token: str
    prolific_project: str
    prolific_webhook_secret: str
    prolific_fee_percent: Decimal
    prolific_hits_per_worker: int
    wikipedia_api_url: str
    hourly_cents: int
    fastest_reading: float
    most_percent: float


def read(given: Mapping[str, str], *, site_url: str, debug: bool) -> CrowdEnvironment:
    """Read and check the crowd's variables.

    Parameters
    ----------
    given : mapping of str to str
        Those that are set, and not empty.
    site_url : str
        The site's own address, checked.
    debug : bool
        Whether this is a development machine.

    Raises
    ------
    InvalidInput
        Naming the variable that is wrong and what would be right.
    """
    built_in = f"{site_url}{MARKETPLACE_API}"
    endpoint = given.get("MTURK_ENDPOINT_URL", built_in)
    _address(endpoint, "MTURK_ENDPOINT_URL", debug=debug)
    return CrowdEnvironment(
        hit_base_url=_hit_base_url(given.get("HIT_BASE_URL", ""), site_url, debug=debug),
        mturk_endpoint_url=endpoint,
        mturk_is_built_in=endpoint.rstrip("/") == built_in.rstrip("/"),
        mturk_keys=_keys(given),
        mturk_unsigned_arrivals=_flag(given, "MTURK_UNSIGNED_ARRIVALS"),
        prolific_api_url=_checked(given, "PROLIFIC_API_URL", "https://api.prolific.com", debug=debug),
        prolific_token=given.get("PROLIFIC_TOKEN", ""),
        prolific_project=given.get("PROLIFIC_PROJECT", ""),
        prolific_webhook_secret=given.get("PROLIFIC_WEBHOOK_SECRET", ""),
        prolific_fee_percent=_percent(given.get("PROLIFIC_FEE_PERCENT", "33.34")),
        prolific_hits_per_worker=_count(given.get("PROLIFIC_HITS_PER_WORKER", "1")),
        wikipedia_api_url=_checked(
            given, "WIKIPEDIA_API_URL", "https://{language}.wikipedia.org/w/api.php", debug=debug
        ),
        hourly_cents=_hourly_cents(given.get("CROWD_HOURLY_CENTS", "1500")),
        fastest_reading=_words_a_second(given.get("CROWD_FASTEST_READING", "8")),
        most_percent=_most_percent(given.get("CROWD_MOST_PERCENT", "5")),
    )


def _hit_base_url(value: str, site_url: str, *, debug: bool) -> str:
    site = urlsplit(site_url)
    if not value:
        if not debug or site.hostname not in _OTHER_NAMES:
            return ""
        port = f":{site.port}" if site.port else ""
        return f"{site.scheme}://{_OTHER_NAMES[site.hostname]}{port}"
    url = _address(value, "HIT_BASE_URL", debug=debug)
    if url.path.strip("/") or url.query or url.fragment:
        raise InvalidInput("should be like https://tasks.example.org, without a path", where="HIT_BASE_URL")
    if url.hostname == site.hostname:
        raise InvalidInput(
            f"must have another host than the site's, {site.hostname}: cookies do not tell ports apart, and a"
            " task's page must not see the site's",
            where="HIT_BASE_URL",
        )
    return f"{url.scheme}://{url.netloc}"


def _keys(given: Mapping[str, str]) -> tuple[str, str] | None:
    names = ("MTURK_ACCESS_KEY_ID", "MTURK_SECRET_ACCESS_KEY")
    missing = [name for name in names if name not in given]
    if len(missing) == 1:
        raise InvalidInput("must be set where the other key is", where=missing[0])
    return None if missing else (given[names[0]], given[names[1]])


def _flag(given: Mapping[str, str], where: str) -> bool:
    value = given.get(where, "0")
    if value not in ("0", "1"):
        raise InvalidInput(f"must be 1 or 0, not {value!r}", where=where)
    return value == "1"


def _percent(value: str) -> Decimal:
    try:
        percent = Decimal(value)
    except InvalidOperation:
        percent = Decimal("NaN")
    if not percent.is_finite() or not 0 <= percent <= 100:
        raise InvalidInput(f"must be a number from 0 to 100, not {value!r}", where="PROLIFIC_FEE_PERCENT")
    return percent


def _count(value: str) -> int:
    if not (value.isascii() and value.isdecimal() and 1 <= int(value) <= 1000):
        raise InvalidInput(
            f"must be a number from 1 to 1000, not {value!r}", where="PROLIFIC_HITS_PER_WORKER"
        )
    return int(value)


def _hourly_cents(value: str) -> int:
    if not (value.isascii() and value.isdecimal() and 1 <= int(value) <= 100_000):
        raise InvalidInput(
            f"is {value!r}; it must be a wage in cents, such as 1500", where="CROWD_HOURLY_CENTS"
        )
    return int(value)


def _words_a_second(value: str) -> float:
    try:
        words = float(value)
    except ValueError:
        words = 0.0
    if not 1 <= words <= 1000:
        raise InvalidInput(
            f"is {value!r}; it must be a number of words a second from 1 to 1000",
            where="CROWD_FASTEST_READING",
        )
    return words


def _most_percent(value: str) -> float:
    try:
        percent = float(value)
    except ValueError:
        percent = 0.0
    if not 0 < percent <= 100:
        raise InvalidInput(
            f"is {value!r}; it must be a number of per cent, more than 0 and 100 at most",
            where="CROWD_MOST_PERCENT",
        )
    return percent


def _checked(given: Mapping[str, str], where: str, default: str, *, debug: bool) -> str:
    value = given.get(where, default).rstrip("/")
    _address(value, where, debug=debug)
    return value


def _address(value: str, where: str, *, debug: bool) -> SplitResult:
    example = "https://host.example.org"
    try:
        url = urlsplit(value)
        port_is_a_number = url.port is None or url.port > 0
    except ValueError:
        raise InvalidInput(f"is not an address; it should be like {example}", where=where) from None
    schemes = ("http", "https") if debug else ("https",)
    if url.scheme not in schemes or not url.hostname or url.username or not port_is_a_number:
        raise InvalidInput(f"should be like {example}", where=where)
    return url
