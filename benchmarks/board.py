"""How long the page of a leaderboard takes with a thousand systems, and how many a second are cached; and
those of what is kept of it: a snapshot of all, and the history of a system that each arrival changed.

Pages are made in one process, by Django's test client, with the Postgres process that serves it: the seconds
of the processor say what a page costs on a machine that does other things too. Then gunicorn serves the site,
and visitors who have the page ask again whether it changed.
"""

import http.client
import json
import os
import platform
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.site import prepared, serving
from demo import serve
from kbpo.environment import VARIABLES

ROOT = Path(__file__).resolve().parent.parent
SYSTEMS, TEAMS, QUICK = 1000, 250, 100
PAGES = {
    "the first page": "",
    "sorted by recall": "?sort=-recall",
    "the tenth page": "?page=10",
    "searched": "?q=team+7",
    "one run of each team": "?runs=one",
    "filtered, two columns": "?labels=300&show=f1&show=labels",
}
KEPT = {
    "snapshots": "/corpora/board/snapshots/",
    "a snapshot": "/corpora/board/snapshots/1/",
    "a snapshot, JSON": "/corpora/board/snapshots/1.json",
    "a snapshot, CSV": "/corpora/board/snapshots/1.csv",
    "a snapshot, API": "/api/v1/corpora/board/snapshots/1/",
    "a system": "/submissions/{0}/",
    "its history, JSON": "/submissions/{0}/history.json",
    "its history, CSV": "/submissions/{0}/history.csv",
    "its history, API": "/api/v1/submissions/{0}/history/",
    "scores that are cited": "/submissions/{0}/scores/{1}/",
    "its citation, API": "/api/v1/submissions/{0}/citation/",
}
"""Addresses by what is there; {0} is a submission, {1} a computation."""
TIMES = 30
GOAL, CACHED_GOAL = 100.0, 200.0  # ms of a page; cached answers a second
VISITORS, SECONDS = 8, 6.0


def run(out: Path, *, quick: bool = False) -> None:
    """Measure in a process of its own, then with a server; write ``board.json``."""
    report: dict[str, Any] = {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load_before": round(os.getloadavg()[0], 1),
        "goals": {"a page, ms": GOAL, "cached a second": CACHED_GOAL},
    }
    systems = QUICK if quick else SYSTEMS
    with tempfile.TemporaryDirectory(prefix="kbpo-bench-") as home:
        environ = {name: value for name, value in os.environ.items() if name not in VARIABLES}
        found = subprocess.run(  # noqa: S603  # no word of the command is a user's
            [sys.executable, "-m", "benchmarks.board", str(systems)],
            env=environ | {"KBPO_HOME": home},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        )
        report["pages"] = json.loads(found.stdout.splitlines()[-1])
        for name, one in report["pages"].items():
            print(f"  {name}: {one}", flush=True)
        with socket.socket() as taken:
            taken.bind((serve.HOST, 0))
            port = taken.getsockname()[1]
        with prepared(Path(home), port) as site, serving(site, names=("web",)):
            report["cached"] = _cached(port)
    report["load_after"] = round(os.getloadavg()[0], 1)
    (out / "board.json").write_text(json.dumps(report, indent=1) + "\n")
    print(f"  cached: {report['cached']}; load {report['load_before']} to {report['load_after']}")


def main(systems: int) -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbpo.settings")
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    fill(systems)
    from django.db import connection

    from kbpo.core import revalidating
    from kbpo.web_server import post_worker_init

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    usual, revalidating.KEPT = revalidating.KEPT, 0  # each is made each time
    _measure("/corpora/board/")
    post_worker_init(None)  # as in a server
    pages = {name: _measure(f"/corpora/board/{query}") for name, query in PAGES.items()}
    revalidating.KEPT = usual
    pages["the first page, kept"] = _measure("/corpora/board/")
    pages["the first page, unchanged"] = _measure("/corpora/board/", is_known=True)
    submission, computation = keep(systems)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    for name, address in KEPT.items():
        pages[name] = _measure(address.format(submission, computation))
    print(json.dumps(pages))


def fill(systems: int) -> None:
    """Store so many scored systems of KBP, with estimates at every level and of every part."""
    from annotations import conflicts
    from annotations.models import Corpus
    from evaluation.models import Epoch, Estimate, SampleBatch, Score, Submission
    from kbpo.accounts.models import Team

    corpus = Corpus.objects.create(tag="board", name="Board")
    teams = Team.objects.bulk_create(Team(name=f"Team {n}") for n in range(min(TEAMS, systems)))
    for team in teams:
        conflicts.add_competitor(corpus=corpus, team=team)
    epoch = Epoch.objects.create(
        corpus=corpus,
        number=1,
        secret="00" * 32,
        commitment=sha256(bytes(32)).hexdigest(),
        key_version="v1",
        weighting="instance",
        growth=Epoch.Growth.QUADRATIC,
        scores_due=False,  # they are stored below, of no sample
    )
    now = datetime.now(UTC)
    submissions = Submission.objects.bulk_create(
        Submission(
            corpus=corpus,
            team=teams[n % len(teams)],
            name=f"system-{n} with a name of some words",
            format="jsonl",
            state=Submission.State.SCORED,
            go_ahead=True,
            quota_taken_at=now,
            is_baseline=n % 50 == 0,
        )
        for n in range(systems)
    )
    batches = SampleBatch.objects.bulk_create(
        SampleBatch(epoch=epoch, submission=one, number=n + 1, labelled_at=now, audited_at=now, **BATCH)
        for n, one in enumerate(submissions)
    )
    scores = Score.objects.bulk_create(
        Score(
            submission=one,
            epoch=epoch,
            batch=batches[-1],
            estimator="documents",
            weighting=weighting,
            part=part,
            level=level,
            rank=1 + n // 7,
            matching="near",
            labels=30 + n,
            code_version="benchmark",
        )
        for n, one in enumerate(submissions)
        for part in ("all", "relation")
        for weighting in ("instance", "subject")
        for level in (80, 95)
    )
    Estimate.objects.bulk_create(
        (
            Estimate(score=score, measure=measure, estimate=value, low=value - 0.03, high=value + 0.03)
            for score in scores
            for measure, value in _values(score.labels - 30, systems)
        ),
        batch_size=5000,
    )


def keep(systems: int) -> tuple[int, int]:
    """Take a snapshot, and store that each arrival changed the first system; return it and a computation."""
    from django.utils import timezone

    from annotations.models import Corpus
    from evaluation.models import Computation, Epoch, ScoreChange, Submission
    from evaluation.registry import task_of
    from evaluation.scoring.published import freezing

    corpus, now = Corpus.objects.get(), timezone.now()
    freezing.freeze(corpus=corpus, task=task_of(corpus), now=now)
    columns = [
        [part, "instance", "documents", "votes", 95, measure]
        for part in ("all", "relation", "linking")
        for measure in ("precision", "recall", "f1")
    ]
    made = Computation.objects.bulk_create(
        Computation(
            corpus=corpus,
            number=number,
            epoch=Epoch.objects.get(),
            at=now - timedelta(hours=systems - number),
            code_version="benchmark",
            systems=number,
            labels=40 * number,
            audits=4 * number,
            columns=columns,
        )
        for number in range(1, systems + 1)
    )
    first = Submission.objects.earliest("pk")
    ScoreChange.objects.bulk_create(
        ScoreChange(
            submission=first,
            computation=one,
            is_public=True,
            labels=40 + one.number,
            figures=[500 + one.number % 9, 450, 550] * len(columns),
        )
        for one in made
    )
    return first.pk, systems // 2


#: What a batch of a design by coordinated samples has.
BATCH: dict[str, Any] = {"lam": 0.5, "floor": 0.1, "target_variance": 5e-4, "weights_version": "names v1"}


def _values(n: int, systems: int) -> list[tuple[str, float]]:
    precision, recall = 0.9 - 0.6 * n / systems, 0.1 + 0.5 * ((n * 7919) % systems) / systems
    return [
        ("precision", precision),
        ("recall", recall),
        ("f1", 2 * precision * recall / (precision + recall)),
    ]


def _measure(address: str, *, is_known: bool = False) -> dict[str, Any]:
    """Ask for a page some times, as somebody who is not signed in, and has not seen it or has it."""
    from django.db import connection
    from django.test import Client

    from benchmarks.pool import now
    from benchmarks.processor import loop_ms

    client = Client(HTTP_HOST="localhost")
    queries = []

    def note(execute: Any, sql: str, *arguments: Any) -> Any:
        queries.append(sql)
        return execute(sql, *arguments)

    answer = client.get(address)  # whatever is read once in a process
    with connection.execute_wrapper(note):
        answer = client.get(address)
        size = len(b"".join(answer))
    assert answer.status_code == 200, answer
    known: dict[str, Any] = {"HTTP_IF_NONE_MATCH": answer["ETag"]} if is_known else {}
    times, cpu, postgres = [], time.process_time(), now()[2]
    for turn in range(TIMES):
        started = time.perf_counter()
        answer = client.get(address, REMOTE_ADDR=f"10.0.0.{turn}", **known)
        b"".join(answer)
        times.append(1000 * (time.perf_counter() - started))
    return {
        "status": answer.status_code,
        "median_ms": round(statistics.median(times), 1),
        "p90_ms": round(sorted(times)[int(0.9 * TIMES)], 1),
        "cpu_ms": round(1000 * (time.process_time() - cpu) / TIMES, 1),
        "postgres_cpu_ms": round(1000 * (now()[2] - postgres) / TIMES, 1),
        "queries": 0 if is_known else len(queries),  # but for one that the ETag takes
        "kB": 0.0 if is_known else round(size / 1000, 1),
        "loop_ms": loop_ms(),
    }


def _cached(port: int) -> dict[str, Any]:
    """Have visitors who know the page ask whether it changed, each on a connection that stays open."""
    whole, etag, _ = _ask(http.client.HTTPConnection(serve.HOST, port, timeout=60), None)
    asked: list[tuple[int, float]] = []
    over = threading.Event()

    def visit() -> None:
        connection, known = http.client.HTTPConnection(serve.HOST, port, timeout=60), etag
        while not over.is_set():
            status, known, seconds = _ask(connection, known)
            asked.append((status, seconds))

    _together(visit, over)
    unchanged = sum(status == 304 for status, _ in asked)
    return {
        "first": whole,
        "requests/s": round(len(asked) / SECONDS, 1),
        "of these unchanged": round(unchanged / len(asked), 3),
        "median_ms": round(1000 * statistics.median(seconds for _, seconds in asked), 1),
        "visitors": VISITORS,
    }


def _together(visit: Callable[[], None], over: threading.Event) -> None:
    visitors = [threading.Thread(target=visit) for _ in range(VISITORS)]
    for one in visitors:
        one.start()
    time.sleep(SECONDS)
    over.set()
    for one in visitors:
        one.join()


def _ask(connection: http.client.HTTPConnection, etag: str | None) -> tuple[int, str | None, float]:
    started = time.monotonic()
    connection.request("GET", "/corpora/board/", headers={"If-None-Match": etag} if etag else {})
    response = connection.getresponse()
    response.read()
    return response.status, response.getheader("ETag"), time.monotonic() - started


if __name__ == "__main__":
    main(int(sys.argv[1]))
