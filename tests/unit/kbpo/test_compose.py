"""docker-compose.yml says what `kbpo.environment` reads, no more and no less."""

import re
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml

from kbpo.core.clock.celery import app
from kbpo.environment import REQUIRED, VARIABLES, read

ROOT = Path(__file__).resolve().parents[3]
OURS = ("migrate", "web", "worker", "mailer", "beat")
REFUSED = {"KBPO_EPOCH_SECRET"}  # outside DEBUG
FIXED = {"DEBUG", "KBPO_HOME"}
OF_GUNICORN = {"WEB_CONCURRENCY"}  # kbpo/web_server.py
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
def test_all_that_is_read_can_be_set_and_nothing_else(service: str) -> None:
    assert set(services()[service]["environment"]) == (VARIABLES - REFUSED) | OF_GUNICORN


@pytest.mark.parametrize("name", sorted(VARIABLES - REFUSED - FIXED - set(REQUIRED)))
def test_what_may_be_set_can_be_by_the_same_name(name: str) -> None:
    assert f"${{{name}:" in services()["web"]["environment"][name]


@pytest.mark.parametrize("service", OURS)
def test_the_environment_is_accepted_outside_debug(service: str) -> None:
    assert read(filled(services()[service]["environment"])).debug is False


def test_of_the_network_that_web_is_in_its_gateway_alone_is_believed() -> None:
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    (network,) = yaml.safe_load(text)["networks"]["default"]["ipam"]["config"]
    trusted = read(filled(services()["web"]["environment"])).access.trusted_proxies
    assert trusted == (ip_network(network["gateway"]),)
    assert ip_network(network["gateway"]).subnet_of(ip_network(network["subnet"]))
    assert ip_network(network["subnet"]).num_addresses >= 2 * (len(services()) + 2)


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
