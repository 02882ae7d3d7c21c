"""A worker whose processes start slowly, as on a busy machine."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, clean_environment
from tests.processes import wait_until

pytestmark = pytest.mark.slow

SLOW = """
import os, time
from celery.signals import worker_process_init
from kbpo.core.clock.celery import app

@worker_process_init.connect
def take_long(**_):
    print("starting", os.getpid(), flush=True)
    time.sleep(7)
    print("started", os.getpid(), flush=True)

app.worker_main(["worker", "--concurrency", "1", "--queues", "kbpo", "--loglevel", "INFO"])
"""


def test_a_process_that_is_replaced_and_takes_seven_seconds_to_start_is_not_killed(tmp_path: Path) -> None:
    """Celery looks after the processes that replace others alone."""

    def processes(word: str) -> list[int]:
        lines = [line.split() for line in said.read_text(errors="replace").splitlines()]
        return [int(words[1]) for words in lines if len(words) == 2 and words[0] == word]

    said = tmp_path / "said.txt"
    with said.open("wb") as out:
        worker = subprocess.Popen(
            [sys.executable, "-c", SLOW],
            env=clean_environment() | {"KBPO_HOME": str(tmp_path / "home")},
            cwd=ROOT,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        assert wait_until(lambda: len(processes("started")) == 1, 90), said.read_text()
        os.kill(processes("started")[0], signal.SIGKILL)
        assert wait_until(lambda: len(processes("started")) == 2, 90), said.read_text()
    finally:
        worker.send_signal(signal.SIGTERM)
        worker.wait(60)
    assert processes("starting") == processes("started")
