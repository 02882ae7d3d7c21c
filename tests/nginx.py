"""nginx, where it is installed, with compose's configuration (``proxy/``), on the loopback."""

import http.client
import shutil
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from demo.serve import ROOT

MISSING = "nginx is not installed (package nginx-light)"
PATIENCE = 20.0  # seconds until it answers, or has ended


def find() -> str | None:
    """Return the program's path; None where it is not installed."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


@cache
def tls() -> ssl.SSLContext:
    """Return how it is spoken to, the same for all: its certificate is one that nobody knows.

    Reading those that are known takes longer than a page does.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


@contextmanager
def before(web: int, program: str, folder: Path, port: int, host: str = "localhost") -> Iterator[None]:
    """Run nginx in front of the port of web, with its files in a folder; it also takes the next two ports."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    make = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    names = ("-days", "2", "-subj", f"/CN={host}", "-keyout", str(key), "-out", str(certificate))
    subprocess.run([*make, *names], check=True, capture_output=True)  # no word is a user's
    pages = folder / "srv" / "pages"
    pages.mkdir(parents=True, exist_ok=True)
    for name in ("away.html", "away.json", "large.txt"):
        shutil.copy(ROOT / "proxy" / name, pages)
    text = (ROOT / "proxy" / "nginx.conf").read_text()
    for old, new in (
        ("@HOSTS@", host),
        ("@HTTPS_PORT@", f":{port}"),
        ("@RESOLVER@", "127.0.0.1"),
        ("@CERTIFICATE@", str(certificate)),
        ("@KEY@", str(key)),
        ("/run/nginx.pid", str(folder / "nginx.pid")),
        ("/srv", str(folder / "srv")),
        ("http://web:8000", f"http://127.0.0.1:{web}"),
        ("listen 443 ", f"listen 127.0.0.1:{port} "),
        ("listen 80 default_server", f"listen 127.0.0.1:{port + 1} default_server"),
        ("listen 80;", f"listen 127.0.0.1:{port + 1};"),
        ("127.0.0.1:8080", f"127.0.0.1:{port + 2}"),
    ):
        assert old in text, f"proxy/nginx.conf says {old} no more"
        text = text.replace(old, new)
    with socket.create_server(("127.0.0.1", port)):
        pass  # else that of an earlier run would answer
    configuration, log = folder / "nginx.conf", folder / "nginx.log"
    configuration.write_text(text)
    with log.open("wb") as said:
        process = subprocess.Popen(  # no word of the command is a user's
            [program, "-c", str(configuration), "-g", "daemon off;"],
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + PATIENCE
        while not _answers(port, host):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)


def _answers(port: int, host: str) -> bool:
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=PATIENCE, context=tls())
    try:
        connection.request("GET", "/healthz", headers={"Host": host, "Connection": "close"})
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
