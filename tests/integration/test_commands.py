"""Commands in processes of their own, on embedded servers of their own."""

from pathlib import Path

import pytest

from tests.conftest import Manage
from tests.processes import working_in

SERVER = {
    "SECRET_KEY": "Zt7mQx2vLp9RkW4cYb8NfH3jDs6GaE1uKo5TiVwBn0123456789",
    "ALLOWED_HOSTS": "kbpo.example.org",
    "SITE_URL": "https://kbpo.example.org",
    "DATABASE_URL": "postgres://kbpo:kbpo@127.0.0.1:1/kbpo",
    "REDIS_URL": "redis://127.0.0.1:1/0",
    "TRUSTED_PROXIES": "10.0.0.5",
    "EMAIL_URL": "smtp://127.0.0.1:1",
    "DEFAULT_FROM_EMAIL": "kbpo@example.org",
}


def one_line(said: str) -> bool:
    return said.count("\n") == 1 and "Traceback" not in said


@pytest.mark.slow
def test_a_newcomers_first_command_just_works_and_leaves_no_process_and_the_second_does_too(
    manage: Manage, tmp_path: Path
) -> None:
    done = manage("advance", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert working_in(tmp_path / "home") == []
    assert manage("advance").returncode == 0


def test_a_server_without_its_variables_is_refused_in_one_line(manage: Manage) -> None:
    done = manage("advance", DEBUG="0")
    assert done.returncode == 1
    assert one_line(done.stderr)
    assert "SECRET_KEY" in done.stderr


@pytest.mark.slow
def test_a_database_that_is_away_is_one_line(manage: Manage) -> None:
    done = manage("advance", **SERVER)
    assert done.returncode == 1
    assert one_line(done.stderr)


def test_a_home_that_cannot_be_used_is_one_line(manage: Manage, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = manage("advance", KBPO_HOME=str(tmp_path / "file" / "home"))
    assert done.returncode == 1
    assert one_line(done.stderr)
    assert str(tmp_path / "file") in done.stderr


@pytest.mark.slow  # make check does the same
def test_production_settings_pass_djangos_deployment_checks(manage: Manage) -> None:
    done = manage("check", "--deploy", "--fail-level", "WARNING", **SERVER)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["SECRET_KEY", "REDIS_URL"])
def test_a_missing_variable_is_named(manage: Manage, name: str) -> None:
    done = manage("check", **{key: value for key, value in SERVER.items() if key != name})
    assert name in done.stderr
    assert one_line(done.stderr)
