"""The log's lines of HIT pages' requests say which HIT and which assignment they are about."""

import logging
from typing import Any

import pytest
from django.test import Client

from crowd.models import Assignment, Hit
from kbpo.core.health import logs
from tests.integration.hits.conftest import address

pytestmark = pytest.mark.django_db


def test_a_request_for_a_hit_says_which_in_the_log(
    browser: Client, hit: Hit, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[dict[str, Any]] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(dict(record.about))  # type: ignore[attr-defined]

    handler = Keep()
    handler.addFilter(logs.AboutFilter())
    logger = logging.getLogger("kbpo.requests")
    monkeypatch.setattr(logger, "level", logging.INFO)
    monkeypatch.setattr(logger, "handlers", [handler])
    logger._cache.clear()  # type: ignore[attr-defined]
    browser.get(address(hit))
    [line] = found
    assert (line["hit"], line["assignment"]) == (hit.pk, Assignment.objects.get().pk)
