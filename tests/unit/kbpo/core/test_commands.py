import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import InterfaceError, OperationalError

from kbpo.core import commands
from kbpo.core.commands import Command, Refused
from kbpo.core.errors import InvalidInput, UsageError


class Raises(Command):
    """Raises what it was made with."""

    def __init__(self, error: Exception) -> None:
        super().__init__(stderr=StringIO())
        self.error = error

    def handle(self, *args: Any, **options: Any) -> None:
        raise self.error


class Prints(Command):
    """Prints a document."""

    offers_json = True

    def handle(self, *args: Any, **options: Any) -> None:
        if options["json"]:
            self.print_json({"name": "Zoë", "rows": [1.5, None]})


def exit_status(error: Exception) -> tuple[int, str]:
    command = Raises(error)
    with pytest.raises(SystemExit) as end:
        command.run_from_argv(["manage.py", "raises"])
    return end.value.code, command.stderr.getvalue()  # type: ignore[return-value, attr-defined]


@pytest.fixture(autouse=True)
def ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "prepare_database", lambda: None)
    monkeypatch.setattr("django.core.management.base.connections.close_all", lambda: None)


def test_a_refusal_is_one_line_and_status_1() -> None:
    status, said = exit_status(InvalidInput("not a date\nat all", where="corpus.jsonl, line 3"))
    assert (status, said) == (1, "Refused: corpus.jsonl, line 3: not a date at all\n")


def test_wrong_usage_is_status_2() -> None:
    status, _said = exit_status(UsageError("--estimator simple is for iid corpora"))
    assert status == 2


def test_arguments_that_cannot_be_read_are_status_2() -> None:
    with pytest.raises(SystemExit) as end:
        Prints().run_from_argv(["manage.py", "prints", "--colour"])
    assert end.value.code == 2


def test_a_bug_is_not_taken_for_a_refusal() -> None:
    with pytest.raises(ZeroDivisionError):
        Raises(ZeroDivisionError()).run_from_argv(["manage.py", "raises"])


def test_calling_a_command_raises_its_refusal() -> None:
    with pytest.raises(Refused, match="not a date"):
        call_command(Raises(InvalidInput("not a date")))


def test_json_is_one_document() -> None:
    out = StringIO()
    call_command(Prints(), json=True, stdout=out)
    assert json.loads(out.getvalue()) == {"name": "Zoë", "rows": [1.5, None]}


def test_json_has_no_nan() -> None:
    with pytest.raises(ValueError, match="JSON"):
        Command(stdout=StringIO()).print_json({"estimate": float("nan")})


def test_json_is_offered_only_where_the_command_says_so() -> None:
    with pytest.raises(SystemExit):
        Raises(InvalidInput("")).run_from_argv(["manage.py", "raises", "--json"])


def test_arguments_that_cannot_be_read_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        Prints().run_from_argv(["manage.py", "prints", "--colour"])
    assert capsys.readouterr().err == "manage.py prints: error: unrecognized arguments: --colour\n"


def test_an_argument_that_is_not_utf_8_is_wrong_usage() -> None:
    with pytest.raises(Refused, match=r"--corpus is .* not UTF-8") as refused:
        Prints().execute(corpus="\udcff", json=False)
    assert refused.value.returncode == 2


@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
def test_a_database_that_goes_away_is_one_line(error: type[Exception]) -> None:
    status, said = exit_status(error("the connection is closed"))
    assert (status, said) == (1, "Refused: The database cannot be used: the connection is closed\n")
