"""A network that fails: a proxy that drops, delays, duplicates, throttles and garbles requests, by a seed."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from urllib.parse import urlsplit

#: What may happen to a request, and in how many of a hundred it does. What is left goes through.
FAULTS: Mapping[str, int] = {
    "dropped on the way": 5,
    "answer dropped": 6,
    "answer cut off": 4,
    "comes late": 4,  # the client has long seen a dropped connection
    "comes twice": 6,
    "delayed": 5,
    "throttled": 5,
    "500 before": 4,
    "500 after": 4,
}
LATE = 0.3  # seconds
THROTTLED = json.dumps({"__type": "ThrottlingException", "Message": "Rate exceeded"}).encode()
FAULT = json.dumps({"__type": "ServiceFault", "Message": "The service failed."}).encode()


class Proxy:
    """A server on this machine in front of another.

    Parameters
    ----------
    target : str
        Scheme, host and port of the real one.
    seed : int
    faults : mapping of str to int, optional
    choose : callable, optional
        Given the operation's name, which fault befalls it (empty: none); instead of chance.
    """

    def __init__(
        self,
        target: str,
        *,
        seed: int = 0,
        faults: Mapping[str, int] = FAULTS,
        choose: Callable[[str], str] | None = None,
    ) -> None:
        parts = urlsplit(target)
        assert parts.hostname is not None
        assert parts.port is not None
        self.target = (parts.hostname, parts.port)
        self.rng, self.lock = Random(seed), threading.Lock()
        self.faults = dict(faults)
        self.choose = choose
        self.happened: Counter[str] = Counter()
        self.late: list[threading.Thread] = []
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                proxy.handle(self)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://localhost:{self.server.server_address[1]}"  # the site, by its name
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """End it, when what comes late has come."""
        self.settle()
        self.server.shutdown()
        self.server.server_close()

    def settle(self) -> None:
        """Wait until nothing is on its way."""
        while self.late:
            self.late.pop().join()

    def draw(self, operation: str) -> str:
        with self.lock:
            fault = self.choose(operation) if self.choose else self.chance()
            self.happened[fault] += 1
            return fault

    def chance(self) -> str:
        at = self.rng.random() * 100
        for fault, weight in self.faults.items():
            at -= weight
            if at < 0:
                return fault
        return ""

    def handle(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        headers = dict(request.headers.items())  # with the Host that was signed
        path, operation = request.path, headers.get("X-Amz-Target", "").rpartition(".")[2]
        fault = self.draw(operation)
        if fault == "dropped on the way":
            return self.hang_up(request)
        if fault == "comes late":
            thread = threading.Thread(target=self.forward_late, args=(path, headers, body))
            self.late.append(thread)
            thread.start()
            return self.hang_up(request)
        if fault == "throttled":
            return self.answer(request, 400, THROTTLED)
        if fault == "500 before":
            return self.answer(request, 500, FAULT)
        if fault == "delayed":
            time.sleep(0.05)
        status, answer = self.forward(path, headers, body)
        if fault == "comes twice":
            status, answer = self.forward(path, headers, body)
        if fault == "answer dropped":
            return self.hang_up(request)
        if fault == "500 after":
            return self.answer(request, 500, FAULT)
        return self.answer(request, status, answer, cut_off=fault == "answer cut off")

    def forward(self, path: str, headers: Mapping[str, str], body: bytes) -> tuple[int, bytes]:
        connection = HTTPConnection(*self.target, timeout=60)
        try:
            connection.putrequest("POST", path, skip_host=True, skip_accept_encoding=True)
            for name, value in headers.items():
                if name.lower() != "connection":
                    connection.putheader(name, value)
            connection.putheader("Connection", "close")
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def forward_late(self, path: str, headers: Mapping[str, str], body: bytes) -> None:
        time.sleep(LATE)
        self.forward(path, headers, body)

    def hang_up(self, request: BaseHTTPRequestHandler) -> None:
        request.close_connection = True
        request.connection.close()

    def answer(
        self, request: BaseHTTPRequestHandler, status: int, body: bytes, *, cut_off: bool = False
    ) -> None:
        request.send_response(status)
        request.send_header("Content-Type", "application/x-amz-json-1.1")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body[: len(body) // 2] if cut_off else body)
        if cut_off:
            request.close_connection = True
