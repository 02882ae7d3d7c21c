"""Requests to a server: tried again where that can help, never faster than it says, refusals as errors."""

import json as json_module
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2

from kbpo_client import version
from kbpo_client.errors import ClientError, Later, NetworkError, NotAllowed, NotFound, Refused, WrongUsage

LOOPBACK = ("localhost", "127.0.0.1", "::1")
REPEATABLE = ("GET", "HEAD", "DELETE")
BUSY = (423, 429, 503)  # nothing was done
BETWEEN = (502, 504)  # a proxy does not know whether anything was done
LONGEST_PAUSE = 30.0

_LIMIT = re.compile(r"r=(\d+);t=(\d+)")

Sleep = Callable[[float], None]
Tell = Callable[[str], None]


def silent(words: str) -> None:
    """Tell nobody."""


class Connection:
    """A way to a server's API.

    Parameters
    ----------
    site : str
        The site's address.
    token : str
        Empty for a visitor.
    patience : float
        Seconds that may be waited in all before a request is given up.
    attempts : int
        How often a request is made before it is given up.
    transport : httpx2.BaseTransport, optional
        Another way than the network, for tests.
    sleep, clock : callable
    tell : callable
        Told what people should know while they wait.

    Raises
    ------
    WrongUsage
        If the site's address is none, or a token would be sent to it that others could read on the way.
    """

    def __init__(
        self,
        site: str,
        token: str = "",
        *,
        patience: float = 300.0,
        attempts: int = 8,
        transport: httpx2.BaseTransport | None = None,
        sleep: Sleep = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        tell: Tell = silent,
    ) -> None:
        try:
            parts = urlsplit(site)
            is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:  # a port that is no number, brackets that do not match
            is_address = False
        if not is_address:
            raise WrongUsage(f"{site!r:.80} is no site's address: write it as https://kbpo.example.org")
        if token and parts.scheme == "http" and parts.hostname not in LOOPBACK:
            raise WrongUsage(f"a token is not sent to {site}, where others can read it: use https://")
        if not token.isascii() or not token.isprintable():
            raise WrongUsage("a token is made of letters, digits and _: copy it anew")
        self.site = site.rstrip("/")
        self.patience, self.attempts, self.sleep, self.tell = patience, attempts, sleep, tell
        self._clock = clock
        self._free_at = 0.0  # on the clock: before, the server takes nothing
        self._is_known = False
        headers = {"User-Agent": f"kbpo-client/{version.__version__}", "Accept": "application/json, */*"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        try:
            self._http = httpx2.Client(
                base_url=f"{self.site}/api/v1/", headers=headers, timeout=60.0, transport=transport
            )
        except (httpx2.InvalidURL, ValueError, ImportError, OSError) as error:
            raise WrongUsage(_explain_set_up(error)) from None

    def close(self) -> None:
        """End it."""
        self._http.close()

    def ask(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        json: Any = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        may_repeat: bool | None = None,
    ) -> httpx2.Response:
        """Ask for something.

        Parameters
        ----------
        path : str
            Below the API's address.
        may_repeat : bool, optional
            Whether doing it twice does no harm; left out, the method says so. What does harm is tried again
            only where it is certain that nothing was done.

        Raises
        ------
        ClientError
            If it is refused, or was tried often enough.
        """
        may_repeat = method in REPEATABLE if may_repeat is None else may_repeat
        waited = 0.0
        for attempt in range(self.attempts):
            self._await_turn()
            is_last = attempt == self.attempts - 1
            try:
                response = self._http.request(
                    method, path, params=_plain(params), json=json, content=content, headers=headers
                )
            except (httpx2.InvalidURL, UnicodeError) as error:
                raise WrongUsage(f"what was given cannot be part of an address: {error}") from None
            except httpx2.RequestError as error:
                never_sent = isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
                if is_last or not (may_repeat or never_sent):
                    raise self._broken(error, was_sent=not (may_repeat or never_sent)) from None
                wait = self.pause_of(attempt)
                self.tell(f"{self.site} does not answer; trying again in {wait:.0f} s")
            else:
                self._note(response)
                if response.is_success:
                    return response
                refusal = refusal_of(response)
                is_tried_again = response.status_code in BUSY or (
                    response.status_code in BETWEEN and may_repeat
                )
                wait = self.pause_of(attempt, retry_after(response))
                if not is_tried_again or is_last or waited + wait > self.patience:
                    raise refusal
                self.tell(f"{refusal}; waiting {wait:.0f} s")
            waited += wait
            self.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def read(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        """Return the object that is answered; parameters and errors are those of `ask`."""
        try:
            found = self.ask(method, path, **options).json()
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise WrongUsage(f"what answers at {self.site} is no KBP Online: look at the address")
        return found

    @contextmanager
    def stream(
        self,
        path: str,
        headers: Mapping[str, str] | None = None,
        *,
        params: Mapping[str, Any] | None = None,
    ) -> Iterator[httpx2.Response]:
        """Ask for something large, once: its body is read by whoever asks.

        Raises
        ------
        ClientError
            If it is refused, or breaks off, also while it is read.
        """
        self._await_turn()
        try:
            # What is packed is wanted as it is: a checksum is of that.
            unpacked = {"Accept-Encoding": "identity", **(headers or {})}
            with self._http.stream("GET", path, params=_plain(params), headers=unpacked) as response:
                self._note(response)
                if not response.is_success:
                    response.read()
                    raise refusal_of(response)
                yield response
        except httpx2.RequestError as error:
            raise self._broken(error) from None

    def pages(self, path: str, params: Mapping[str, Any] | None = None) -> Iterator[dict[str, Any]]:
        """Yield the rows of a list, a page at a time."""
        asked: Mapping[str, Any] | None = {"limit": 250, **(params or {})}
        while asked is not None:
            page = self.read("GET", path, params=asked)
            yield from page.get("results", ())
            # Only what it asks for is followed: a token goes to no other address.
            asked = dict(parse_qsl(urlsplit(page["next"]).query)) if page.get("next") else None

    def rows(self, path: str, params: Mapping[str, Any] | None = None) -> Iterator[dict[str, Any]]:
        """Yield the rows of a list that is sent in one piece, each on a line, as they come; asked for once.

        Raises
        ------
        ClientError
            As `stream` says; or if what is sent is no such list.
        """
        rest = b""
        with self.stream(path, params=params) as response:
            for part in response.iter_bytes():
                *lines, rest = (rest + part).split(b"\n")
                for line in lines:
                    if line.startswith(b"{") and line.rstrip(b",").endswith(b"}"):
                        yield json_module.loads(line.rstrip(b","))
        if not rest.endswith(b'"next": null}'):
            raise WrongUsage(f"what answers at {self.site} is no KBP Online: look at the address")

    def pause_of(self, attempt: int, wanted: float | None = None) -> float:
        """Return how long to wait after a failed attempt: what the server wants, or longer each time."""
        return min(LONGEST_PAUSE, 0.5 * 2**attempt) if wanted is None else wanted

    def _await_turn(self) -> None:
        wait = self._free_at - self._clock()
        if 0 < wait <= self.patience:
            self.tell(f"as much was asked as may be at a time; waiting {wait:.0f} s")
            self.sleep(wait)

    def _note(self, response: httpx2.Response) -> None:
        """Remember what an answer says of limits, and look once whether the server takes this client."""
        used_up = [int(t) for r, t in _LIMIT.findall(response.headers.get("RateLimit", "")) if r == "0"]
        self._free_at = self._clock() + max(used_up) if used_up else 0.0
        if not self._is_known:
            words = version.check(
                server=response.headers.get("KBPO-Version", ""),
                oldest=response.headers.get("KBPO-Oldest-Client", ""),
            )
            self._is_known = True
            if words:
                self.tell(words)

    def _broken(self, error: httpx2.RequestError, *, was_sent: bool = False) -> NetworkError:
        doubt = "; it may have been done all the same: look before you do it again" if was_sent else ""
        return NetworkError(f"{self.site} cannot be reached: {str(error) or type(error).__name__}{doubt}")


def _explain_set_up(error: Exception) -> str:
    """Name the environment variables to check after a connection could not be set up."""
    names = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "ssl_cert_file", "ssl_cert_dir")
    read = [name for name in sorted(os.environ) if name.lower() in names and os.environ[name]]
    words = str(error).split("\n")[0].rstrip(".") or type(error).__name__
    if isinstance(error, FileNotFoundError):
        words = "a file of certificates is missing"
    if isinstance(error, ImportError):
        words = "a SOCKS proxy needs the package socksio, which is not installed"
    where = f"; look at {', '.join(read)} in the environment" if read else ""
    return f"the connection cannot be set up: {words}{where}"


def retry_after(response: httpx2.Response) -> float | None:
    """Return how many seconds an answer asks to wait; None where it does not say so in seconds."""
    given = response.headers.get("Retry-After", "")
    return float(given) if given.isascii() and given.isdigit() else None


def refusal_of(response: httpx2.Response) -> ClientError:
    """Return the error that an answer stands for."""
    status = response.status_code
    if response.is_redirect:
        return WrongUsage(f"the site is elsewhere: {response.headers.get('Location', '')}")
    try:
        problem = response.json()
        words = str(problem["detail"])
        fields = [(str(one["field"]), str(one["detail"])) for one in problem.get("errors", ())]
    except (ValueError, KeyError, TypeError):
        words, fields = f"the server answers with status {status}", []
    if fields:
        words = "; ".join(f"{field}: {detail}" if field else detail for field, detail in fields)
    if status in (401, 403):
        return NotAllowed(words)
    if status == 404:
        return NotFound(words)
    if status == 429:
        return Later(words, seconds=retry_after(response))
    if status >= 500 or status == 423:
        return NetworkError(words)
    return Refused(words, status=status, fields=fields)


def _plain(params: Mapping[str, Any] | None) -> dict[str, str] | None:
    """Return what goes into an address: nothing of what was left out."""
    if params is None:
        return None
    words = {True: "true", False: "false"}
    return {
        name: words[value] if isinstance(value, bool) else str(value)
        for name, value in params.items()
        if value is not None
    }
