"""docker-compose.yml says what `kbpo.environment` reads, no more and no less."""

import re
import tomllib
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

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
    "REDIS_PASSWORD": "secret3",
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


def test_of_the_network_the_proxy_alone_is_believed() -> None:
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    (network,) = yaml.safe_load(text)["networks"]["default"]["ipam"]["config"]
    proxy = ip_address(services()["proxy"]["networks"]["default"]["ipv4_address"])
    trusted = read(filled(services()["web"]["environment"])).trusted_proxies
    assert trusted == (ip_network(proxy),)
    assert proxy in ip_network(network["subnet"])
    assert proxy not in ip_network(network["ip_range"])  # nobody else is given it


def test_the_proxy_alone_is_reached_from_outside() -> None:
    assert [name for name, service in services().items() if "ports" in service] == ["proxy"]


def test_every_container_is_confined_and_stores_are_in_a_network_of_their_own() -> None:
    of_stores = {}
    for name, service in services().items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        of_stores[name] = set(service["networks"]) == {"data"}
    assert {name for name, is_apart in of_stores.items() if is_apart} == {"postgres", "redis", "store"}
    assert "data" not in services()["proxy"]["networks"]


def test_the_proxy_knows_the_hosts_by_the_services_own_names() -> None:
    given = services()["proxy"]["environment"]
    assert {
        name: services()["web"]["environment"][name] for name in ("SITE_URL", "HIT_BASE_URL")
    }.items() <= (given.items())


@pytest.mark.parametrize("service", sorted(set(services()) - {"migrate"}))
def test_every_service_that_stays_has_a_check(service: str) -> None:
    assert services()[service]["healthcheck"]["test"][0] in ("CMD", "CMD-SHELL")


def test_nothing_that_is_waited_for_waits_for_a_check_itself() -> None:
    """Podman 4 starts nothing whose dependencies have others."""
    awaited = {name for service in services().values() for name in service.get("depends_on", {})}
    assert awaited == {"migrate", "redis"}
    assert not any(services()[name].get("depends_on") for name in awaited)


def test_gunicorn_reads_a_number_of_processes_where_none_is_given() -> None:
    assert int(filled(services()["web"]["environment"])["WEB_CONCURRENCY"]) > 0


@pytest.mark.parametrize("service", OURS)
def test_images_are_built_of_what_runs(service: str) -> None:
    assert services()[service]["build"] == {"context": ".", "target": "service"}


def test_an_image_has_every_package_and_no_secret() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    let_in = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    roots = packages["tool"]["importlinter"]["root_packages"]
    ours = {"client" if name.startswith("kbpo_") else name for name in roots} - {"research"}
    assert "*" in ignored
    assert ours <= let_in
    assert not let_in & {".env", ".", "research", "tests", "tls", "var"}


def test_the_addresses_name_services_that_are_there() -> None:
    given = read(filled(services()["web"]["environment"]))
    assert given.database is not None
    assert {given.database["HOST"], urlsplit(given.redis_url).hostname} <= set(services())


def test_every_queue_has_a_worker() -> None:
    commands = [
        service["command"] for service in services().values() if " worker " in service.get("command", "")
    ]
    taken = [command.split("--queues ")[1].split()[0] for command in commands]
    assert sorted(taken) == sorted(queue.name for queue in app.conf.task_queues)


def test_redis_takes_the_password_that_the_service_gives() -> None:
    password = urlsplit(read(filled(services()["web"]["environment"])).redis_url).password
    redis = services()["redis"]
    assert filled(redis["environment"]) == {"REDISCLI_AUTH": password}
    assert f"--requirepass {password}" in filled({"": redis["command"]})[""]


def test_postgres_takes_the_password_that_the_service_gives() -> None:
    database = services()["postgres"]["environment"]
    assert database["POSTGRES_PASSWORD"] in services()["web"]["environment"]["DATABASE_URL"]


def test_files_are_kept_where_the_service_puts_them() -> None:
    home = services()["web"]["environment"]["KBPO_HOME"]
    assert any(volume.endswith(f":{home}") for volume in services()["web"]["volumes"])
