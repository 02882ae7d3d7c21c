"""Serve the demo: web, worker and beat on the embedded servers, under one supervisor.

``make demo`` runs it. It migrates, loads the demo, starts the processes and prints where the site is and who
may sign in (what ``load_demo`` prints). It ends when it is told to (Ctrl-C, SIGTERM, SIGHUP) or when one of
its processes does, and takes all of them along; a supervisor that is killed takes them along as well.
"""

import fcntl
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from kbpo.core import embedded
from kbpo.core.embedded import keeper
from kbpo.core.errors import KbpoError, Unavailable
from kbpo.environment import VARIABLES

ROOT = Path(__file__).resolve().parent.parent
HOST = "127.0.0.1"
NAME = "localhost"  # of the site: browsers keep passkeys for names alone
FIRST_PORT, LAST_PORT = 8000, 65535
LOOK = 0.1  # seconds between looks at the processes
OWNER = "operator@demo.example"
GRACE = 10.0  # seconds that processes have to end by themselves
PATIENCE = 300.0  # seconds that the site has to answer, on a machine that is busy
HEALTHY = 500  # an HTTP status below says that the site answers


class Stopped(BaseException):
    """Somebody asked the demo to end."""


@dataclass
class Part:
    """One of the demo's processes, the leader of its own process group."""

    name: str
    process: "subprocess.Popen[bytes]"
    log: Path


def main() -> int:
    """Serve until told to stop; return the exit status."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    if "MAKELEVEL" in os.environ and sys.platform == "linux":
        keeper.prctl(keeper.PR_SET_PDEATHSIG, signal.SIGTERM)
    try:
        serve(os.environ)
    except Stopped:
        return 0
    except KbpoError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def stop(_signal: int, _frame: FrameType | None) -> None:
    """Interrupt whatever the supervisor does, once."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    raise Stopped


def serve(environ: Mapping[str, str]) -> None:
    """Run the demo.

    Parameters
    ----------
    environ : mapping of str to str
        ``PORT`` and ``KBPO_HOME`` are respected; what names other servers is not, for this is a demo.

    Raises
    ------
    Stopped
        When told to.
    Unavailable
        If the port is taken, a demo runs on this folder already, or a process ends.
    """
    port = read_port(environ.get("PORT") or str(FIRST_PORT))
    home = Path(environ.get("KBPO_HOME") or "var").expanduser().absolute()
    own = {name: value for name, value in environ.items() if name not in VARIABLES} | {
        "SITE_URL": f"http://{NAME}:{port}",
        "KBPO_HOME": str(home),
        "PYTHONUNBUFFERED": "1",
        "CROWD_MOST_PERCENT": "100",  # one person tries it out: a twentieth would be one text
    }
    logs = make_folder(home / "log")
    parts: list[Part] = []
    with only_one(home), listener(port) as web:
        try:
            print("Preparing the demo; the first time this takes a minute.", flush=True)
            # Held here, the servers stay up while the processes come and go.
            embedded.postgres(home).acquire()
            embedded.redis(home).acquire()
            run_step("migrate", ["manage.py", "migrate", "--verbosity", "0"], own, parts, logs)
            logins = run_step("load_demo", ["manage.py", "load_demo"], own, parts, logs)
            own |= marketplace_keys(home, own, parts, logs)
            run_step("load_demo_work", ["manage.py", "load_demo_work"], own, parts, logs)
            listen(web, port)
            for name, command in processes(web.fileno()).items():
                parts.append(start(name, command, own, logs, pass_fds=[web.fileno()]))
                if name == "web":  # the others start when it is up: together they would slow each other down
                    wait_until_answers(port, parts)
            mail = f"Mail is not sent: it lies as files in {home / 'mail'}"
            where = f"KBP Online is at http://{NAME}:{port}/"
            print(f"\n{where}\n\n{logins}\n\n{mail}\n\nCtrl-C ends it.", flush=True)
            while True:
                check(parts)
                time.sleep(LOOK)
        finally:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            end(parts)
            embedded.redis(home).release()
            embedded.postgres(home).release()


def processes(descriptor: int) -> dict[str, list[str]]:
    """Return the arguments that Python gets for each process of the service."""
    celery = ["-m", "celery", "--app", "kbpo.core.clock.celery"]
    return {
        "web": [
            *("-m", "gunicorn", "--config", "python:kbpo.web_server", "kbpo.wsgi"),
            *("--bind", f"fd://{descriptor}", "--log-level", "warning"),
            *("--workers", "2", "--threads", "4", "--graceful-timeout", "5", "--timeout", "120"),
        ],
        "worker": [
            *(*celery, "worker", "--concurrency", "2", "--loglevel", "INFO"),
            *("--without-gossip", "--without-mingle", "--without-heartbeat"),
        ],
        "beat": [
            *celery,
            "beat",
            "--scheduler",
            "celery.beat:Scheduler",
            "--pidfile=",
            "--loglevel",
            "WARNING",
        ],
    }


def read_port(given: str) -> int:
    """Read the number of a port."""
    if given.isdecimal() and 0 < int(given) <= LAST_PORT:
        return int(given)
    raise Unavailable(f"PORT must be a number from 1 to {LAST_PORT}, not {given!r}.")


def listener(port: int) -> socket.socket:
    """Take the port; nothing can connect before it listens."""
    taken = socket.socket()
    # Lets a port be taken again right after a demo; it also lets two take it, until one of them listens.
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((HOST, port))
    except OSError as error:
        taken.close()
        raise busy(port, error) from error
    return taken


def listen(taken: socket.socket, port: int) -> None:
    """Let browsers connect."""
    try:
        taken.listen(128)
    except OSError as error:
        raise busy(port, error) from error


def busy(port: int, error: OSError) -> Unavailable:
    """Say that a port cannot be used, and what would be right."""
    why = (error.strerror or str(error)).lower()
    another = port + 1 if port < LAST_PORT else FIRST_PORT
    return Unavailable(f"Port {port} cannot be used ({why}); choose another: make demo PORT={another}")


def make_folder(folder: Path) -> Path:
    """Make a folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise Unavailable(f"KBPO_HOME: cannot make {folder}: {why}.") from error
    return folder


@contextmanager
def only_one(home: Path) -> Iterator[None]:
    """Refuse a second demo on the same folder."""
    with (home / "demo.lock").open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Unavailable(
                f"A demo runs on {home} already: end it, or name another folder in KBPO_HOME."
            ) from None
        yield


def start(
    name: str, arguments: list[str], environ: Mapping[str, str], logs: Path, pass_fds: list[int]
) -> Part:
    """Start a part of the service."""
    log = logs / f"{name}.log"
    with log.open("ab") as out:
        process = begin(arguments, environ, stdout=out, stderr=out, pass_fds=pass_fds)
    return Part(name, process, log)


def begin(arguments: list[str], environ: Mapping[str, str], **options: Any) -> "subprocess.Popen[bytes]":
    """Start Python as `subprocess.Popen` does, in a process group of its own that ends with this process."""
    return subprocess.Popen(  # noqa: S603
        tied([sys.executable, *arguments]),
        env=dict(environ),
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        **options,
    )


def tied(command: list[str]) -> list[str]:
    """Return a command line that runs the command and ends it when this process ends."""
    return [sys.executable, "-I", "-S", keeper.__file__, "tied", str(os.getpid()), *command]


def run_step(
    name: str, arguments: list[str], environ: Mapping[str, str], parts: list[Part], logs: Path
) -> str:
    """Run a command to its end; return what it printed.

    What it says on stderr is passed on. While it runs it is one of the parts, so that it ends with them.
    """
    out = logs / f"{name}.log"
    with out.open("w+b") as printed:
        process = begin(arguments, environ, stdout=printed)
        parts.append(Part(name, process, out))
        if (status := process.wait()) != 0:
            raise Unavailable(f"The demo cannot start: 'manage.py {name}' ended with status {status}.")
        parts.pop()
        printed.seek(0)
        return printed.read().decode(errors="replace").strip("\n")


def marketplace_keys(home: Path, environ: Mapping[str, str], parts: list[Part], logs: Path) -> dict[str, str]:
    """Return the requester's keys as variables, made and funded at the first start."""
    file = home / "demo" / "marketplace-keys.json"
    if not file.exists():
        command = ["manage.py", "marketplace_key", "Marren lab", "--owner", OWNER, "--deposit", "100.00"]
        made = run_step("marketplace_key", [*command, "--json"], environ, parts, logs)
        (logs / "marketplace_key.log").unlink()
        file.touch(mode=0o600)
        file.write_text(made)
    keys = json.loads(file.read_text())
    return {
        "MTURK_ACCESS_KEY_ID": keys["access_key_id"],
        "MTURK_SECRET_ACCESS_KEY": keys["secret_access_key"],
    }


def wait_until_answers(port: int, parts: list[Part], patience: float = PATIENCE) -> None:
    """Wait until the site answers, so many seconds at most."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        check(parts)
        connection = http.client.HTTPConnection(HOST, port, timeout=patience)
        try:
            connection.request("GET", "/")
            status = connection.getresponse().status
        except OSError:
            time.sleep(LOOK)
            continue
        finally:
            connection.close()
        if status < HEALTHY:
            return
        raise Unavailable(f"The site answers with an error ({status}); its log is {parts[0].log}.")
    raise Unavailable(f"The site did not answer within {patience:.0f} s; its log is {parts[0].log}.")


def check(parts: list[Part]) -> None:
    """Notice a process that ended."""
    for part in parts:
        if (status := part.process.poll()) is not None:
            raise Unavailable(f"The {part.name} process ended (status {status}); its log is {part.log}.")


def end(parts: list[Part]) -> None:
    """End the processes, and whatever they started."""
    for part in parts:
        if part.process.poll() is None:
            part.process.terminate()
    deadline = time.monotonic() + GRACE
    while time.monotonic() < deadline and any(part.process.poll() is None for part in parts):
        time.sleep(LOOK)
    for part in parts:
        with suppress(ProcessLookupError):
            os.killpg(part.process.pid, signal.SIGKILL)
        part.process.wait()


if __name__ == "__main__":
    sys.exit(main())
