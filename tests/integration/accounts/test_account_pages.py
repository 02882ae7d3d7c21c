"""The pages of an account: in the site's own style, with no button that does nothing."""

import pytest
from allauth.account.models import EmailAddress

from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
ADDRESS = "/accounts/email/"


@pytest.fixture
def ann(client):
    ann = UserFactory(email="ann@example.org")
    EmailAddress.objects.create(user=ann, email=ann.email, verified=True, primary=True)
    client.force_login(ann)
    return ann


def buttons(client) -> set[str]:
    page = client.get(ADDRESS).content.decode()
    return {name for name in ("primary", "send", "remove", "add") if f'name="action_{name}"' in page}


def test_an_only_address_can_but_be_joined_by_another(client, ann):
    assert buttons(client) == {"add"}


@pytest.mark.parametrize(
    ("verified", "offered"), [(True, {"primary", "remove"}), (False, {"send", "remove"})]
)
def test_of_another_address_what_can_be_done_is_offered(client, ann, verified, offered):
    EmailAddress.objects.create(user=ann, email="other@example.org", verified=verified)
    assert buttons(client) == {"add", *offered}


def test_another_address_becomes_the_first(client, ann):
    EmailAddress.objects.create(user=ann, email="other@example.org", verified=True)
    client.post(ADDRESS, {"email": "other@example.org", "action_primary": ""})
    ann.refresh_from_db()
    assert ann.email == "other@example.org"


@pytest.mark.parametrize(
    "address", [ADDRESS, "/accounts/password/change/", "/accounts/2fa/", "/accounts/sessions/"]
)
def test_pages_of_an_account_lead_back_to_you_and_your_teams(client, ann, address):
    assert '<p class="crumbs"><a href="/teams/">' in client.get(address).content.decode()
