"""Servers that answer as a test says, and a client that waits for nothing."""

from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from kbpo_client.connection import Connection

SITE = "https://kbpo.example.org"
Answer = httpx2.Response | Exception


class Server:
    """Answers requests in turn; what it was asked stands in `asked`."""

    def __init__(self, *answers: Answer | Callable[[httpx2.Request], Answer]) -> None:
        self.answers, self.asked = list(answers), []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        request.read()
        self.asked.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if not isinstance(answer, httpx2.Response | Exception):
            answer = answer(request)
        if isinstance(answer, Exception):
            raise answer
        return answer


class Waits(list):
    """The waits that there would have been, in seconds."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def connect(waits: Waits) -> Callable[..., Connection]:
    """Make a connection to a server that is made up."""

    def connect(server: Server, token: str = "kbpo_secret", site: str = SITE, **options: Any) -> Connection:
        transport = httpx2.MockTransport(server)
        options = {"clock": lambda: 0.0, **options}
        return Connection(site, token, transport=transport, sleep=waits, **options)

    return connect


def problem(status: int, detail: str = "No.", errors: Any = (), **headers: str) -> httpx2.Response:
    """Return a refusal as the API writes it."""
    return httpx2.Response(
        status,
        json={"detail": detail, "errors": [{"field": a, "detail": b} for a, b in errors]},
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )


def page(*rows: Any, next: str | None = None) -> httpx2.Response:
    """Return a page of a list."""
    return httpx2.Response(200, json={"results": list(rows), "next": next})
