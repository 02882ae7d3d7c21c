"""Lives of one stage, most killed on the way: ``python -m tests.kills.dying FOLDER STAGE SEED [URL]``.

FOLDER holds ``home``, and gets ``deaths.json``. A life ends by SIGKILL at a step drawn at random: a call that
a module of the stage makes or gets, in any thread. After each death `Stage.look` looks at what
is there; in the end the stage is carried out undisturbed.
"""

import gzip
import hashlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from tests.kills.run import fork

from django.core.management import call_command  # isort: skip
from django.utils import timezone  # isort: skip

from annotations.data import files
from annotations.models import Corpus
from kbpo import pipeline
from kbpo.accounts.models import Membership, Team, User
from kbpo.core.commands import prepare_database
from kbpo.core.storage.folder import path_of
from kbpo.webhooks import announcing, managing
from kbpo.webhooks.events import EVENTS
from kbpo.webhooks.models import Delivery
from tests.kills import writing
from tests.kills.stage import Stage
from tests.world import World

DEATHS = 40
TAG, DOCUMENTS = "small", 30
TEAMS = ("Alpha", "Beta", "Gamma")


class Steps:
    """Counts the steps of a life, and ends it at one of them; 0: at none."""

    def __init__(self, modules: tuple[str, ...], last: int) -> None:
        self.modules, self.last, self.count = modules, last, 0

    def __call__(self, frame: FrameType, _event: str, _argument: object) -> None:
        if frame.f_code.co_filename.endswith(self.modules):
            self.count += 1
            if self.count == self.last:
                os.kill(os.getpid(), signal.SIGKILL)


def live(stage: Stage, last: int, counted: Path) -> None:
    """Carry the stage out as far as a step; write down how many there were."""
    steps = Steps(stage.modules, last)
    threading.setprofile(steps)
    sys.setprofile(steps)
    stage.act()
    sys.setprofile(None)
    counted.write_text(str(steps.count))


def main(folder: Path, stage: Stage, seed: int) -> None:
    """Play all lives; each is a process of its own, and this one never speaks to the database."""
    rng, counted = Random(seed), folder / "steps"
    done(stage.begin)
    done(stage.again)
    done(lambda: live(stage, 0, counted))
    steps, deaths = int(counted.read_text()), 0
    while deaths < DEATHS:
        done(stage.again)
        last = rng.randint(1, steps)
        status = ended(lambda: live(stage, last, counted))  # noqa: B023  (it is over before the next)
        assert status in (0, -signal.SIGKILL), status
        deaths += status != 0
        done(stage.look)
    done(stage.again)
    done(lambda: through(stage))
    done(lambda: (folder / "deaths.json").write_text(json.dumps([deaths, steps, stage.report()])) > 0)


def through(stage: Stage) -> bool:
    """Carry the stage out, undisturbed; for a moment it may wait for the lock of who was killed last."""
    for _ in range(200):
        if stage.act():
            while stage.act():  # what is sent at a time is bounded
                pass
            return True
        time.sleep(0.05)
    return False


def done(act: Callable[[], object]) -> None:
    """Do something in a process that nobody kills."""
    assert ended(act) == 0


def ended(act: Callable[[], object]) -> int:
    """Do something in a process of its own; return how it ended."""
    return os.waitstatus_to_exitcode(os.waitpid(fork(act), 0)[1])


def load_corpus(folder: Path) -> None:
    """Load a corpus whose texts may be downloaded."""
    prepare_database()
    path = World(DOCUMENTS).write_corpus(folder / "corpus.jsonl")
    call_command("load_corpus", str(path), "--corpus", TAG, "--licence", "CC0", verbosity=0)


def forget_whole_files() -> None:
    """Have the files made again where they were made; what a killed life left behind stays."""
    corpus = Corpus.objects.get()
    if files.current(corpus):
        files.forget(corpus)


def look_at_files() -> None:
    """Whatever has a file's name is whole; what the row names is what is there."""
    corpus = Corpus.objects.get()
    for path in _kept():
        assert gzip.decompress(path.read_bytes()).endswith(b"}\n"), path
    made = files.current(corpus)
    if made is not None:
        assert _digest(path_of(files.place_of(made, files.TEXTS))) == made.texts_digest
        assert _digest(path_of(files.place_of(made, files.IDS))) == made.ids_digest


def report_files() -> Any:
    """Return what is in the folder, once what killed lives left behind is removed as it is after a day."""
    left = files.remove_unfinished(now=timezone.now() + timedelta(days=2))
    made = files.current(Corpus.objects.get())
    assert made is not None
    there = {path.name: _digest(path) for path in _folder().iterdir()}
    return {"left": left, "there": there, "row": [made.texts_digest, made.ids_digest]}


def add_webhooks(url: str) -> None:
    """Have three teams, each told at an address of its own."""
    prepare_database()
    for name in TEAMS:
        user, team = User.objects.create_user(f"{name}@example.org"), Team.objects.create(name=name)
        Membership.objects.create(user=user, team=team)
        managing.add(user=user, team=team, url=f"{url}/{name}", events=list(EVENTS))


def announce() -> None:
    """Write two messages to each team; leases of who was killed are over."""
    for team in Team.objects.all():
        for _ in range(2):
            announcing.announce("submission.read", team=team, data={"team": team.name})
    Delivery.objects.filter(delivered_at=None).update(due_at=timezone.now() - timedelta(seconds=1))


def report_deliveries() -> Any:
    """Return what was to be sent, and what is known of it."""
    rows = Delivery.objects.select_related("webhook").order_by("pk")
    return [
        [row.message_id, row.webhook.url, row.body, row.delivered_at is not None, row.attempts]
        for row in rows
    ]


def _folder() -> Path:
    return path_of(files.FOLDER)


def _kept() -> list[Path]:
    return list(_folder().glob("[!.]*")) if _folder().exists() else []


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def stages(folder: Path, url: str) -> dict[str, Stage]:
    """Return the stages by name."""
    return {
        "make_corpus_files": Stage(
            pipeline.make_corpus_files,
            ("annotations/data/files.py",),
            lambda: load_corpus(folder),
            forget_whole_files,
            look_at_files,
            report_files,
        ),
        "send_webhooks": Stage(
            pipeline.send_webhooks,
            ("kbpo/webhooks/delivering.py", "kbpo/webhooks/posting.py", "kbpo/webhooks/signing.py"),
            lambda: add_webhooks(url),
            announce,
            lambda: None,
            report_deliveries,
        ),
        **writing.stages(folder),
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]), stages(Path(sys.argv[1]), sys.argv[4])[sys.argv[2]], int(sys.argv[3]))
