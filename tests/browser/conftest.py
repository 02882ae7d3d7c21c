"""A headless Chromium on the live site."""

import os
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, Page, expect, sync_playwright

from kbpo.accounts.models import User
from tests.integration.conftest import files_that_know_no_database  # noqa: F401  (used by all)

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
OpenPage = Callable[..., Page]

# Playwright's loop runs in the thread of the test, where Django would otherwise refuse the database.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    """Start one Chromium for the run."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, live_server) -> Iterator[OpenPage]:
    """Open a page of the live site: ``open_page("/", user=None, width=1280, scheme="light", scripts=True)``.

    With `has_touch=True` it is on a touch screen. Errors on the page's console fail the test in the end.
    """
    contexts, complaints = [], []

    def act(
        path: str,
        *,
        user: User | None = None,
        width: int = 1280,
        scheme: str = "light",
        scripts: bool = True,
        has_touch: bool = False,
    ) -> Page:
        context = browser.new_context(
            base_url=live_server.url,
            viewport={"width": width, "height": 800},
            color_scheme=scheme,
            java_script_enabled=scripts,
            has_touch=has_touch,
        )
        contexts.append(context)
        if user is not None:
            client = Client()
            client.force_login(user)
            session = client.cookies[settings.SESSION_COOKIE_NAME].value
            context.add_cookies(
                [{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}]
            )
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: _complain(message, complaints))
        page.goto(path)
        return page

    yield act
    for context in contexts:
        context.close()
    assert complaints == []


def _complain(message, complaints: list[str]) -> None:
    # Chromium reports every answer of 400 and above; that a page shows one is not a fault.
    if message.type == "error" and not message.text.startswith("Failed to load resource"):
        complaints.append(message.text)
