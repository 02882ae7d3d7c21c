"""The pages of mail and webhooks, as they look."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from kbpo.accounts.mails import choices, kinds
from kbpo.webhooks import announcing
from kbpo.webhooks.events import READ, SCORED
from kbpo.webhooks.models import Delivery
from tests.browser.looks import fit_fingers, looks, picture
from tests.factories import TeamFactory, UserFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
URL = "https://systems.example.org/knowledge-base-population/kbp-online/events"


@looks(360, 1280)
def test_from_an_address_to_its_deliveries(open_page, width: int, scheme: str) -> None:
    ann = UserFactory.create()
    team = TeamFactory.create(name="Marren lab", members=[ann])
    page = open_page(f"/teams/{team.pk}/webhooks/", user=ann, width=width, scheme=scheme)
    page.get_by_label("Address").fill(URL)
    picture(page, f"webhooks-{width}-{scheme}")
    assert fit_fingers(page, "main button, main input[type=text], .checks label", at_least=7)
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_label("Secret")).to_have_value(re.compile("^whsec_"))
    picture(page, f"secret-{width}-{scheme}")
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    for event in (READ, SCORED):
        announcing.announce(event, team=team, data={"numbers": {"predictions": 1205, "warnings": 3}})
    Delivery.objects.filter(event=READ).update(delivered_at=timezone.now(), status=200, attempts=1)
    wrong = "systems.example.org has no address that everybody can reach, or it could not be looked up."
    Delivery.objects.filter(event=SCORED).update(error=wrong, attempts=2)
    page.get_by_role("link", name="I have copied it").click()
    expect(page.get_by_role("heading", name="Last deliveries")).to_be_visible()
    page.locator("summary", has_text=READ).click()
    picture(page, f"webhook-{width}-{scheme}")
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    page.get_by_role("button", name="Send a test").click()
    expect(page.get_by_text("A test is on its way")).to_be_visible()
    page.goto(f"/teams/{team.pk}/webhooks/")
    picture(page, f"webhooks-listed-{width}-{scheme}")
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


@looks(360, 1280)
def test_mail_is_chosen_and_switched_off_by_its_link(open_page, width: int, scheme: str) -> None:
    ann = UserFactory.create()
    page = open_page("/teams/mail/", user=ann, width=width, scheme=scheme)
    picture(page, f"mail-{width}-{scheme}")
    assert fit_fingers(page, "main button, main .check label", at_least=7)
    page.get_by_label("An epoch is released").uncheck()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Your choices are saved.")).to_be_visible()
    assert choices.switched_off(ann) == {kinds.RELEASED}
    page.context.clear_cookies()
    page.goto(f"/mail/off/{choices.token(kinds.SCORED, ann)}/")
    picture(page, f"mail-off-{width}-{scheme}")
    page.get_by_role("button", name="Switch this mail off").click()
    expect(page.get_by_role("status")).to_contain_text("switched off")
    assert choices.switched_off(ann) == {kinds.RELEASED, kinds.SCORED}
