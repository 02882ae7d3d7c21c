"""What every test may use."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from kbpo.core.database import limits

# What an example takes on a busy machine says nothing; CI's own profile, by which examples are the same each
# time, has no deadline either.
if "CI" not in os.environ:
    settings.register_profile("unhurried", deadline=None)
    settings.load_profile("unhurried")

ROOT = Path(__file__).resolve().parent.parent

Manage = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference material beside the project; a test that needs it is skipped without it."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip(f"no reference material at {folder}")
    return folder


@pytest.fixture
def manage(tmp_path: Path) -> Manage:
    """Run ``manage.py`` in a process of its own, on a home of its own (tmp_path / "home")."""

    def run(*arguments: str, **environ: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *arguments],
            env=clean_environment() | {"KBPO_HOME": str(tmp_path / "home")} | environ,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    return run


def clean_environment() -> dict[str, str]:
    """Return this process' environment without variables that would change the service."""
    from kbpo.environment import VARIABLES

    return {
        name: value
        for name, value in os.environ.items()
        if name not in {*VARIABLES, "DJANGO_SETTINGS_MODULE", "DJANGO_ALLOW_ASYNC_UNSAFE"}
    }


def _may_empty_acts(connection: Any, **_: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET kbpo.acts_may_be_emptied = 'on'")


@pytest.fixture(scope="session")
def django_db_setup(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    django_test_environment: None,
    django_db_blocker: Any,
) -> None:
    """Have a database that goes with the run; let tests that commit empty all tables after them."""
    from django.db import connection
    from django.db.backends.signals import connection_created

    from tests import database

    cache = getattr(request.config, "cache", None)
    folder = cache.mkdir("database") if cache else tmp_path_factory.mktemp("database")
    connection_created.connect(_may_empty_acts)
    with django_db_blocker.unblock():
        database.copy_database(folder)
        _may_empty_acts(connection)
    database.empty_quickly()


@pytest.fixture(autouse=True)
def patience(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let a live site, which is in this process, wait for the database as long as a busy machine takes."""
    if "live_server" not in request.fixturenames:
        yield
        return
    monkeypatch.setattr(limits, "WEB", limits.COMMANDS)
    yield
    limits.set_limits(limits.COMMANDS)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the system's Chromium, or of the one that $CHROMIUM names."""
    path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    if not os.access(path, os.X_OK):
        pytest.fail(f"no Chromium at {path}: install it (apt-get install chromium), or set CHROMIUM")
    return path
