"""Whoever gives way does so where Linux shares the processor out among sessions, and lowers nobody else."""

import os
import subprocess
import sys
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from django.db import connection

from kbpo.core import priority
from kbpo.core.clock import celery
from kbpo.core.errors import Unavailable
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


def give_way(*started: str) -> tuple[int, str, str]:
    """Return by how much a process that gave way lowered itself, that of its session, and if it is idle."""
    done = subprocess.run(
        [sys.executable, "-c", *started],
        cwd=ROOT,
        start_new_session=True,
        capture_output=True,
        text=True,
        check=True,
    )
    nice, session, is_idle = done.stdout.splitlines()
    return int(nice) - os.nice(0), session.split()[-1], is_idle


@has_sessions
def test_who_leads_a_session_takes_it_along_and_is_idle_in_it_with_whom_it_starts() -> None:
    has_shares = priority._is_shared_out_by_sessions()
    assert give_way(GIVING_WAY) == (
        priority.NICER,
        str(priority.NICER),
        "idle" if has_shares else "not idle",
    )


@has_sessions
def test_a_session_of_others_stays_as_it_is_and_nobody_is_idle_among_them() -> None:
    assert give_way(LED, GIVING_WAY) == (priority.NICER, "0", "not idle")


def leads(monkeypatch, written) -> list[int]:
    """Have this process lead a session that has a share; return what it then becomes."""
    became: list[int] = []
    monkeypatch.setattr(os, "nice", lambda _: 0)
    monkeypatch.setattr(os, "sched_setscheduler", lambda _, policy, __: became.append(policy))
    monkeypatch.setattr(os, "getsid", lambda _: os.getpid())
    monkeypatch.setattr(priority, "_is_shared_out_by_sessions", lambda: True)
    monkeypatch.setattr(priority, "PAUSE", 0)
    monkeypatch.setattr(priority, "OF_SESSION", SimpleNamespace(write_text=written))
    return became


def test_who_comes_at_once_with_another_tries_again(monkeypatch) -> None:
    answers = [BlockingIOError(), BlockingIOError(), None]
    tried = []

    def written(text: str) -> None:
        tried.append(text)
        if (error := answers.pop(0)) is not None:
            raise error

    became = leads(monkeypatch, written)
    priority.give_way()
    assert tried == [str(priority.NICER)] * 3
    assert became == [os.SCHED_IDLE]


@pytest.mark.parametrize("error", [BlockingIOError("busy"), PermissionError("not you")])
def test_a_session_that_keeps_its_priority_is_told_of(monkeypatch, caplog, error) -> None:
    def written(_: str) -> None:
        raise error

    became = leads(monkeypatch, written)
    priority.give_way()
    assert "stays as it is" in caplog.text
    assert became == []


def test_where_sessions_have_no_priority_the_process_gives_way_alone(monkeypatch, tmp_path) -> None:
    nicer: list[int] = []
    monkeypatch.setattr(os, "nice", nicer.append)
    monkeypatch.setattr(os, "sched_setscheduler", lambda *_: None)
    monkeypatch.setattr(os, "getsid", lambda _: os.getpid())
    monkeypatch.setattr(priority, "OF_SESSION", tmp_path / "none" / "autogroup")
    priority.give_way()
    assert nicer == [priority.NICER]
    assert priority.NICER > 0


def test_where_no_process_may_be_idle_it_is_told_of(monkeypatch, caplog) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("not here")

    leads(monkeypatch, lambda _: None)
    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    priority.give_way()
    assert "not here" in caplog.text


@pytest.mark.parametrize(
    ("groups", "own", "is_shared_out"),
    [
        ([], "0::/\n", True),
        (["session.scope/cgroup.procs"], "0::/session.scope\n", True),  # a group that has no share
        (["unit/cpu.weight"], "0::/unit/inner\n", False),
        (["cpu.weight"], "0::/\n", False),  # a container that sees its own group as the first
        (["cpu,cpuacct/release_agent"], "9:memory:/a:b\n2:cpu,cpuacct:/\n0::/\n", True),
        (["cpu,cpuacct/release_agent"], "2:cpu,cpuacct:/docker/1\n0::/\n", False),
        (["cpu,cpuacct/cpu.shares"], "2:cpu,cpuacct:/\n0::/\n", False),
    ],
)
def test_sessions_have_shares_outside_of_groups_that_have_some(
    monkeypatch, tmp_path, groups, own, is_shared_out
) -> None:
    for group in groups:
        (tmp_path / "groups" / group).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "groups" / group).touch()
    for name, said in (("SHARES_OUT", "1\n"), ("OWN_GROUPS", own)):
        (tmp_path / name).write_text(said)
        monkeypatch.setattr(priority, name, tmp_path / name)
    monkeypatch.setattr(priority, "GROUPS", tmp_path / "groups")
    assert priority._is_shared_out_by_sessions() == is_shared_out
    (tmp_path / "SHARES_OUT").write_text("0\n")
    assert not priority._is_shared_out_by_sessions()
    (tmp_path / "SHARES_OUT").unlink()
    assert not priority._is_shared_out_by_sessions()


def test_a_worker_has_the_embedded_postgres_started_before_it_gives_way(monkeypatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(connection, "get_connection_params", lambda: done.append("Postgres"))
    monkeypatch.setattr(priority, "give_way", lambda: done.append("gives way"))
    celery.give_way()
    assert done == ["Postgres", "gives way"]


def test_a_worker_whose_postgres_does_not_start_yet_gives_way_all_the_same(monkeypatch) -> None:
    done: list[str] = []
    gone = Mock(side_effect=Unavailable("not ready"))
    monkeypatch.setattr(connection, "get_connection_params", gone)
    monkeypatch.setattr(priority, "give_way", lambda: done.append("gives way"))
    with pytest.raises(Unavailable):
        celery.give_way()
    assert done == ["gives way"]


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
    with priority.Rests().after():
        clock.now += worked
    assert clock.slept == rests


def test_rests_end_after_a_while_since_others_may_wait_for_what_is_held(monkeypatch) -> None:
    clock = Clock(late=1.0)
    monkeypatch.setattr(priority, "time", clock)
    monkeypatch.setattr(os, "nice", lambda _: priority.NICER)
    rests = priority.Rests()
    for _ in range(100):
        with rests.after():
            clock.now += 0.5
    rested = [one for one in clock.slept if one != priority.BLINK]
    assert sum(rested) == pytest.approx(priority.LONGEST_IN_ALL)
    assert len(clock.slept) < 100
