"""A Postgres that says nothing: a proxy in front of the real one that can hold everything back."""

import select
import socket
import threading
from contextlib import suppress
from pathlib import Path


class Stalling:
    """Passes bytes on between its clients and Postgres, but for the time that it is stalled.

    Parameters
    ----------
    target : Path
        The socket at which Postgres listens.

    Attributes
    ----------
    port : int
        Where it listens itself, on 127.0.0.1.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        self._goes_on = threading.Event()
        self._goes_on.set()
        self._over = False
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def stall(self) -> None:
        """Hold everything back, new connections too, which the system goes on taking."""
        self._goes_on.clear()

    def go_on(self) -> None:
        """Pass on what was held back."""
        self._goes_on.set()

    def close(self) -> None:
        """End it."""
        self._over = True
        self._goes_on.set()
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        self._goes_on.wait()
        with client, socket.socket(socket.AF_UNIX) as server, suppress(OSError):
            server.connect(str(self._target))
            ends = {client: server, server: client}
            while not self._over:
                for end in select.select(list(ends), [], [], 0.05)[0]:
                    self._goes_on.wait()
                    if not (data := end.recv(1 << 16)):
                        return
                    self._goes_on.wait()
                    ends[end].sendall(data)
