"""One request to an address that a team names: bounded in time and size, and to public addresses alone."""

import socket
import ssl
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

import httpcore2

from kbpo.webhooks.addresses import NotPublic, resolve

SECONDS = 10.0  # for all of it: look-up, connection, request and the answer's head
MOST_ADDRESSES = 3  # of a name that are tried
GONE = 410
_FAULTS = (
    httpcore2.TimeoutException,
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.UnsupportedProtocol,
    OSError,
    ValueError,  # a name that cannot be one
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a request.

    Attributes
    ----------
    status : int or None
        The answer's; None if there was none.
    error : str
        Why it was not taken, for people; empty if it was.
    """

    status: int | None
    error: str = ""

    @property
    def is_gone(self) -> bool:
        """Say whether the address asks never to be sent to again."""
        return self.status == GONE


def post(url: str, *, headers: Mapping[str, str], body: str, is_anywhere: bool = False) -> Answer:
    """Send a request, and return what came of it: never an error.

    Redirects are not followed, and nothing of the answer is read but its head: 2xx says that it was taken.

    Parameters
    ----------
    url : str
        As `addresses.check_url` allows it.
    headers : mapping of str to str
    body : str
    is_anywhere : bool
        Whether private addresses will do.
    """
    until = time.monotonic() + SECONDS
    backend = _PublicBackend(until, is_anywhere=is_anywhere)
    try:
        with (
            httpcore2.ConnectionPool(ssl_context=_tls(), network_backend=backend) as pool,
            pool.stream("POST", url, headers=[*headers.items()], content=body.encode()) as response,
        ):
            return _read(response.status)
    except NotPublic as error:
        # The same words for an unknown name and for one of our network: nobody learns which names are there.
        return Answer(None, f"{error} has no address that everybody can reach, or it could not be looked up.")
    except httpcore2.TimeoutException:
        return Answer(None, f"No answer within {SECONDS:.0f} seconds.")
    except _FAULTS as error:
        words = " ".join(str(error).split())[:200]
        return Answer(None, f"It could not be reached: {words or type(error).__name__}.")


def _read(status: int) -> Answer:
    if 200 <= status < 300:
        return Answer(status)
    if 300 <= status < 400:
        return Answer(status, f"It answered {status}: redirects are not followed.")
    return Answer(status, f"It answered {status}.")


@cache
def _tls() -> ssl.SSLContext:
    return httpcore2.default_ssl_context()


class _PublicBackend(httpcore2.NetworkBackend):
    """Connects to the public addresses of a name, each looked up once, until a time."""

    def __init__(self, until: float, *, is_anywhere: bool) -> None:
        self._until, self._is_anywhere = until, is_anywhere
        self._inner = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        try:
            addresses = self._look_up(host, port)
        except socket.gaierror:
            raise NotPublic(host) from None
        for number, address in enumerate(addresses[:MOST_ADDRESSES], start=1):
            try:
                left = _left(self._until, httpcore2.ConnectTimeout)
                stream = self._inner.connect_tcp(address, port, timeout=left, socket_options=socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                if number == len(addresses[:MOST_ADDRESSES]):
                    raise
            else:
                return _Bounded(stream, self._until)
        raise NotPublic(host)

    def _look_up(self, host: str, port: int) -> list[str]:
        """Look a host up in the time that is left: in a thread, since the look-up itself knows no limit."""
        found: SimpleQueue[list[str] | Exception] = SimpleQueue()

        def look() -> None:
            try:
                found.put(resolve(host, port, is_anywhere=self._is_anywhere))
            except Exception as error:  # noqa: BLE001 - raised again below
                found.put(error)

        left = _left(self._until, httpcore2.ConnectTimeout)
        Thread(target=look, name="look-up", daemon=True).start()  # which outlives no process
        try:
            answer = found.get(timeout=left)
        except Empty:
            raise httpcore2.ConnectTimeout(f"{host} was not found in time") from None
        if isinstance(answer, Exception):
            raise answer
        return answer


class _Bounded(httpcore2.NetworkStream):
    """A connection that ends at a time, however slowly the other side goes on."""

    def __init__(self, inner: httpcore2.NetworkStream, until: float) -> None:
        self._inner, self._until = inner, until

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left(self._until, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _left(self._until, httpcore2.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        left = _left(self._until, httpcore2.ConnectTimeout)
        return _Bounded(self._inner.start_tls(ssl_context, server_hostname, left), self._until)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _left(until: float, late: type[httpcore2.TimeoutException]) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise late
    return left
