"""The demo's supervisor: what it says, and that it leaves nothing behind, however it ends."""

import fcntl
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from kbpo.core.embedded import Postgres
from tests.conftest import ROOT, clean_environment
from tests.processes import pids_in, wait_until, working_in

STARTS = 600.0  # seconds, on a machine that has much else to do


class Demo:
    """A running ``python -m demo.serve``."""

    def __init__(self, home: Path, **environ: str) -> None:
        self.home = home
        self.said = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "demo.serve"],
            env=clean_environment() | {"KBPO_HOME": str(home)} | environ,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said += line

    def serves(self) -> "Demo":
        assert wait_until(lambda: "Ctrl-C ends it" in self.said or self.process.poll() is not None, STARTS)
        assert self.process.poll() is None, self.said
        return self

    def ends(self, how: signal.Signals | None = None) -> int:
        if how is not None:
            self.process.send_signal(how)
        status = self.process.wait(60)
        self.reader.join(60)
        return status


def free_port() -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return str(taken.getsockname()[1])


@pytest.fixture(scope="session")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the demo has been loaded from nothing, once for all processes of a run."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder, whole = shared / "demo" / "home", shared / "demo" / "whole"
    with (shared / "demo.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not whole.exists():
            shutil.rmtree(folder.parent, ignore_errors=True)
            folder.parent.mkdir()
            demo = Demo(folder, PORT=free_port())
            try:
                demo.serves()
            finally:
                demo.ends(signal.SIGTERM)
            whole.touch()
    return folder


def copy(loaded: Path, folder: Path) -> Path:
    subprocess.run(["cp", "-a", str(loaded), str(folder)], check=True)
    return folder


@pytest.fixture(scope="module")
def home(loaded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy(loaded, tmp_path_factory.mktemp("demo") / "home")


@pytest.fixture
def port() -> str:
    return free_port()


@pytest.fixture
def demo(home: Path, port: str) -> Iterator[Demo]:
    """Run a demo that the test ends."""
    yield from run_demo(home, port)


def run_demo(home: Path, port: str) -> Iterator[Demo]:
    running = Demo(home, PORT=port)
    try:
        yield running.serves()
    finally:
        if running.process.poll() is None:
            running.ends(signal.SIGTERM)


@pytest.mark.slow
class TestWhileItServes:
    """One demo for all of these, the first on its folder: it goes on as they found it."""

    @pytest.fixture(scope="class")
    @classmethod
    def port(cls) -> str:
        return free_port()

    @pytest.fixture(scope="class")
    @classmethod
    def home(cls, loaded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
        return copy(loaded, tmp_path_factory.mktemp("serving") / "home")

    @pytest.fixture(scope="class")
    @classmethod
    def demo(cls, home: Path, port: str) -> Iterator[Demo]:
        """Run it, and end it as people do: this leaves nothing behind."""
        running = Demo(home, PORT=port)
        try:
            yield running.serves()
        finally:
            status = running.ends(signal.SIGINT)
        assert status == 0
        assert wait_until(lambda: not working_in(home)), working_in(home)  # its servers take a moment to end

    def test_it_says_where_the_site_is_and_who_may_sign_in(self, demo: Demo, port: str) -> None:
        assert f"http://localhost:{port}/" in demo.said
        assert re.search(r"\S+@\S+\s+password \S+", demo.said)

    def test_the_site_answers(self, demo: Demo, port: str) -> None:
        with urllib.request.urlopen(f"http://localhost:{port}/", timeout=30) as response:
            assert response.status == 200

    def test_the_hit_pages_answer_by_the_machines_other_name(self, demo: Demo, port: str) -> None:
        with pytest.raises(urllib.error.HTTPError) as refusal:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/hits/none/", timeout=30)
        assert "There is no such task" in refusal.value.read().decode()
        with pytest.raises(urllib.error.HTTPError) as refusal:
            urllib.request.urlopen(f"http://localhost:{port}/hits/none/", timeout=30)
        assert "There is no such page" in refusal.value.read().decode()

    def test_the_clock_ticks_and_the_worker_works(self, demo: Demo, home: Path) -> None:
        """A system that is submitted from elsewhere is read, though nobody but the worker is there to."""
        corpus_file = next(iter((home / "demo").glob("*.jsonl.gz")))
        environ = clean_environment() | {"KBPO_HOME": str(home)}
        command = [sys.executable, "manage.py", "submit", str(corpus_file), "--corpus", "demo"]
        command += ["--team", "New", "--name", f"again-{os.getpid()}"]
        submitted = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, check=False)
        assert submitted.returncode == 0, submitted.stderr
        socket_file = Postgres(home).running()
        assert socket_file is not None
        with psycopg.connect(
            host=str(socket_file.parent), user="kbpo", dbname="kbpo", autocommit=True
        ) as connection:

            def was_read() -> bool:
                row = connection.execute(
                    "SELECT state FROM evaluation_submission WHERE name = %s", [f"again-{os.getpid()}"]
                ).fetchone()
                return row is not None and row[0] != "uploaded"

            assert wait_until(was_read, 60)

    def test_work_for_the_worker_is_posted_to_the_marketplace(self, demo: Demo, home: Path) -> None:
        socket_file = Postgres(home).running()
        assert socket_file is not None
        with psycopg.connect(
            host=str(socket_file.parent), user="kbpo", dbname="kbpo", autocommit=True
        ) as connection:

            def count(query: str) -> int:
                row = connection.execute(query).fetchone()
                assert row is not None
                return int(row[0])

            assert count("SELECT count(*) FROM crowd_hit") > 3
            # An earlier demo may have been ended with these in its hands: its leases, of ten minutes, are
            # over.
            connection.execute("UPDATE crowd_hit SET claimed_until = NULL WHERE state = 'planned'")
            connection.execute(
                "UPDATE crowd_workerqualification SET claimed_until = NULL WHERE told_at IS NULL"
            )
            assert wait_until(
                lambda: count("SELECT count(*) FROM crowd_hit WHERE state = 'planned'") == 0, 60
            )
            assert wait_until(
                lambda: (
                    count("SELECT count(*) FROM crowd_workerqualification WHERE told_at IS NOT NULL") == 2
                ),
                60,
            )
            assert count("SELECT count(*) FROM crowd_hit WHERE state = 'posted'") > 3
            assert count("SELECT count(*) FROM crowd_hitbatch") == 2  # however often it was started

    def test_a_second_demo_on_the_folder_is_refused(self, demo: Demo, home: Path) -> None:
        second = Demo(home, PORT=free_port())
        assert second.ends() == 1
        assert second.said.count("\n") == 1
        assert str(home) in second.said


# The signals have one handler, and so have the processes.
@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_told_to_end_it_leaves_no_process(demo: Demo, home: Path, how: signal.Signals) -> None:
    assert demo.ends(how) == 0
    assert wait_until(lambda: not working_in(home)), working_in(home)


@pytest.mark.slow
def test_killed_it_leaves_no_process(demo: Demo, home: Path) -> None:
    demo.ends(signal.SIGKILL)
    assert wait_until(lambda: not working_in(home), 30), working_in(home)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "argument"),
    [("web", "gunicorn"), ("worker", "worker"), ("beat", "beat")],
)
def test_a_process_that_dies_ends_all_and_is_named(demo: Demo, home: Path, name: str, argument: str) -> None:
    parts = {pid: line for pid, line in pids_in(home).items() if argument in line.split()}
    os.kill(min(parts), signal.SIGKILL)
    assert demo.ends() == 1
    assert f"The {name} process ended" in demo.said
    assert str(home / "log" / f"{name}.log") in demo.said
    assert wait_until(lambda: not working_in(home)), working_in(home)


@pytest.mark.slow
def test_ended_while_it_loads_it_leaves_no_process(tmp_path: Path, port: str) -> None:
    demo = Demo(tmp_path / "home", PORT=port)
    assert wait_until(lambda: any("load_demo" in line for line in working_in(tmp_path)), STARTS)
    assert demo.ends(signal.SIGINT) == 0
    assert wait_until(lambda: not working_in(tmp_path)), working_in(tmp_path)


def test_a_busy_port_is_one_line_with_another(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        demo = Demo(tmp_path / "home", PORT=str(port))
        assert demo.ends() == 1
    assert re.fullmatch(rf"Port {port} cannot be used .*: make demo PORT=\d+\n", demo.said)


def test_a_port_that_is_no_number_is_one_line(tmp_path: Path) -> None:
    demo = Demo(tmp_path / "home", PORT="http")
    assert demo.ends() == 1
    assert demo.said == "PORT must be a number from 1 to 65535, not 'http'.\n"
