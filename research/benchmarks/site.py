"""The site as ``make demo`` serves it, for a benchmark: the same processes, on a database of its own."""

import os
import subprocess
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from demo import serve
from kbpo.core import embedded
from kbpo.environment import VARIABLES

HIT_HOST = "localhost"  # the loopback's other name


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
