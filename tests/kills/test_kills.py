"""A worker killed at every commit of a history leaves the rows that an undisturbed run leaves."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kbpo import pipeline
from kbpo.core.embedded import Postgres
from kbpo_formats.problems import LISTED_PER_CODE
from tests.conftest import ROOT, clean_environment
from tests.kills import scenario
from tests.kills.watch import Point, read_points
from tests.processes import wait_until, working_in

pytestmark = pytest.mark.slow

#: Those that find nothing to write in this history: they act at a provider of work, which is killed in
#: tests/integration/crowd/test_kills.py, at teams' servers (tests/integration/webhooks), on generated text
#: (test_files_and_webhooks), or where people are slower than the simulated crowd, which settles.
IDLE = {
    *("grant_qualifications", "post_hits", "collect_work", "pay_bonuses", "settle_questions"),
    *("send_webhooks", "prepare_submissions"),
}
STAGES = {stage.__name__ for stage in pipeline.STAGES} - IDLE


@dataclass(frozen=True)
class Outcome:
    """A history's kills, the rows that it left, and the commits that it listed."""

    kills: list[dict[str, Any]]
    rows: dict[str, list[str]]
    commits: list[Point]


OUTCOME: "pytest.StashKey[Outcome]" = pytest.StashKey()


def play(folder: Path, mode: str) -> Outcome:
    """Play a history in a folder of its own; its database outlives those who are killed."""
    folder.mkdir()
    scenario.write_files(folder)
    home = folder / "home"
    server = Postgres(home, durable=False)
    try:
        server.acquire()
        done = subprocess.run(
            [sys.executable, "-m", "tests.kills.run", str(folder), mode],
            env=clean_environment()
            | {
                "KBPO_HOME": str(home),
                "KBPO_EPOCH_SECRET": "07" * 32,
                "DJANGO_SETTINGS_MODULE": "tests.kills.settings",
                "OPENBLAS_NUM_THREADS": "1",
            },
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=1_200,
            check=False,
        )
    finally:
        server.release()
    assert done.returncode == 0, done.stderr[-5000:]
    assert wait_until(lambda: not working_in(folder)), working_in(folder)
    return Outcome(
        json.loads((folder / "kills.json").read_text()),
        json.loads((folder / "rows.json").read_text()),
        read_points(folder / "commits.jsonl"),
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kills")


@pytest.fixture(scope="module")
def undisturbed(place: Path) -> Outcome:
    return play(place / "undisturbed", "none")


@pytest.fixture(scope="module")
def around_commits(place: Path) -> Outcome:
    return play(place / "commits", "commits")


@pytest.fixture(autouse=True)
def told(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> Iterator[None]:
    """Print where the kills of a test fell."""
    yield
    outcome = request.node.stash.get(OUTCOME, None)
    if outcome is not None:
        with capsys.disabled():
            print(f"\n{table(outcome.kills)}")


def table(kills: list[dict[str, Any]]) -> str:
    """Return the kills by stage, or by step outside the pipeline."""
    counted = Counter(kill["stage"] or f"({kill['step']})" for kill in kills)
    rows = [f"{number:5} {where}" for where, number in sorted(counted.items())]
    return "\n".join([*rows, f"{len(kills):5} kills"])


def assert_same(outcome: Outcome, undisturbed: Outcome) -> None:
    """Compare rows, files, and the mail: all of it, and twice only after a kill before it was marked."""
    assert outcome.rows.keys() == undisturbed.rows.keys()
    for name, rows in undisturbed.rows.items():
        if name != "mail":
            here, there = Counter(outcome.rows[name]), Counter(rows)
            assert {name: [*(there - here)], "further": [*(here - there)]} == {name: [], "further": []}
    sent, once = Counter(outcome.rows["mail"]), Counter(undisturbed.rows["mail"])
    assert sent.keys() == once.keys()
    assert sum((sent - once).values()) <= sum(kill["mailing"] for kill in outcome.kills)


def test_the_undisturbed_run_comes_to_the_end_of_every_path(undisturbed: Outcome) -> None:
    states = {row["name"]: row["state"] for row in map(json.loads, undisturbed.rows["evaluation.Submission"])}
    assert states == scenario.STATES
    assert {json.loads(row)["source"] for row in undisturbed.rows["annotations.Label"]} == {
        "majority",
        "expert",
    }
    # Six files read and one refused, five systems scored, a release and news told to two people, one invited.
    mails = undisturbed.rows["mail"]
    assert len(set(mails)) == len(mails) == 6 + 1 + 5 + 2 + 2 + 1
    assert len([mail for mail in mails if "It begins" in mail]) == 2
    assert len([mail for mail in mails if mail.startswith("gamma@example.org")]) == 1
    # One of seven was deleted, one of two checked was forgotten, and so was one of two written anew; all
    # problems of what was refused are kept, as it was checked and as it was submitted.
    assert len(undisturbed.rows["uploaded files"]) == 6 + 1 + 1 + 2
    kept = [json.loads(row) for row in undisturbed.rows["evaluation.ProblemFile"]]
    assert sorted(bool(one["submission"]) for one in kept) == [False, True]
    assert min(one["count"] for one in kept) > LISTED_PER_CODE
    # The released epoch has a second archive when more may be told; both are whole and give what they state.
    archives = [json.loads(row) for row in undisturbed.rows["archives"]]
    assert [name for name, *_ in archives] == ["epoch-1-edition-2.zip", "epoch-1-edition-3.zip"]
    for name, is_whole, agrees, stated, _ in archives:
        assert is_whole, name
        assert agrees, name
        assert stated > 0, name
    assert undisturbed.rows["archives without a row"] == []
    checks = [json.loads(row) for row in undisturbed.rows["evaluation.FileCheck"]]
    assert [check["state"] for check in checks] == ["refused"]
    assert {point.stage for point in undisturbed.commits} == STAGES | {""}


def test_kills_around_every_commit_change_nothing(
    around_commits: Outcome, undisturbed: Outcome, request: pytest.FixtureRequest
) -> None:
    request.node.stash[OUTCOME] = around_commits
    assert_same(around_commits, undisturbed)


def test_no_commit_was_left_out(around_commits: Outcome, undisturbed: Outcome) -> None:
    assert len(around_commits.kills) >= 100
    met = {(point.step, point.stage, point.tables, point.side) for point in around_commits.commits}
    wanted = {(point.step, point.stage, point.tables, point.side) for point in undisturbed.commits}
    assert wanted - met == set()
    assert len(wanted) > 100
    assert {kill["stage"] for kill in around_commits.kills} == STAGES | {""}
