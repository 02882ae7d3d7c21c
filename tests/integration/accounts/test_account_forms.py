"""The forms of account pages: allauth's, in this site's words."""

import pytest
from django.test import Client

from tests.integration.accounts.conftest import PASSWORD, person

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("address", "labels"),
    [
        ("/accounts/login/", ("Email address", "Password", "Remember me")),
        ("/accounts/signup/", ("Email address", "Password", "Password (again)")),
        ("/accounts/password/reset/", ("Email address",)),
    ],
)
def test_labels_are_in_sentence_case_and_say_what_is_meant(
    client: Client, address: str, labels: tuple[str, ...]
):
    form = client.get(address).context["form"]
    assert tuple(str(field.label) for field in form) == labels


def test_a_label_does_not_stand_in_its_field_once_more(client: Client):
    assert "placeholder" not in client.get("/accounts/signup/").content.decode()


def test_the_rules_of_a_new_password_are_one_line_that_the_field_is_described_by(client: Client):
    page = client.get("/accounts/signup/").content.decode()
    assert "At least 8 characters" in page
    assert 'aria-describedby="id_password1_helptext"' in page


def test_what_is_wrong_stands_above_the_form_and_beside_its_field(client: Client):
    given = {"email": "ann@example.org", "password1": "short", "password2": "short"}
    page = client.post("/accounts/signup/", given).content.decode()
    assert "<title>To put right: Sign up" in page
    above, beside = page.split('class="field', 1)
    assert '<a href="#id_password1">Password</a>: This password is too short.' in " ".join(above.split())
    assert 'id="id_password1_error"' in beside
    assert 'aria-describedby="id_password1_helptext id_password1_error"' in beside
    assert 'value="ann@example.org"' in beside


def test_signing_in_is_not_announced_on_a_page_that_shows_it(client: Client):
    person("ann@example.org")
    page = client.post("/accounts/login/", {"login": "ann@example.org", "password": PASSWORD}, follow=True)
    assert list(page.context["messages"]) == []


def test_signing_out_is_said_once(client: Client):
    client.force_login(person("ann@example.org"))
    page = client.post("/accounts/logout/", follow=True)
    assert "You are signed out." in page.content.decode()
    assert "You are signed out." not in client.get("/").content.decode()
