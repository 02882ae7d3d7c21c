"""How long pages take while a hundred slow clients hang on the proxy, and with none.

nginx, where it is installed, runs with the configuration of compose (``proxy/``) on the loopback, before the
site as ``make demo`` runs it. A third of the slow clients send a head byte by byte, a third a form, and a
third read a page so; whoever is cut off comes again. Each comes from an address of its own. Visitors ask for
20 pages a second meanwhile, timed from when each was to be asked for.
"""

import http.client
import json
import os
import socket
import ssl
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import nginx
from benchmarks.crowd import _quantile
from benchmarks.reading import _processor
from benchmarks.site import prepared, serving

PAGES = ("/", "/corpora/demo/", "/corpora/demo/documents/", "/accounts/login/", "/help/", "/leaderboard/")
SLOW = 100
RATE, VISITORS = 20.0, 20  # pages a second, and who ask for them
SECONDS, QUICK = 60.0, 10.0
GOAL = 300.0  # ms, p95
WEB, PROXY = 18_763, 18_764
BYTE_EVERY = 0.2  # seconds


def run(out: Path, *, quick: bool = False) -> None:
    """Measure; write ``proxy.json``."""
    if (program := nginx.find()) is None:
        print(f"  not measured: {nginx.MISSING}", flush=True)
        return
    seconds = QUICK if quick else SECONDS
    report: dict[str, Any] = {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "goal, p95 ms": GOAL,
        "seconds": seconds,
        "load_before": round(os.getloadavg()[0], 1),
    }
    with (
        tempfile.TemporaryDirectory(prefix="kbpo-bench-") as name,
        prepared(Path(name) / "home", WEB) as site,
    ):
        folder = Path(name)
        folder.chmod(0o755)
        site.environ.update(TRUSTED_PROXIES="127.0.0.1", SITE_URL=f"https://localhost:{PROXY}")
        del site.environ["HIT_BASE_URL"]  # it would be the same host
        site.run("manage.py", "load_demo")
        with serving(site), nginx.before(site, program, folder, PROXY):
            for what, slow in (("alone", 0), (f"with {SLOW} slow clients", SLOW)):
                report[what] = _measure(seconds, slow)
                print(f"  {what}: {report[what]}", flush=True)
    report["load_after"] = round(os.getloadavg()[0], 1)
    (out / "proxy.json").write_text(json.dumps(report, indent=1) + "\n")


def _measure(seconds: float, slow: int) -> dict[str, Any]:
    asked: list[tuple[float, int]] = []
    held: Counter[str] = Counter()
    over = threading.Event()
    clients = [
        threading.Thread(target=_hang, args=((_head, _form, _reading)[n % 3], f"127.0.1.{n + 1}", over, held))
        for n in range(slow)
    ]
    for one in clients:
        one.start()
    time.sleep(2.0 if slow else 0.0)  # until all of them hang there
    begin = time.monotonic()
    visitors = [threading.Thread(target=_visit, args=(n, begin, seconds, asked)) for n in range(VISITORS)]
    for one in visitors:
        one.start()
    for one in visitors:
        one.join()
    over.set()
    for one in clients:
        one.join()
    times = [taken for taken, _ in asked]
    return {
        "pages": len(asked),
        "median_ms": round(1000 * _quantile(times, 0.5), 1),
        "p95_ms": round(1000 * _quantile(times, 0.95), 1),
        "most_ms": round(1000 * max(times), 1),
        "errors": sum(status != 200 for _, status in asked),
        "slow clients' connections": dict(sorted(held.items())),
    }


def _visit(number: int, begin: float, seconds: float, asked: list[tuple[float, int]]) -> None:
    every = VISITORS / RATE
    for turn in range(int(seconds / every)):
        due = begin + (turn + number / VISITORS) * every
        time.sleep(max(0.0, due - time.monotonic()))
        _, status = _get(PAGES[(number + turn) % len(PAGES)], f"127.0.2.{number + 1}")
        asked.append((time.monotonic() - due, status))


def _get(path: str, source: str) -> tuple[float, int]:
    """Ask for a page on a connection of its own, from an address of the loopback."""
    started = time.monotonic()
    connection = http.client.HTTPSConnection(
        "127.0.0.1", PROXY, timeout=60, context=nginx.tls(), source_address=(source, 0)
    )
    try:
        connection.request("GET", path, headers={"Host": "localhost", "Connection": "close"})
        response = connection.getresponse()
        response.read()
        return time.monotonic() - started, response.status
    except (OSError, http.client.HTTPException):
        return time.monotonic() - started, 0
    finally:
        connection.close()


def _hang(act: Any, source: str, over: threading.Event, held: Counter[str]) -> None:
    """Be slow, again and again."""
    while not over.is_set():
        held[act.__name__.strip("_")] += 1
        with (
            suppress(OSError),
            socket.create_connection(("127.0.0.1", PROXY), timeout=30, source_address=(source, 0)) as plain,
            nginx.tls().wrap_socket(plain, server_hostname="localhost") as one,
        ):
            act(one, over)


def _head(one: ssl.SSLSocket, over: threading.Event) -> None:
    """Send a head that never ends."""
    one.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
    while not over.wait(BYTE_EVERY):
        one.sendall(b"a")


def _form(one: ssl.SSLSocket, over: threading.Event) -> None:
    """Send a form that never ends."""
    kind = b"Content-Type: application/x-www-form-urlencoded"
    head = b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n" + kind
    one.sendall(head + b"\r\n\r\n")
    while not over.wait(BYTE_EVERY):
        one.sendall(b"a")


def _reading(one: ssl.SSLSocket, over: threading.Event) -> None:
    """Read a page that was asked for many times, a few bytes at a time."""
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    one.sendall(b"GET /corpora/demo/ HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
    while not over.wait(BYTE_EVERY):
        if not one.recv(16):
            return
