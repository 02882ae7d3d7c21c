"""Each module and each test begins with files that know no database: rows of those before are gone."""

from pathlib import Path

import pytest

from kbpo.core.keeping import installation
from kbpo.core.storage.folder import path_of
from tests.integration.conftest import files_that_know_no_database

__all__ = ["files_that_know_no_database"]  # for each test


@pytest.fixture(scope="module", autouse=True)
def files_that_know_no_database_yet() -> None:
    """Let a module make what all of its tests start from."""
    path_of(installation.PLACE).unlink(missing_ok=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the simulations as slow: all tests of this folder."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.slow)
