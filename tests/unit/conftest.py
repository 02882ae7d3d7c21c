"""A unit test needs no database: one that asks for it fails."""

import pytest


@pytest.fixture(scope="session")
def django_db_setup() -> None:
    """Refuse the database: every fixture and mark of pytest-django that opens it asks for this first."""
    pytest.fail("tests/unit uses no database: a test that does belongs in tests/integration", pytrace=False)
