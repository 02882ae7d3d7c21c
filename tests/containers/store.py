"""What stands in for the store of docker-compose.yml, by its variables: moto's, which survives a restart.

Run as ``python store.py posix /data``. Each request that writes is kept in the folder, and done again at
the next start.
"""

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from io import BytesIO
from pathlib import Path
from typing import Any

from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import run_simple

WRITING = ("PUT", "POST", "DELETE")


class Keeping:
    """moto's objects, and a file of all requests that made them."""

    def __init__(self, file: Path) -> None:
        self._file, self._lock = file, threading.Lock()
        self._moto = DomainDispatcherApplication(create_backend_app)  # type: ignore[no-untyped-call]
        if file.exists():
            with file.open("rb") as stream:
                while stream.peek(1):
                    environ, body = pickle.load(stream)
                    list(self._moto(environ | given(body), lambda *_: None))  # type: ignore[no-untyped-call]

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == os.environ["VGW_HEALTH"]:
            start("200 OK", [("Content-Length", "0")])
            return [b""]
        if environ["REQUEST_METHOD"] in WRITING:
            body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            plain = {name: value for name, value in environ.items() if isinstance(value, str)}
            with self._lock, self._file.open("ab") as stream:
                pickle.dump((plain, body), stream)
            environ |= given(body)
        answer: Iterable[bytes] = self._moto(environ, start)  # type: ignore[no-untyped-call]
        return answer


def given(body: bytes) -> dict[str, Any]:
    """Return of a request's surroundings what a file cannot keep."""
    return {
        "wsgi.input": BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.version": (1, 0),
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    _, kind, folder = sys.argv
    assert kind == "posix", kind
    port = int(os.environ["VGW_PORT"].removeprefix(":"))
    run_simple("0.0.0.0", port, Keeping(Path(folder, "requests")), threaded=True)
