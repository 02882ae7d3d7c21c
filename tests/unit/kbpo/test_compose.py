"""docker-compose.yml says what `kbpo.environment` reads, no more and no less."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from kbpo.core.clock.celery import app
from kbpo.environment import REQUIRED, VARIABLES, read

ROOT = Path(__file__).resolve().parents[3]
OURS = ("migrate", "web", "worker", "mailer", "beat")
VALUES = {
    "SECRET_KEY": "Zt7mQx2vLp9RkW4cYb8NfH3jDs6GaE1uKo5TiVwBn0123456789",
    "ALLOWED_HOSTS": "kbpo.example.org",
    "SITE_URL": "https://kbpo.example.org",
    "POSTGRES_PASSWORD": "secret1",
    "EMAIL_URL": "smtp+tls://user:password@mail.example.org:587",
    "DEFAULT_FROM_EMAIL": "kbpo@example.org",
}


def services() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]


def filled(environment: dict[str, str]) -> dict[str, str]:
    """Put values where compose would."""
    return {
        name: re.sub(r"\$\{(\w+)(:[?-][^}]*)?\}", lambda found: value_of(found[1], found[2] or ""), value)
        for name, value in environment.items()
    }


def value_of(name: str, otherwise: str) -> str:
    """Return a variable's value, or what stands in for one that need not be given."""
    return otherwise.removeprefix(":-") if otherwise.startswith(":-") and name not in VALUES else VALUES[name]


@pytest.mark.parametrize("service", OURS)
def test_every_variable_that_is_set_is_one_that_is_read(service: str) -> None:
    assert set(services()[service]["environment"]) <= VARIABLES


@pytest.mark.parametrize("service", OURS)
def test_every_required_variable_is_set(service: str) -> None:
    assert set(REQUIRED) <= set(services()[service]["environment"])


@pytest.mark.parametrize("service", OURS)
def test_the_environment_is_accepted_outside_debug(service: str) -> None:
    assert read(filled(services()[service]["environment"])).debug is False


def test_the_addresses_name_services_that_are_there() -> None:
    given = read(filled(services()["web"]["environment"]))
    assert given.database is not None
    assert {given.database["HOST"], given.redis_url.split("/")[2].split(":")[0]} <= set(services())


def test_every_queue_has_a_worker() -> None:
    commands = [
        service["command"] for service in services().values() if " worker " in service.get("command", "")
    ]
    taken = [command.split("--queues ")[1].split()[0] for command in commands]
    assert sorted(taken) == sorted(queue.name for queue in app.conf.task_queues)


def test_postgres_takes_the_password_that_the_service_gives() -> None:
    database = services()["postgres"]["environment"]
    assert database["POSTGRES_PASSWORD"] in services()["web"]["environment"]["DATABASE_URL"]


def test_files_are_kept_where_the_service_puts_them() -> None:
    home = services()["web"]["environment"]["KBPO_HOME"]
    assert any(volume.endswith(f":{home}") for volume in services()["web"]["volumes"])
