"""A history of two hosts, of which anything may be killed at any moment and is started again."""

import contextlib
import json
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tests.hosts.hosts import Host
from tests.hosts.inside import CORPUS

LONG = 420.0  # seconds; what is waited for takes a few, on a machine that has nothing else to do
PAUSE = 1.0  # seconds between two kills, on average

CHILDLESS = "Unrecoverable error: WorkerLostError('Could not start worker processes')"

#: What says how often something was done on the way, and not what came of it.
OF_THE_WAY = {
    "evaluation.Computation": "scores are computed as often as batches are found to be judged",
    "evaluation.Snapshot": "is of a computation",
    "evaluation.SnapshotTable": "is of a computation",
    "evaluation.ScoreChange": "is of a computation",
    "core.RequestCount": "whoever is not answered asks again",
    "mail": "a kill between sending and marking sends it again; what was sent is compared",
}
ROLES = ("web", "worker", "beat", "crowd")
WEIGHTS = (2, 5, 1, 2)  # of which is killed


@dataclass(frozen=True)
class Kill:
    """A process that was killed: of which host, what it was, and whether it was the first of its group."""

    host: int
    role: str
    is_main: bool


@dataclass
class Keeper:
    """Starts again what ended, as a server does; what is left of it ends first.

    Attributes
    ----------
    gold : Path
        What the simulated crowd knows.
    """

    hosts: Sequence[Host]
    gold: Path
    wanted: set[tuple[int, str]] = field(default_factory=set)
    lock: Any = field(default_factory=threading.RLock)
    ended: list[str] = field(default_factory=list)
    childless: Counter[int] = field(default_factory=Counter)

    def start(self, host: Host, role: str) -> None:
        """Have something run on a host from now on."""
        with self.lock:
            self.wanted.add((host.number, role))
            self._start(host, role)

    def _start(self, host: Host, role: str) -> None:
        host.fork(role, *((CORPUS, str(self.gold)) if role == "crowd" else ()))

    def look(self) -> None:
        """Start again what has ended."""
        for host in self.hosts:
            for role in ROLES:
                with self.lock:
                    if (host.number, role) not in self.wanted:
                        continue
                    process = host.running[role]
                    status = process.poll()
                    if status is None:
                        continue
                    if status != -signal.SIGKILL and not self._is_childless(host, role):
                        self.ended.append(f"{role} of host {host.number} ended with {status}")
                    host.kill(role)
                    self._start(host, role)

    def _is_childless(self, host: Host, role: str) -> bool:
        """Say whether it ended as its only child was killed before it had begun: Celery's workers do."""
        if role != "worker":
            return False
        before, found = self.childless[host.number], host.said(role).count(CHILDLESS)
        self.childless[host.number] = found
        return found > before

    def end(self, role: str) -> None:
        """End something on all hosts; it is not started again."""
        with self.lock:
            for host in self.hosts:
                self.wanted.discard((host.number, role))
                host.kill(role)


@dataclass
class Killer:
    """Kills one process after another, at moments drawn at random."""

    keeper: Keeper
    rng: Random
    kills: list[Kill] = field(default_factory=list)

    def kill_one(self) -> None:
        """Kill a process of a host: the first of its group, or one that it has started."""
        host = self.rng.choice(self.keeper.hosts)
        (role,) = self.rng.choices(ROLES, WEIGHTS)
        is_main = self.rng.random() < 0.4
        with self.keeper.lock:
            if (host.number, role) not in self.keeper.wanted or host.running[role].poll() is not None:
                return
            main = host.running[role].pid
            children = descendants(main)
            pid = main if is_main or not children else self.rng.choice(children)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                self.kills.append(Kill(host.number, role, pid == main))


def descendants(pid: int) -> list[int]:
    """Return the living processes that another has started, and those that they have."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            after = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if after[0] != "Z":
            parents.setdefault(int(after[1]), []).append(int(stat.parent.name))
    found = [pid]
    for one in found:
        found += parents.get(one, ())
    return found[1:]


@contextlib.contextmanager
def kept_and_killed(keeper: Keeper, killer: Killer | None) -> Iterator[None]:
    """Keep everything running, while somebody kills it, or nobody."""
    over = threading.Event()
    failed: list[BaseException] = []

    def keep() -> None:
        next_kill = time.monotonic()
        try:
            while not over.wait(0.1):
                keeper.look()
                if killer is not None and time.monotonic() > next_kill:
                    killer.kill_one()
                    next_kill = time.monotonic() + killer.rng.expovariate(1 / PAUSE)
        except BaseException as error:  # noqa: BLE001  (it is raised where the history is played)
            failed.append(error)

    thread = threading.Thread(target=keep)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
    if failed:
        raise failed[0]


def hand_in(host: Host, token: str, path: Path, team: str, name: str) -> None:
    """Submit a system through a host's web as one who looks whether it is there before trying again."""
    deadline = time.monotonic() + LONG
    while True:
        with contextlib.suppress(AssertionError):
            if any(one["name"] == name for one in json.loads(host.client(token, "status"))):
                return
            sent = ("--corpus", CORPUS, "--team", team, "--go-ahead", "--name", name)
            host.client(token, "submit", str(path), *sent)
            return
        assert time.monotonic() < deadline, f"{name} is not taken in: {host.said('web')[-3000:]}"


def try_once(host: Host, token: str, path: Path, team: str, name: str) -> dict[str, Any]:
    """Try once to submit a system through a host's web (`tests.hosts.trying`)."""
    sent = (host.site, str(path), CORPUS, team, name)
    return dict(json.loads(host.run("-m", "tests.hosts.trying", *sent, KBPO_TOKEN=token)))


def ask(host: Host, what: str) -> Any:
    """Ask for something in the database (`tests.hosts.inside`)."""
    answer = host.home / "client" / f"{what}.json"
    answer.parent.mkdir(exist_ok=True)
    host.run("-m", "tests.hosts.inside", what, str(answer))
    return json.loads(answer.read_bytes())


def wait_until_settled(host: Host) -> None:
    """Wait until nothing is due and nobody is asked anything."""
    deadline = time.monotonic() + LONG
    while not (found := ask(host, "settled"))["is_settled"]:
        assert time.monotonic() < deadline, found
        time.sleep(3)


def table(kills: Sequence[Kill]) -> str:
    """Return where kills fell."""
    counted = Counter(f"host {one.host}: {one.role}{'' if one.is_main else ', a child'}" for one in kills)
    return "\n".join([*(f"{n:5} {where}" for where, n in sorted(counted.items())), f"{len(kills):5} kills"])


def differences(one: Mapping[str, list[str]], other: Mapping[str, list[str]]) -> dict[str, Any]:
    """Return what two histories left that is not the same, by model: (lacking, further)."""
    found = {}
    for name in (one.keys() | other.keys()) - OF_THE_WAY.keys():
        here, there = Counter(one.get(name, ())), Counter(other.get(name, ()))
        if here != there:
            found[name] = [*(here - there).elements()], [*(there - here).elements()]
    return found
