"""Versions of the service on one database, in which a submission is judged."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.conftest import clean_environment
from tests.processes import wait_until
from tests.world import World

DOCUMENTS = 60
ANSWERS = 40  # that are there before
LONG = 240.0  # seconds; what is waited for takes a few, on a machine that has nothing else to do
COUNTED = """
import json
from annotations.models import Label, Question, Response
from evaluation.models import Submission
print(json.dumps({
    "states": dict(Submission.objects.exclude(team__name="Demo").values_list("name", "state")),
    "responses": sorted(Response.objects.values_list("pk", flat=True)),
    "labels": sorted(Label.objects.values_list("pk", "claim", "value")),
    "questions": Question.objects.count(),
}))
"""


class Code:
    """A version of the service, in a folder, on a home that versions share."""

    def __init__(self, folder: Path, home: Path, **environ: str) -> None:
        self.folder = folder
        self.environ = clean_environment() | {
            "KBPO_HOME": str(home),
            "KBPO_EPOCH_SECRET": "07" * 32,
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONPATH": str(folder / "client"),
            **environ,
        }

    def run(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=self.environ,
            capture_output=True,
            text=True,
            timeout=900,  # migrating all of it takes a minute of the processor
            check=False,
        )
        assert done.returncode == 0, f"{arguments}: {done.stderr[-3000:]}"
        return done.stdout

    def manage(self, *arguments: str) -> str:
        return self.run("manage.py", *arguments)

    def start(self, *arguments: str) -> "subprocess.Popen[bytes]":
        with (Path(self.environ["KBPO_HOME"]) / "running.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, *arguments],
                cwd=self.folder,
                env=self.environ,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def counted(self) -> dict[str, Any]:
        told = self.run("manage.py", "shell", "--no-imports", "-c", COUNTED)
        return dict(json.loads(told.splitlines()[-1]))


def kill(process: "subprocess.Popen[bytes]") -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


WORKER = (
    *("-m", "celery", "--app", "kbpo.core.clock.celery", "worker", "--beat", "--concurrency", "1"),
    *("--schedule", "/dev/null", "--scheduler", "celery.beat:Scheduler", "--loglevel", "INFO"),
)


def judge_in_part(
    older: Code, folder: Path, running: list["subprocess.Popen[bytes]"], *, port: int
) -> dict[str, Any]:
    """Fill a database by older code, and have a submission judged in part; its web goes on at the port."""
    world = World(DOCUMENTS)
    corpus, gold = world.write_corpus(folder / "corpus.jsonl"), world.write_gold(folder / "gold.jsonl")
    file = world.write_kb(folder / "one.kb", world.system(recall=0.7, precision=0.6, seed=1))
    older.manage("migrate", "--verbosity", "0")
    older.manage("load_demo")  # so that each table has rows
    older.manage("load_corpus", str(corpus), "--corpus", "news", "--licence", "CC0")
    older.manage("load_gold", str(gold), "--corpus", "news", "--documents", "9", "--seed", "1")
    older.manage("submit", str(file), "--corpus", "news", "--team", "Alpha", "--name", "one")
    older.manage("advance")
    assert older.counted()["states"]["one"] == "judging"
    answered = len(older.counted()["responses"])
    web = ("-m", "gunicorn", "kbpo.wsgi", "--bind", f"127.0.0.1:{port}", "--threads", "4")
    running += [older.start(*web), older.start(*WORKER)]
    crowd = older.start("manage.py", "shell", "--no-imports", "-c", _SLOWLY.format(gold=gold))
    assert wait_until(lambda: len(older.counted()["responses"]) >= answered + ANSWERS, LONG)
    kill(crowd)
    kill(running.pop())  # the worker, in whatever it is at
    time.sleep(0.5)  # until Postgres has ended what they were at
    before = older.counted()
    assert before["states"]["one"] == "judging"
    return before


#: People who answer some questions at a time.
_SLOWLY = """
import time
from annotations.models import Corpus
from annotations.ontologies import ontology_of
from crowd.simulation import simulated_crowd
simulated_crowd.BATCH = 5
record = simulated_crowd.record_many
def slowly(*, answers):
    time.sleep(1)
    return record(answers=answers)
simulated_crowd.record_many = slowly
corpus = Corpus.objects.get(tag="news")
gold = simulated_crowd.read_gold("{gold}", ontology_of(corpus))
simulated_crowd.simulate(corpus=corpus, gold=gold, workers=30, error=0.1, seed=0)
"""
