"""What the tests of two hosts share."""

import pytest

from tests.hosts.history import Outcome, play


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """A history in which nothing is killed, and everything that two hosts share is there."""
    return play(tmp_path_factory.mktemp("undisturbed"))
