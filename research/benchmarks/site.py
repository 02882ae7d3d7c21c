"""The site as ``make demo`` serves it, for a benchmark: the same processes, on a database of its own."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from demo import serve
from kbpo.core import embedded
from kbpo.environment import VARIABLES

HIT_HOST = "localhost"  # the loopback's other name
_TICK = os.sysconf("SC_CLK_TCK")
_CPU_LINE = Path("/proc/stat")  # its first line sums all cores


@dataclass(frozen=True)
class Site:
    """Where the site is.

    Attributes
    ----------
    port : int
    environ : dict
        With which other processes of it are started.
    logs : Path
    processes : dict of str to int
        The ids of those that serve it, the leaders of their sessions.
    """

    port: int
    environ: dict[str, str]
    logs: Path
    processes: dict[str, int] = field(default_factory=dict)

    def run(self, *arguments: str) -> str:
        """Run Python to its end, as a part of the site; return what it printed."""
        return subprocess.run(  # noqa: S603  # no word of the command is a user's
            [sys.executable, *arguments],
            env=self.environ,
            cwd=serve.ROOT,
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        ).stdout


class Meter:
    """Measures the processor's time of the site's processes, by looking every second: some end meanwhile."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._seen: dict[int, tuple[str, float]] = {}
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._lock = threading.Lock()

    def __enter__(self) -> "Meter":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def seconds(self) -> dict[str, float]:
        """Return what each process has taken so far, with its children; the load, and all others here."""
        with self._lock:
            self._look()
            taken = dict.fromkeys(self._site.processes, 0.0)
            for name, seconds in self._seen.values():
                taken[name] += seconds
        taken["load"] = time.process_time()
        user, nice, system, _, _, *interrupts = map(int, _CPU_LINE.read_text().split()[1:8])
        taken["others"] = (user + nice + system + sum(interrupts)) / _TICK - sum(taken.values())
        return taken

    def _watch(self) -> None:
        while not self._is_over.wait(1.0):
            with self._lock:
                self._look()

    def _look(self) -> None:
        by_session = {pid: name for name, pid in self._site.processes.items()}
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rpartition(")")[2].split()
            except OSError:  # it has ended
                continue
            # Postgres' processes have sessions of their own
            name = by_session.get(int(fields[3])) or by_session.get(int(fields[1]))
            if name is not None:
                self._seen[int(path.parent.name)] = name, (int(fields[11]) + int(fields[12])) / _TICK


@contextmanager
def prepared(home: Path, port: int, *, is_new: bool = True) -> Iterator[Site]:
    """Start the embedded servers and make the tables, unless they are there."""
    environ = {name: value for name, value in os.environ.items() if name not in VARIABLES} | {
        "SITE_URL": f"http://{serve.HOST}:{port}",
        "HIT_BASE_URL": f"http://{HIT_HOST}:{port}",
        "KBPO_HOME": str(home),
        "PYTHONUNBUFFERED": "1",
    }
    logs = serve.make_folder(home / "log")
    embedded.postgres(home).acquire()
    embedded.redis(home).acquire()
    try:
        site = Site(port, environ, logs)
        (pid_file,) = (home / "postgres").rglob("postmaster.pid")
        site.processes["postgres"] = int(pid_file.read_text().split()[0])
        if is_new:
            site.run("manage.py", "migrate", "--verbosity", "0")
        yield site
    finally:
        embedded.redis(home).release()
        embedded.postgres(home).release()


@contextmanager
def serving(
    site: Site, *, names: Collection[str] = ("web", "worker", "beat"), patience: float = serve.PATIENCE
) -> Iterator[None]:
    """Run the processes, or those of them that are named; wait so many seconds for the site to answer."""
    parts: list[serve.Part] = []
    with serve.listener(site.port) as web:
        try:
            serve.listen(web, site.port)
            for name, command in serve.processes(web.fileno()).items():
                if name not in names:
                    continue
                parts.append(serve.start(name, command, site.environ, site.logs, pass_fds=[web.fileno()]))
            serve.wait_until_answers(site.port, parts, patience)
            site.processes.update({part.name: part.process.pid for part in parts})
            yield
            serve.check(parts)
        finally:
            serve.end(parts)
