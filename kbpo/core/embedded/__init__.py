"""Postgres and Redis without an installation: on demand, for as long as some process uses them.

`postgres(home)` and `redis(home)` name the servers of a folder; ``acquire()`` starts one unless it runs, and
says where it listens. A process is a user of a server from ``acquire()`` until it ends (or calls
``release()``); the server ends with its last user, even one that was killed. Everything lies under
``<home>/postgres`` and ``<home>/redis``:

``lock``
    Held while a server is started, so that two processes never start one at once.
``users.lock``
    Held, shared, by every user.
``keeper.lock``
    Held by the server's keeper (`kbpo.core.embedded.keeper`) while the server runs; names both processes.
``socket``
    Names the folder of the server's socket: this one, or one under ``/tmp`` where the path of a socket would
    be longer than systems allow.
``log``
    What the server printed since it was last started.

Servers listen on Unix sockets alone, in folders that no other user may enter.
"""

from kbpo.core.embedded.postgres_server import Postgres, postgres
from kbpo.core.embedded.redis_server import Redis, redis
from kbpo.core.embedded.server import Server

__all__ = ["Postgres", "Redis", "Server", "postgres", "redis"]
