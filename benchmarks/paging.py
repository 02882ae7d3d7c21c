"""How long a page of predictions takes, wherever it is in a list of a million, and in how much memory."""

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kbpo.environment import VARIABLES

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = 20_000
LIMITS = (100, 250)  # rows of a page
PARTS = 100  # of the list, each with its median
GOAL = 100.0  # ms for a page
COLOURS = ("#0072B2", "#D55E00")


def run(out: Path, *, quick: bool) -> None:
    """Measure in a process of its own, on a database of its own; write the figures."""
    circumstances = {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load_before": round(os.getloadavg()[0], 1),
    }
    figures = measure(20_000 if quick else 1_000_000, 1)
    circumstances["load_after"] = round(os.getloadavg()[0], 1)
    report = {"circumstances": circumstances, "goal for a page, ms": GOAL, "lists": figures}
    (out / "paging.json").write_text(json.dumps(report, indent=1) + "\n")
    _plot(figures, circumstances, out / "paging.svg")
    for one in figures:
        print(
            f"  {one['predictions']:,} predictions in {one['pages']:,} pages of {one['limit']}: a page takes"
            f" {one['median_ms']:.0f} ms, 99 of 100 at most {one['p99_ms']:.0f} ms, the longest"
            f" {one['longest_ms']:.0f} ms; of the processor {one['cpu_ms']:.0f} ms, at most"
            f" {one['longest_cpu_ms']:.0f} ms, and {one['postgres_cpu_ms']:.0f} ms in Postgres;"
            f" memory grows by {one['grown_mb']:.1f} MB"
        )


def measure(predictions: int, every: int) -> list[dict[str, Any]]:
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
    figures: list[dict[str, Any]] = json.loads(found.stdout.splitlines()[-1])
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


def _page_through(submission: int, predictions: int, limit: int, every: int) -> dict[str, Any]:
    from django.test import Client

    from kbpo.api.paging import write_cursor

    client = Client(HTTP_HOST="localhost")
    first = f"/api/v1/submissions/{submission}/predictions/?limit={limit}"
    client.get(first)
    before, rows, number = _memory(), 0, 0
    times, cpus, postgres = [], [], _postgres_seconds()
    address: str | None = first
    while address:
        started, cpu = time.perf_counter(), time.process_time()
        answer = client.get(address, REMOTE_ADDR=f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
        times.append(time.perf_counter() - started)
        cpus.append(time.process_time() - cpu)
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
        # of the processor, which says what a page costs on a machine that does other things too
        "cpu_ms": 1000 * statistics.mean(cpus),
        "cpu_p99_ms": 1000 * sorted(cpus)[int(0.99 * (len(cpus) - 1))],
        "longest_cpu_ms": 1000 * max(cpus),
        "postgres_cpu_ms": 1000 * (_postgres_seconds() - postgres) / len(times),
        "over_goal": sum(1000 * one > GOAL for one in times),
        "grown_mb": _memory() - before,
        "along_cpu_ms": [round(1000 * statistics.median(part), 1) for part in _parts(cpus)],
    }


def _postgres_seconds() -> float:
    """Return the processor's seconds of the Postgres process that serves this one."""
    from benchmarks.pool import now

    return now()[2]


def _parts(times: list[float]) -> list[list[float]]:
    """Divide the times of pages, in their order, into at most so many parts."""
    step = max(1, len(times) // PARTS)
    return [times[first : first + step] for first in range(0, len(times), step)]


def _plot(figures: list[dict[str, Any]], circumstances: dict[str, Any], path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "paging"
    figure, axes = pyplot.subplots(figsize=(7, 3.2), layout="constrained")
    for one, colour in zip(figures, COLOURS, strict=True):
        along = one["along_cpu_ms"]
        place = [one["predictions"] * (part + 0.5) / len(along) for part in range(len(along))]
        axes.plot(place, along, ".-", color=colour, label=f"pages of {one['limit']}")
    axes.axhline(GOAL, color="#767676", linewidth=1, linestyle=":")
    axes.annotate("goal", (0, GOAL), (2, -11), textcoords="offset points", color="#595959")
    axes.set(xlabel="predictions before the page", ylabel="ms of the processor", ylim=(0, None))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(
        f"{circumstances['cores']} cores, load {circumstances['load_before']}–{circumstances['load_after']}",
        fontsize=9,
    )
    figure.savefig(path, metadata={"Date": None})


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
