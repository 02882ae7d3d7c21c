"""A store of files that is slow, gone, full or breaks: a server of the test's before the real one."""

import contextlib
import http.client
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal

from tests.stores import FULL, free_port

Mode = Literal["well", "slow", "silent", "gone", "full", "broken"]
SLOW = 2.0  # seconds for each request
SILENT = 12.0  # longer than anybody waits for a byte (`kbpo.core.storage.s3.ANSWERING`)
BROKEN = """<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"""
NOT_PASSED_ON = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class FaultyStore:
    """A server before a store on this machine.

    Parameters
    ----------
    target : int
        The store's port.

    Attributes
    ----------
    mode : str
        ``well``; ``slow`` for each request; ``silent`` for longer than anybody waits; ``gone``: it refuses
        connections; ``full``: it takes no more; ``broken``: it answers 503 to whatever it is asked.
    asked : Counter
        Requests, by mode.
    """

    def __init__(self, target: int) -> None:
        self.target, self.port = target, free_port()
        self.asked: Counter[Mode] = Counter()
        self.mode: Mode = "gone"
        self._server: ThreadingHTTPServer | None = None
        self.be("well")

    def be(self, mode: Mode) -> None:
        """Be as it says from the next request on."""
        self.mode = mode
        if mode == "gone":
            self.close()
        elif self._server is None:
            self._server = _Server(("0.0.0.0", self.port), _Handler)
            self._server.store = self
            threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        """End it."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    store: FaultyStore


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do(self) -> None:
        store = self.server.store
        mode = store.mode
        store.asked[mode] += 1
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if mode == "gone":  # a connection from before
            return
        if mode == "broken":
            self._answer(503, {}, BROKEN.encode())
        elif mode == "full" and self.command in ("PUT", "POST"):
            self._answer(507, {}, FULL.encode())
        else:
            time.sleep({"slow": SLOW, "silent": SILENT}.get(mode, 0.0))
            real = http.client.HTTPConnection("127.0.0.1", store.target, timeout=60)
            try:
                real.request(self.command, self.path, body=body, headers=dict(self.headers.items()))
                reply = real.getresponse()
                self._answer(reply.status, dict(reply.getheaders()), reply.read())
            finally:
                real.close()

    def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response_only(status)
        length = str(len(body))
        for name, value in headers.items():
            if name.lower() == "content-length" and self.command == "HEAD":
                length = value
            if name.lower() not in NOT_PASSED_ON:
                self.send_header(name, value)
        self.send_header("Content-Length", length)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def handle(self) -> None:
        with contextlib.suppress(OSError):  # whoever asked has gone
            super().handle()

    def log_message(self, *_: object) -> None:
        pass


for _method in ("GET", "HEAD", "PUT", "POST", "DELETE"):
    setattr(_Handler, f"do_{_method}", _Handler.do)
