"""What the environment says: every variable that the service reads, read and checked in one place.

============================  ========================================================================
variable                      meaning
============================  ========================================================================
``DEBUG``                     1 or 0; on exactly when ``DATABASE_URL`` is unset, unless it is given; errors
                              show their tracebacks only where it is given
``SECRET_KEY``                signs sessions and links; 50 characters or more
``ALLOWED_HOSTS``             host names that the site answers to, with commas between
``SITE_URL``                  the site's address, ``https://…``
``DATABASE_URL``              ``postgres://user:password@host:port/name``; unset: the embedded Postgres; with
                              ``?pooled=1`` a pooler is there, which shares sessions between transactions
``REDIS_URL``                 ``redis://host:port/0``; unset: the embedded Redis
``KBPO_HOME``                 the folder of all that the service keeps in files on this machine; ``./var``
                              unless given
``EMAIL_URL``                 ``smtp://``, ``smtp+tls://`` or ``smtps://user:password@host:port``
``DEFAULT_FROM_EMAIL``        the sender of the service's mail
``CONTACT_EMAIL``             the address to which visitors write; unset: the page says that none is given
``TEAMS_NEED_APPROVAL``       1 or 0; whether an operator approves each team before its systems are judged
``SEND_WEBHOOKS``             1 or 0; whether addresses that teams name are sent anything: 0 on a copy
``WORKERS_GIVE_WAY``          1 or 0; whether workers let whatever else runs on their machine go first: 0
                              where nothing does, or where files wait too long for their turn
``LOG_FORMAT``                ``json`` or ``lines``; JSON outside ``DEBUG`` unless given
``KBPO_EPOCH_SECRET``         hex; makes samples repeatable, so it is refused outside ``DEBUG``
============================  ========================================================================

Outside ``DEBUG`` the second to the sixth must be given, and the last must not. Those of the crowd stand in
`kbpo.crowd_environment`, those of who comes in, and by which proxies, in `kbpo.access_environment` (of these
``TRUSTED_PROXIES`` must be given outside ``DEBUG`` too), those of how long things about people are kept in
`kbpo.retention_environment`, and those of where files are in `kbpo.storage_environment`.
"""

import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from kbpo import access_environment, crowd_environment, retention_environment, storage_environment
from kbpo.access_environment import AccessEnvironment
from kbpo.core.errors import InvalidInput
from kbpo.crowd_environment import CrowdEnvironment
from kbpo.retention_environment import RetentionEnvironment
from kbpo.storage_environment import StorageEnvironment

VARIABLES = (
    crowd_environment.VARIABLES
    | access_environment.VARIABLES
    | retention_environment.VARIABLES
    | storage_environment.VARIABLES
    | {
        "DEBUG",
        "SECRET_KEY",
        "ALLOWED_HOSTS",
        "SITE_URL",
        "DATABASE_URL",
        "REDIS_URL",
        "KBPO_HOME",
        "EMAIL_URL",
        "DEFAULT_FROM_EMAIL",
        "CONTACT_EMAIL",
        "TEAMS_NEED_APPROVAL",
        "SEND_WEBHOOKS",
        "WORKERS_GIVE_WAY",
        "LOG_FORMAT",
        "KBPO_EPOCH_SECRET",
    }
)
REQUIRED = ("SECRET_KEY", "ALLOWED_HOSTS", "SITE_URL", "DATABASE_URL", "REDIS_URL", "TRUSTED_PROXIES")
SHORTEST_KEY = 50  # characters; Django's own check asks for as many
LOG_FORMATS = ("json", "lines")
LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True)
class Environment:
    """The environment, checked.

    Attributes
    ----------
    debug : bool
        Whether this is a development machine.
    tracebacks : bool
        Whether an error shows its traceback on the page: only where ``DEBUG`` says so itself.
    secret_key : str
        Empty where the machine makes its own (`kept_secret`).
    allowed_hosts : tuple of str
        Host names that the site answers to.
    site_url : str
        Scheme and host, without a path.
    database : dict or None
        Django's settings of the database; None for the embedded one.
    redis_url : str
        Empty for the embedded one.
    home : Path
        Absolute.
    email : dict
        Django's mail settings; empty where mail goes to files.
    from_email : str
        The sender.
    contact_email : str
        To which visitors write; empty where none is given.
    teams_need_approval : bool
        Whether a team's systems are judged only once an operator has approved it.
    send_webhooks : bool
        Whether addresses that teams name are sent anything.
    workers_give_way : bool
        Whether workers let other processes of their machine go first.
    log_format : str
        One of `LOG_FORMATS`.
    epoch_secret : bytes
        Empty where epochs draw their own.
    crowd : CrowdEnvironment
    access : AccessEnvironment
    retention : RetentionEnvironment
    storage : StorageEnvironment
    """

    debug: bool
    tracebacks: bool
    secret_key: str
    allowed_hosts: tuple[str, ...]
    site_url: str
    database: dict[str, Any] | None
    redis_url: str
    home: Path
    email: dict[str, Any]
    from_email: str
    contact_email: str
    teams_need_approval: bool
    send_webhooks: bool
    workers_give_way: bool
    log_format: str
    epoch_secret: bytes
    crowd: CrowdEnvironment
    access: AccessEnvironment
    retention: RetentionEnvironment
    storage: StorageEnvironment


def read(environ: Mapping[str, str]) -> Environment:
    """Read and check the environment.

    Parameters
    ----------
    environ : mapping of str to str
        Such as `os.environ`. An empty value is an unset one.

    Raises
    ------
    InvalidInput
        Naming every variable that is missing, or the one that is wrong and what would be right.
    """
    given = {name: environ[name].strip() for name in VARIABLES if environ.get(name, "").strip()}
    debug = _flag(given["DEBUG"]) if "DEBUG" in given else "DATABASE_URL" not in given
    if not debug:
        _refuse_unsafe(given)
    site_url = _site(given.get("SITE_URL", "http://localhost:8000"), debug=debug)
    return Environment(
        debug=debug,
        tracebacks=debug and "DEBUG" in given,
        secret_key=given.get("SECRET_KEY", ""),
        allowed_hosts=_hosts(given, debug=debug),
        site_url=site_url,
        database=_database(given["DATABASE_URL"]) if "DATABASE_URL" in given else None,
        redis_url=_redis(given.get("REDIS_URL", "")),
        home=Path(given.get("KBPO_HOME", "var")).expanduser().absolute(),
        email=_email(given["EMAIL_URL"]) if "EMAIL_URL" in given else {},
        from_email=given.get("DEFAULT_FROM_EMAIL", "KBP Online <kbpo@localhost>"),
        contact_email=_contact(given.get("CONTACT_EMAIL", "")),
        teams_need_approval=_flag(given.get("TEAMS_NEED_APPROVAL", "0"), "TEAMS_NEED_APPROVAL"),
        send_webhooks=_flag(given.get("SEND_WEBHOOKS", "1"), "SEND_WEBHOOKS"),
        workers_give_way=_flag(given.get("WORKERS_GIVE_WAY", "1"), "WORKERS_GIVE_WAY"),
        log_format=_log_format(given.get("LOG_FORMAT", "lines" if debug else "json")),
        epoch_secret=_hex(given.get("KBPO_EPOCH_SECRET", "")),
        crowd=crowd_environment.read(given, site_url=site_url, debug=debug),
        access=access_environment.read(given, debug=debug),
        retention=retention_environment.read(given),
        storage=storage_environment.read(given),
    )


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


def _refuse_unsafe(given: Mapping[str, str]) -> None:
    missing = [name for name in REQUIRED if name not in given]
    if missing:
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


def _flag(value: str, where: str = "DEBUG") -> bool:
    match value.lower():
        case "1" | "true" | "yes" | "on":
            return True
        case "0" | "false" | "no" | "off":
            return False
    raise InvalidInput(f"must be 1 or 0, not {value!r}", where=where)


def _hosts(given: Mapping[str, str], *, debug: bool) -> tuple[str, ...]:
    hosts = tuple(host.strip() for host in given.get("ALLOWED_HOSTS", "").split(",") if host.strip())
    if "*" in hosts and not debug:
        raise InvalidInput("must name the site's hosts; '*' answers to any", where="ALLOWED_HOSTS")
    return hosts or LOCAL_HOSTS


def _split(value: str, where: str, schemes: tuple[str, ...], example: str) -> SplitResult:
    try:
        url = urlsplit(value)
        port_is_a_number = url.port is None or url.port > 0
    except ValueError:
        raise InvalidInput(f"is not an address; it should be like {example}", where=where) from None
    if url.scheme not in schemes or not port_is_a_number:
        raise InvalidInput(f"should be like {example}", where=where)
    return url


def _site(value: str, *, debug: bool) -> str:
    schemes = ("http", "https") if debug else ("https",)
    url = _split(value, "SITE_URL", schemes, "https://kbpo.example.org")
    if not url.hostname or url.path.strip("/") or url.query or url.fragment or url.username:
        raise InvalidInput("should be like https://kbpo.example.org, without a path", where="SITE_URL")
    return f"{url.scheme}://{url.netloc}"


def _database(value: str) -> dict[str, Any]:
    example = "postgres://user:password@host:5432/name"
    url = _split(value, "DATABASE_URL", ("postgres", "postgresql"), example)
    name = unquote(url.path.lstrip("/"))
    if not name or "/" in name:
        raise InvalidInput(f"names no database; it should be like {example}", where="DATABASE_URL")
    options = dict(parse_qsl(url.query))
    if (pooled := options.pop("pooled", "0")) not in ("0", "1"):
        raise InvalidInput(f"has pooled={pooled[:20]}, which should be 0 or 1", where="DATABASE_URL")
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
    if value:
        url = _split(value, "REDIS_URL", ("redis", "rediss", "redis+socket"), "redis://host:6379/0")
        if url.scheme != "redis+socket" and not url.hostname:
            raise InvalidInput("names no host; it should be like redis://host:6379/0", where="REDIS_URL")
    return value


def _email(value: str) -> dict[str, Any]:
    ports = {"smtp": 25, "smtp+tls": 587, "smtps": 465}
    example = "smtp+tls://user:password@host:587"
    url = _split(value, "EMAIL_URL", tuple(ports), example)
    if not url.hostname:
        raise InvalidInput(f"names no host; it should be like {example}", where="EMAIL_URL")
    return {
        "MAIL_TRANSPORT": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": url.hostname,
        "EMAIL_PORT": url.port or ports[url.scheme],
        "EMAIL_HOST_USER": unquote(url.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(url.password or ""),
        "EMAIL_USE_TLS": url.scheme == "smtp+tls",
        "EMAIL_USE_SSL": url.scheme == "smtps",
    }


def _contact(value: str) -> str:
    if value and not re.fullmatch(r"[^\s@<>\"',;?&]+@[^\s@<>\"',;?&]+\.[^\s@<>\"',;?&]+", value):
        raise InvalidInput(f"must be an email address alone, not {value!r}", where="CONTACT_EMAIL")
    return value


def _log_format(value: str) -> str:
    if value not in LOG_FORMATS:
        raise InvalidInput(f"must be {' or '.join(LOG_FORMATS)}, not {value!r}", where="LOG_FORMAT")
    return value


def _hex(value: str) -> bytes:
    if not re.fullmatch(r"([0-9a-fA-F]{2})*", value):
        raise InvalidInput("must be an even number of hexadecimal digits", where="KBPO_EPOCH_SECRET")
    return bytes.fromhex(value)
