"""What compose's proxy asks of web, and what it answers itself, with a web that counts."""

import http.client
import http.server
import os
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import nginx

ETAG = '"as-it-is"'
OF_WEB = {"Content-Type": "text/html", "ETag": ETAG, "Cache-Control": "public, no-cache"}
KEPT = {**OF_WEB, "X-Accel-Expires": "30"}


class Web(http.server.ThreadingHTTPServer):
    """Says of each address that it was asked for, and answers with the same headers."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.headers: dict[str, str] = KEPT
        self.asked: list[tuple[str, str | None]] = []


class _Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        assert isinstance(self.server, Web)
        is_probe = self.path == "/healthz"
        if not is_probe:
            self.server.asked.append((self.path, self.headers["If-None-Match"]))
        self.send_response(200)
        for name, value in {} if is_probe else self.server.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"page")

    def log_message(self, format: str, *args: object) -> None:
        pass


class Proxy:
    def __init__(self, web: Web, port: int) -> None:
        self.web, self._port = web, port

    def get(self, path: str, **headers: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPSConnection("127.0.0.1", self._port, timeout=20, context=nginx.tls())
        connection.request("GET", path, headers={"Host": "localhost", "Connection": "close", **headers})
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer


def free_ports() -> int:
    """Return the first of three ports in a row that nobody has."""
    while True:
        with socket.socket() as first, socket.socket() as second, socket.socket() as third:
            first.bind(("127.0.0.1", 0))
            port = int(first.getsockname()[1])
            try:
                second.bind(("127.0.0.1", port + 1))
                third.bind(("127.0.0.1", port + 2))
            except OSError:
                continue
            return port


@pytest.fixture(scope="module")
def running() -> Iterator[Proxy]:
    program = nginx.find()
    if program is None or os.geteuid() != 0:
        pytest.skip(f"needs root and nginx: {nginx.MISSING}")
    web, port = Web(), free_ports()
    threading.Thread(target=web.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="kbpo-proxy-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # the workers of nginx are nobody
        with nginx.before(web.server_port, program, folder, port):
            yield Proxy(web, port)
    web.shutdown()
    web.server_close()


@pytest.fixture
def proxy(running: Proxy) -> Proxy:
    running.web.asked.clear()
    running.web.headers = KEPT
    return running


def test_a_page_that_is_anybodys_is_asked_of_web_once(proxy: Proxy) -> None:
    answers = [proxy.get("/once/"), proxy.get("/once/"), proxy.get("/once/", **{"If-None-Match": ETAG})]
    assert [one.status for one in answers] == [200, 200, 304]
    assert all("X-Accel-Expires" not in one.headers for one in answers)
    assert proxy.web.asked == [("/once/", None)]


@pytest.mark.parametrize(
    "of_one", [{"Cookie": "sessionid=1"}, {"Cookie": "a=b"}, {"Authorization": "Token x"}]
)
def test_whoever_has_a_cookie_or_a_token_is_answered_by_web(proxy: Proxy, of_one: dict[str, str]) -> None:
    name = "-".join(of_one.values()).replace(" ", "-")
    proxy.get(f"/{name}/")
    proxy.get(f"/{name}/", **of_one)
    proxy.get(f"/{name}/", **of_one)
    assert len(proxy.web.asked) == 3
    proxy.web.asked.clear()
    proxy.get(f"/before-{name}/", **of_one)
    proxy.get(f"/before-{name}/")
    assert len(proxy.web.asked) == 2


@pytest.mark.parametrize(
    "headers",
    [OF_WEB, {**OF_WEB, "Cache-Control": "public, max-age=3600"}, {**KEPT, "Set-Cookie": "csrftoken=x"}],
)
def test_what_web_does_not_say_of_is_asked_each_time(proxy: Proxy, headers: dict[str, str]) -> None:
    proxy.web.headers = headers
    path = f"/said-{len(headers)}-{len(headers['Cache-Control'])}/"
    proxy.get(path)
    proxy.get(path)
    assert len(proxy.web.asked) == 2


@pytest.mark.parametrize("path", ["/api/v1/corpora/", "/marketplace/api/hits/", "/corpora/a/sample.jsonl"])
def test_files_and_what_programs_ask_go_to_web_as_they_were_asked(proxy: Proxy, path: str) -> None:
    proxy.get(path, **{"If-None-Match": ETAG})
    proxy.get(path, **{"If-None-Match": ETAG})
    assert proxy.web.asked == [(path, ETAG)] * 2


def test_other_words_of_an_address_are_another_page(proxy: Proxy) -> None:
    proxy.get("/words/?q=a")
    proxy.get("/words/?q=b")
    proxy.get("/words/")
    assert len(proxy.web.asked) == 3


def test_what_is_kept_is_soon_asked_for_anew_as_by_one_who_has_no_page(proxy: Proxy) -> None:
    proxy.web.headers = {**KEPT, "X-Accel-Expires": "1"}
    proxy.get("/soon/")
    time.sleep(2.1)
    proxy.get("/soon/", **{"If-None-Match": ETAG})
    assert proxy.web.asked == [("/soon/", None)] * 2
