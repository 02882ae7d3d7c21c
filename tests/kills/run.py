"""A history: the scenario's steps, each done by processes that are killed on the way until one is through.

Run as ``python -m tests.kills.run FOLDER MODE SEED DESIGN``. It loads the service once, uses no database, and
forks a process for each life, so that beginning again takes no more than a connection. FOLDER holds the
scenario's files and ``home``, and gets ``kills.json`` (where each kill fell) and ``rows.json`` (what is there
in the end). MODE:

``none``
    Nobody is killed; ``commits.jsonl`` lists every commit.
``commits``
    Before and after each commit that was not met before.
``statements``
    Before or after a statement drawn at random, of the whole life or of a stage.
``moments``
    By another process, after a time drawn at random.
``pairs``
    As ``moments``; whatever the pipeline does is done by two at once.
``workers``
    The pipeline is Celery's, beat and workers, and all of it is killed after a time drawn at random.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.kills.settings"

import django

django.setup()

from django.core.management import call_command  # noqa: E402

from crowd.quality import measures  # noqa: E402
from evaluation.submissions import checks, normalised, work  # noqa: E402
from kbpo import pipeline  # noqa: E402
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
RATE = 0.04  # with which a statement's side is a life's end, where these are drawn at random
RATES = dict.fromkeys(("validate_submissions", "sample_submissions", "score_epochs"), 0.015)  # long ones


class History:
    """The scenario under one kind of kills.

    Parameters
    ----------
    folder : Path
    mode : str
    seed : int
        Of where the kills fall.
    design : str
        Of the corpus.
    """

    def __init__(self, folder: Path, mode: str, seed: int, design: str) -> None:
        self.folder, self.mode, self.design = folder, mode, design
        self.rng = Random(seed)
        self.kills: list[dict[str, Any]] = []
        self.met = folder / "commits.jsonl"
        self.where = folder / "where"

    def play(self) -> None:
        """Go through all steps, then write down what there is."""
        self.undisturbed(prepare_database)
        for step, act in scenario.steps(self.folder, self.design).items():
            together = act is pipeline.advance
            if together and self.mode == "workers":
                self.by_workers(step)
            elif together and self.mode == "pairs":
                self.by_two(step, act)
                self.undisturbed(scenario.let_leases_run_out)
                self.undisturbed(act)
            else:
                self.by_one(step, act)
        self.undisturbed(self.report)

    def by_one(self, step: str, act: Callable[[], object]) -> None:
        """Have a step done by one process after another, until one is through."""
        for life in range(MOST_LIVES):
            child = self.fork(step, act, self.choose(life), self.where)
            delay = self.delay(life) if self.mode == "moments" else None
            if not self.ends(child, delay, self.where):
                return
            self.undisturbed(scenario.let_leases_run_out)
        raise RuntimeError(f"{step}: not through after {MOST_LIVES} lives")

    def by_two(self, step: str, act: Callable[[], object]) -> None:
        """Have a step done by two processes at once, and by others after they are killed."""
        lives = 0
        wheres = {one: self.folder / f"where{one}" for one in (1, 2)}
        alive = {one: self.fork(step, act, self.choose(lives), where) for one, where in wheres.items()}
        while alive:
            one = self.rng.choice(sorted(alive))
            if self.ends(alive[one], self.delay(lives), wheres[one]):
                alive[one] = self.fork(step, act, self.choose(lives), wheres[one])
                lives += 1
            else:
                del alive[one]

    def by_workers(self, step: str) -> None:
        """Have a step done by Celery's beat and workers, killed twice and begun again."""
        for life in range(3):
            with (self.folder / "celery.log").open("ab") as log:
                worker = subprocess.Popen(
                    [
                        *(
                            sys.executable,
                            "-m",
                            "celery",
                            "--app",
                            "kbpo.core.clock.celery",
                            "worker",
                            "--beat",
                        ),
                        *("--concurrency", "2", "--schedule", str(self.folder / "schedule")),
                    ],
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            try:
                if life < 2:
                    select.select([os.pidfd_open(worker.pid)], [], [], 3 + 4 * self.rng.random())
                else:
                    self.wait_until_settled()
            finally:
                os.killpg(worker.pid, signal.SIGKILL)
                worker.wait()
            if life < 2:
                self.kills.append({"step": step, "stage": "some stage of the workers", "mailing": True})
            self.undisturbed(scenario.let_leases_run_out)

    def wait_until_settled(self) -> None:
        """Wait until the pipeline has nothing to do."""
        deadline = time.monotonic() + 90
        while self.status(scenario.settled) != 0:
            if time.monotonic() > deadline:
                raise RuntimeError("the workers did not come to an end")
            time.sleep(0.5)

    def delay(self, lives: int) -> float:
        """Draw how many seconds a life lasts; ever more, so that one is through at last."""
        return 0.1 * 1.2**lives * self.rng.random()

    def choose(self, lives: int) -> Callable[[Point], bool]:
        """Say where a life ends, if this mode has it end itself."""
        if self.mode == "none":
            return self.note
        if self.mode == "commits":
            known = {(point.identity, point.side) for point in read_points(self.met)}
            return lambda point: self.is_new(point, known)
        if self.mode == "statements":
            rng, fewer = Random(self.rng.random()), 0.9**lives  # so that one is through at last
            return lambda point: (
                point.what == "statement" and rng.random() < fewer * RATES.get(point.stage, RATE)
            )
        return lambda point: False

    def note(self, point: Point) -> bool:
        """List a commit, and go on."""
        if point.what == "commit":
            write_point(self.met, point)
        return False

    def is_new(self, point: Point, known: set[tuple[str, str]]) -> bool:
        """Say whether a side of a commit is met for the first time, and list it."""
        if point.what != "commit" or (point.identity, point.side) in known:
            return False
        write_point(self.met, point)
        return True

    def fork(self, step: str, act: Callable[[], object], decide: Callable[[Point], bool], where: Path) -> int:
        """Begin a life; return its process id."""

        def live() -> None:
            Watch(step, where, decide).install()
            act()

        write_where(where, step)
        return fork(live)

    def ends(self, child: int, delay: float | None, where: Path) -> bool:
        """Wait for a process, or kill it after a while; return whether it was killed."""
        if delay is not None:
            handle = os.pidfd_open(child)
            if not select.select([handle], [], [], delay)[0]:
                os.kill(child, signal.SIGKILL)
            os.close(handle)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status == -signal.SIGKILL:
            self.kills.append(read_where(where))
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
        """Draw all samples again, and write down the kills and the rows."""
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
    History(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]).play()
