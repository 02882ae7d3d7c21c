"""How many pages a second the web server gives, by workers and threads, and what others' faults do to it.

Visitors ask for pages, each on a connection of its own, as a proxy does; then the same while a few senders
take seconds for a form, and while more do than there are threads: what happens behind a proxy that does not
take in whole requests. The configuration that is used is tried with a mail server that takes connections and
says nothing, and with a Postgres that is stopped.
"""

import http.client
import json
import os
import re
import signal
import socket
import statistics
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from benchmarks.site import Site, prepared
from demo import serve
from kbpo import web_server

PAGES = ("/", "/corpora/demo/", "/corpora/demo/documents/", "/accounts/login/", "/help/")
CONFIGURATIONS = (
    ("sync", 2, 1),
    ("sync", 3, 1),
    ("sync", 5, 1),
    ("gthread", 1, 8),
    ("gthread", 2, 2),
    ("gthread", 2, 4),
    ("gthread", 2, 8),
    ("gthread", 3, 4),
    ("gthread", 4, 4),
    (web_server.worker_class, web_server.workers, web_server.threads),
)
VISITORS, SLOW = 12, 4
MORE = "with more slow senders than threads"  # twice as many
SECONDS, QUICK = 8.0, 3.0
PAUSE = 30.0  # seconds that Postgres is stopped
MAIL_GOAL, AWAY_GOAL = 0.3, 3.0  # seconds
OWNER = serve.OWNER

Asked = tuple[float, int]  # seconds, and the status


def run(out: Path, *, quick: bool = False) -> None:
    """Measure; write ``web.json``."""
    seconds = QUICK if quick else SECONDS
    report: dict[str, Any] = {"visitors": VISITORS, "slow senders": SLOW, "seconds": seconds}
    report["load_before"] = round(os.getloadavg()[0], 1)
    with tempfile.TemporaryDirectory(prefix="kbpo-bench-") as folder, socket.socket() as taken:
        taken.bind((serve.HOST, 0))
        port = taken.getsockname()[1]
        taken.close()
        with prepared(Path(folder) / "home", port) as site:
            site.run("manage.py", "load_demo")
            report["configurations"] = [
                _configuration(site, seconds, *one)
                for one in (CONFIGURATIONS[1::3] if quick else CONFIGURATIONS)
            ]
            report["mail server hangs"] = _mail_hangs(site, seconds)
            report["postgres is stopped"] = _postgres_stops(site, PAUSE / 3 if quick else PAUSE)
    report["load_after"] = round(os.getloadavg()[0], 1)
    for name in ("mail server hangs", "postgres is stopped"):
        print(f"{name}: {report[name]}", flush=True)
    (out / "web.json").write_text(json.dumps(report, indent=2) + "\n")


def _configuration(site: Site, seconds: float, kind: str, workers: int, threads: int) -> dict[str, Any]:
    found: dict[str, Any] = {"class": kind, "workers": workers, "threads": threads}
    with _web(site, kind, workers, threads):
        for name, slow in (
            ("alone", 0),
            ("with slow senders", SLOW),
            (MORE, 2 * workers * threads),
        ):
            asked = _load(site.port, seconds, slow=slow)
            found[name] = _summary(asked, seconds)
    said = f"{kind:>8} {workers} × {threads}: {found['alone']}, slow: {found['with slow senders']}"
    print(f"{said}, more: {found[MORE]}", flush=True)
    return found


@contextmanager
def _web(site: Site, kind: str, workers: int, threads: int, **environ: str) -> Iterator[None]:
    """Serve the site's pages by gunicorn."""
    parts: list[serve.Part] = []
    with serve.listener(site.port) as listening:
        try:
            serve.listen(listening, site.port)
            command = [
                *("-m", "gunicorn", "kbpo.wsgi", "--bind", f"fd://{listening.fileno()}"),
                *("--worker-class", kind, "--workers", str(workers), "--threads", str(threads)),
                *("--graceful-timeout", "2", "--timeout", "120", "--log-level", "warning"),
            ]
            parts.append(
                serve.start("web", command, site.environ | environ, site.logs, pass_fds=[listening.fileno()])
            )
            if environ:
                celery = [
                    "-m",
                    "celery",
                    "--app",
                    "kbpo.core.clock.celery",
                    "worker",
                    "--loglevel",
                    "WARNING",
                ]
                for queue in ("kbpo", "mail"):
                    arguments = [
                        *celery,
                        "--queues",
                        queue,
                        "--concurrency",
                        "1",
                        "--hostname",
                        f"{queue}@bench",
                    ]
                    parts.append(
                        serve.start(queue, arguments, site.environ | environ, site.logs, pass_fds=[])
                    )
            serve.wait_until_answers(site.port, parts)
            yield
        finally:
            serve.end(parts)


def _load(
    port: int, seconds: float, *, slow: int = 0, ask: Callable[[int, int], Asked] | None = None
) -> list[Asked]:
    """Have visitors ask for pages, one after the other; beside them senders who take their time."""
    asked: list[Asked] = []
    over = threading.Event()

    def visit(number: int) -> None:
        turn = number
        while not over.is_set():
            asked.append((ask or _get)(port, turn))
            turn += 1

    visitors = [threading.Thread(target=visit, args=(number,)) for number in range(VISITORS)]
    senders = [threading.Thread(target=_send_slowly, args=(port, over)) for _ in range(slow)]
    for thread in (*senders, *visitors):
        thread.start()
    time.sleep(seconds)
    over.set()
    for thread in (*visitors, *senders):
        thread.join()
    return asked


def _get(port: int, turn: int) -> Asked:
    return _request(port, "GET", PAGES[turn % len(PAGES)])


def _request(port: int, method: str, path: str, body: str | None = None, **headers: str) -> Asked:
    started = time.monotonic()
    connection = http.client.HTTPConnection(serve.HOST, port, timeout=60)
    try:
        connection.request(method, path, body, {"Connection": "close", **headers})
        response = connection.getresponse()
        response.read()
        return time.monotonic() - started, response.status
    except OSError:
        return time.monotonic() - started, 0
    finally:
        connection.close()


def _send_slowly(port: int, over: threading.Event) -> None:
    """Send a form, a byte at a time."""
    head = (
        f"POST /accounts/login/ HTTP/1.1\r\nHost: {serve.HOST}:{port}\r\nContent-Length: 10000\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
    )
    while not over.is_set():
        with suppress(OSError), socket.create_connection((serve.HOST, port), timeout=5) as sender:
            sender.sendall(head.encode())
            while not over.wait(0.2):
                sender.sendall(b"a")


def _mail_hangs(site: Site, seconds: float) -> dict[str, Any]:
    """Ask for new passwords and pages while the mail server takes connections and says nothing."""
    with socket.create_server((serve.HOST, 0)) as silent:
        address = f"smtp://{serve.HOST}:{silent.getsockname()[1]}"
        with _web(site, web_server.worker_class, web_server.workers, web_server.threads, EMAIL_URL=address):
            cookie, token = _form(site.port, "/accounts/password/reset/")

            def ask(port: int, turn: int) -> Asked:
                if turn % 20:
                    time.sleep(0.2)  # people read what they get
                    return _get(port, turn)
                body = urlencode({"email": OWNER, "csrfmiddlewaretoken": token})
                kind = "application/x-www-form-urlencoded"
                return _request(
                    port, "POST", "/accounts/password/reset/", body, Cookie=cookie, **{"Content-Type": kind}
                )

            found = _summary(_load(site.port, seconds, ask=ask), seconds)
    counted = site.run("manage.py", "shell", "--no-imports", "-c", _MESSAGES).split()
    return found | {"goal, s": MAIL_GOAL, "messages that wait": int(counted[-1])}


_MESSAGES = "from kbpo.core.models import Message; print(Message.objects.filter(sent_at=None).count())"


def _form(port: int, path: str) -> tuple[str, str]:
    """Return the cookie and the token with which a form is sent."""
    connection = http.client.HTTPConnection(serve.HOST, port, timeout=60)
    connection.request("GET", path)
    response = connection.getresponse()
    page = response.read().decode()
    cookie = (response.getheader("Set-Cookie") or "").split(";")[0]
    token = re.search(r'csrfmiddlewaretoken" value="(\w+)"', page)
    assert token is not None
    return cookie, token[1]


def _postgres_stops(site: Site, pause: float) -> dict[str, Any]:
    """Stop Postgres' processes for a while, and see what visitors are told meanwhile and afterwards."""
    log = site.logs / "web.log"
    with _web(site, web_server.worker_class, web_server.workers, web_server.threads):
        _load(site.port, 2.0)
        before = log.stat().st_size
        processes = _postgres(site)
        for pid in processes:
            os.kill(pid, signal.SIGSTOP)
        try:
            meanwhile = _load(site.port, pause, ask=_ask_seldom)
        finally:
            for pid in processes:
                os.kill(pid, signal.SIGCONT)
        back = time.monotonic()
        while _get(site.port, 0)[1] != 200:
            time.sleep(0.1)
        found = {
            "stopped, s": pause,
            "answers": {str(status): number for status, number in Counter(s for _, s in meanwhile).items()},
            "slowest, s": round(max(seconds for seconds, _ in meanwhile), 2),
            "goal, s": AWAY_GOAL,
            "back after, s": round(time.monotonic() - back, 2),
        }
        afterwards = _load(site.port, 2.0)
    said = log.read_bytes()[before:].decode(errors="replace")
    return found | {
        "answers afterwards": {str(s): n for s, n in Counter(status for _, status in afterwards).items()},
        "lines of the log": len(said.splitlines()),
        "tracebacks": said.count("Traceback"),
    }


def _ask_seldom(port: int, turn: int) -> Asked:
    time.sleep(0.1)
    return _get(port, turn - turn % len(PAGES))  # a page that asks the database


def _postgres(site: Site) -> list[int]:
    """Return Postgres' process and its children."""
    parent = site.processes["postgres"]
    children = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(path.read_text().rpartition(")")[2].split()[1]) == parent:
                children.append(int(path.parent.name))
    return [parent, *children]


def _summary(asked: list[Asked], seconds: float) -> dict[str, Any]:
    times = [taken for taken, _ in asked] or [seconds, seconds]
    return {
        "requests/s": round(len(asked) / seconds, 1),
        "median, s": round(statistics.median(times), 3),
        "p95, s": round(statistics.quantiles(times, n=20)[-1] if len(times) > 1 else times[0], 3),
        "faults": sum(status not in (200, 302) for _, status in asked),
    }
