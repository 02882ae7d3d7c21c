import socket
import time
from pathlib import Path
from unittest.mock import Mock

import pytest
from django.conf import LazySettings
from django.db import transaction
from pytest_django import DjangoCaptureOnCommitCallbacks

from kbpo.core.clock import nudge as module
from kbpo.core.clock.celery import app
from kbpo.core.clock.nudge import nudge

TASK = "kbpo.pipeline.close_batches"


@pytest.fixture(autouse=True)
def broker_was_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_away_until", -2 * module.AWAY)


@pytest.fixture
def send(monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Mock:
    settings.KBPO_NUDGE = True
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    sent = Mock()
    monkeypatch.setattr(app, "send_task", sent)
    return sent


def test_nothing_is_sent_before_the_commit(db: None, send: Mock) -> None:
    with transaction.atomic():
        nudge(TASK)
        send.assert_not_called()


def test_the_commit_sends_the_task_by_name_and_it_expires(
    send: Mock, db: None, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        nudge(TASK)
    [call] = send.call_args_list
    assert call.args == (TASK,)
    assert 0 < call.kwargs["expires"] <= 10


def test_a_broker_that_is_away_is_no_error_and_logged_once(
    settings: LazySettings,
    db: None,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.KBPO_NUDGE = True
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    warning = Mock()
    monkeypatch.setattr(module.logger, "warning", warning)
    with django_capture_on_commit_callbacks(execute=True):
        nudge(TASK)
        nudge(TASK)
    warning.assert_called_once()


def test_without_a_broker_nothing_is_sent(
    send: Mock,
    settings: LazySettings,
    tmp_path: Path,
    db: None,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    settings.REDIS_URL = ""
    settings.KBPO_HOME = tmp_path
    with django_capture_on_commit_callbacks(execute=True):
        nudge(TASK)
    send.assert_not_called()


def test_nudges_can_be_turned_off(
    settings: LazySettings, db: None, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    settings.KBPO_NUDGE = False
    with django_capture_on_commit_callbacks() as callbacks:
        nudge(TASK)
    assert callbacks == []


def test_a_broker_that_says_nothing_is_not_waited_for(
    settings: LazySettings,
    db: None,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    settings.KBPO_NUDGE = True
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings.REDIS_URL = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        started = time.monotonic()
        with django_capture_on_commit_callbacks(execute=True):
            for _ in range(20):
                nudge(TASK)
    assert time.monotonic() - started < 3
