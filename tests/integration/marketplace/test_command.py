"""Keys for requesters, made on the command line."""

import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from marketplace.models import Requester, RequesterKey
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def test_a_requester_is_made_with_its_owner_money_and_keys(capsys: pytest.CaptureFixture[str]) -> None:
    owner = UserFactory.create()
    call_command("marketplace_key", "The lab", "--owner", owner.email, "--deposit", "99.50", "--json")
    printed = json.loads(capsys.readouterr().out)
    key = RequesterKey.objects.select_related("requester").get()
    assert printed == {"access_key_id": key.access_key_id, "secret_access_key": key.secret}
    assert (key.requester.name, key.requester.owner) == ("The lab", owner)
    assert [entry.available_cents for entry in key.requester.entries.all()] == [9_950]


def test_a_requester_that_there_is_gets_more_keys_and_money() -> None:
    for rate in ("5", "7"):
        call_command("marketplace_key", "The lab", "--deposit", "10", "--rate", rate, verbosity=0)
    requester = Requester.objects.get()
    assert requester.available_cents == 20_00
    assert sorted(requester.keys.values_list("rate", flat=True)) == [5, 7]


def test_a_key_that_was_revoked_works_no_more_and_the_others_do() -> None:
    for _ in range(2):
        call_command("marketplace_key", "The lab", verbosity=0)
    leaked, other = RequesterKey.objects.order_by("pk")
    call_command("marketplace_key", "The lab", "--revoke", leaked.access_key_id)
    assert set(RequesterKey.objects.filter(is_active=True)) == {other}


def test_a_key_of_another_requester_is_not_revoked() -> None:
    call_command("marketplace_key", "The lab", verbosity=0)
    call_command("marketplace_key", "Another", verbosity=0)
    key = RequesterKey.objects.get(requester__name="Another")
    with pytest.raises(CommandError, match="The lab has no key"):
        call_command("marketplace_key", "The lab", "--revoke", key.access_key_id)
    assert RequesterKey.objects.filter(is_active=True).count() == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["The lab", "--deposit", "1,5"], "such as 100"),
        (["The lab", "--owner", "nobody@example.org"], "nobody has an account"),
        ([" "], "1 to 100 characters"),
        (["The\u202elab"], r"The⟨U\+202E⟩lab"),
        (["The lab", "--rate", "0"], "above 0"),
    ],
)
def test_what_makes_no_sense_is_refused_and_makes_nothing(arguments: list[str], says: str) -> None:
    with pytest.raises(CommandError, match=says) as error:
        call_command("marketplace_key", *arguments)
    assert error.value.returncode == 1
    assert not Requester.objects.exists()
