from threading import Event
from typing import Any

import pytest

from kbpo.webhooks import addresses, posting


def test_a_name_that_is_looked_up_for_ever_takes_no_longer_than_all_may(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    is_over = Event()

    def getaddrinfo(*_: Any, **__: Any) -> list[Any]:
        is_over.wait()
        return []

    monkeypatch.setattr(addresses.socket, "getaddrinfo", getaddrinfo)
    monkeypatch.setattr(posting, "SECONDS", 0.1)
    try:
        answer = posting.post("https://example.org/", headers={}, body="{}")
    finally:
        is_over.set()
    assert answer == posting.Answer(None, "No answer within 0 seconds.")
