"""gunicorn's worker with threads, in which nobody holds a thread by sending nothing, or too slowly.

A thread is taken when something has been sent, and given up when what is read comes too slowly: a request
has a few seconds, and more for what it brings along. Whoever opens as many connections as there are threads,
again and again, still holds them for these seconds each: a proxy in front must take in whole requests
(docs/operations.md).

A worker whose threads are all at work takes no more connections: another may have a thread to spare, which
would not know of those that wait here. One that stops goes on so until
nobody waits, and then listens no more: who comes later is refused at once, instead of waiting for nobody.
"""

import errno
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from selectors import EVENT_READ
from socket import socket
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

PATIENCE = 10.0  # seconds of waiting for a request, its body included
RATE = 10_000  # bytes that earn it one more


class TimedSocket:
    """A socket that gives up reading once it has waited too long for too little.

    Only time in which it waits counts, so that no pause of the application's own is the sender's fault.

    Parameters
    ----------
    sock : socket
    clock : callable
        Returns seconds.
    """

    def __init__(self, sock: socket, clock: Callable[[], float] = time.monotonic) -> None:
        self._sock, self._clock = sock, clock
        self.begin()

    def begin(self) -> None:
        """Begin with a new request."""
        self._left = PATIENCE

    def recv(self, *given: Any) -> bytes:
        """Read what is there, or wait for it.

        Raises
        ------
        ConnectionResetError
            If the sender was too slow: to whoever reads, it is gone.
        """
        usual, began = self._sock.gettimeout(), self._clock()
        self._sock.settimeout(max(0.001, self._left) if usual is None else usual)
        try:
            data = self._sock.recv(*given)
        except TimeoutError:
            if usual is not None:
                raise
            raise _too_slow() from None
        finally:
            self._sock.settimeout(usual)
        self._left += len(data) / RATE - (self._clock() - began)
        if self._left <= 0 and usual is None:
            raise _too_slow()
        return data

    def __getattr__(self, name: str) -> Any:
        """Be the socket in everything else."""
        return getattr(self._sock, name)


class Worker(ThreadWorker):  # type: ignore[misc]
    """Threads, for those who send.

    Attributes
    ----------
    at_work : int
        Requests that have a thread, or wait for one of this worker's; told by its main thread alone.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.at_work = 0
        self._listens_until: float | None = None

    def set_accept_enabled(self, enabled: bool) -> None:
        """Take new connections or not: none while no thread is to spare."""
        super().set_accept_enabled(enabled and self.alive and self.at_work < self.cfg.threads)
        if not self.alive:
            self._take_waiting()

    def enqueue_req(self, conn: TConn) -> None:
        """Give a connection a thread; a new one that has sent nothing yet waits without one."""
        if conn.initialized or conn.data_ready:
            super().enqueue_req(conn)
            self.at_work += 1
            self._consider_accepting()
            return
        conn.sock = TimedSocket(conn.sock)
        conn.sock.setblocking(False)
        conn.timeout = time.monotonic() + PATIENCE
        self.pending_conns.append(conn)
        self.poller.register(conn.sock, EVENT_READ, partial(self.on_pending_socket_readable, conn))

    def finish_request(self, conn: TConn, fs: Future[Any]) -> None:
        """Have the next connection come, once a thread is to spare."""
        self.at_work -= 1
        super().finish_request(conn, fs)
        self._consider_accepting()

    def handle(self, conn: TConn) -> Any:
        """Handle a request."""
        conn.sock.begin()
        return super().handle(conn)

    def murder_pending(self) -> None:
        """Close the connections that have sent nothing for too long; another may come instead of one."""
        super().murder_pending()
        if not self.alive:
            self._take_waiting()

    def is_parent_alive(self) -> bool:
        """Say whether gunicorn's first process is there; without it this worker stops."""
        if not super().is_parent_alive():
            self.alive = False
        return bool(self.alive)

    def _consider_accepting(self) -> None:
        self.set_accept_enabled(self.nr_conns < self.worker_connections)

    def _take_waiting(self) -> None:
        """As a worker that stops, take who waits and has a thread here; close what nobody waits at.

        All workers may be stopping, and who still waits when the last one ends is cut off.
        """
        now = time.monotonic()
        if self._listens_until is None:
            self._listens_until = now + self.cfg.graceful_timeout / 2
        while self.sockets:
            listener, connections = self.sockets[0], self.nr_conns
            if now < self._listens_until:
                if self.at_work + len(self.pending_conns) >= self.cfg.threads:
                    return
                with suppress(OSError):  # such as too many files that are open
                    self.accept(listener)
            if self.nr_conns == connections:
                self.sockets.remove(listener)
                listener.close()


def _too_slow() -> ConnectionResetError:
    return ConnectionResetError(errno.ECONNRESET, "the request came too slowly")
