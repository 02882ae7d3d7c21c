"""Mail: our own words, and what each person gets of it."""

import re
from collections.abc import Iterator
from pathlib import Path

import allauth
import pytest
from django.template.loader import get_template
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evaluation.submissions import notices
from kbpo.accounts import teams
from kbpo.accounts.mails import choices, kinds
from kbpo.accounts.models import UnwantedMail, User
from kbpo.accounts.personal import deleting, exporting
from kbpo.accounts.personal.parts import Leaving
from kbpo.core.errors import InvalidInput
from tests.factories import SubmissionFactory, TeamFactory, UserFactory

pytestmark = pytest.mark.django_db
#: What others extend, and what is switched off here: codes in place of links.
LEFT_OUT = ("base_", "login_code_", "password_reset_code_")


@pytest.fixture
def ann() -> User:
    return UserFactory.create(email="ann@example.org", operator=True)


def tell_of_a_refusal(user: User) -> None:
    notices.tell_refused(SubmissionFactory.create(uploaded_by=user, state="refused"))


def library_templates() -> Iterator[str]:
    folder = Path(allauth.__file__).parent / "templates"
    for path in sorted(folder.glob("*/email/*_message.txt")):
        if not path.name.startswith(LEFT_OUT):
            yield str(path.relative_to(folder)).removesuffix("_message.txt")


@pytest.mark.parametrize("name", list(library_templates()))
def test_no_mail_is_in_the_librarys_words(name: str) -> None:
    for kind in ("subject", "message"):
        found = get_template(f"{name}_{kind}.txt")
        assert "site-packages" not in found.origin.name  # type: ignore[attr-defined]


def test_account_mail_has_a_link_to_the_site_by_its_own_name(client: Client, mailoutbox, settings) -> None:
    settings.SITE_URL = "https://kbpo.example.org"
    settings.ALLOWED_HOSTS = ["other.example.org"]
    UserFactory.create(email="ben@example.org")
    client.post(
        "/accounts/password/reset/", {"email": "ben@example.org"}, headers={"host": "other.example.org"}
    )
    [message] = mailoutbox
    assert "\n\nhttps://kbpo.example.org/accounts/password/reset/key/" in message.body
    assert "other.example.org" not in message.body
    assert message.subject == "Choose a new password for KBP Online"
    assert message.body.endswith("This is about your account, and so always comes.")


def test_mail_says_how_to_switch_its_kind_off(ann: User, mailoutbox) -> None:
    tell_of_a_refusal(ann)
    [message] = mailoutbox
    [off] = re.findall(r"No more of these: (\S+)", message.body)
    assert message.extra_headers == {
        "List-Unsubscribe": f"<{off}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def test_following_the_link_switches_nothing_off_before_it_is_posted(ann: User, client: Client) -> None:
    address = reverse("mail_off", args=[choices.token(kinds.REFUSED, ann)])
    assert "Switch this mail off" in client.get(address).content.decode()
    assert not UnwantedMail.objects.exists()


def test_one_request_of_a_mail_program_switches_a_kind_off_and_no_other(ann: User, mailoutbox) -> None:
    address = reverse("mail_off", args=[choices.token(kinds.REFUSED, ann)])
    program = Client(enforce_csrf_checks=True)
    for _ in range(2):
        assert program.post(address, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert choices.switched_off(ann) == {kinds.REFUSED}
    tell_of_a_refusal(ann)
    assert not mailoutbox


@pytest.mark.parametrize("token", ["x", "WyJyZWFkIiwxXQ:1abc:def"])
def test_a_link_that_we_did_not_make_switches_nothing_off(token: str, client: Client) -> None:
    assert client.post(reverse("mail_off", args=[token])).status_code == 400
    assert not UnwantedMail.objects.exists()


def test_each_kind_is_switched_off_and_on_again_on_a_page(ann: User, client: Client) -> None:
    client.force_login(ann)
    everything = dict.fromkeys(kinds.KINDS, "on")
    without = {name: "on" for name in kinds.KINDS if name != kinds.SCORED}
    for form, off in (
        (everything, set()),
        (without, {kinds.SCORED}),
        ({}, set(kinds.KINDS)),
        (everything, set()),
    ):
        client.post("/teams/mail/", form)
        assert choices.switched_off(ann) == off
    assert client.get("/teams/mail/").content.decode().count(" checked") == len(kinds.KINDS)


def test_only_operators_choose_what_operators_get(client: Client) -> None:
    ben = UserFactory.create()
    client.force_login(ben)
    assert "Work waits for you" not in client.get("/teams/mail/").content.decode()
    with pytest.raises(InvalidInput, match="no mail of the kind 'waiting' for you"):
        choices.choose(user=ben, wanted=[kinds.WAITING])


def test_an_invitation_says_who_and_to_what_and_where_to_answer(ann: User, mailoutbox) -> None:
    team = TeamFactory.create(name="Blue", members=[ann])
    teams.invite(user=ann, team=team, email="new@example.org")
    [message] = mailoutbox
    assert message.subject == f"{ann.name} invites you to the team Blue"
    assert "It has 1 member." in message.body
    assert "sign up with this email address" in message.body
    assert reverse("teams") in message.body


def test_an_address_without_an_account_switches_invitations_off_and_is_not_kept(
    ann: User, mailoutbox
) -> None:
    first, second = (TeamFactory.create(members=[ann]) for _ in range(2))
    teams.invite(user=ann, team=first, email="New@example.org")
    [off] = re.findall(r"No more of these: (\S+)", mailoutbox[0].body)
    Client().post(off[off.index("/mail/off/") :])
    teams.invite(user=ann, team=second, email="new@example.org")
    assert len(mailoutbox) == 1
    assert "new@example.org" not in str(UnwantedMail.objects.values())


def test_who_signs_up_finds_what_their_address_had_switched_off(client: Client) -> None:
    choices.switch_off(given=choices.token(kinds.INVITED, "ben@example.org"))
    ben = UserFactory.create(email="ben@example.org")
    assert choices.switched_off(ben) == {kinds.INVITED}
    choices.choose(user=ben, wanted=[kind.name for kind in choices.offered(ben)])
    assert choices.wants(kinds.INVITED, "ben@example.org")


def test_choices_are_exported_and_go_with_the_account() -> None:
    ben = UserFactory.create()
    choices.switch_off(given=choices.token(kinds.READ, ben))
    assert '"mail switched off": [\n {"kind": "read"}]' in "".join(exporting.write(ben))
    deleting.delete_account(Leaving(ben, timezone.now()))
    assert not UnwantedMail.objects.exists()


def test_names_and_messages_stand_in_mail_as_they_are(ann: User, mailoutbox) -> None:
    submission = SubmissionFactory.create(uploaded_by=ann, state="refused", name="A & B <1>")
    notices.tell_refused(submission)
    assert "“A & B <1>”" in mailoutbox[0].body
