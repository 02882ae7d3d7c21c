"""From signing up on to where somebody wanted to go."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from tests.factories import CorpusFactory

pytestmark = pytest.mark.django_db
PASSWORD = "a long pass phrase"
WANTED = "/submissions/new/?corpus=news"


def sign_up(client: Client, mailoutbox, wanted: str) -> str:
    """Sign somebody up; return the link of the mail, without the site's name."""
    form = {"email": "rosa@example.org", "password1": PASSWORD, "password2": PASSWORD, "next": wanted}
    client.post("/accounts/signup/", form)
    found = re.search(r"https?://\S+", str(mailoutbox[-1].body))
    assert found is not None
    return "/" + found[0].split("/", 3)[3]


def confirm(client: Client, link: str) -> str:
    """Confirm an address as the page does; return where that leads."""
    page = client.get(link).content.decode()
    hidden = re.search(r'name="next" value="([^"]*)"', page)
    form = {"next": hidden[1].replace("&amp;", "&")} if hidden else {}
    return client.post(urlsplit(link).path, form).headers["Location"]


def test_confirming_the_address_signs_in_and_leads_on(client, mailoutbox):
    assert confirm(client, sign_up(client, mailoutbox, WANTED)) == WANTED
    assert client.get("/teams/").status_code == 200


def test_confirming_in_another_browser_leads_on_too_but_signs_nobody_in(client, mailoutbox):
    link = sign_up(client, mailoutbox, WANTED)
    other = Client()
    assert confirm(other, link) == WANTED
    asked = other.get(WANTED).headers["Location"]
    assert parse_qs(urlsplit(asked).query)["next"] == [WANTED]


def test_who_wanted_nothing_in_particular_is_led_to_submitting(client, mailoutbox):
    assert confirm(client, sign_up(client, mailoutbox, "")) == "/submissions/new/"


@pytest.mark.parametrize("wanted", ["https://evil.example/", "//evil.example/", "/\\evil.example/"])
def test_signing_up_leads_to_no_other_site(client, mailoutbox, wanted):
    link = sign_up(client, mailoutbox, wanted)
    assert "evil" not in link
    assert "evil" not in confirm(client, link)


def test_a_link_that_names_another_site_does_not_lead_there(client, mailoutbox):
    link = sign_up(client, mailoutbox, WANTED)
    assert "evil" not in confirm(Client(), f"{urlsplit(link).path}?next=//evil.example/")


def test_pages_offer_to_sign_up_and_come_back(client):
    page = client.get("/help/").content.decode()
    assert "/accounts/signup/?next=%2Fhelp%2F" in page


def test_who_has_no_team_makes_one_on_the_way_to_submitting(client, mailoutbox):
    CorpusFactory(tag="news")
    confirm(client, sign_up(client, mailoutbox, WANTED))
    page = client.get(WANTED).content.decode()
    assert '<input type="hidden" name="next" value="/submissions/new/?corpus=news">' in page
    assert "Make the team" in page
