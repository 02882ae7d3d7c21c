"""The addresses by which the service is watched, and the signs of life that they tell of."""

import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from kbpo.core.clock.celery import broker
from kbpo.core.disk import Space
from kbpo.core.health import probes, signs
from kbpo.core.health.models import Heartbeat
from kbpo.core.health.readiness import Readiness

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def nothing_found_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "_readiness", Readiness(patience=30.0))


@pytest.fixture
def with_broker(settings: Any) -> str:
    settings.REDIS_URL = ""
    address = broker(start=True)
    assert address is not None
    return address


@pytest.fixture
def silent_server() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize("host", ["10.0.0.7:8000", "tasks.example.org", "kbpo.example.org"])
@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probes_answer_plain_http_by_any_host_name_and_without_a_database(
    client: Client, settings: Any, host: str, path: str
) -> None:
    settings.SECURE_SSL_REDIRECT = True
    settings.ALLOWED_HOSTS = ["kbpo.example.org"]
    settings.HIT_BASE_URL = "https://tasks.example.org"
    response = client.get(path, headers={"host": host})
    assert response.status_code == (200 if path == "/healthz" else 503)
    assert response.headers["Content-Type"] == "application/json"
    assert not response.cookies


def test_probes_are_only_read(client: Client) -> None:
    assert client.post("/readyz").status_code == 405


@pytest.mark.django_db(transaction=True)
def test_all_is_ready_where_everything_answers(client: Client, with_broker: str) -> None:
    signs.give(signs.NAMES, now=timezone.now() - timedelta(seconds=20))
    response = client.get("/readyz")
    checks = response.json()["checks"]
    assert (response.status_code, set(checks)) == (
        200,
        {"database", "beat", "worker", "mailer", "broker", "files", "installation", "disk"},
    )
    assert {check["state"] for check in checks.values()} == {"ok"}
    assert 20 <= checks["beat"]["age_seconds"] < 60


@pytest.mark.django_db(transaction=True)
def test_a_process_that_gives_no_sign_is_named(client: Client, with_broker: str) -> None:
    signs.give(["worker", "mailer"], now=timezone.now())
    signs.give(["beat"], now=timezone.now() - 2 * signs.LATE)
    response = client.get("/readyz")
    failed = [name for name, check in response.json()["checks"].items() if check["state"] != "ok"]
    assert (response.status_code, failed) == (503, ["beat"])
    assert client.get("/readyz?check=beat").status_code == 503
    assert client.get("/readyz?check=worker").status_code == 200
    assert client.get("/readyz?check=everything").status_code == 400


def test_a_broker_that_is_away_or_says_nothing_is_named(
    client: Client, settings: Any, silent_server: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for port in (1, silent_server):
        settings.REDIS_URL = f"redis://:hunter2@127.0.0.1:{port}/0"
        monkeypatch.setattr(probes, "_readiness", Readiness(patience=30.0))
        response = client.get("/readyz?check=broker")
        assert (response.status_code, response.json()["checks"]["broker"]["state"]) == (503, "failed")
        assert b"hunter2" not in response.content


def test_files_that_cannot_be_written_and_a_full_disk_are_named_without_their_paths(
    client: Client, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    settings.MEDIA_ROOT = tmp_path / "file" / "media"
    monkeypatch.setattr("kbpo.core.disk.spaces", lambda: [Space(tmp_path, 1, 1 << 40)])
    response = client.get("/readyz")
    checks = response.json()["checks"]
    assert (checks["files"]["state"], checks["disk"]["state"]) == ("failed", "failed")
    assert str(tmp_path) not in response.content.decode()


@pytest.mark.django_db
def test_signs_are_one_row_a_process_with_the_last_time() -> None:
    for minute in range(3):
        signs.give(["beat"], now=NOON + timedelta(minutes=minute))
    assert list(Heartbeat.objects.values_list("name", "seen_at")) == [("beat", NOON + timedelta(minutes=2))]


@pytest.mark.django_db
def test_a_process_that_was_never_seen_is_late() -> None:
    signs.give(["beat"], now=NOON)
    late = {sign.name: sign.is_late for sign in signs.signs(now=NOON + signs.LATE)}
    assert late == {"beat": False, "worker": True, "mailer": True}


@pytest.mark.django_db
def test_beat_gives_no_sign_while_it_sends_nothing() -> None:
    signs.once(["beat"], is_alive=lambda: False)
    assert not Heartbeat.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(("alive", "looked"), [(["beat", "worker"], 0), (["worker"], 1), (["beat"], 1)])
def test_another_process_looks_for_trouble_where_beat_or_the_worker_is_dead(
    alive: list[str], looked: int
) -> None:
    signs.give(alive, now=timezone.now())
    watched: list[int] = []
    signs.once(["mailer"], is_alive=lambda: True, watch=lambda: watched.append(1))
    assert len(watched) == looked


@pytest.mark.django_db
@pytest.mark.parametrize(("minutes", "looked"), [(2, 0), (4, 1)])
def test_the_process_whose_children_hang_looks_for_trouble_itself(minutes: int, looked: int) -> None:
    signs.give(["beat"], now=timezone.now())
    signs.give([signs.WATCH], now=timezone.now() - timedelta(minutes=minutes))
    watched: list[int] = []
    signs.once(["worker"], is_alive=lambda: True, watch=lambda: watched.append(1))
    assert len(watched) == looked


@pytest.mark.django_db(transaction=True)
def test_the_thread_of_a_process_gives_its_sign() -> None:
    import threading

    over = threading.Event()
    over.set()
    signs.start(["worker"], over=over).join(30)
    assert Heartbeat.objects.filter(name="worker").exists()
    connection.close()
