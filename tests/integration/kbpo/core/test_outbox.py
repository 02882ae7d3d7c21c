"""Every message is a row first, in the transaction that it tells of, and then it is sent."""

import smtplib
import socket
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.core import mail
from django.core.cache import cache
from django.core.mail import EmailMultiAlternatives, send_mail
from django.core.mail.backends.locmem import EmailBackend
from django.db import transaction
from django.test import Client
from django.utils import timezone

from evaluation.submissions import notices
from kbpo import pipeline
from kbpo.accounts import teams
from kbpo.accounts.models import User
from kbpo.core.mail import sending
from kbpo.core.mail.outbox import TRIED_FOR
from kbpo.core.mail.selectors import given_up, unsent
from kbpo.core.models import Message
from tests.factories import SubmissionFactory, TeamFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def outbox(settings: LazySettings) -> None:
    cache.clear()  # an address may ask for so much mail alone
    settings.EMAIL_BACKEND = "kbpo.core.mail.outbox.Outbox"  # Django's test runner puts its own


def write(subject: str = "Hello") -> Message:
    send_mail(subject, "Body", None, ["a@example.org"])
    return Message.objects.order_by("pk").last()  # type: ignore[return-value]


def make_due(**fields: object) -> None:
    Message.objects.filter(sent_at=None).update(due_at=timezone.now(), **fields)


def transport(monkeypatch: pytest.MonkeyPatch, *, send: Callable[[str], None] = lambda subject: None) -> None:
    """Have every message go through `send` on its way."""
    deliver = EmailBackend.send_messages

    def sent(self: object, messages: list[mail.EmailMessage]) -> int:
        for message in messages:
            send(str(message.subject))
        return deliver(self, messages)

    monkeypatch.setattr(EmailBackend, "send_messages", sent)


def test_a_message_goes_with_the_transaction_that_it_tells_of() -> None:
    with transaction.atomic():
        write()
        transaction.set_rollback(True)
    assert not Message.objects.exists()


def test_nothing_is_sent_before_the_pipeline_sends_it_once() -> None:
    write()
    assert mail.outbox == []
    assert pipeline.send_mail() == 1
    assert pipeline.send_mail() == 0
    assert [message.subject for message in mail.outbox] == ["Hello"]


def test_a_message_comes_out_as_it_went_in() -> None:
    message = EmailMultiAlternatives(
        "Subject",
        "Text",
        "lab@example.org",
        ["a@example.org", "b@example.org"],
        bcc=["c@example.org"],
        cc=["d@example.org"],
        reply_to=["e@example.org"],
        headers={"X-One": "1"},
    )
    message.attach_alternative("<p>HTML</p>", "text/html")
    message.send()
    pipeline.send_mail()
    [sent] = mail.outbox
    assert isinstance(sent, EmailMultiAlternatives)
    assert (sent.subject, sent.body, sent.from_email) == ("Subject", "Text", "lab@example.org")
    assert (sent.to, sent.cc, sent.bcc) == (message.to, message.cc, message.bcc)
    assert sent.message()["Reply-To"] == "e@example.org"
    assert sent.message()["X-One"] == "1"
    assert [(one.content, one.mimetype) for one in sent.alternatives] == [("<p>HTML</p>", "text/html")]


def test_an_attachment_is_refused() -> None:
    message = mail.EmailMessage("Subject", "Text", to=["a@example.org"])
    message.attach("a.txt", "a", "text/plain")
    with pytest.raises(ValueError, match="no attachments"):
        message.send()


def test_what_a_message_says_is_erased_when_it_is_sent() -> None:
    message = write()
    pipeline.send_mail()
    message.refresh_from_db()
    assert (message.text, message.html, message.headers) == ("", "", {})
    assert message.subject == "Hello"


@pytest.mark.parametrize("error", [smtplib.SMTPRecipientsRefused({}), TimeoutError(), ValueError()])
def test_a_message_that_cannot_be_sent_keeps_no_other_back(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two", "three"):
        write(name)

    def refuse_two(subject: str) -> None:
        if subject == "two":
            raise error

    transport(monkeypatch, send=refuse_two)
    assert pipeline.send_mail() == 2
    assert [message.subject for message in mail.outbox] == ["one", "three"]


def test_what_failed_is_tried_again_after_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    write()

    def refuse(subject: str) -> None:
        raise smtplib.SMTPServerDisconnected

    with monkeypatch.context() as patch:
        transport(patch, send=refuse)
        pipeline.send_mail()
    assert pipeline.send_mail() == 0
    make_due()
    assert pipeline.send_mail() == 1


def test_pauses_grow_up_to_an_hour() -> None:
    pauses = [sending.pause(tries) for tries in range(1, 30)]
    assert pauses == sorted(pauses)
    assert pauses[0] < timedelta(minutes=1)
    assert pauses[-1] == timedelta(hours=1)


def test_a_server_that_cannot_be_reached_is_tried_with_one_message_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[int] = []

    def away(self: object) -> None:
        tried.append(1)
        raise TimeoutError("timed out")

    for name in ("one", "two", "three"):
        write(name)
    monkeypatch.setattr(EmailBackend, "open", away)
    assert pipeline.send_mail() == pipeline.send_mail() == 0
    assert len(tried) == 1
    assert set(Message.objects.values_list("error", flat=True)) == {"TimeoutError: timed out"}


def test_what_cannot_be_sent_for_a_day_is_given_up_and_can_be_sent_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    message = write()

    def refuse(subject: str) -> None:
        raise OSError("no route")

    make_due(give_up_at=timezone.now())
    with monkeypatch.context() as patch:
        transport(patch, send=refuse)
        pipeline.send_mail()
    [failed] = given_up()
    assert (failed.subject, failed.addresses) == ("Hello", ["a@example.org"])
    assert "no route" in failed.error
    make_due()
    assert pipeline.send_mail() == 0
    assert sending.send_again(pk=message.pk)
    assert pipeline.send_mail() == 1
    assert [*unsent(now=timezone.now()), *given_up()] == []


def test_mail_is_tried_for_a_day() -> None:
    message = write()
    assert message.give_up_at - message.created_at == TRIED_FOR == timedelta(days=1)


def test_mail_that_has_waited_long_is_shown_before_it_is_given_up() -> None:
    message = write()
    assert not unsent(now=message.created_at)
    assert [*unsent(now=message.created_at + timedelta(minutes=11))] == [message]


def test_a_message_whose_sender_was_killed_is_left_alone_until_its_lease_ends() -> None:
    write()
    sending._claim(timezone.now())
    assert pipeline.send_mail() == 0
    make_due()
    assert pipeline.send_mail() == 1


def test_a_mail_server_that_says_nothing_is_waited_for_outside_of_any_request(
    client: Client, settings: LazySettings
) -> None:
    settings.MAIL_TRANSPORT = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_TIMEOUT = 0.1
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings.EMAIL_HOST, settings.EMAIL_PORT = silent.getsockname()
        silent.settimeout(0)
        User.objects.create_user("old@example.org", "kelp-forest-17")
        client.post("/accounts/password/reset/", {"email": "old@example.org"})
        with pytest.raises(BlockingIOError):
            silent.accept()  # nobody has called
        assert pipeline.send_mail() == 0
    [waiting] = unsent(now=timezone.now(), late=timedelta())
    assert "timed out" in waiting.error


def test_old_rows_are_forgotten_but_for_those_that_wait(settings: LazySettings) -> None:
    for name in ("sent", "given up", "waiting", "new"):
        write(name)
    now = timezone.now()
    Message.objects.exclude(subject="new").update(created_at=now - settings.KEEP_MAIL)
    Message.objects.filter(subject="sent").update(sent_at=now, text="")
    Message.objects.filter(subject="given up").update(failed_at=now)
    assert pipeline.forget_mail() == 2
    assert set(Message.objects.values_list("subject", flat=True)) == {"waiting", "new"}


def test_signing_up_and_asking_for_a_new_password_write_their_mail(client: Client) -> None:
    words = {"email": "new@example.org", "password1": "kelp-forest-17", "password2": "kelp-forest-17"}
    client.post("/accounts/signup/", words)
    User.objects.create_user("old@example.org", "kelp-forest-17")
    Client().post("/accounts/password/reset/", {"email": "old@example.org"})
    asked = [message.recipients for message in Message.objects.all()]
    assert asked == [{"to": ["new@example.org"]}, {"to": ["old@example.org"]}]
    assert mail.outbox == []


def test_an_account_is_not_made_without_its_mail(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("kbpo.core.mail.outbox.Outbox.send_messages", broken)
    words = {"email": "new@example.org", "password1": "kelp-forest-17", "password2": "kelp-forest-17"}
    with pytest.raises(ZeroDivisionError):
        client.post("/accounts/signup/", words)
    assert not User.objects.exists()


def test_who_is_invited_is_told_by_mail_once() -> None:
    ann = UserFactory(email="ann@example.org")
    team = TeamFactory(members=[ann])
    for _ in range(2):
        teams.invite(user=ann, team=team, email="ben@example.org")
    [message] = Message.objects.all()
    assert message.recipients == {"to": ["ben@example.org"]}


def test_a_notice_is_written_with_its_event() -> None:
    submission = SubmissionFactory.create(
        corpus__name="News",
        name="two\nlines",
        uploaded_by=UserFactory(email="m@example.org", operator=True),
        state="refused",
    )
    notices.tell_refused(submission)
    assert Message.objects.get().subject == "News: two lines was refused, 0 errors"
