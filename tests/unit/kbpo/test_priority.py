"""Whoever gives way does so where Linux shares the processor out among sessions, and lowers nobody else."""

import os
import subprocess
import sys

import pytest

from kbpo.core import priority
from tests.conftest import ROOT

GIVING_WAY = """
import os
from kbpo.core import priority
priority.give_way()
print(os.nice(0))
print(priority.OF_SESSION.read_text().split()[-1] if priority.OF_SESSION.exists() else "")
"""
has_sessions = pytest.mark.skipif(
    not priority.OF_SESSION.exists(), reason="the processor is not shared out among sessions here"
)


def give_way(*, leads: bool) -> tuple[int, str]:
    """Return the priorities of a process that gave way, and of its session."""
    command = [sys.executable, "-c", GIVING_WAY]
    done = subprocess.run(
        command, cwd=ROOT, start_new_session=leads, capture_output=True, text=True, check=True
    )
    own, of_session = done.stdout.split("\n")[:2]
    return int(own) - os.nice(0), of_session


@has_sessions
def test_who_leads_a_session_takes_it_along() -> None:
    assert give_way(leads=True) == (priority.NICER, str(priority.NICER))


@has_sessions
def test_a_session_of_others_stays_as_it_is() -> None:
    own = priority.OF_SESSION.read_text().split()[-1]
    assert give_way(leads=False) == (priority.NICER, own)


def test_where_sessions_have_no_priority_the_process_gives_way_alone(monkeypatch, tmp_path) -> None:
    nicer: list[int] = []
    monkeypatch.setattr(os, "nice", nicer.append)
    monkeypatch.setattr(os, "getsid", lambda _: os.getpid())
    monkeypatch.setattr(priority, "OF_SESSION", tmp_path / "none" / "autogroup")
    priority.give_way()
    assert nicer == [priority.NICER]
    assert priority.NICER > 0
