"""Noticing that Postgres says nothing at all, while a request waits for it.

A server that is stopped, or behind a network that swallows everything, keeps no time limit, and its machine
goes on acknowledging what is sent to it. So a connection that hears nothing for a while asks the server, by
another connection, whether it takes any. If so, the statement is slow, and its own limit will end it; if not,
the server is away, and whoever waits is told.
"""

import socket
import struct
import threading
import time
from typing import Any

import psycopg
from psycopg.errors import _WaitTimeout

PATIENCE = 0.8  # seconds in which a server that is there answers
RECENT = 1.0  # seconds in which nobody asks a server again that was away
_SSL_REQUEST = struct.pack("!ii", 8, 80877103)  # the first message of the protocol that has an answer
_INTERVAL = 0.1  # seconds between two looks at signals, as psycopg's own

_lock = threading.Lock()
_away_since_look: float | None = None  # when the server was last found away; None: it was there


def watch(connection: "psycopg.Connection[Any]", silence: float | None) -> None:
    """Have a connection end where its server is away, instead of waiting for ever.

    Parameters
    ----------
    connection : psycopg.Connection
    silence : float
        Seconds without the end of a statement, after which the server is asked.
    """
    wait = connection.wait
    address = {"host": connection.info.host, "port": connection.info.port}

    def watched(gen: Any, interval: float = _INTERVAL, timeout: float | None = None) -> Any:
        if timeout is not None:
            return wait(gen, interval, timeout)
        while True:
            try:
                return wait(gen, interval, silence)
            except _WaitTimeout:
                if not answers(address):
                    connection.pgconn.finish()  # whatever else is tried with it fails at once
                    note(is_away=True)
                    raise psycopg.OperationalError("Postgres does not answer") from None

    connection.wait = watched  # type: ignore[method-assign]


def refuse_if_away(params: dict[str, Any]) -> None:
    """Refuse a connection to a server that was just found away, unless it is there again.

    Raises
    ------
    psycopg.OperationalError
    """
    with _lock:
        since = _away_since_look
    if since is None:
        return
    if time.monotonic() - since > RECENT:
        if answers(params):
            return
        note(is_away=True)
    raise psycopg.OperationalError("Postgres did not answer a moment ago")


def note(*, is_away: bool) -> None:
    """Remember how the server was found."""
    global _away_since_look
    with _lock:
        _away_since_look = time.monotonic() if is_away else None


def answers(address: dict[str, Any], within: float = PATIENCE) -> bool:
    """Say whether a server takes connections at all; yes where its address is not known."""
    host, port = str(address.get("host") or ""), int(address.get("port") or 5432)
    if not host or "," in host:
        return True
    try:
        with _socket(host, port, within) as asked:
            asked.settimeout(within)
            asked.sendall(_SSL_REQUEST)
            return asked.recv(1) != b""
    except OSError:
        return False


def _socket(host: str, port: int, within: float) -> socket.socket:
    if not host.startswith("/"):
        return socket.create_connection((host, port), timeout=within)
    asked = socket.socket(socket.AF_UNIX)
    try:
        asked.settimeout(within)
        asked.connect(f"{host}/.s.PGSQL.{port}")
    except BaseException:
        asked.close()
        raise
    return asked
