"""The command where its environment is wrong: one line says what, and the status of what kind it is."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.conftest import ROOT, clean_environment

NOWHERE = "http://localhost:9"
NAME = "Šárka 林"


class Handler(BaseHTTPRequestHandler):
    """Answers every request with a list of one corpus."""

    def do_GET(self) -> None:
        body = json.dumps({"results": [{"tag": "news", "name": NAME}], "next": None}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://localhost:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def run(
    folder: Path, *arguments: str | bytes, stdout: int = subprocess.PIPE, **environ: str
) -> "subprocess.CompletedProcess[bytes]":
    proxies = {"http_proxy", "https_proxy", "all_proxy", "no_proxy"}
    clean = {name: value for name, value in clean_environment().items() if name.lower() not in proxies}
    return subprocess.run(
        [sys.executable, "-m", "kbpo_client", *arguments],
        env=clean | {"KBPO_CONFIG": str(folder), "PYTHONPATH": str(ROOT / "client")} | environ,
        stdout=stdout,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"ALL_PROXY": "socks5://127.0.0.1:9"}, b"a SOCKS proxy needs the package socksio"),
        ({"ALL_PROXY": "ftp://127.0.0.1"}, b"look at ALL_PROXY"),
        ({"SSL_CERT_FILE": "/nope"}, b"SSL_CERT_FILE"),
        ({"KBPO_SITE": "http://localhost:notaport"}, b"is no site's address"),
        ({"KBPO_SITE": "http://[::1"}, b"is no site's address"),
    ],
)
def test_a_connection_that_cannot_be_set_up_is_wrong_usage(
    tmp_path: Path, environ: dict[str, str], words: bytes
) -> None:
    found = run(tmp_path, "corpora", **({"KBPO_SITE": NOWHERE} | environ))
    assert (found.returncode, found.stderr.count(b"\n")) == (2, 1)
    assert found.stderr.startswith(b"kbpo: ")
    assert words in found.stderr


def test_what_stdout_cannot_encode_is_a_question_mark_or_escaped_in_json(tmp_path: Path, site: str) -> None:
    latin = {"KBPO_SITE": site, "PYTHONIOENCODING": "cp1252"}
    table = run(tmp_path, "corpora", **latin)
    assert (table.returncode, table.stderr) == (0, b"")
    assert "Šárka ?".encode("cp1252") in table.stdout
    in_json = run(tmp_path, "corpora", "--json", **latin)
    assert json.loads(in_json.stdout.decode("cp1252"))[0]["name"] == NAME


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_full_disk_has_a_status_of_its_own(tmp_path: Path, site: str) -> None:
    with open("/dev/full", "wb") as full:
        found = run(tmp_path, "corpora", stdout=full.fileno(), KBPO_SITE=site)
    assert found.returncode == 8
    assert found.stderr == b"kbpo: the result cannot be read or written: No space left on device\n"


def test_a_reader_that_went_away_is_no_error(tmp_path: Path, site: str) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    found = run(tmp_path, "corpora", stdout=writes, KBPO_SITE=site)
    os.close(writes)
    assert (found.returncode, found.stderr) == (0, b"")


def test_a_file_whose_name_is_not_utf_8_is_named_in_a_message(tmp_path: Path, site: str) -> None:
    missing = os.fsencode(tmp_path) + b"/bad\xff.jsonl"
    found = run(tmp_path, "check", "--corpus", "news", missing, KBPO_SITE=site)
    assert found.returncode == 2
    assert found.stderr.startswith(b"kbpo: ")
    assert b"Traceback" not in found.stderr
