"""Tokens, and the page about the API, in a browser; neither needs scripts."""

import pytest
from playwright.sync_api import expect

from tests.browser.looks import fit_fingers, looks, picture
from tests.factories import UserFactory
from tests.integration.accounts.conftest import PASSWORD

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

IS_WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


@looks(360, 1280)
def test_a_token_is_made_shown_once_and_revoked_without_scripts(open_page, width, scheme):
    user = UserFactory.create()
    user.set_password(PASSWORD)
    user.save()
    page = open_page("/accounts/login/", width=width, scheme=scheme, scripts=False)
    user.emailaddress_set.create(email=user.email, verified=True, primary=True)
    page.get_by_label("Email").fill(user.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.goto("/teams/tokens/new/")
    page.get_by_label("Name").fill("the lab's server")
    picture(page, f"token-new-{width}-{scheme}")
    page.get_by_role("button", name="Make the token").click()
    expect(page.locator("pre")).to_contain_text("kbpo_")
    picture(page, f"token-made-{width}-{scheme}")
    page.get_by_role("link", name="I have it").click()
    expect(page.get_by_role("main")).not_to_contain_text("kbpo_")
    picture(page, f"tokens-{width}-{scheme}")
    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("main")).to_contain_text("revoked on")


@looks(360, 1280)
def test_the_page_about_the_api_fits_and_folds_out(open_page, width, scheme):
    page = open_page("/help/api/", width=width, scheme=scheme)
    page.locator("details").first.locator("summary").click()
    expect(page.locator("details").first.locator("table")).to_be_visible()
    picture(page, f"api-{width}-{scheme}")
    assert not page.evaluate(IS_WIDER)
    assert fit_fingers(page, "main summary")
