"""docker-compose.yml brought up by Debian's Podman, from a clean copy of what is committed to a scored demo.

Podman's own checks need systemd: they are run here, one by one. Two free ports are published, no others.
podman-compose is newer than Debian 12's, which knows no ``--in-pod``: that of PyPI (1.6 was used).
"""

import fcntl
import json
import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from kbpo.management.commands import load_demo
from tests.conftest import ROOT
from tests.containers import images
from tests.processes import wait_until

pytestmark = pytest.mark.slow

TOOLS = ("podman", "buildah", "podman-compose", "debootstrap", "git")
SITE, TASKS = "kbpo.test", "tasks.kbpo.test"
STAY = ("proxy", "postgres", "redis", "web", "worker", "mailer", "beat", "store")
LONG = 300.0  # seconds until a service is well, on a machine that has much else to do
#: Of the files that rows name: how many there are, and how many have the bytes that were sent.
WHOLE = """
import hashlib
from evaluation.models import Submission
named = Submission.objects.exclude(file="")
print(len(named), sum(hashlib.sha256(one.file.open().read()).hexdigest() == one.digest for one in named))
"""


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


class Server:
    """What was brought up, and how it is asked."""

    def __init__(self, folder: Path, environ: dict[str, str], http: int, https: int) -> None:
        self.folder, self.environ, self.http, self.https = folder, environ, http, https
        self.project = f"kbpo{https}"

    def compose(self, *arguments: str) -> str:
        # One after the other: at once, each service would build the image that they share anew.
        options = ["--in-pod", "false", "--parallel", "1", "--project-name", self.project]
        command = ["podman-compose", *options, *arguments]
        done = subprocess.run(
            command, cwd=self.folder, env=self.environ, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{arguments}: {done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        return done.stdout

    def podman(self, *arguments: str) -> str:
        return images.run(["podman", *arguments], self.environ)

    def container(self, service: str) -> str:
        return f"{self.project}_{service}_1"

    def start(self, service: str) -> None:
        """Start what was stopped.

        Podman 4 runs what it depends on again, and refuses while that is just ending: migrate ends at once.
        """
        command = ["podman", "start", self.container(service)]
        assert wait_until(
            lambda: (
                subprocess.run(command, env=self.environ, capture_output=True, check=False).returncode == 0
            )
        )

    def shell(self, code: str) -> list[str]:
        """Run Python in the worker; return the words that it printed."""
        worker = self.container("worker")
        return self.podman("exec", worker, "python", "manage.py", "shell", "--no-imports", "-c", code).split()

    def is_well(self, service: str) -> bool:
        command = ["podman", "healthcheck", "run", self.container(service)]
        return subprocess.run(command, env=self.environ, capture_output=True, check=False).returncode == 0

    def is_ready(self) -> bool:
        """Say whether all is ready, asked through the proxy."""
        try:
            return self.ask("/readyz")[0] == 200
        except OSError:  # it does not listen yet
            return False

    def ask(self, path: str, host: str = SITE, **headers: str) -> tuple[int, dict[str, str], bytes]:
        """Ask the proxy by TLS; return status, headers and body."""
        request = urllib.request.Request(
            f"https://127.0.0.1:{self.https}{path}", headers={"Host": f"{host}:{self.https}", **headers}
        )
        trusting = ssl._create_unverified_context()  # its certificate was made a minute ago
        try:
            with urllib.request.urlopen(request, timeout=30, context=trusting) as answer:
                return answer.status, dict(answer.headers), answer.read()
        except urllib.error.HTTPError as error:
            return error.code, dict(error.headers), error.read()


@pytest.fixture(scope="module")
def alone() -> Iterator[None]:
    """Wait for other processes that run these tests: they give their images the same names."""
    with (Path(tempfile.gettempdir()) / "kbpo-containers.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, alone: None) -> Iterator[Server]:
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing or os.geteuid() != 0:
        pytest.skip(f"needs root and {', '.join(missing) or 'nothing more'}")
    told = subprocess.run(["podman-compose", "--help"], capture_output=True, text=True, check=False)
    if "--in-pod" not in told.stdout:
        pytest.skip("needs podman-compose of PyPI (1.6 was used) before Debian's in PATH")
    folder = tmp_path_factory.mktemp("server")
    settings = folder / "containers.conf"
    settings.write_text(
        '[containers]\ndefault_ulimits = ["nofile=1000:1000", "nproc=1000:1000"]\n'
        '[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\n[network]\nnetwork_backend = "netavark"\n'
    )
    environ = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environ |= {"CONTAINERS_CONF": str(settings), "BUILDAH_ISOLATION": "chroot"}
    images.make(folder / "images", environ)
    clone = folder / "clone"
    images.run(["git", "clone", "--quiet", ROOT, clone], environ)
    made = Server(clone, environ, free_port(), free_port())
    (clone / ".env").write_text(
        "SECRET_KEY=Zt7mQx2vLp9RkW4cYb8NfH3jDs6GaE1uKo5TiVwBn0123456789\n"
        f"ALLOWED_HOSTS={SITE}\nSITE_URL=https://{SITE}:{made.https}\nHIT_BASE_URL=https://{TASKS}:{made.https}\n"
        "POSTGRES_PASSWORD=secret1\nREDIS_PASSWORD=secret3\nEMAIL_URL=smtp://127.0.0.1:25\nDEFAULT_FROM_EMAIL=kbpo@kbpo.test\n"
        f"HTTP_PORT={made.http}\nHTTPS_PORT={made.https}\n"
        "COMPOSE_PROFILES=store\nFILE_STORE=s3://kbpo/site\nFILE_STORE_ENDPOINT=http://store:7070\n"
        "FILE_STORE_KEY=kbpo\nFILE_STORE_SECRET=secret2\n"
    )
    begun = time.monotonic()
    try:
        made.compose("build")
        print(f"built in {time.monotonic() - begun:.0f} s")
        made.compose("up", "--detach")
        print(f"up after {time.monotonic() - begun:.0f} s")
        assert wait_until(made.is_ready, LONG), made.podman("logs", made.container("web"))
        yield made
    finally:
        subprocess.run(
            ["podman-compose", "--in-pod", "false", "--project-name", made.project, "down", "--volumes"],
            cwd=clone,
            env=environ,
            capture_output=True,
            check=False,
        )


def test_the_services_are_those_that_are_looked_at(server: Server) -> None:
    given = yaml.safe_load((server.folder / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
    assert set(given) == {*STAY, "migrate"}


@pytest.mark.parametrize("service", STAY)
def test_every_service_gets_well(server: Server, service: str) -> None:
    assert wait_until(lambda: server.is_well(service), LONG), server.podman("logs", server.container(service))


def test_all_is_ready_through_the_proxy(server: Server) -> None:
    assert wait_until(server.is_ready, LONG), server.ask("/readyz")


def test_the_service_is_no_root_and_its_image_has_no_secret_and_no_test(server: Server) -> None:
    web = server.container("web")
    assert server.podman("exec", web, "id", "-u").strip() != "0"
    assert set(server.podman("exec", web, "ls", "-A").split()) & {".env", "tests", ".git", "tls"} == set()


def test_the_hosts_are_told_apart_and_no_other_is_let_in(server: Server) -> None:
    assert [server.ask("/hits/none/", host)[0] for host in (SITE, TASKS, "else.test")] == [404, 404, 421]
    assert b"There is no such task" in server.ask("/hits/none/", TASKS)[2]


def test_static_files_come_from_the_proxy_for_good(server: Server) -> None:
    page = server.ask("/")[2].decode()
    name = page.split("/static/css/")[1].split('"')[0]
    status, headers, _ = server.ask(f"/static/css/{name}")
    assert (status, "immutable" in headers["Cache-Control"]) == (200, True)
    assert "X-Request-ID" not in headers  # web was not asked


def test_plain_http_leads_to_tls(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.http), timeout=10) as plain:
        plain.sendall(f"GET /x HTTP/1.0\r\nHost: {SITE}\r\n\r\n".encode())
        said = plain.makefile("rb").read().decode()
    assert said.startswith("HTTP/1.1 308")
    assert f"https://{SITE}:{server.https}/x" in said


@pytest.fixture(scope="module")
def demo(server: Server) -> Server:
    """Have the demo loaded, and wait until it is scored and seen."""
    begun = time.monotonic()
    server.podman("exec", server.container("web"), "python", "manage.py", "load_demo", "--without-passwords")
    print(f"the demo was scored after {time.monotonic() - begun:.0f} s more")
    judged = {*load_demo.RELEASED, *load_demo.SCORED}

    def are_scored() -> bool:
        rows = json.loads(server.ask("/api/v1/corpora/demo/leaderboard/")[2])["rows"]
        scored = {row["name"] for row in rows if row["measures"]["precision"]["estimate"] is not None}
        return scored >= judged

    assert wait_until(are_scored, LONG)  # by the worker, where this command left it something
    return server


def test_a_demo_is_loaded_scored_and_seen(demo: Server) -> None:
    status, _, page = demo.ask("/corpora/demo/")
    assert status == 200
    assert all(name in page.decode() for name in load_demo.RELEASED)


def test_files_are_in_the_store_and_on_no_machine(demo: Server) -> None:
    look = "from kbpo.core.storage import store; print(len(list(store().listed('media/submissions'))))"
    assert int(demo.shell(look)[-1]) > 0
    assert "media" not in demo.podman("exec", demo.container("worker"), "ls", "/srv/kbpo/var").split()


def test_redis_is_bound_and_forgets_first_what_has_an_end(server: Server) -> None:
    asked = ("redis-cli", "CONFIG", "GET", "maxmemory*")
    said = server.podman("exec", server.container("redis"), *asked).split()
    told = dict(zip(said[::2], said[1::2], strict=True))
    assert (told["maxmemory"], told["maxmemory-policy"]) == (str(256 << 20), "volatile-ttl")


@pytest.mark.parametrize("service", STAY)
def test_a_service_that_is_started_again_gets_well_and_nothing_is_lost(demo: Server, service: str) -> None:
    before = demo.ask("/api/v1/corpora/demo/leaderboard/")[2]
    demo.podman("stop", "--time", "10", demo.container(service))
    demo.start(service)
    assert wait_until(lambda: demo.is_well(service), LONG), demo.podman("logs", demo.container(service))
    assert wait_until(demo.is_ready, LONG), demo.ask("/readyz")
    assert demo.ask("/api/v1/corpora/demo/leaderboard/")[2] == before
    named, whole = demo.shell(WHOLE)[-2:]
    assert int(named) == int(whole) > 0


def certificate_of(server: Server) -> str:
    return ssl.get_server_certificate(("127.0.0.1", server.https))


def test_a_certificate_of_ones_own_is_taken_without_a_restart(server: Server) -> None:
    made = certificate_of(server)
    tls = server.folder / "tls"
    names = ["-subj", f"/CN={SITE}", "-keyout", tls / "key.pem", "-out", tls / "certificate.pem"]
    images.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names], server.environ
    )
    server.podman("exec", server.container("proxy"), "run-proxy", "reload")
    own = (tls / "certificate.pem").read_text()
    assert wait_until(lambda: certificate_of(server).strip() == own.strip())
    assert made.strip() != own.strip()
    assert server.ask("/")[0] == 200  # at once
    assert wait_until(server.is_ready, LONG), server.ask("/readyz")


def test_while_web_is_away_people_and_programs_are_told(server: Server) -> None:
    server.podman("stop", "--time", "10", server.container("web"))
    try:
        assert wait_until(lambda: server.ask("/corpora/demo/")[0] == 503, 10.0)  # once no page of it is kept
        status, headers, body = server.ask("/corpora/demo/")
        assert (status, headers["Retry-After"], b"Nothing is lost" in body) == (503, "10", True)
        assert json.loads(server.ask("/api/v1/corpora/")[2])["status"] == 503
    finally:
        server.start("web")
    assert wait_until(lambda: server.is_well("web") and server.is_ready(), LONG)
