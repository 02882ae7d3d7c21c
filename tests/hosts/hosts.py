"""Two hosts on this machine: a network namespace and a home each, and nothing in common but what is named."""

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.conftest import ROOT, clean_environment
from tests.processes import pids_in, wait_until

PORT = 8000  # of each host's web, in its own network
SENT = "sent"  # what a beat says for each reminder, with its task's name
NETWORKS = "10.213"  # its networks' first two bytes


def may_make_networks() -> str:
    """Say why no network namespaces can be made here; nothing where they can."""
    if os.geteuid() != 0:
        return "making network namespaces takes root"
    try:
        done = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return "making network namespaces takes the program ip (package iproute2)"
    return f"there are no network namespaces here: {done.stderr.strip()}" if done.returncode else ""


class Starter:
    """A process of a host that forks others, at once."""

    def __init__(self, command: list[str], environment: Mapping[str, str], home: Path) -> None:
        with (home / "starting.log").open("ab") as log:
            self._process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        self._lock = threading.Lock()
        self._read()

    def start(self, role: str, log: Path, given: Sequence[str]) -> "Forked":
        return Forked(self.ask({"role": role, "log": str(log), "given": list(given)}), self)

    def ask(self, what: Mapping[str, Any]) -> Any:
        with self._lock:
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(what) + "\n")
            self._process.stdin.flush()
            return self._read()

    def _read(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "what starts processes has ended"
        return json.loads(line)

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()


class Forked:
    """A process that a starter has forked."""

    def __init__(self, pid: int, starter: Starter) -> None:
        self.pid, self._starter = pid, starter
        self._status: int | None = None

    def poll(self) -> int | None:
        """Return how it ended; None if it has not."""
        if self._status is None:
            self._status = self._starter.ask({"pid": self.pid})
        return self._status

    def wait(self) -> None:
        assert wait_until(lambda: self.poll() is not None, 60)


@dataclass
class Host:
    """A host.

    Attributes
    ----------
    number : int
        From 1.
    subnet : int
        Its network's third byte.
    home : Path
    environment : mapping of str to str
        What its processes are given.
    """

    number: int
    subnet: int
    home: Path
    environment: dict[str, str]
    running: dict[str, "subprocess.Popen[bytes] | Forked"] = field(default_factory=dict)
    starter: "Starter | None" = None

    @property
    def network(self) -> str:
        return f"kbpo-{os.getpid()}-{self.number}"

    @property
    def gateway(self) -> str:
        """The address of what all hosts share, as this one sees it."""
        return f"{NETWORKS}.{self.subnet}.1"

    @property
    def site(self) -> str:
        return f"http://localhost:{PORT}"

    def run(self, *command: str, timeout: float = 240, **variables: str) -> str:
        """Run a command of Python to its end; return what it printed."""
        done = subprocess.run(
            self._inside(*command),
            cwd=ROOT,
            env=self.environment | variables,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stderr[-3000:]}"
        return done.stdout

    def manage(self, *command: str) -> str:
        """Run a command of the service."""
        return self.run("manage.py", *command)

    def client(self, token: str, *command: str) -> str:
        """Run the client against this host's web."""
        variables = {"KBPO_SITE": self.site, "KBPO_TOKEN": token, "KBPO_CONFIG": str(self.home / "client")}
        return self.run("-m", "kbpo_client", *command, "--json", **variables)

    def start(self, name: str, *command: str, **variables: str) -> None:
        """Start a process that goes on; what it says is in `said`."""
        log = (self.home / f"{name}.log").open("ab")
        with log:
            self.running[name] = subprocess.Popen(
                self._inside(*command),
                cwd=ROOT,
                env=self.environment | variables,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def fork(self, role: str, *given: str) -> None:
        """Start web, worker, beat or a crowd (`tests.hosts.starting`); what it says is in `said`."""
        if self.starter is None:
            self.starter = Starter(self._inside("-m", "tests.hosts.starting"), self.environment, self.home)
        self.running[role] = self.starter.start(role, self.home / f"{role}.log", given)

    def start_web(self) -> None:
        """Start web, and wait until it answers."""
        self.fork("web")
        asked = f"import urllib.request as u; u.urlopen('{self.site}/healthz', timeout=5)"
        assert wait_until(lambda: self._is_through("-c", asked), 120), self.said("web")

    def start_worker(self, name: str = "worker", **variables: str) -> None:
        """Start a worker of its own, with other variables."""
        self.start(
            name,
            *("-m", "celery", "--app", "kbpo.core.clock.celery", "worker", "--concurrency", "1"),
            *("--loglevel", "INFO", "--without-gossip", "--without-mingle", "--without-heartbeat"),
            **variables,
        )

    def said(self, name: str) -> str:
        """Return what a process has said."""
        return (self.home / f"{name}.log").read_text(errors="replace")

    def kill(self, name: str) -> None:
        """Kill a process and its children, at this very moment."""
        process = self.running.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, 9)
        process.wait()

    def files(self) -> list[str]:
        """Return the files of the service that lie on this host, but for logs and the client's own."""
        return sorted(
            str(path.relative_to(self.home))
            for path in self.home.rglob("*")
            if path.is_file() and path.suffix != ".log" and path.parts[len(self.home.parts)] != "client"
        )

    def _inside(self, *command: str) -> list[str]:
        return ["ip", "netns", "exec", self.network, sys.executable, *command]

    def _is_through(self, *command: str) -> bool:
        asked = subprocess.run(self._inside(*command), capture_output=True, check=False, timeout=30)
        return asked.returncode == 0


@contextlib.contextmanager
def hosts(folder: Path, common: Mapping[str, str], each: Any) -> Iterator[list[Host]]:
    """Make two hosts; whatever runs on them ends with them.

    Parameters
    ----------
    folder : Path
    common : mapping of str to str
        What the processes of both are given.
    each : callable
        Given a host, returns what its processes alone are given.
    """
    made = []
    try:
        for number, subnet in enumerate(_free_subnets()[:2], 1):
            home = folder / f"home{number}"
            home.mkdir()
            host = Host(number, subnet, home, {**clean_environment(), **common, "KBPO_HOME": str(home)})
            host.environment.update(each(host))
            made.append(host)
            _make_network(host)
        yield made
    finally:
        for host in made:
            for name in list(host.running):
                host.kill(name)
            if host.starter is not None:
                host.starter.end()
        for host in made:
            assert wait_until(lambda host=host: not pids_in(host.home)), pids_in(host.home)  # type: ignore[misc]
            _ip("netns", "delete", host.network, check=False)


def _free_subnets() -> list[int]:
    """Return the third bytes that nobody has here, begun at one of this process's own.

    A run beside this one has networks too, and so has one that was killed: whoever has the same address is
    sent what is for the other.
    """
    taken = _ip("-oneline", "-4", "address", "show")
    begun = os.getpid() % 254
    found = [1 + (begun + further) % 254 for further in range(254)]
    return [one for one in found if f" {NETWORKS}.{one}.1/" not in taken]


def _make_network(host: Host) -> None:
    """Give a host a network of its own, in which it and this machine are alone."""
    here, there = f"kb{os.getpid()}h{host.number}", f"kb{os.getpid()}t{host.number}"
    _ip("netns", "add", host.network)
    _ip("link", "add", here, "type", "veth", "peer", "name", there)
    _ip("link", "set", there, "netns", host.network)
    _ip("address", "add", f"{host.gateway}/24", "dev", here)
    _ip("link", "set", here, "up")
    for command in (
        ("address", "add", f"{NETWORKS}.{host.subnet}.2/24", "dev", there),
        ("link", "set", there, "up"),
        ("link", "set", "lo", "up"),
    ):
        _ip("-netns", host.network, *command)


def _ip(*command: str, check: bool = True) -> str:
    done = subprocess.run(["ip", *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0 or not check, f"ip {' '.join(command)}: {done.stderr}"
    return done.stdout
