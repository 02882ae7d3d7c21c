"""What a line of the log says: which request, submission and HIT it is about, and nothing secret.

`about` opens a scope, and what is noted in it stands on every line until it ends. Email addresses, passwords
in addresses and links that sign somebody in are left out of messages and tracebacks.
"""

import json
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType

NOTHING: Mapping[str, object] = MappingProxyType({})
GONE = "…"
_about: ContextVar[Mapping[str, object]] = ContextVar("about", default=NOTHING)

_SECRET = (
    # https://user:password@host
    (re.compile(r"://[^/\s@'\"]+@"), f"://{GONE}@"),
    (re.compile(r"[\w.%+-]+@[\w-]+(?:\.[\w-]+)*"), f"{GONE}@{GONE}"),
    (
        re.compile(r"(/password/reset/key/|/confirm-email/|/work/submit/|/mail/off/)[^/\s'\"]+"),
        rf"\1{GONE}",
    ),
    (
        re.compile(r"(?i)\b(\w*(?:password|secret|token|signature|sessionid|api_key))=(?!None\b)[^\s&,)]+"),
        rf"\1={GONE}",
    ),
    (re.compile(r"(?i)\b(authorization: *\w+) +\S+"), rf"\1 {GONE}"),
    # Tokens of the API and secrets of webhooks, wherever they stand: in an address, say, by mistake.
    (re.compile(r"(kbpo_|whsec_)[\w+/=-]{16,}"), rf"\1{GONE}"),
)


@contextmanager
def about(**ids: object) -> Iterator[None]:
    """Have lines say what they are about, until the block ends.

    Parameters
    ----------
    **ids
        Such as ``submission=7``: added to what lines say already.
    """
    token = _about.set({**_about.get(), **ids})
    try:
        yield
    finally:
        _about.reset(token)


def note(**ids: object) -> None:
    """Have lines say more, until the present `about` ends; without one nothing is noted."""
    if _about.get() is not NOTHING:
        _about.set({**_about.get(), **ids})


def present() -> Mapping[str, object]:
    """Return what lines are about now."""
    return _about.get()


def without_secrets(text: str) -> str:
    """Leave out what must not stand in a log.

    Examples
    --------
    >>> without_secrets("to ada@example.org by smtp://ada:pass@mail.example.org:25")
    'to …@… by smtp://…@mail.example.org:25'
    >>> without_secrets("GET /accounts/password/reset/key/3-abc-def/")
    'GET /accounts/password/reset/key/…/'
    >>> without_secrets("GET /api/v1/kbpo_3nqJm0vP-2bTdXyk4cW8/")
    'GET /api/v1/kbpo_…/'
    """
    for pattern, instead in _SECRET:
        text = pattern.sub(instead, text)
    return text


class AboutFilter(logging.Filter):
    """Writes on each record what it is about."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass."""
        record.about = {**present(), **getattr(record, "about", NOTHING)}
        return True


class Line(logging.Formatter):
    """A record as a line for people, with a traceback below it where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Write it."""
        line, ids = super().format(record), getattr(record, "about", NOTHING)
        if ids and not record.exc_info:
            line = f"{line} [{' '.join(f'{name}={value}' for name, value in ids.items())}]"
        return without_secrets(line)


class JsonLine(logging.Formatter):
    """A record as a line of JSON: ``at``, ``level``, ``logger``, ``message``, what it is about, ``error``."""

    def format(self, record: logging.LogRecord) -> str:
        """Write it."""
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
        }
        for name, value in getattr(record, "about", NOTHING).items():
            line.setdefault(name, without_secrets(value) if isinstance(value, str) else value)
        if record.exc_info:
            line["error"] = without_secrets(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False, default=str)
