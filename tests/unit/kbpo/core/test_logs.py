"""Lines of the log: what they are about, and what never stands in them."""

import json
import logging
import sys

import pytest

from kbpo.core.health import logs


def line_of(message: str, *args: object, formatter: logging.Formatter | None = None, **more: object) -> str:
    record = logging.getLogger("kbpo.test").makeRecord(
        "kbpo.test",
        logging.INFO,
        __file__,
        1,
        message,
        args,
        sys.exc_info() if sys.exc_info()[0] else None,
        extra=more or None,
    )
    logs.AboutFilter().filter(record)
    return (formatter or logs.JsonLine()).format(record)


def test_a_record_is_one_line_of_json_with_what_it_is_about() -> None:
    with logs.about(stage="post_hits"), logs.about():
        logs.note(hit=7)
        line = line_of("it was\nposted %d times", 2)
    assert "\n" not in line
    found = json.loads(line)
    assert found.pop("at").endswith("+00:00")
    assert found == {
        "level": "INFO",
        "logger": "kbpo.test",
        "message": "it was\nposted 2 times",
        "stage": "post_hits",
        "hit": 7,
    }


def test_what_was_noted_ends_with_its_scope() -> None:
    with logs.about():
        logs.note(hit=7)
    logs.note(hit=8)
    assert not logs.present()


def test_what_a_line_is_about_replaces_nothing_of_the_line() -> None:
    with logs.about(level="none"):
        assert json.loads(line_of("hello"))["level"] == "INFO"


def test_a_traceback_is_in_the_line_without_its_secrets() -> None:
    try:
        raise ValueError("no mail to ada@example.org")
    except ValueError:
        line = line_of("failed")
    assert "\n" not in line
    assert json.loads(line)["error"].endswith("ValueError: no mail to …@…")


def test_lines_for_people_say_the_same() -> None:
    with logs.about(submission=7):
        assert line_of("read", formatter=logs.Line("%(levelname)s %(message)s")) == "INFO read [submission=7]"


@pytest.mark.parametrize(
    "secret",
    [
        "ada@example.org",
        "postgres://kbpo:hunter2@db:5432/kbpo",
        "/accounts/password/reset/key/hunter2/",
        "/accounts/confirm-email/hunter2/",
        "/work/submit/hunter2/externalSubmit",
        "/mail/off/hunter2/",
        "sessionid=hunter2; path=/",
        "https://a.example/x?access_token=hunter2&b=1",
        "Authorization: Token hunter2",
    ],
)
def test_secrets_and_addresses_are_left_out(secret: str) -> None:
    line = line_of("it says %s", secret)
    assert "hunter2" not in line
    assert "ada@" not in line
