"""An older version's database, in which a submission is judged, brought up to this code: it goes on.

The older code is taken from the repository. Its web and worker run, and its worker is killed while people
answer; this code's ``upgrade`` runs while the older web is still there; then people answer on, and the
submission is scored.
"""

import json
import subprocess
from pathlib import Path

import pytest

from kbpo.core.embedded import Postgres, Redis
from tests.conftest import ROOT
from tests.processes import wait_until
from tests.stores import free_port
from tests.upgrade.versions import LONG, WORKER, Code, judge_in_part, kill

pytestmark = pytest.mark.slow

#: Before there was a server of containers; before news were mailed one by one, the last that migrated.
OLDER = ("99e01f0b", "18ee054c")


def older_code(commit: str, folder: Path) -> Path:
    """Take an older version from the repository."""
    known = subprocess.run(
        ["git", "cat-file", "-e", f"{commit}^{{commit}}"], cwd=ROOT, capture_output=True, check=False
    )
    if known.returncode:
        pytest.skip(f"this copy of the repository has no commit {commit}")
    folder.mkdir()
    packed = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", folder], input=packed, check=True)
    return folder


@pytest.mark.parametrize("commit", OLDER)
def test_a_submission_that_is_judged_goes_on_after_an_upgrade(commit: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    older, newer = Code(older_code(commit, tmp_path / "older"), home), Code(ROOT, home)
    servers = Postgres(home, durable=False), Redis(home)
    running: list[subprocess.Popen[bytes]] = []
    for server in servers:
        server.acquire()
    try:
        before = judge_in_part(older, tmp_path, running, port=free_port())
        newer.manage("upgrade", "--wait", "60")
        for process in running:
            kill(process)
        running.clear()
        assert newer.counted()["responses"] == before["responses"]
        newer.manage("simulate_crowd", "--corpus", "news", "--gold", str(tmp_path / "gold.jsonl"))
        running.append(newer.start(*WORKER))
        assert wait_until(lambda: newer.counted()["states"]["one"] == "scored", LONG), newer.counted()
        after = newer.counted()
        assert set(before["responses"]) <= set(after["responses"])
        assert set(map(tuple, before["labels"])) <= set(map(tuple, after["labels"]))
        newer.manage("audit_samples", "--corpus", "news")
        (row,) = json.loads(newer.manage("leaderboard", "--corpus", "news", "--json"))["rows"]
        assert row["name"] == "one"
        assert row["precision"]["estimate"] is not None
    finally:
        for process in running:
            kill(process)
        for server in servers:
            server.release()
