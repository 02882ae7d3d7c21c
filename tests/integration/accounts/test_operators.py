"""The command that makes somebody an operator, and ends it."""

import pytest
from django.core.management import call_command
from django.test import Client

from kbpo.accounts import operators
from kbpo.core.errors import InvalidInput
from kbpo.core.models import AuditEntry
from tests.integration.accounts.conftest import person, signs_in

pytestmark = pytest.mark.django_db

ANN = "ann@example.org"


@pytest.fixture
def ann():
    return person(ANN)


def test_who_signed_up_becomes_an_operator_and_it_is_written_down(ann, capsys):
    call_command("make_operator", "ANN@example.org")
    ann.refresh_from_db()
    assert (ann.is_operator, ann.is_staff, ann.is_superuser) == (True, True, True)
    entry = AuditEntry.objects.get(what="account changed")
    assert (entry.about, entry.by_id, entry.after["is_operator"]) == (str(ann.pk), None, True)
    assert ANN in capsys.readouterr().out


def test_an_operator_is_ended_and_signed_out(ann):
    person("other@example.org", operator=True)
    operators.make_operator(email=ANN)
    client = Client()
    assert signs_in(client, ANN)
    call_command("make_operator", ANN, "--end")
    ann.refresh_from_db()
    assert (ann.is_operator, ann.is_staff, ann.is_superuser) == (False, False, False)
    assert client.get("/accounts/sessions/").status_code == 302


def test_the_last_operator_stays(ann):
    operators.make_operator(email=ANN)
    with pytest.raises(InvalidInput, match="only operator"):
        operators.end_operator(email=ANN)
    ann.refresh_from_db()
    assert ann.is_operator


@pytest.mark.parametrize(
    ("email", "prepare", "said"),
    [
        ("nobody@example.org", lambda ann: None, "sign up on the site first"),
        (ANN, lambda ann: operators.make_operator(email=ANN), "already"),
        (ANN, lambda ann: ann.emailaddress_set.update(verified=False), "not confirmed"),
        (ANN, lambda ann: type(ann).objects.update(is_active=False), "not active"),
    ],
    ids=["unknown", "already", "unconfirmed", "inactive"],
)
def test_what_cannot_be_is_said(ann, email, prepare, said):
    prepare(ann)
    with pytest.raises(InvalidInput, match=said):
        operators.make_operator(email=email)


def test_who_is_none_cannot_be_ended(ann):
    with pytest.raises(InvalidInput, match="no operator already"):
        operators.end_operator(email=ANN)
