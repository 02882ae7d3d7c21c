"""An S3-compatible store on this machine, which can be stopped, be full or be slow."""

import contextlib
import logging
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from uuid import uuid4

import boto3
from moto.server import ThreadedMotoServer

from kbpo.core.storage.s3 import Address

KEYS = ("testing", "testing-too")
FULL = """<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>QuotaExceeded</Code><Message>The bucket's quota is used up.</Message></Error>"""


class Moto:
    """A server of objects in memory; what it holds survives its being stopped."""

    def __init__(self) -> None:
        logging.getLogger("werkzeug").setLevel(logging.WARNING)
        self.port = free_port()
        self._server: ThreadedMotoServer | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        if self._server is None:
            self._server = ThreadedMotoServer("127.0.0.1", self.port, verbose=False)
            self._server.start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.stop()
            self._server = None

    def bucket(self) -> Address:
        """Make a bucket that nobody has."""
        address = Address(f"kbpo-{uuid4().hex[:12]}", "files/", self.url, "us-east-1", KEYS)
        client = boto3.session.Session().client(
            "s3",
            endpoint_url=self.url,
            region_name="us-east-1",
            aws_access_key_id=KEYS[0],
            aws_secret_access_key=KEYS[1],
        )
        client.create_bucket(Bucket=address.bucket)
        return address


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class _Full(BaseHTTPRequestHandler):
    """Has nothing, and takes nothing."""

    def do_PUT(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._answer(507, FULL)

    def do_GET(self) -> None:
        self._answer(200, "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>")

    def do_HEAD(self) -> None:
        self._answer(404, "")

    def do_DELETE(self) -> None:
        self._answer(204, "")

    def _answer(self, status: int, body: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def full_store() -> Iterator[Address]:
    """Serve a store that is full."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Full)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield Address("full", "", f"http://127.0.0.1:{server.server_address[1]}", "us-east-1", KEYS)
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def silent_store() -> Iterator[tuple[Address, Callable[[], int]]]:
    """Serve a store that takes connections and never answers; with it, how many it has taken."""
    taken: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def take() -> None:
            with contextlib.suppress(OSError):
                while True:
                    taken.append(server.accept()[0])

        threading.Thread(target=take, daemon=True).start()
        try:
            url = f"http://127.0.0.1:{server.getsockname()[1]}"
            yield Address("silent", "", url, "us-east-1", KEYS), lambda: len(taken)
        finally:
            server.shutdown(socket.SHUT_RDWR)
            for one in taken:
                one.close()
