"""How long it takes to sample 100,000 claims right after their upload into a fresh database, and later.

The database makes no statistics by itself here: what its plans rest on is what the service has seen to. A
sample is drawn right after the upload and taken back; then everything is analysed, and it is drawn once more.
A second system claims the same as the first. In another fresh database everything is analysed all the time,
as autovacuum may while others load: then it sees tables of many pages without a row.

A separate process makes each: ``python -m research.benchmarks.fresh KB CORPUS [analysed]`` prints a line of
JSON.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Event, Thread
from typing import Any

from research.benchmarks import kb

LINES = 316_000  # of which 100,000 become claims
GOAL = 5.0  # seconds, as of any sample of 100,000 claims


def run(out: Path, *, quick: bool = False) -> None:
    """Measure both databases, or with `quick` a tenth of the claims; write ``fresh.json``."""
    report: dict[str, Any] = {"goal, s": GOAL, "load_before": round(os.getloadavg()[0], 1)}
    with tempfile.TemporaryDirectory(prefix="kbpo-bench-") as folder:
        files = kb.write(Path(folder), LINES // 10 if quick else LINES)
        for name, arguments in (("left alone", []), ("analysed all the time", ["analysed"])):
            report[name] = _measure(Path(folder) / name.replace(" ", "-"), files, arguments)
            for what, value in report[name].items():
                print(f"{name + ', ' + what:>66}: {value:,}", flush=True)
    report["load_after"] = round(os.getloadavg()[0], 1)
    (out / "fresh.json").write_text(json.dumps(report, indent=2) + "\n")


def _measure(home: Path, files: kb.Files, arguments: list[str]) -> dict[str, Any]:
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    result = subprocess.run(  # noqa: S603 (no word of the command is a user's)
        [sys.executable, "-m", "research.benchmarks.fresh", str(files.kb), str(files.corpus), *arguments],
        env={**environment, "KBPO_HOME": str(home)},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return found


def main(kb_path: Path, corpus_path: Path, *, analysed: bool) -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbpo.settings")
    django.setup()

    from django.core.files import File
    from django.core.management import call_command
    from django.db import connection

    from annotations import corpora
    from evaluation.design import epochs
    from evaluation.kbp.task import TASK as KBP
    from evaluation.models import Submission
    from evaluation.submissions import submitting
    from kbpo.accounts.models import Team

    def execute(statement: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(statement)

    call_command("migrate", verbosity=0)
    execute("ALTER SYSTEM SET autovacuum = off")
    execute("SELECT pg_reload_conf()")
    took: dict[str, Any] = {}
    with _analysing() if analysed else nullcontext():
        corpus = corpora.load_corpus(path=corpus_path, tag="benchmark", audit_share=0.0).corpus
        epochs.open_epoch(corpus=corpus, task=KBP)
        for number in ("first", "second"):
            with kb_path.open("rb") as file:
                submission = submitting.upload(
                    task=KBP,
                    user=None,
                    team=Team.objects.create(name=number),
                    corpus=corpus,
                    name="kb",
                    file=File(file),
                    go_ahead=True,
                )
            submitting.read_submission(task=KBP, submission_id=submission.pk)
            submission.refresh_from_db()
            assert submission.state == Submission.State.ACCEPTED, submission.state
            took |= _sample(submission, f"sampling the {number} right after", keep=analysed)
            if not analysed:
                execute("VACUUM ANALYZE")
                took |= _sample(submission, f"sampling the {number} later", keep=True)
        took["claims of each"] = submission.predictions.count()
    print(json.dumps(took))


def _sample(submission: Any, what: str, *, keep: bool) -> dict[str, float]:
    """Say how long it takes to sample a submission; without `keep` it is undone."""
    from django.db import transaction

    from evaluation.design import sampling
    from evaluation.kbp.task import TASK as KBP
    from research.benchmarks import pool

    begun = pool.now()
    with transaction.atomic():
        assert sampling.sample_submission(task=KBP, submission_id=submission.pk)
        clock, python, postgres = (after - before for after, before in zip(pool.now(), begun, strict=True))
        if not keep:
            transaction.set_rollback(True)
    found = {"s": clock, "CPU s": python + postgres, "CPU s of Postgres": postgres}
    return {f"{what}, {unit}": round(value, 2) for unit, value in found.items()}


@contextmanager
def _analysing() -> Iterator[None]:
    """Have every table analysed again and again by another session."""
    from django.db import connection

    over = Event()

    def analyse() -> None:
        with connection.cursor() as cursor:
            while not over.wait(0.2):
                cursor.execute("ANALYZE (SKIP_LOCKED)")
        connection.close()

    thread = Thread(target=analyse)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), analysed="analysed" in sys.argv[3:])
