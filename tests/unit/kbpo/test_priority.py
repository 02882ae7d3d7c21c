"""Whoever gives way does so where Linux shares the processor out among sessions, and lowers nobody else."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from kbpo.core import priority
from tests.conftest import ROOT

GIVING_WAY = """
import os
from kbpo.core import priority
priority.give_way()
print(os.nice(0))
print(priority.OF_SESSION.read_text().strip())
if os.fork() == 0:
    print("idle" if os.sched_getscheduler(0) == os.SCHED_IDLE else "not idle", flush=True)
    os._exit(0)
os.wait()
"""
# A session of the test's own, whose leader starts who gives way.
LED = """
import subprocess, sys
subprocess.run([sys.executable, "-c", sys.argv[1]], check=True)
"""
has_sessions = pytest.mark.skipif(
    not priority.OF_SESSION.exists(), reason="the processor is not shared out among sessions here"
)


def give_way(*started: str) -> tuple[int, str]:
    """Return by how much a process that gave way lowered itself, and the priority of its session."""
    done = subprocess.run(
        [sys.executable, "-c", *started],
        cwd=ROOT,
        start_new_session=True,
        capture_output=True,
        text=True,
        check=True,
    )
    *_, idle = lines = done.stdout.splitlines()
    assert idle == "idle"  # and so is whom it starts
    return int(lines[0]) - os.nice(0), lines[1].split()[-1]


@has_sessions
def test_who_leads_a_session_takes_it_along() -> None:
    assert give_way(GIVING_WAY) == (priority.NICER, str(priority.NICER))


@has_sessions
def test_a_session_of_others_stays_as_it_is() -> None:
    assert give_way(LED, GIVING_WAY) == (priority.NICER, "0")


def leads(monkeypatch, written) -> None:
    monkeypatch.setattr(os, "nice", lambda _: 0)
    monkeypatch.setattr(os, "sched_setscheduler", lambda *_: None)
    monkeypatch.setattr(os, "getsid", lambda _: os.getpid())
    monkeypatch.setattr(priority, "PAUSE", 0)
    monkeypatch.setattr(priority, "OF_SESSION", SimpleNamespace(write_text=written))


def test_who_comes_at_once_with_another_tries_again(monkeypatch) -> None:
    answers = [BlockingIOError(), BlockingIOError(), None]
    tried = []

    def written(text: str) -> None:
        tried.append(text)
        if (error := answers.pop(0)) is not None:
            raise error

    leads(monkeypatch, written)
    priority.give_way()
    assert tried == [str(priority.NICER)] * 3


@pytest.mark.parametrize("error", [BlockingIOError("busy"), PermissionError("not you")])
def test_a_session_that_keeps_its_priority_is_told_of(monkeypatch, caplog, error) -> None:
    def written(_: str) -> None:
        raise error

    leads(monkeypatch, written)
    priority.give_way()
    assert "stays as it is" in caplog.text


def test_where_sessions_have_no_priority_the_process_gives_way_alone(monkeypatch, tmp_path) -> None:
    nicer: list[int] = []
    monkeypatch.setattr(os, "nice", nicer.append)
    monkeypatch.setattr(os, "sched_setscheduler", lambda *_: None)
    monkeypatch.setattr(os, "getsid", lambda _: os.getpid())
    monkeypatch.setattr(priority, "OF_SESSION", tmp_path / "none" / "autogroup")
    priority.give_way()
    assert nicer == [priority.NICER]
    assert priority.NICER > 0


def test_where_no_process_may_be_idle_it_is_told_of(monkeypatch, caplog, tmp_path) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("not here")

    monkeypatch.setattr(os, "nice", lambda _: 0)
    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    monkeypatch.setattr(priority, "OF_SESSION", tmp_path / "none" / "autogroup")
    priority.give_way()
    assert "not here" in caplog.text


class Clock:
    """Time that passes only while somebody sleeps, who wakes too late by as much as is said."""

    def __init__(self, late: float) -> None:
        self.now, self.late, self.slept = 0.0, late, list[float]()

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds + self.late
        self.slept.append(round(seconds, 3))


@pytest.mark.parametrize(
    ("nice", "late", "worked", "rests"),
    [
        (priority.NICER, 0.0, 0.1, [priority.BLINK]),
        (priority.NICER, priority.LATE + 0.001, 0.1, [priority.BLINK, 0.3]),
        (priority.NICER, priority.LATE + 0.001, 9.0, [priority.BLINK, priority.LONGEST_REST]),
        (0, 1.0, 0.1, []),
    ],
    ids=["nobody waits", "others want the processor", "after long", "a process that does not give way"],
)
def test_who_gives_way_rests_after_what_others_did_for_it(monkeypatch, nice, late, worked, rests) -> None:
    clock = Clock(late)
    monkeypatch.setattr(priority, "time", clock)
    monkeypatch.setattr(os, "nice", lambda _: nice)
    with priority.letting_people_first():
        clock.now += worked
    assert clock.slept == rests
