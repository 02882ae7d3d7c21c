"""One site for all that is asked here: each request is undone."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import transaction
from django.test import Client, override_settings

from tests.integration.any_request.site import Site, build, settings
from tests.mediawiki import serve_wiki


@pytest.fixture(scope="package")
def site(django_db_setup, django_db_blocker, tmp_path_factory) -> Iterator[Site]:
    home: Path = tmp_path_factory.mktemp("home")
    with (
        serve_wiki() as wiki,
        django_db_blocker.unblock(),
        override_settings(
            KBPO_HOME=home, MEDIA_ROOT=home / "media", WIKIPEDIA_API_URL=wiki.url, **settings()
        ),
        transaction.atomic(),
    ):
        yield build()
        transaction.set_rollback(True)


@pytest.fixture(scope="package")
def clients(site: Site) -> dict[str, Client]:
    made = {}
    for name, user in site.people.items():
        made[name] = Client(raise_request_exception=False)
        if user is not None:
            made[name].force_login(user)
    return made


@pytest.fixture(scope="module", autouse=True)
def undone(site: Site, clients: dict[str, Client]) -> Iterator[None]:
    """What a module makes for all of its tests is gone for the next one, whichever comes first."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture(scope="module", autouse=True)
def no_log() -> Iterator[None]:
    """Each refusal would be logged, and there are thousands."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)
