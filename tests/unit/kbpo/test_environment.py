import stat
from pathlib import Path

import pytest

from kbpo import (
    access_environment,
    crowd_environment,
    environment,
    retention_environment,
    storage_environment,
)
from kbpo.core.errors import InvalidInput
from kbpo.environment import REQUIRED, VARIABLES, kept_secret, read

SERVER = {
    "SECRET_KEY": "Zt7mQx2vLp9RkW4cYb8NfH3jDs6GaE1uKo5TiVwBn0123456789",
    "ALLOWED_HOSTS": "kbpo.example.org, www.kbpo.example.org",
    "SITE_URL": "https://kbpo.example.org",
    "DATABASE_URL": "postgres://kbpo:p%40ss@db.example.org:5433/kbpo?sslmode=require",
    "REDIS_URL": "redis://redis.example.org:6379/0",
    "TRUSTED_PROXIES": "10.0.0.5",
}


def test_an_empty_environment_is_a_development_machine_on_embedded_servers() -> None:
    given = read({})
    assert given.debug
    assert given.database is None
    assert given.redis_url == ""
    assert given.home == Path.cwd() / "var"


def test_a_database_url_alone_turns_debug_off() -> None:
    assert read(SERVER).debug is False


def test_debug_can_be_kept_on_with_a_database_url() -> None:
    assert read({"DATABASE_URL": SERVER["DATABASE_URL"], "DEBUG": "1"}).debug is True


def test_a_database_url_becomes_djangos_settings() -> None:
    assert read(SERVER).database == {
        "ENGINE": "kbpo.core.database.backend",
        "DISABLE_SERVER_SIDE_CURSORS": False,
        "NAME": "kbpo",
        "USER": "kbpo",
        "PASSWORD": "p@ss",
        "HOST": "db.example.org",
        "PORT": "5433",
        "OPTIONS": {"sslmode": "require"},
    }


def test_a_database_url_may_name_a_socket() -> None:
    database = read({"DEBUG": "1", "DATABASE_URL": "postgresql:///kbpo?host=/run/postgresql"}).database
    assert database is not None
    assert (database["HOST"], database["PORT"], database["OPTIONS"]) == ("/run/postgresql", "", {})


def test_a_pooler_is_given_nothing_that_belongs_to_a_session() -> None:
    database = read({"DEBUG": "1", "DATABASE_URL": "postgres://pooler:6432/kbpo?pooled=1"}).database
    assert database is not None
    assert (database["DISABLE_SERVER_SIDE_CURSORS"], database["OPTIONS"]) == (True, {})
    with pytest.raises(InvalidInput, match="pooled=yes, which should be 0 or 1"):
        read({"DEBUG": "1", "DATABASE_URL": "postgres://pooler:6432/kbpo?pooled=yes"})


def test_hosts_are_split_at_commas() -> None:
    assert read(SERVER).allowed_hosts == ("kbpo.example.org", "www.kbpo.example.org")


def test_an_email_url_becomes_djangos_settings() -> None:
    email = read({"EMAIL_URL": "smtp+tls://me%40example.org:secret@mail.example.org"}).email
    assert email == {
        "MAIL_TRANSPORT": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": "mail.example.org",
        "EMAIL_PORT": 587,
        "EMAIL_HOST_USER": "me@example.org",
        "EMAIL_HOST_PASSWORD": "secret",
        "EMAIL_USE_TLS": True,
        "EMAIL_USE_SSL": False,
    }


@pytest.mark.parametrize("name", REQUIRED)
def test_a_server_without_a_required_variable_is_refused_by_its_name(name: str) -> None:
    environ = {"DEBUG": "0"} | {key: value for key, value in SERVER.items() if key != name}
    with pytest.raises(InvalidInput, match=name):
        read(environ)


def test_everything_that_is_missing_is_named_at_once() -> None:
    with pytest.raises(InvalidInput) as refusal:
        read({"DEBUG": "0"})
    assert all(name in str(refusal.value) for name in REQUIRED)


def test_an_empty_variable_is_an_unset_one() -> None:
    with pytest.raises(InvalidInput, match="SECRET_KEY"):
        read(SERVER | {"SECRET_KEY": " "})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("KBPO_EPOCH_SECRET", "00ff"),
        ("SECRET_KEY", "short"),
        ("SECRET_KEY", "a" * 60),
        ("ALLOWED_HOSTS", "*"),
        ("SITE_URL", "http://kbpo.example.org"),
        ("SITE_URL", "https://kbpo.example.org/path"),
        ("SITE_URL", "kbpo.example.org"),
        ("DATABASE_URL", "mysql://host/kbpo"),
        ("DATABASE_URL", "postgres://host"),
        ("DATABASE_URL", "postgres://host:port/kbpo"),
        ("REDIS_URL", "amqp://host"),
        ("REDIS_URL", "redis://"),
        ("EMAIL_URL", "mail.example.org"),
        ("DEBUG", "maybe"),
    ],
)
def test_an_unsafe_or_wrong_value_is_refused_by_its_name(name: str, value: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{name}: "):
        read(SERVER | {name: value})


def test_a_refusal_never_shows_a_password() -> None:
    with pytest.raises(InvalidInput) as refusal:
        read(SERVER | {"DATABASE_URL": "postgres://kbpo:hunter2@host:port/kbpo"})
    assert "hunter2" not in str(refusal.value)


def test_the_epoch_secret_is_read_in_debug() -> None:
    assert read({"KBPO_EPOCH_SECRET": "00ff"}).epoch_secret == b"\x00\xff"


def test_an_epoch_secret_that_is_not_hex_is_refused() -> None:
    with pytest.raises(InvalidInput, match="KBPO_EPOCH_SECRET"):
        read({"KBPO_EPOCH_SECRET": "0x1"})


def test_the_documentation_lists_every_variable() -> None:
    modules = (
        environment,
        crowd_environment,
        access_environment,
        retention_environment,
        storage_environment,
    )
    documented = [line for module in modules for line in (module.__doc__ or "").splitlines()]
    assert all(any(line.startswith(f"``{name}``") for line in documented) for name in VARIABLES)


def test_a_kept_secret_stays_the_same_and_is_private(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    assert kept_secret(home) == kept_secret(home)
    assert stat.S_IMODE((home / "secret_key").stat().st_mode) == 0o600


def test_a_kept_secret_is_long_and_of_each_folder_its_own(tmp_path: Path) -> None:
    one, other = kept_secret(tmp_path / "one"), kept_secret(tmp_path / "other")
    assert one != other
    assert len(one) >= 50


def test_making_a_secret_leaves_no_other_file(tmp_path: Path) -> None:
    kept_secret(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


def test_a_home_that_is_a_file_is_refused_by_its_variable(tmp_path: Path) -> None:
    (tmp_path / "home").touch()
    with pytest.raises(InvalidInput, match=r"^KBPO_HOME: "):
        kept_secret(tmp_path / "home")


def test_visitors_write_to_an_address_or_to_none() -> None:
    assert read({}).contact_email == ""
    assert read({"CONTACT_EMAIL": "kbp@example.org"}).contact_email == "kbp@example.org"


@pytest.mark.parametrize("given", ["kbp", "KBP <kbp@example.org>", "a@b.c?subject=x", "a@b.c, d@e.f"])
def test_a_contact_that_is_more_or_less_than_an_address_is_refused(given: str) -> None:
    with pytest.raises(InvalidInput, match="CONTACT_EMAIL"):
        read({"CONTACT_EMAIL": given})
