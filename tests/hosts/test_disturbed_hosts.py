"""Anything of two hosts is killed at any moment: there is in the end what an undisturbed history leaves.

Each host has web, worker and beat, so there are two beats; a simulated crowd answers at both at once. Seven
systems are handed in at either host in turn while all this goes on.
"""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.hosts import disturbing
from tests.hosts.history import SYSTEMS, Outcome, play
from tests.hosts.hosts import may_make_networks
from tests.hosts.pooler import counted, may_pool, pooled

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(may_make_networks()), reason=may_make_networks())]

KILLS = 50  # of a history, at least
HISTORIES = (1, 2, 3, 4)


def test_the_undisturbed_history_has_all_systems_judged_audited_and_scored(undisturbed: Outcome) -> None:
    rows = undisturbed.rows
    assert undisturbed.ended == []
    submissions = [json.loads(row) for row in rows["evaluation.Submission"]]
    assert [one["state"] for one in submissions] == ["scored"] * SYSTEMS
    batches = [json.loads(row) for row in rows["evaluation.SampleBatch"]]
    assert all(one["audited_at"] for one in batches)
    assert len(batches) == len(rows["evaluation.AuditDrawing"]) == SYSTEMS
    assert any(json.loads(row)["is_drawn"] for row in rows["evaluation.Audit"])
    (board,) = rows["board"]
    assert len(json.loads(board)["rows"]) == SYSTEMS


def test_two_beats_at_once_double_nothing(undisturbed: Outcome) -> None:
    assert min(undisturbed.beats) > 100  # both sent
    rows = undisturbed.rows
    assert [mail for mail, number in Counter(rows["mail"]).items() if number > 1] == []
    for one in map(json.loads, rows["timelines"]):
        states = [state for state, _ in one[1:]]
        assert len(states) == len(set(states)), one
    for name in ("annotations.Response", "annotations.Label", "evaluation.Score", "evaluation.Audit"):
        assert rows[name]
        assert [row for row, number in Counter(rows[name]).items() if number > 1] == []


@pytest.mark.parametrize("seed", HISTORIES)
def test_kills_on_either_host_change_nothing(
    seed: int, undisturbed: Outcome, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = play(tmp_path, seed=seed, kills=KILLS)
    with capsys.disabled():
        print(f"\n{disturbing.table(outcome.kills)}")
    assert len(outcome.kills) >= KILLS
    assert outcome.ended == []  # nothing but what was killed
    # Mail may come twice: it is sent, then marked.
    assert set(outcome.rows["mail"]) == set(undisturbed.rows["mail"])
    assert disturbing.differences(undisturbed.rows, outcome.rows) == {}


@pytest.mark.skipif(bool(may_pool()), reason=may_pool())
def test_a_pooler_before_postgres_changes_nothing(undisturbed: Outcome, tmp_path: Path) -> None:
    counts = []

    @contextmanager
    def watched(postgres: Path) -> Iterator[Path]:
        with pooled(postgres) as sockets:
            yield sockets
            counts.append(counted(sockets))

    outcome = play(tmp_path, before_postgres=watched)
    ((mode, transactions),) = counts
    assert mode == "transaction"
    assert transactions > 1_000  # of a history's some ten thousand
    assert outcome.ended == []
    assert outcome.rows["mail"] == undisturbed.rows["mail"]
    assert disturbing.differences(undisturbed.rows, outcome.rows) == {}
