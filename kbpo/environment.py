"""Variables of the environment, read and checked in one place.

Each section is a class with a field for each variable: its type, its default and its meaning. The variable is
the field's name in capitals, unless it has another alias. ``python -m kbpo.environment`` prints
`docs/settings.md`.
"""

import os
import re
import secrets
from collections.abc import Mapping
from decimal import Decimal
from email.utils import getaddresses
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from django.core.exceptions import ValidationError as DjangoError
from django.core.validators import validate_email
from django.http.request import validate_host
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic import ValidationInfo as Info

from kbpo.core.errors import InvalidInput
from kbpo.core.store_address import Address

REQUIRED = ("SECRET_KEY", "ALLOWED_HOSTS", "SITE_URL", "DATABASE_URL", "REDIS_URL", "TRUSTED_PROXIES")
SHORTEST_KEY = 50  # characters; Django's own check asks for as many
LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
OTHER_NAMES = {"localhost": "127.0.0.1", "127.0.0.1": "localhost"}
MARKETPLACE_API = "/marketplace/api/"
LONGEST_HSTS = 2 * 365 * 24 * 3600  # seconds
SHOWN = 60  # characters of a wrong value
#: Variables that are given together or not at all.
TOGETHER = (
    ("OIDC_NAME", "OIDC_SERVER_URL", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"),
    ("MTURK_ACCESS_KEY_ID", "MTURK_SECRET_ACCESS_KEY"),
    ("FILE_STORE_KEY", "FILE_STORE_SECRET"),
)
OF_THE_STORE = ("FILE_STORE_ENDPOINT", "FILE_STORE_REGION", "FILE_STORE_KEY", "FILE_STORE_SECRET")

# What a user name or a password must not hold as it is.
_ESCAPES = ", with # in the user name or password written as %23, / as %2F, ? as %3F and @ as %40"
_HOST = re.compile(
    r"[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?\.?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*|%2[Ff][A-Za-z0-9%_.-]+"
)
_MAIL_PORTS = {"smtp": 25, "smtp+tls": 587, "smtps": 465}
_BUCKET = re.compile(
    r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/((?:[A-Za-z0-9_.-]+/)*[A-Za-z0-9_.-]+)?/?)?"
)


# Types of values. Each refusal ends a sentence that begins with the variable's name.


def _split(value: str, schemes: tuple[str, ...], example: str) -> SplitResult:
    """Split an address; if a password with #, / or ? breaks it, the error says how to escape these."""
    try:
        url = urlsplit(value)
        is_address = url.scheme in schemes and (url.port is None or url.port > 0)
    except ValueError:
        is_address = False
    rest = value.partition("://")[2]
    if not is_address or url.fragment or ("@" in rest and "@" not in url.netloc):
        raise ValueError(f"must be like {example}{_ESCAPES if re.search('[#/?].*@', rest) else ''}")
    if url.hostname and not _HOST.fullmatch(url.hostname):
        raise ValueError(f"must be like {example}{_ascii_hint(url.hostname)}")
    return url


def _ascii_hint(host: str) -> str:
    """Return how to write a host that is not ASCII; an empty string for any other host."""
    try:
        coded = host.encode("idna").decode()
    except UnicodeError:
        return ""
    return "" if host.isascii() or not _HOST.fullmatch(coded) else f", with the host written as {coded}"


def _web_address(value: str, info: Info) -> str:
    """Take an HTTPS address; an HTTP one too on a development machine."""
    example = "https://host.example.org"
    url = _split(value, ("http", "https") if info.data.get("debug") else ("https",), example)
    if not url.hostname or url.username:
        raise ValueError(f"must be like {example}")
    return value


def _origin(value: str, info: Info) -> str:
    url = urlsplit(_web_address(value, info))
    if url.path.strip("/") or url.query or url.fragment:
        raise ValueError("must be like https://host.example.org, without a path")
    return f"{url.scheme}://{url.netloc}"


def _endpoint(value: str) -> str:
    example = "https://store.example.org:9000"
    url = _split(value, ("http", "https"), example)
    if not url.hostname or url.username or url.path.strip("/") or url.query or url.fragment:
        raise ValueError(f"must be like {example}, without a path")
    return f"{url.scheme}://{url.netloc}"


def _database(value: str) -> dict[str, Any]:
    example = "postgres://user:password@host:5432/name"
    url = _split(value, ("postgres", "postgresql"), example)
    name = unquote(url.path.lstrip("/"))
    if not name or "/" in name:
        escapes = _ESCAPES if re.search("[#/?].*@", url.path) else ""
        raise ValueError(f"names no database; it must be like {example}{escapes}")
    options = dict(parse_qsl(url.query))
    if (pooled := options.pop("pooled", "0")) not in ("0", "1"):
        raise ValueError(f"has pooled={pooled[:20]}, which must be 0 or 1")
    return {
        "ENGINE": "kbpo.core.database.backend",
        "DISABLE_SERVER_SIDE_CURSORS": pooled == "1",  # those outside of transactions are a session's
        "NAME": name,
        "USER": unquote(url.username or ""),
        "PASSWORD": unquote(url.password or ""),
        "HOST": options.pop("host", "") or unquote(url.hostname or ""),
        "PORT": str(url.port or ""),
        "OPTIONS": options,
    }


def _redis(value: str) -> str:
    example = "redis://host:6379/0"
    url = _split(value, ("redis", "rediss", "redis+socket"), example)
    if url.scheme != "redis+socket" and not url.hostname:
        raise ValueError(f"names no host; it must be like {example}")
    return value


def _email(value: str) -> dict[str, Any]:
    example = "smtp+tls://user:password@host:587"
    url = _split(value, tuple(_MAIL_PORTS), example)
    if not url.hostname:
        raise ValueError(f"names no host; it must be like {example}")
    if url.path.strip("/") or url.query:
        raise ValueError(
            f"must be like {example}, without a path or a query{_ESCAPES}; the scheme chooses TLS:"
            " smtp+tls:// begins it after connecting, smtps:// connects with it"
        )
    for scheme, other in (("smtp+tls", "smtps"), ("smtps", "smtp+tls")):
        if url.scheme == scheme and url.port == _MAIL_PORTS[other]:
            raise ValueError(f"names the port of {other}://: write {other}://, or another port")
    return {
        "MAIL_TRANSPORT": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": url.hostname,
        "EMAIL_PORT": url.port or _MAIL_PORTS[url.scheme],
        "EMAIL_HOST_USER": unquote(url.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(url.password or ""),
        "EMAIL_USE_TLS": url.scheme == "smtp+tls",
        "EMAIL_USE_SSL": url.scheme == "smtps",
    }


def _bucket(value: str) -> tuple[str, str]:
    found = _BUCKET.fullmatch(value)
    prefix = (found and found[2]) or ""
    if not found or {".", ".."} & set(prefix.split("/")):
        raise ValueError(
            "must be like s3://bucket/prefix: a bucket of 3 to 63 small letters, digits, dots and hyphens,"
            " then letters, digits, dots, hyphens and underscores between single slashes (FILE_STORE_ENDPOINT"
            " has the store's address, FILE_STORE_KEY and FILE_STORE_SECRET have the keys)"
        )
    return found[1], f"{prefix}/" if prefix else ""


def _hosts(value: str, info: Info) -> tuple[str, ...]:
    hosts = tuple(host.strip() for host in value.split(",") if host.strip())
    if "*" in hosts:
        if not info.data.get("debug"):
            raise ValueError("must name the site's hosts: '*' answers to any")
        return hosts
    for host in hosts:
        name = host[1:-1] if host.startswith("[") and host.endswith("]") else host.removeprefix(".")
        if not _HOST.fullmatch(name) or (":" in name) != host.startswith("["):
            raise ValueError(
                "must be host names, separated by commas, without https:// and without ports"
                f"{_ascii_hint(name)}; {host[:SHOWN]!r} is not one"
            )
    if not hosts:
        raise ValueError("names no host")
    return hosts


def _sender(value: str) -> str:
    """Take one mail address, with or without a name before it."""
    found = getaddresses([value])
    try:
        validate_email(found[0][1] if len(found) == 1 and value.isprintable() else "")
    except DjangoError:
        raise ValueError("must be one email address, such as KBP Online <kbpo@example.org>") from None
    return value


def _networks(value: str) -> tuple[IPv4Network | IPv6Network, ...]:
    found = []
    for word in filter(None, (part.strip() for part in value.split(","))):
        try:
            network = ip_network(word, strict=False)
        except ValueError:
            raise ValueError("must be addresses or networks like 10.0.0.5, 172.16.0.0/12") from None
        if network.prefixlen == 0:
            raise ValueError("must name the proxies alone: whoever is trusted can choose their own address")
        found.append(network)
    if not found:
        raise ValueError("names no proxy")
    return tuple(found)


def _matching(pattern: str, right: str) -> BeforeValidator:
    """Take a value of this form; otherwise say what would be right."""

    def check(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise ValueError(f"must be {right}")
        return value

    return BeforeValidator(check)


WebAddress = Annotated[str, AfterValidator(_web_address)]
WebFolder = Annotated[WebAddress, AfterValidator(lambda value: value.rstrip("/"))]
Origin = Annotated[str, AfterValidator(_origin)]
Whole = Annotated[int, _matching(r"[0-9]+", "a whole number")]
Hexadecimal = Annotated[
    bytes,
    BeforeValidator(bytes.fromhex),
    _matching(r"([0-9a-fA-F]{2})+", "an even number of hexadecimal digits"),
]
MailAddress = Annotated[
    str, _matching(r"[^\s@<>\"',;?&]+@[^\s@<>\"',;?&]+\.[^\s@<>\"',;?&]+", "an email address alone")
]
Region = Annotated[str, _matching(r"[a-z0-9-]{1,40}", "like eu-central-1")]
Days = Annotated[Whole, Field(ge=1, le=3650)]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, alias_generator=str.upper)


class Service(_Section):
    """The service."""

    database: Annotated[dict[str, Any] | None, BeforeValidator(_database)] = Field(
        None,
        alias="DATABASE_URL",
        repr=False,
        description="`postgres://user:password@host:port/name`; unset: the embedded Postgres. Add `?pooled=1`"
        " if a pooler shares sessions between transactions",
    )
    debug: bool = Field(
        default_factory=lambda given: given["database"] is None,
        description="1 or 0; unset: 1 exactly if `DATABASE_URL` is unset. Error pages show tracebacks only if"
        " it is set to 1",
    )
    secret_key: str = Field(
        "", repr=False, description=f"signs sessions and links; {SHORTEST_KEY} characters or more"
    )
    allowed_hosts: Annotated[tuple[str, ...], BeforeValidator(_hosts)] = Field(
        LOCAL_HOSTS, description="host names that the site answers to, separated by commas"
    )
    site_url: Origin = Field("http://localhost:8000", description="the site's address, `https://…`")
    redis_url: Annotated[str, AfterValidator(_redis)] = Field(
        "", repr=False, description="`redis://host:port/0`; unset: the embedded Valkey"
    )
    home: Annotated[Path, AfterValidator(lambda path: path.expanduser().absolute())] = Field(
        Path("var"),
        alias="KBPO_HOME",
        validate_default=True,
        description="the folder of all files that the service keeps on this machine; `./var` unless given",
    )
    email: Annotated[dict[str, Any], BeforeValidator(_email)] = Field(
        {},
        alias="EMAIL_URL",
        repr=False,
        description="`smtp://`, `smtp+tls://` or `smtps://user:password@host:port`",
    )
    from_email: Annotated[str, AfterValidator(_sender)] = Field(
        "KBP Online <kbpo@localhost>",
        alias="DEFAULT_FROM_EMAIL",
        description="the sender of the service's mail",
    )
    contact_email: MailAddress = Field(
        "",
        description="the address to which visitors write; unset: the page says that none is given",
    )
    teams_need_approval: bool = Field(
        False, description="1 or 0; 1: an operator approves each team before its systems are judged"
    )
    send_webhooks: bool = Field(
        True,
        description="1 or 0; 0: nothing is sent to the addresses that teams name, as on a copy of a site",
    )
    log_format: Literal["json", "lines"] = Field(
        default_factory=lambda given: "lines" if given["debug"] else "json",
        description="`json` or `lines`; unset: `lines` in `DEBUG`, else `json`",
    )
    epoch_secret: Hexadecimal = Field(
        b"",
        alias="KBPO_EPOCH_SECRET",
        repr=False,
        description="hexadecimal digits that make samples repeatable; refused outside `DEBUG`",
    )


class Storage(_Section):
    """Files."""

    file_store: Annotated[tuple[str, str] | None, BeforeValidator(_bucket)] = Field(
        None,
        repr=False,
        description="`s3://bucket/prefix`: the S3-compatible store that all machines share; unset: folders"
        " below `KBPO_HOME`, for one machine. The other variables of the store are refused without it",
    )
    file_store_endpoint: Annotated[str, AfterValidator(_endpoint)] = Field(
        "", description="the store's address, `https://host:port`; unset: Amazon's"
    )
    file_store_region: Region = Field("us-east-1", description="the store's region; `us-east-1` unless given")
    file_store_key: str = Field(
        "",
        description="the access key's id; unset: boto3 looks for keys (`AWS_ACCESS_KEY_ID`, a file of"
        " credentials, the machine's own role)",
    )
    file_store_secret: str = Field("", repr=False, description="the access key's secret")
    texts_cache_gb: Annotated[Whole, Field(ge=1, le=100_000)] = Field(
        10, description="gigabytes of this machine's disk for copies of corpora's texts; 10 unless given"
    )


class Access(_Section):
    """Access."""

    trusted_proxies: Annotated[tuple[IPv4Network | IPv6Network, ...], BeforeValidator(_networks)] = Field(
        (),
        description="addresses and networks of the proxies in front, separated by commas. Only their"
        " `X-Forwarded-For` and `X-Forwarded-Proto` are believed",
    )
    read_only: bool = Field(
        False,
        description="1 or 0; 1: people can read, and the site accepts no changes, as during maintenance",
    )
    hsts_seconds: Annotated[Whole, Field(le=LONGEST_HSTS)] = Field(
        3600, description="how long browsers use HTTPS alone for this site; 3600 unless given"
    )
    oidc_name: str = Field(
        "", description="the name of an organisation by which people may sign in, such as `ORCID`"
    )
    oidc_server_url: WebFolder = Field(
        "",
        description="its OpenID Connect issuer, `https://orcid.org`; unset: nobody signs in by an"
        " organisation",
    )
    oidc_client_id: str = Field("", description="this site's id there")
    oidc_client_secret: str = Field("", repr=False, description="this site's secret there")


class Crowd(_Section):
    """The crowd."""

    hit_base_url: Origin = Field(
        default_factory=lambda given: _other_name(given["site_url"]) if given["debug"] else "",
        description="the origin of the pages on which workers answer, on another host than the site's; unset:"
        " no work is posted, though a development machine uses the site's other name (`127.0.0.1` for"
        " `localhost`)",
    )
    mturk_endpoint_url: WebAddress = Field(
        default_factory=lambda given: f"{given['site_url']}{MARKETPLACE_API}",
        description="the address of an API like MTurk's; unset: the built-in marketplace",
    )
    mturk_access_key_id: str = Field(
        "", description="the id of the requester's key; unset: nothing is posted there"
    )
    mturk_secret_access_key: str = Field("", repr=False, description="the secret of that key")
    mturk_unsigned_arrivals: bool = Field(
        False,
        description="1 or 0; 1: workers of another service with MTurk's API are let in though it signs no"
        " arrivals, and are asked no gold questions; 0: they are refused",
    )
    prolific_api_url: WebFolder = Field(
        "https://api.prolific.com", description="the address of Prolific's API"
    )
    prolific_token: str = Field(
        "", repr=False, description="a researcher's token; unset: nothing is posted there"
    )
    prolific_project: str = Field("", description="the id of the project that pays")
    prolific_webhook_secret: str = Field(
        "", repr=False, description="the secret that signs Prolific's messages; unset: they are ignored"
    )
    prolific_fee_percent: Annotated[Decimal, Field(ge=0, le=100)] = Field(
        Decimal("33.34"),
        description="the fee on rewards and bonuses; unset: 33.34, a third (42.86 for companies; with VAT if"
        " due)",
    )
    prolific_hits_per_worker: Annotated[Whole, Field(ge=1, le=1000)] = Field(
        1, description="how many HITs of a batch one worker may do; 1 unless given"
    )
    wikipedia_api_url: WebFolder = Field(
        "https://{language}.wikipedia.org/w/api.php",
        description="the MediaWiki API in which pages are looked up, with `{language}` for the corpus'"
        " language; unset: that language's Wikipedia",
    )
    crowd_hourly_cents: Annotated[Whole, Field(ge=1, le=100_000)] = Field(
        1500, description="the wage at which rewards are suggested, in cents; 1500 unless given"
    )
    crowd_fastest_reading: Annotated[float, Field(ge=1, le=1000)] = Field(
        8.0,
        description="the fastest that anybody reads, in words a second: faster work waits for a person; 8"
        " unless given",
    )
    crowd_most_percent: Annotated[float, Field(gt=0, le=100)] = Field(
        5.0,
        description="the share of an epoch's judgements of generated text that one worker may give, in per"
        " cent; 5 unless given",
    )


class Retention(_Section):
    """How long data about people are kept."""

    keep_sessions_days: Days = Field(14, description="how long people stay signed in; 14 unless given")
    keep_mail_days: Days = Field(
        30, description="how long the recipients of each mail are kept; 30 unless given"
    )
    keep_uploads_days: Days = Field(
        1, description="how long a file that was not submitted is kept, with its check; 1 unless given"
    )
    keep_logs_days: Days = Field(
        30,
        description="how long the web server's log is kept, as the privacy page says; operators delete it; 30"
        " unless given",
    )


SECTIONS: tuple[type[_Section], ...] = (Service, Storage, Access, Crowd, Retention)
VARIABLES = frozenset(str(field.alias) for section in SECTIONS for field in section.model_fields.values())


class Environment(Retention, Crowd, Access, Storage, Service):  # fields come in the order of SECTIONS
    """The environment, checked."""

    @property
    def tracebacks(self) -> bool:
        """Whether an error page shows its traceback: only if ``DEBUG`` itself says so."""
        return self.debug and "debug" in self.model_fields_set

    @property
    def mturk_is_built_in(self) -> bool:
        """Whether the MTurk API is the marketplace of this site."""
        return self.mturk_endpoint_url.rstrip("/") == f"{self.site_url}{MARKETPLACE_API}".rstrip("/")

    @property
    def mturk_keys(self) -> tuple[str, str] | None:
        """The requester's key and its secret."""
        return (self.mturk_access_key_id, self.mturk_secret_access_key) if self.mturk_access_key_id else None

    @property
    def store(self) -> Address | None:
        """The S3-compatible store; None if files are in folders of this machine."""
        if self.file_store is None:
            return None
        keys = (self.file_store_key, self.file_store_secret) if self.file_store_key else None
        return Address(*self.file_store, self.file_store_endpoint, self.file_store_region, keys)


def read(environ: Mapping[str, str]) -> Environment:
    """Read and check the environment.

    Parameters
    ----------
    environ : mapping of str to str
        Such as `os.environ`. An empty value counts as unset.

    Raises
    ------
    InvalidInput
        Naming all variables that are missing, or one that is wrong, its value unless that is secret, and what
        would be right.
    """
    given = {name: environ[name].strip() for name in VARIABLES if environ.get(name, "").strip()}
    try:
        environment = Environment.model_validate(given)
    except ValidationError as error:
        raise _refusal(error) from None
    if not environment.debug:
        _refuse_unsafe(given)
    _refuse_parts(given)
    site, pages = urlsplit(environment.site_url), urlsplit(environment.hit_base_url)
    if not validate_host(site.hostname or "", environment.allowed_hosts):
        raise InvalidInput(
            f"must name {site.hostname}, the host of SITE_URL: requests for other hosts are refused",
            where="ALLOWED_HOSTS",
        )
    if pages.hostname == site.hostname:
        raise InvalidInput(
            f"must have another host than the site's, {site.hostname}: cookies do not tell ports apart, and a"
            " task's page must not see the site's",
            where="HIT_BASE_URL",
        )
    return environment


def _refusal(refused: ValidationError) -> InvalidInput:
    """Turn pydantic's account of the first wrong value into one sentence."""
    error = refused.errors()[0]
    name = str(error["loc"][0])
    words = error["msg"].removeprefix("Value error, ").replace("Input should", "must")
    if error["type"] == "bool_parsing":
        words = "must be 1 or 0"
    value = str(error["input"])
    is_open = any(field.repr for field in Environment.model_fields.values() if field.alias == name)
    shown = f", not {value[:SHOWN]!r}" if is_open and not re.search("//.*@", value) else ""
    return InvalidInput(f"{words}{shown}", where=name)


def _refuse_unsafe(given: Mapping[str, str]) -> None:
    if missing := [name for name in REQUIRED if name not in given]:
        raise InvalidInput(
            f"outside DEBUG these must be set: {', '.join(missing)} "
            "(or unset DATABASE_URL and DEBUG to run on the embedded database)",
            where="environment",
        )
    if "KBPO_EPOCH_SECRET" in given:
        raise InvalidInput(
            "must not be set outside DEBUG: it tells what every epoch samples", where="KBPO_EPOCH_SECRET"
        )
    key = given["SECRET_KEY"]
    if len(key) < SHORTEST_KEY or len(set(key)) < 5:
        raise InvalidInput(f"must have {SHORTEST_KEY} random characters or more", where="SECRET_KEY")


def _refuse_parts(given: Mapping[str, str]) -> None:
    if "FILE_STORE" not in given and (without := [name for name in OF_THE_STORE if name in given]):
        raise InvalidInput(
            f"is unset, though {', '.join(without)} is set: set it to s3://bucket/prefix, or unset the others"
            " to keep files in folders",
            where="FILE_STORE",
        )
    for names in TOGETHER:
        missing = [name for name in names if name not in given]
        if missing and len(missing) < len(names):
            raise InvalidInput(f"must be set too, or none of {', '.join(names)}", where=", ".join(missing))


def _other_name(site_url: str) -> str:
    """Return a development site's address by its other name; empty if it has none."""
    site = urlsplit(site_url)
    name = OTHER_NAMES.get(site.hostname or "", "")
    return f"{site.scheme}://{name}{f':{site.port}' if site.port else ''}" if name else ""


def kept_secret(home: Path) -> str:
    """Return a development machine's own secret key, made at its first use and kept in a private file.

    Raises
    ------
    InvalidInput
        If the folder cannot be written.
    """
    path = home / "secret_key"
    try:
        if not path.exists():
            home.mkdir(parents=True, exist_ok=True)
            partial = home / f"secret_key.{os.getpid()}.{secrets.token_hex(4)}"
            partial.touch(mode=0o600)
            partial.write_text(secrets.token_urlsafe(64), encoding="ascii")
            try:
                os.link(partial, path)
            except FileExistsError:
                pass  # another process was first; its key is everybody's
            finally:
                partial.unlink()
        return path.read_text(encoding="ascii")
    except OSError as error:
        raise InvalidInput(
            f"cannot keep a secret key in {home} ({(error.strerror or str(error)).lower()}); "
            "name a folder that can be written, or set SECRET_KEY",
            where="KBPO_HOME",
        ) from error


def page() -> str:
    """Return all variables and their meanings as a page of Markdown."""
    lines = [
        "# Settings\n",
        "The service reads these variables of the environment when it starts, and refuses wrong values with"
        " the",
        "reason. An empty value counts as unset. docker-compose.yml sets `DEBUG`, `DATABASE_URL`, `REDIS_URL`"
        " and",
        "`KBPO_HOME` itself, and passes on all others but `KBPO_EPOCH_SECRET` from the file `.env`. `make"
        " settings`",
        "writes this page.\n",
        f"Outside `DEBUG` these must be set: {', '.join(f'`{name}`' for name in REQUIRED)}.",
        *(f"Set all of {', '.join(f'`{name}`' for name in names)}, or none." for names in TOGETHER),
    ]
    for section in SECTIONS:
        lines += [f"\n## {(section.__doc__ or '').rstrip('.')}\n", "| variable | meaning |", "|---|---|"]
        lines += [f"| `{field.alias}` | {field.description} |" for field in section.model_fields.values()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(page(), end="")  # noqa: T201
