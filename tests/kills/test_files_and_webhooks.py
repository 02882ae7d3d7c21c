"""SIGKILL while a stage works whose end is not a commit alone: nothing is half there, nothing is lost.

Files of a corpus, webhooks, and what systems write: two files of one submission, its metrics in steps and the
house metric, recorded judgements, scores, and what metrics are worth.
"""

import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from kbpo.core.embedded import Postgres
from tests.conftest import ROOT, clean_environment
from tests.kills import writing
from tests.processes import wait_until, working_in

pytestmark = pytest.mark.slow
DEATHS = 40


def play(folder: Path, stage: str, url: str = "") -> tuple[int, Any]:
    """Play the lives of a stage; return how many steps one has, and what there is in the end."""
    folder.mkdir()
    home = folder / "home"
    server = Postgres(home, durable=False)
    server.acquire()
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "tests.kills.dying", str(folder), stage, "1", url],
            env=clean_environment() | {"KBPO_HOME": str(home), "KBPO_EPOCH_SECRET": "07" * 32},
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=1_200,
            check=False,
        )
    finally:
        server.release()
    assert ended.returncode == 0, ended.stderr[-5000:]
    assert wait_until(lambda: not working_in(folder)), working_in(folder)
    deaths, steps, found = json.loads((folder / "deaths.json").read_text())
    assert deaths == DEATHS
    return steps, found


@pytest.fixture
def received() -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    """Serve as the teams' addresses; note path, id and body of each request."""
    noted: list[tuple[str, str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            body = self.rfile.read(length)
            if len(body) < length:  # who sent it was killed: nothing that listens takes this for a message
                return
            noted.append((self.path, self.headers["webhook-id"], body.decode()))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.01], daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", noted
        server.shutdown()


def test_files_are_whole_wherever_their_maker_is_killed(tmp_path: Path) -> None:
    steps, found = play(tmp_path / "files", "make_corpus_files")
    assert steps > 100
    assert found["left"] > 0  # some of the dead had begun one
    assert sorted(found["there"].values()) == sorted(found["row"])


def test_what_is_sent_by_who_is_killed_comes_at_least_once_and_is_the_same(
    tmp_path: Path, received: tuple[str, list[tuple[str, str, str]]]
) -> None:
    url, noted = received
    steps, deliveries = play(tmp_path / "webhooks", "send_webhooks", url)
    assert steps > 100
    wanted = {(address.removeprefix(url), one, body) for one, address, body, _, _ in deliveries}
    assert {is_delivered for _, _, _, is_delivered, _ in deliveries} == {True}
    assert set(noted) == wanted
    again = Counter(noted)
    attempts = {(address.removeprefix(url), one, body): tries for one, address, body, _, tries in deliveries}
    assert all(times <= attempts[one] for one, times in again.items())
    assert sum(times > 1 for times in again.values()) > 0  # some had been sent, and not marked


def test_two_files_of_a_submission_are_stored_together_wherever_their_reader_is_killed(
    tmp_path: Path,
) -> None:
    steps, found = play(tmp_path / "outputs", "validate_submissions")
    assert steps > 100
    assert found["submissions"] > 0
    assert found["different"] == [[writing.INPUTS, sorted(writing.UPLOADED)]]


def test_metrics_are_the_same_wherever_what_computes_them_is_killed(tmp_path: Path) -> None:
    steps, found = play(tmp_path / "metrics", "prepare_submissions")
    assert steps > 100
    assert len(found["killed"]) > 10
    assert found["killed"] == found["undisturbed"]
    frozen, undisturbed = found["houses"]
    assert frozen == undisturbed
    assert found["sampled"] == 1


@pytest.mark.parametrize("stage", ["score_epochs", "score_subsets"])
def test_scores_are_the_same_wherever_what_computes_them_is_killed(tmp_path: Path, stage: str) -> None:
    steps, found = play(tmp_path / stage, stage)
    assert steps > 100
    assert len(found["killed"]) > 50
    assert found["killed"] == found["undisturbed"]


def test_recorded_judgements_come_in_as_a_whole_wherever_who_brings_them_is_killed(tmp_path: Path) -> None:
    steps, found = play(tmp_path / "judgements", "import_judgements")
    assert steps > 100
    assert found["whole"] >= 1
    assert found["undisturbed"] == writing.ALL
