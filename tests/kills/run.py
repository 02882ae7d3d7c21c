"""A history: the scenario's steps, each done by processes that are killed on the way until one is through.

Run as ``python -m tests.kills.run FOLDER MODE``. It loads the service once, uses no database, and
forks a process for each life, so that beginning again takes no more than a connection. FOLDER holds the
scenario's files and ``home``, and gets ``kills.json`` (where each kill fell) and ``rows.json`` (what is there
in the end). MODE:

``none``
    Nobody is killed; ``commits.jsonl`` lists every commit.
``commits``
    Before and after each commit that was not met before.
"""

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.kills.settings"

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.utils import timezone  # noqa: E402

from crowd.quality import measures  # noqa: E402
from evaluation.archives import making  # noqa: E402
from evaluation.submissions import checks, normalised, work  # noqa: E402
from kbpo.core.commands import prepare_database  # noqa: E402
from tests.kills import rows, scenario  # noqa: E402
from tests.kills.watch import Point, Watch, read_points, read_where, write_point, write_where  # noqa: E402

measures.EVERY = timedelta(0)  # what is measured hangs on what was answered, and on no clock

MOST_LIVES = 90  # of one step
for module in (
    work,
    checks,
    normalised,
):  # a slow machine is killed more often in one stage than a service is
    module.ATTEMPTS = MOST_LIVES  # type: ignore[attr-defined]


class History:
    """The scenario under one kind of kills.

    Parameters
    ----------
    folder : Path
    mode : str
    """

    def __init__(self, folder: Path, mode: str) -> None:
        self.folder, self.mode = folder, mode
        self.kills: list[dict[str, Any]] = []
        self.met = folder / "commits.jsonl"
        self.where = folder / "where"

    def play(self) -> None:
        """Go through all steps, then write down what there is."""
        self.undisturbed(prepare_database)
        for step, act in scenario.steps(self.folder).items():
            self.by_one(step, act)
        self.undisturbed(self.report)

    def by_one(self, step: str, act: Callable[[], object]) -> None:
        """Have a step done by one process after another, until one is through."""
        for _ in range(MOST_LIVES):
            if not self.ends(self.fork(step, act, self.choose())):
                return
            self.undisturbed(scenario.let_leases_run_out)
        raise RuntimeError(f"{step}: not through after {MOST_LIVES} lives")

    def choose(self) -> Callable[[Point], bool]:
        """Return where a life ends itself."""
        if self.mode == "none":
            return self.note
        known = {(point.identity, point.side) for point in read_points(self.met)}
        return lambda point: self.is_new(point, known)

    def note(self, point: Point) -> bool:
        """List a commit, and go on."""
        write_point(self.met, point)
        return False

    def is_new(self, point: Point, known: set[tuple[str, str]]) -> bool:
        """Say whether a side of a commit is met for the first time, and list it."""
        if (point.identity, point.side) in known:
            return False
        write_point(self.met, point)
        return True

    def fork(self, step: str, act: Callable[[], object], decide: Callable[[Point], bool]) -> int:
        """Begin a life; return its process id."""

        def live() -> None:
            Watch(step, self.where, decide).install()
            act()

        write_where(self.where, step)
        return fork(live)

    def ends(self, child: int) -> bool:
        """Wait for a process; return whether it was killed."""
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status == -signal.SIGKILL:
            self.kills.append(read_where(self.where))
            return True
        if status != 0:
            raise RuntimeError(f"a process ended with status {status}")
        return False

    def undisturbed(self, act: Callable[[], object]) -> None:
        """Do something in a process of its own, which nobody kills."""
        if status := self.status(act):
            raise RuntimeError(f"a process ended with status {status}")

    def status(self, act: Callable[[], object]) -> int:
        """Do something in a process of its own; return its exit status."""
        return os.waitstatus_to_exitcode(os.waitpid(fork(act), 0)[1])

    def report(self) -> None:
        """Draw all samples again, and write down the kills and the rows.

        A killed release leaves the file of its leaderboard without a row. The pipeline deletes such files
        after a day.
        """
        making.remove_unfinished(now=timezone.now() + 2 * making.LONGEST_WRITING)
        call_command("audit_samples", "--corpus", scenario.TAG, verbosity=0)
        (self.folder / "kills.json").write_text(json.dumps(self.kills))
        (self.folder / "rows.json").write_text(json.dumps(rows.read_rows()))


def fork(act: Callable[[], object]) -> int:
    """Do something in a child; a false outcome or an error is a status of 1."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        status = int(act() is False)
    except BaseException:  # noqa: BLE001  (its parent learns of it by the status)
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    History(Path(sys.argv[1]), sys.argv[2]).play()
