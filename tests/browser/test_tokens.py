"""Tokens of the API: made, shown once, copied, revoked; by keyboard, and without scripts. The API's page."""

import re

import pytest
from playwright.sync_api import Page, expect

from kbpo.accounts import tokens
from kbpo.accounts.models import ApiToken
from tests.browser.looks import fit_fingers, looks, picture
from tests.integration.accounts.conftest import PASSWORD, person
from tests.integration.api.conftest import Program

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SECRET = re.compile(f"^{tokens.PREFIX}")


def go_on(page: Page) -> None:
    """Say the password once more, as is asked before a token is made."""
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Go on").click()


def no_wider_than_the_screen(page: Page) -> bool:
    return not page.evaluate("document.documentElement.scrollWidth > innerWidth")


@pytest.mark.slow
@looks(360, 1280)
def test_from_no_token_to_one_that_is_revoked(open_page, width: int, scheme: str) -> None:
    page = open_page("/teams/tokens/", user=person("ann@example.org"), width=width, scheme=scheme)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    picture(page, f"tokens-none-{width}-{scheme}")
    page.get_by_role("link", name="Make a token").click()
    go_on(page)
    page.get_by_label("Name").fill("The cluster, nightly runs")
    page.get_by_label("Upload files").check()
    picture(page, f"token-new-{width}-{scheme}")
    assert fit_fingers(page, "main button, main input[type=text], main select, .check label", at_least=5)
    page.get_by_role("button", name="Make the token").click()
    expect(page.get_by_label("The cluster")).to_have_value(SECRET)
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("status")).to_have_text("Copied.")
    picture(page, f"token-made-{width}-{scheme}")
    assert no_wider_than_the_screen(page)
    secret = page.evaluate("navigator.clipboard.readText()")
    assert Program(secret).get("me/")["token"]["scopes"] == ["read", "submit"]
    page.get_by_role("link", name="I have it").click()
    expect(page.get_by_role("rowheader", name="The cluster")).to_be_visible()
    assert secret not in page.content()
    picture(page, f"tokens-{width}-{scheme}")
    assert no_wider_than_the_screen(page)
    assert fit_fingers(page, "main button, main .button", at_least=2)
    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("is revoked")).to_be_visible()
    picture(page, f"tokens-revoked-{width}-{scheme}")
    assert Program(secret)("GET", "me/").status_code == 401


def press(page: Page, key: str, until: str) -> None:
    """Press a key until what a selector names has the focus."""
    for _ in range(40):
        if page.locator(until).evaluate("one => one === document.activeElement"):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} never leads to {until}")


def test_a_token_is_made_copied_and_revoked_by_keyboard_alone(open_page) -> None:
    page = open_page("/teams/tokens/new/", user=person("ann@example.org"), width=360)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    press(page, "Tab", "input[type=password]")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    press(page, "Tab", "#id_name")
    page.keyboard.type("laptop")
    page.keyboard.press("Enter")
    expect(page.get_by_label("laptop")).to_have_value(SECRET)
    press(page, "Tab", "#secret")
    page.keyboard.press("Control+c")
    secret = page.evaluate("navigator.clipboard.readText()")
    assert Program(secret).get("me/")["token"]["name"] == "laptop"
    page.goto("/teams/tokens/")
    press(page, "Tab", "main td button")
    page.keyboard.press("Enter")
    expect(page.get_by_text("is revoked")).to_be_visible()
    assert not ApiToken.objects.filter(revoked_at=None).exists()


@pytest.mark.slow
def test_a_token_is_made_and_revoked_without_scripts(open_page) -> None:
    page = open_page("/teams/tokens/new/", user=person("ann@example.org"), width=360, scripts=False)
    go_on(page)
    page.get_by_label("Name").fill("laptop")
    page.get_by_role("button", name="Make the token").click()
    expect(page.get_by_label("laptop")).to_have_value(SECRET)
    expect(page.get_by_role("button", name="Copy")).to_be_hidden()
    page.reload()  # the form is sent again, which makes no second token, and shows no secret
    expect(page.locator("#secret")).to_have_count(0)
    page.goto("/teams/tokens/")
    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("is revoked")).to_be_visible()
    assert not ApiToken.objects.filter(revoked_at=None).exists()


@looks(360, 1280)
def test_the_page_about_the_api_is_read(open_page, width: int, scheme: str) -> None:
    page = open_page("/help/api/", width=width, scheme=scheme)
    picture(page, f"api-{width}-{scheme}")
    assert no_wider_than_the_screen(page)
    page.get_by_role("link", name="POST /api/v1/submissions/", exact=True).click()
    operation = page.locator("#submit")
    expect(operation).to_be_in_viewport()
    for summary in page.locator("#submit ~ details > summary").all()[:2]:
        summary.click()
    picture(page, f"api-opened-{width}-{scheme}")
    assert no_wider_than_the_screen(page)
    assert fit_fingers(page, "main summary", at_least=30)
