"""How long a page of predictions takes, wherever it is in a list of a million, and in how much memory."""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from kbpo.environment import VARIABLES

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = 20_000
LIMITS = (100, 250)  # rows of a page


def run(out: Path, *, quick: bool) -> None:
    """Measure in a process of its own, on a database of its own; write the figures."""
    predictions, every = (20_000, 1) if quick else (1_000_000, 1)
    figures = measure(predictions, every)
    (out / "paging.json").write_text(json.dumps(figures, indent=1) + "\n")
    for one in figures:
        print(
            f"  {one['predictions']:,} predictions in {one['pages']:,} pages of {one['limit']}: a page takes"
            f" {one['median_ms']:.0f} ms, 99 of 100 at most {one['p99_ms']:.0f} ms, the longest"
            f" {one['longest_ms']:.0f} ms, of the processor {one['cpu_ms']:.0f} ms; memory grows by"
            f" {one['grown_mb']:.1f} MB"
        )


def measure(predictions: int, every: int) -> list[dict[str, float]]:
    """Make so many predictions, and page through them; of every so many pages one is measured."""
    with tempfile.TemporaryDirectory(prefix="kbpo-paging-") as home:
        environ = {name: value for name, value in os.environ.items() if name not in VARIABLES}
        command = [sys.executable, "-m", "benchmarks.paging", str(predictions), str(every)]
        found = subprocess.run(  # noqa: S603  # no word of the command is a user's
            command,
            env=environ | {"KBPO_HOME": home},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        )
    figures: list[dict[str, float]] = json.loads(found.stdout.splitlines()[-1])
    return figures


def main(predictions: int, every: int) -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbpo.settings")
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    submission = _fill(predictions)
    print(json.dumps([_page_through(submission, predictions, limit, every) for limit in LIMITS]))


def _fill(predictions: int) -> int:
    """Store a system with so many claims; return its key."""
    from django.db import connection

    from annotations import conflicts
    from annotations.models import Corpus
    from evaluation.models import Submission
    from kbpo.accounts.models import Team

    corpus, team = Corpus.objects.create(tag="paging", name="Paging"), Team.objects.create(name="Paging")
    conflicts.add_competitor(corpus=corpus, team=team)
    submission = Submission.objects.create(
        corpus=corpus,
        team=team,
        name="system",
        format="tac2016",
        state=Submission.State.ACCEPTED,
        go_ahead=True,
    )
    with connection.cursor() as cursor:
        # What refers to what is right as it is written here; checking four million references takes longest.
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(
            "INSERT INTO annotations_document (id, corpus_id, doc_id, title, text, suggestions, digest)"
            " SELECT n, %s, 'd' || n, '', repeat('Ada Quill founded the Quill Press. ', 100), '[]', ''"
            " FROM generate_series(1, %s) AS n",
            [corpus.pk, DOCUMENTS],
        )
        cursor.execute(
            "INSERT INTO evaluation_unit (id, corpus_id) SELECT n, %s FROM generate_series(1, %s) AS n",
            [corpus.pk, predictions],
        )
        cursor.execute(
            "INSERT INTO evaluation_instance (id, document_id, predicate, subject_start, subject_end,"
            " object_start, object_end, subject_name, object_name)"
            " SELECT n, 1 + n %% %s, 'per:organizations_founded', 30 * (n / %s), 30 * (n / %s) + 5,"
            " 30 * (n / %s) + 10, 30 * (n / %s) + 15, 0, 0 FROM generate_series(1, %s) AS n",
            [*[DOCUMENTS] * 5, predictions],
        )
        cursor.execute(
            "INSERT INTO evaluation_prediction (submission_id, instance_id, confidence, probability,"
            " subject_type, object_type, subject_entity, object_entity, subject_canonical_start,"
            " subject_canonical_end, object_canonical_start, object_canonical_end, line)"
            " SELECT %s, n, 0.5, 1e-6, 'PER', 'ORG', ':E1', ':E2', 0, 5, 10, 15, n"
            " FROM generate_series(1, %s) AS n",
            [submission.pk, predictions],
        )
        cursor.execute("SET session_replication_role = DEFAULT")
        cursor.execute("ANALYZE")
    return submission.pk


def _page_through(submission: int, predictions: int, limit: int, every: int) -> dict[str, float]:
    from django.test import Client

    from kbpo.api.paging import write_cursor

    client = Client(HTTP_HOST="localhost")
    first = f"/api/v1/submissions/{submission}/predictions/?limit={limit}"
    client.get(first)
    before, rows, number = _memory(), 0, 0
    times, cpu = [], time.process_time()
    address: str | None = first
    while address:
        started = time.perf_counter()
        answer = client.get(address, REMOTE_ADDR=f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
        times.append(time.perf_counter() - started)
        assert answer.status_code == 200, answer.content
        page = answer.json()
        rows += len(page["results"])
        number += every
        address = page["next"]
        if every > 1 and address:
            last = min(number * limit, predictions)
            address = f"{first}&cursor={write_cursor(last)}" if last < predictions else None
    assert every > 1 or rows == predictions
    return {
        "predictions": predictions,
        "limit": limit,
        "pages": len(times),
        "median_ms": 1000 * statistics.median(times),
        "p99_ms": 1000 * sorted(times)[int(0.99 * (len(times) - 1))],
        "longest_ms": 1000 * max(times),
        "cpu_ms": 1000 * (time.process_time() - cpu) / len(times),
        "grown_mb": _memory() - before,
    }


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
