"""Who sends slowly holds no thread of the web server for long."""

import gc
import http.client
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from kbpo import web_server, web_worker
from kbpo.web_worker import PATIENCE, RATE, TimedSocket
from tests.conftest import ROOT
from tests.processes import wait_until

Pair = tuple[socket.socket, socket.socket]


class Clock:
    """Time that passes while somebody waits."""

    def __init__(self, *waits: float) -> None:
        self.waits, self.now, self.asked = list(waits), 0.0, 0

    def __call__(self) -> float:
        self.asked += 1
        if self.asked % 2 == 0:  # after a wait
            self.now += self.waits.pop(0)
        return self.now


@pytest.fixture
def pair() -> Iterator[Pair]:
    here, there = socket.socketpair()
    with closing(here), closing(there):
        yield here, there


def test_whoever_dribbles_is_gone_after_a_while_however_often_something_comes(pair: Pair) -> None:
    here, there = pair
    there.sendall(b"slowly")
    timed = TimedSocket(here, Clock(PATIENCE / 2, PATIENCE))
    assert timed.recv(1) == b"s"
    with pytest.raises(ConnectionResetError, match="too slowly"):
        timed.recv(1)


def test_what_was_brought_along_earns_time(pair: Pair) -> None:
    here, there = pair
    there.sendall(bytes(2 * RATE))
    timed = TimedSocket(here, Clock(PATIENCE - 1, 2))
    assert len(timed.recv(RATE)) + len(timed.recv(RATE)) == 2 * RATE


def test_each_request_of_a_connection_has_its_own_time(pair: Pair) -> None:
    here, there = pair
    there.sendall(b"ab")
    timed = TimedSocket(here, Clock(PATIENCE - 1, PATIENCE - 1))
    timed.recv(1)
    timed.begin()
    assert timed.recv(1) == b"b"


def test_a_limit_that_the_server_sets_itself_is_its_own(pair: Pair) -> None:
    timed = TimedSocket(pair[0])
    timed.setblocking(False)
    with pytest.raises(BlockingIOError):
        timed.recv(1)


SLOW = 2.0  # seconds
APPLICATION = (
    f"SLOW = {SLOW}"
    + """
import os
import time
from kbpo import web_worker
web_worker.PATIENCE = 0.3

def application(environ, start_response):
    body = environ["wsgi.input"].read()
    if environ["PATH_INFO"] == "/slow":
        time.sleep(SLOW)
    if environ["PATH_INFO"] == "/who":
        body = str(os.getpid()).encode()
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]
"""
)


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """A server with a single thread, that waits a third of a second for a request."""
    with served(tmp_path, workers=1) as (found, _):
        yield found


@contextmanager
def served(tmp_path: Path, *, workers: int) -> Iterator[tuple[int, "subprocess.Popen[bytes]"]]:
    (tmp_path / "echo.py").write_text(APPLICATION)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        command = [
            *(sys.executable, "-m", "gunicorn", "echo:application", "--pythonpath", f"{ROOT},{tmp_path}"),
            *("--worker-class", f"{web_worker.__name__}.Worker", "--threads", "1"),
            *("--workers", str(workers)),
            *("--bind", f"fd://{listening.fileno()}", "--log-level", "critical", "--no-control-socket"),
        ]
        process = subprocess.Popen(command, pass_fds=[listening.fileno()], cwd=tmp_path)
        port = listening.getsockname()[1]
        listening.close()  # it is the server's alone
        try:
            yield port, process
        finally:
            process.terminate()
            process.wait(30)


def ask(port: int, where: str = "/") -> bytes:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request("POST", where, b"hello")
        return connection.getresponse().read()


@pytest.mark.parametrize(
    "sent",
    [b"", b"POST / HT", b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nab"],
    ids=["nothing", "half a head", "half a body"],
)
def test_senders_that_stop_halfway_keep_others_waiting_for_a_moment_and_are_sent_away(
    port: int, sent: bytes
) -> None:
    assert ask(port) == b"hello"
    senders = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(3)]
    for sender in senders:
        sender.sendall(sent)
    assert ask(port) == b"hello"
    for sender in senders:
        with closing(sender), suppress(ConnectionResetError):
            assert sender.recv(1) == b""


def test_nobody_waits_for_a_worker_that_is_busy_while_another_is_not(tmp_path: Path) -> None:
    with served(tmp_path, workers=2) as (port, _), ThreadPoolExecutor() as pool:
        for _ in range(10):  # both have begun
            assert ask(port) == b"hello"
        slow = pool.submit(ask, port, "/slow")
        time.sleep(SLOW / 8)
        began = time.monotonic()
        for _ in range(10):
            assert ask(port) == b"hello"
        assert time.monotonic() - began < SLOW / 2
        assert not slow.done()
        assert slow.result() == b"hello"


def test_a_worker_that_was_busy_takes_the_next(port: int) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, [port] * 24)) == [b"hello"] * 24
    assert ask(port) == b"hello"


def test_garbage_is_not_looked_for_among_what_stays() -> None:
    try:
        web_server.post_worker_init(None)
        assert gc.get_freeze_count() > 100_000
        assert "kbpo.api.urls" in sys.modules
    finally:
        gc.unfreeze()


def test_who_waits_for_a_worker_that_stops_is_served(tmp_path: Path) -> None:
    with served(tmp_path, workers=1) as (port, process), ThreadPoolExecutor() as pool:
        assert ask(port) == b"hello"
        slow = pool.submit(ask, port, "/slow")
        time.sleep(SLOW / 8)
        waiting = [pool.submit(ask, port) for _ in range(3)]
        time.sleep(SLOW / 8)
        process.terminate()
        assert [one.result() for one in (slow, *waiting)] == [b"hello"] * 4
        assert process.wait(30) == 0


def test_workers_that_stop_share_who_waits(tmp_path: Path) -> None:
    with served(tmp_path, workers=2) as (port, process), ThreadPoolExecutor(8) as pool:
        begun: set[bytes] = set()

        def have_begun() -> bool:
            begun.add(ask(port, "/who"))
            return len(begun) == 2

        assert wait_until(have_begun)
        began = time.monotonic()
        slow = [pool.submit(ask, port, "/slow") for _ in range(6)]
        time.sleep(SLOW / 4)
        process.terminate()
        assert [one.result() for one in slow] == [b"hello"] * 6
        assert time.monotonic() - began < 4.5 * SLOW  # three rounds, not five


def test_who_comes_while_a_worker_stops_is_served_or_refused(tmp_path: Path) -> None:
    with served(tmp_path, workers=1) as (port, process), ThreadPoolExecutor() as pool:
        assert ask(port) == b"hello"
        slow = pool.submit(ask, port, "/slow")
        time.sleep(SLOW / 8)
        process.terminate()
        time.sleep(SLOW / 8)
        assert ask(port) == b"hello"
        assert slow.result() == b"hello"
        assert process.wait(30) == 0
        with pytest.raises(ConnectionRefusedError):
            ask(port)
