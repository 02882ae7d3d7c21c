"""Each module and each test begins with files that know no database: rows of those before are gone."""

import pytest

from kbpo.core.keeping import installation
from kbpo.core.storage.folder import path_of
from tests.integration.conftest import files_that_know_no_database

__all__ = ["files_that_know_no_database"]  # for each test


@pytest.fixture(scope="module", autouse=True)
def files_that_know_no_database_yet() -> None:
    """Let a module make what all of its tests start from."""
    path_of(installation.PLACE).unlink(missing_ok=True)
