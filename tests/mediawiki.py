"""A small wiki that answers as MediaWiki's API does to the one question that we ask it.

The form of its answers is that of https://en.wikipedia.org/w/api.php for ``generator=prefixsearch`` with
``formatversion=2``: pages in any order, each with its rank as ``index``; no ``query`` where nothing is found;
errors with status 200.
"""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

#: Titles, and what each is about.
PAGES = {
    "Port Hallow": "Town on the Ellery coast",
    "Port Hallow F.C.": "Football club",
    "Ada Quill": "Printer and publisher",
    "Quill": "Feather used as a pen",
    "<b>Bold</b>": "<script>alert(1)</script>",
}
REQUIRED = {
    "action": "query",
    "format": "json",
    "formatversion": "2",
    "generator": "prefixsearch",
    "gpsnamespace": "0",
    "redirects": "1",
    "prop": "description",
}


class Wiki:
    """How it stands with the wiki; a test changes it.

    Attributes
    ----------
    asked : list of str
        What was looked up, in order.
    languages : list of str
        The first part of each address.
    behaviour : {"", "error", "500", "garbage", "slow", "endless", "moved", "list"}
        What is wrong with it.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.asked: list[str] = []
        self.agents: list[str] = []
        self.languages: list[str] = []
        self.behaviour = ""


@contextmanager
def serve_wiki() -> Iterator[Wiki]:
    """Serve the wiki on this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            given = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
            wiki.asked.append(given.get("gpssearch", ""))
            wiki.languages.append(self.path.split("/")[1])
            wiki.agents.append(self.headers.get("User-Agent", ""))
            match wiki.behaviour:
                case "500":
                    self.answer(b"Our servers are under maintenance", 503)
                case "garbage":
                    self.answer(b"<html>" + bytes(range(128, 160)))
                case "list":
                    self.answer(b"[]")
                case "moved":
                    self.answer(b"", 302, Location=wiki.url)
                case "slow":
                    self.drip(b" ", 0.05, 400)
                case "endless":
                    self.drip(b" " * (64 << 10), 0.0, 64)
                case "error":
                    self.answer(json.dumps({"error": {"code": "readonly", "info": "Locked."}}).encode())
                case _:
                    self.answer(json.dumps(find(given)).encode())

        def answer(self, body: bytes, status: int = 200, **headers: str) -> None:
            self.send_response(status)
            for name, value in {"Content-Type": "application/json; charset=utf-8", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def drip(self, chunk: bytes, pause: float, times: int) -> None:
            self.send_response(200)
            self.end_headers()
            try:
                for _ in range(times):
                    self.wfile.write(chunk)
                    self.wfile.flush()
                    time.sleep(pause)
            except OSError:
                pass  # the client had enough

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        wiki = Wiki(f"http://127.0.0.1:{server.server_port}/w/api.php")
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield wiki
        finally:
            server.shutdown()
            thread.join()


def find(given: dict[str, str]) -> dict[str, object]:
    """Answer a query as the API does."""
    if wrong := [name for name, value in REQUIRED.items() if given.get(name) != value]:
        return {"error": {"code": "badvalue", "info": f"Unrecognized value for parameter {wrong[0]!r}."}}
    begin, limit = given["gpssearch"].lower(), int(given["gpslimit"])
    found = [title for title in PAGES if title.lower().startswith(begin)][:limit]
    pages = [
        {"pageid": 1000 + rank, "ns": 0, "title": title, "index": rank}
        | ({"description": PAGES[title], "descriptionsource": "local"} if PAGES[title] else {})
        for rank, title in enumerate(found, start=1)
    ]
    answer: dict[str, object] = {"batchcomplete": True}
    return answer | ({"query": {"pages": pages[::-1]}} if pages else {})
