"""Prolific's API, request by request (https://docs.prolific.com/api-reference).

Nothing is tried again here: that is for whoever knows whether it may be done twice.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

from crowd.providers.base import NoAnswer, NotFound, Refused
from kbpo.core.json_text import read_json

TIMEOUT = httpx2.Timeout(20.0, connect=5.0)
PAGE_WAITS = httpx2.Timeout(4.0, connect=2.0)
PAGE = 100  # of lists
LONGEST_WAIT = 3600.0  # seconds that a server can make us wait
NOT_NOW = 429
_TRY_AGAIN = {408, 425}
_UNKNOWN_TOKEN = 401

JSON = dict[str, Any]


class Unclear(NoAnswer):
    """No answer to something that changes things: it may have been done, or be done yet."""


class Api:
    """A researcher's view of Prolific.

    Parameters
    ----------
    base_url : str
        Such as ``https://api.prolific.com``.
    token : str
    transport : httpx2.BaseTransport, optional
    clock : callable
        Returns the time.
    """

    def __init__(
        self,
        base_url: str,
        token: str,
        *,
        transport: httpx2.BaseTransport | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._clock = clock
        self._client = httpx2.Client(
            base_url=f"{base_url}/api/v1/",
            headers={"Authorization": f"Token {token}", "Accept": "application/json"},
            timeout=TIMEOUT,
            transport=transport,
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def get(self, path: str, **params: str | int) -> JSON:
        """Read something."""
        return self._ask("GET", path, params=params)

    def get_at_once(self, path: str) -> JSON:
        """Read something for which a page waits."""
        response = self._send("GET", path, timeout=PAGE_WAITS)
        return _read(response, f"GET /api/v1/{path}", NoAnswer)

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> JSON:
        """Make or do something."""
        return self._ask("POST", path, body=body)

    def post_for_headers(self, path: str, body: Mapping[str, Any]) -> tuple[JSON, Mapping[str, str]]:
        """Make something whose answer has a part in its headers."""
        response = self._send("POST", path, body=body)
        return _read(response, f"POST /api/v1/{path}", Unclear), response.headers

    def patch(self, path: str, body: Mapping[str, Any]) -> JSON:
        """Change something."""
        return self._ask("PATCH", path, body=body)

    def delete(self, path: str, body: Mapping[str, Any] | None = None) -> None:
        """Remove something."""
        self._ask("DELETE", path, body=body)

    def pages(self, path: str, **params: str | int) -> Iterator[JSON]:
        """Go through all rows of a paged list.

        A server may give shorter pages than were asked for, so only an empty page, or one that brings nothing
        new, is the end.
        """
        seen: set[str] = set()
        number = 1
        while True:
            try:
                rows = self.get(path, **params, page=number, page_size=PAGE)["results"]
            except NotFound:
                if number == 1:
                    raise
                return  # past the last page
            new = [row for row in rows if row["id"] not in seen]
            if not new:
                return
            seen.update(row["id"] for row in new)
            yield from new
            number += 1

    def _ask(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str | int] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> JSON:
        response = self._send(method, path, params=params, body=body)
        return _read(response, f"{method} /api/v1/{path}", NoAnswer if method == "GET" else Unclear)

    def _send(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str | int] | None = None,
        body: Mapping[str, Any] | None = None,
        timeout: httpx2.Timeout = TIMEOUT,
    ) -> httpx2.Response:
        what = f"{method} /api/v1/{path}"
        lost = NoAnswer if method == "GET" else Unclear
        try:
            response = self._client.request(
                method,
                path,
                params=params or None,
                json=dict(body) if body is not None else None,
                timeout=timeout,
            )
        except httpx2.ConnectError as error:
            raise NoAnswer(f"Prolific cannot be reached ({what}: {error}).") from error
        except httpx2.TransportError as error:
            raise lost(f"Prolific did not answer ({what}: {type(error).__name__}).") from error
        status = response.status_code
        if response.is_success:
            return response
        if status == NOT_NOW or status in _TRY_AGAIN:
            raise NoAnswer("Prolific asks to wait.", retry_after=_retry_after(response, self._clock()))
        if status == _UNKNOWN_TOKEN:
            raise NoAnswer(
                "Prolific does not know the token: correct PROLIFIC_TOKEN.", retry_after=LONGEST_WAIT
            )
        reason = _reason(response)
        if response.is_server_error or response.is_redirect:
            raise lost(f"Prolific failed ({what}: {status}{reason and f', {reason}'}).")
        kind = NotFound if status == httpx2.codes.NOT_FOUND else Refused
        raise kind(f"Prolific refused: {reason or f'status {status}'} ({what})")


def _read(response: httpx2.Response, what: str, lost: type[NoAnswer]) -> JSON:
    if not response.content:
        return {}
    try:
        document = read_json(response.content)
    except ValueError as error:
        raise lost(f"Prolific's answer cannot be read ({what}).") from error
    return document if isinstance(document, dict) else {"message": document}


def _retry_after(response: httpx2.Response, now: datetime) -> float | None:
    """Read Retry-After: seconds, or a date."""
    given = response.headers.get("Retry-After", "")
    try:
        seconds = float(given)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(given) - now).total_seconds()
        except (TypeError, ValueError):
            return None
    return min(max(seconds, 0.0), LONGEST_WAIT) if seconds == seconds else None


def _reason(response: httpx2.Response) -> str:
    """Say in one line what the error's document says."""
    try:
        document = read_json(response.content)
    except ValueError:
        return ""
    error = document.get("error", document) if isinstance(document, dict) else document
    if not isinstance(error, dict):
        return str(error)[:500]
    detail = error.get("detail") or error.get("title") or ""
    if isinstance(detail, dict):
        detail = "; ".join(f"{field}: {_words(messages)}" for field, messages in detail.items())
    return _words(detail)[:500]


def _words(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return " ".join(_words(item) for item in value)
    return json.dumps(value)
