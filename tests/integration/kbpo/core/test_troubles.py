"""Operators are told of what is wrong for ten minutes, once, and of its end."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.mail import EmailMessage

from kbpo.core.health.models import Trouble
from kbpo.core.health.troubles import LASTS, Wrong, remember

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
MAIL = Wrong("mail", "Mail that was not sent: it waits.")
BEAT = Wrong("process beat", "Processes: beat is dead.")


def look(*wrong: Wrong, after: timedelta = timedelta(0), to: tuple[str, ...] = ("olga@example.org",)) -> int:
    return remember(wrong, to=to, page="https://kbpo.example.org/desk/stuck/", now=NOON + after)


def test_what_is_wrong_for_less_than_ten_minutes_is_told_to_nobody(mailoutbox: list[EmailMessage]) -> None:
    look(MAIL)
    look(MAIL, after=LASTS - timedelta(seconds=1))
    look(after=LASTS)
    assert not mailoutbox
    assert not Trouble.objects.exists()


def test_what_lasts_is_told_once_to_each_operator(mailoutbox: list[EmailMessage]) -> None:
    for minutes in range(0, 60, 5):
        look(MAIL, after=timedelta(minutes=minutes), to=("olga@example.org", "otto@example.org"))
    assert [message.to for message in mailoutbox] == [["olga@example.org"], ["otto@example.org"]]
    assert "Mail that was not sent: it waits. (since 22 November 2026, 12:00 UTC)" in mailoutbox[0].body
    assert "https://kbpo.example.org/desk/stuck/" in mailoutbox[0].body


def test_its_end_is_told_and_the_next_time_begins_anew(mailoutbox: list[EmailMessage]) -> None:
    look(MAIL)
    look(MAIL, after=LASTS)
    look(after=2 * LASTS)
    look(after=3 * LASTS)
    assert [message.subject.split(" at ")[0] for message in mailoutbox] == ["Wrong", "Over"]
    look(MAIL, after=4 * LASTS)
    look(MAIL, after=5 * LASTS)
    assert [message.subject.split(" at ")[0] for message in mailoutbox] == ["Wrong", "Over", "Wrong"]


def test_what_is_known_to_be_wrong_for_long_is_told_at_once(mailoutbox: list[EmailMessage]) -> None:
    assert look(Wrong("submission 7", "It failed.", NOON - LASTS)) == 1
    assert len(mailoutbox) == 1


def test_a_clock_that_was_ahead_puts_nothing_off() -> None:
    look(Wrong("submission 7", "It failed.", NOON + timedelta(days=2)))
    assert look(Wrong("submission 7", "It failed.", NOON + timedelta(days=2)), after=LASTS) == 1


def test_what_begins_together_is_one_message(mailoutbox: list[EmailMessage]) -> None:
    look(MAIL, BEAT, MAIL)
    assert look(MAIL, BEAT, after=LASTS) == 2
    assert len(mailoutbox) == 1
    assert "and 1 more" in mailoutbox[0].subject


def test_the_log_says_it_too_where_no_mail_goes_out(
    mailoutbox: list[EmailMessage], caplog: pytest.LogCaptureFixture
) -> None:
    look(MAIL, to=())
    look(MAIL, after=LASTS, to=())
    look(after=2 * LASTS, to=())
    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"]
    assert not mailoutbox
