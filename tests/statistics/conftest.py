"""Each module and each test begins with files that know no database: rows of those before are gone."""

import fcntl
import pickle
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from kbpo.core.keeping import installation
from kbpo.core.storage.folder import path_of
from tests.integration.conftest import files_that_know_no_database

__all__ = ["files_that_know_no_database"]  # for each test


@pytest.fixture(scope="module", autouse=True)
def files_that_know_no_database_yet() -> None:
    """Let a module make what all of its tests start from."""
    path_of(installation.PLACE).unlink(missing_ok=True)


Simulate = Callable[[str, Callable[[], Any]], Any]


@pytest.fixture(scope="session")
def simulate_once(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Simulate:
    """Return what makes a result once for all processes of a run, under a name of its own.

    Tests of one module may run in several processes, and each would simulate for minutes.
    """
    own = tmp_path_factory.getbasetemp()
    folder = own if worker_id == "master" else own.parent

    def simulate_once(name: str, simulate: Callable[[], Any]) -> Any:
        path = folder / f"simulated-{sha256(name.encode()).hexdigest()[:16]}"
        with path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                path.write_bytes(pickle.dumps(simulate()))
            return pickle.loads(path.read_bytes())

    return simulate_once


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the simulations as slow: all tests of this folder."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.slow)
