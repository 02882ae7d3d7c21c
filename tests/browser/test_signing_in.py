"""Second factors in a browser: an app's codes, and a passkey of a device that DevTools makes up."""

import time
from collections.abc import Iterator

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from playwright.sync_api import Browser, Page, expect

from tests.integration.accounts.conftest import PASSWORD, person

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ANN = "ann@example.org"


@pytest.fixture
def page(browser: Browser, live_server) -> Iterator[Page]:
    """A page at the site's name, not its number: passkeys are kept by names."""
    context = browser.new_context(base_url=live_server.url.replace("127.0.0.1", "localhost"))
    complaints: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: said.type == "error" and complaints.append(said.text))
    yield page
    context.close()
    assert complaints == []


def sign_in(page: Page) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("Email").fill(ANN)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def go_on(page: Page, address: str) -> None:
    """Go where the password is asked for once more."""
    page.goto(address)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Go on").click()


def sign_out(page: Page) -> None:
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()


@pytest.mark.slow
def test_an_app_is_set_up_by_its_key_and_asked_for_at_the_next_sign_in(page):
    person(ANN)
    sign_in(page)
    go_on(page, "/accounts/2fa/totp/activate/")
    expect(page.get_by_role("img", name="QR code")).to_be_visible()
    secret = page.locator("#authenticator_secret").inner_text()

    def code(steps: int) -> str:
        return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + steps))

    page.get_by_label("code").fill(code(0))
    page.get_by_role("button", name="Use this app").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    sign_out(page)
    sign_in(page)
    page.get_by_label("Code").fill(code(1))
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def test_a_passkey_is_added_and_signs_in_without_a_password(page):
    person(ANN)
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    device = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": device})
    sign_in(page)
    go_on(page, "/accounts/2fa/webauthn/add/")
    page.get_by_role("button", name="Add it").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    sign_out(page)
    sign_in(page)
    page.get_by_role("button", name="Use a passkey or key").click()
    sign_out(page)
    page.goto("/accounts/login/")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def test_a_device_that_gives_no_passkey_is_said_on_the_page(page):
    refuse = "navigator.credentials.get = () => Promise.reject(new DOMException('', 'NotAllowedError'))"
    page.add_init_script(refuse)
    page.goto("/accounts/login/")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("Your device gave no passkey")
