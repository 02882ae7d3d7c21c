"""How long pages take on a site of a hundred systems of 20,000 claims each, and how many queries.

The site is made once and stays in ``$KBPO_HOME/benchmarks/large``: `benchmarks.large_world` makes it, in some
minutes. Pages are made in one process by Django's test client, with the Postgres process that serves it:
the seconds of the processor say what a page costs on a machine that does other things too.

A small site of the same kind is asked first: at both sizes no page may ask more queries than
`benchmarks.budgets` says, and at the full size none may take longer by the median.
"""

import itertools
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import budgets
from kbpo.environment import VARIABLES

ROOT = Path(__file__).resolve().parent.parent
SIZE, QUICK = (100, 20_000), (40, 2_000)  # systems, and claims of each
TIMES, LONG = 15, 1.0  # times that a page is asked for; but thrice if it takes so many seconds
VISITOR, MEMBER, OPERATOR = "visitor", "member", "operator"


def run(out: Path, *, quick: bool = False) -> list[str]:
    """Make both sites if they are not there, measure their pages, and write ``large.json``.

    Returns
    -------
    list of str
        What is over its budget: a line each. A quick run makes the small site alone.
    """
    small, over = _measured(out / "large-quick", QUICK, times=False)
    report = small
    if not quick:
        report, more = _measured(out / "large", SIZE, times=True)
        report["queries with 40 systems"] = {name: one["queries"] for name, one in small["pages"].items()}
        over += more
    report["over"] = over
    (out / "large.json").write_text(json.dumps(report, indent=1) + "\n")
    for line in over:
        print(f"  OVER: {line}", flush=True)
    return over


def _measured(home: Path, size: tuple[int, int], *, times: bool) -> tuple[dict[str, Any], list[str]]:
    home = home.absolute()
    report: dict[str, Any] = {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "goal, ms": budgets.MEDIAN_MS,
        "load_before": round(os.getloadavg()[0], 1),
    }
    made = home / "made.json"
    if not made.exists():
        shutil.rmtree(home, ignore_errors=True)
        took = _apart(home, "make", *map(str, size))
        made.write_text(json.dumps(took))
    report["making it, s"] = json.loads(made.read_text())
    report |= _apart(home, "measure")
    report["load_after"] = round(os.getloadavg()[0], 1)
    return report, [f"{size[0]} systems: {line}" for line in budgets.over(report["pages"], times=times)]


def _apart(home: Path, *arguments: str) -> dict[str, Any]:
    """Act in a process of its own, on a home of its own; return what it says in its last line."""
    environ = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    last = ""
    with subprocess.Popen(  # noqa: S603  # no word of the command is a user's
        [sys.executable, "-m", "benchmarks.large", *arguments],
        env=environ | {"KBPO_HOME": str(home)},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            last = line
            if not line.startswith("{"):
                print(line, end="", flush=True)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, arguments)
    found: dict[str, Any] = json.loads(last)
    return found


def main(arguments: list[str]) -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbpo.settings")
    django.setup()
    action, *rest = arguments
    if action == "measure":
        print(json.dumps(measure(rest)))
        return
    from django.core.management import call_command

    from benchmarks import large_world

    call_command("migrate", verbosity=0)
    print(json.dumps(large_world.make(*map(int, rest))))


def measure(wanted: list[str]) -> dict[str, Any]:
    """Ask for every page; return what each took, and how much there is."""
    from django.db import connection
    from django.test import Client

    from benchmarks import large_world
    from benchmarks.processor import loop_ms
    from kbpo.accounts.models import User

    clients = {VISITOR: Client(HTTP_HOST="localhost")}
    for who, email in ((MEMBER, large_world.MEMBER), (OPERATOR, large_world.OPERATOR)):
        clients[who] = Client(HTTP_HOST="localhost")
        clients[who].force_login(User.objects.get(email=email))
    turns = itertools.count(1)
    pages = {}
    for who, name, address in addresses():
        if wanted and not any(one in f"{who}: {name}" for one in wanted):
            continue
        found = pages[f"{who}: {name}"] = ask(clients[who], address, turns) | {"loop_ms": loop_ms()}
        print(f"  {who}: {name}: {found}", flush=True)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, reltuples::bigint FROM pg_class WHERE relkind = 'r' AND reltuples > 10000"
            " ORDER BY reltuples DESC"
        )
        rows = dict(cursor.fetchall())
    return {"rows, about": rows, "pages": pages}


def addresses() -> Iterator[tuple[str, str, str]]:
    """Yield who asks, what for, and where: every page that grows with data."""
    from annotations.models import AnnotatedMention
    from benchmarks.large_world import TAG
    from evaluation.models import Entity, EntityRelation, Epoch, Prediction, Submission
    from kbpo.api.paging import write_cursor

    base, api = f"/corpora/{TAG}/", f"/api/v1/corpora/{TAG}/"
    scored = Submission.objects.filter(state="scored").order_by("-pk")
    own = scored.filter(team__memberships__user__email="member@example.org").first()
    one, other = scored.order_by("pk")[0], scored.order_by("pk")[scored.count() // 2]
    assert own is not None
    claim = (
        Prediction.objects.filter(submission=other).select_related("instance__document").order_by("line")[0]
    )
    document = claim.instance.document
    marked = (
        AnnotatedMention.objects.select_related("annotation__document").order_by("pk")[0].annotation.document
    )
    released = Epoch.objects.filter(released_at__isnull=False).get()
    for name, query in {
        "": "",
        ", sorted by recall": "?sort=-recall",
        ", page 2": "?page=2",
        ", searched": "?q=team+7",
        ", one run of each team": "?runs=one",
        ", filtered, two columns": "?labels=300&show=f1&show=labels",
    }.items():
        yield VISITOR, f"board{name}", base + query
    yield VISITOR, "first page", "/"
    yield VISITOR, "first page's board", "/leaderboard/"
    for who in (VISITOR, MEMBER, OPERATOR):
        yield who, "documents", f"{base}documents/"
        yield who, "a document", f"{base}documents/{document.doc_id}/"
        yield who, "an annotated document", f"{base}documents/{marked.doc_id}/"
        yield who, "claims of a system", f"{base}systems/{other.pk}/"
        yield who, "a submission", f"/submissions/{other.pk}/"
    for who in (MEMBER, OPERATOR):
        yield who, "board", base
        yield who, "first page", "/"
        yield who, "compare", f"{base}compare/?a={one.pk}&b={other.pk}"
        yield who, "submissions", "/submissions/"
        yield who, "teams", "/teams/"
    yield VISITOR, "choose documents", "/documents/"
    yield VISITOR, "documents, page 200", f"{base}documents/?page=200"
    yield VISITOR, "documents, far beyond the last page", f"{base}documents/?page={10**12}"
    yield VISITOR, "documents, searched", f"{base}documents/?q=mosha"
    yield VISITOR, "documents, searched by a frequent word", f"{base}documents/?q=ka"
    yield VISITOR, "documents, annotated ones", f"{base}documents/?show=marked"
    there = f"{base}documents/{document.doc_id}/"
    yield VISITOR, "a document, one relation", f"{there}?predicate={claim.instance.predicate}"
    yield VISITOR, "a document, one system", f"{there}?system={other.pk}"
    yield VISITOR, "a document, second page of claims", f"{there}?claims=2"
    theirs = f"{base}systems/{other.pk}/"
    yield VISITOR, "claims of a system, page 700", f"{theirs}?page=700"
    yield VISITOR, "claims of a system, one relation", f"{theirs}?predicate={claim.instance.predicate}"
    for verdict in ("right", "wrong", "sealed"):
        yield VISITOR, f"claims of a system, {verdict}", f"{theirs}?verdict={verdict}"
    yield VISITOR, "compare, nothing chosen", f"{base}compare/"
    yield VISITOR, "compare", f"{base}compare/?a={one.pk}&b={other.pk}"
    yield VISITOR, "data", f"{base}data/"
    yield VISITOR, "help", "/help/"
    yield VISITOR, "method", "/method/"
    yield VISITOR, "a team", f"/teams/{own.team_id}/public/"
    yield VISITOR, "labels, their first lines", f"{base}epochs/{released.number}/labels.csv"
    yield VISITOR, "sample, its first lines", f"{base}epochs/{released.number}/sample.jsonl"
    yield MEMBER, "own submission", f"/submissions/{own.pk}/"
    yield MEMBER, "submissions, page 2", "/submissions/?page=2"
    yield OPERATOR, "all submissions", "/submissions/?all"
    yield OPERATOR, "all submissions, page 4", "/submissions/?all&page=4"
    yield MEMBER, "problems", f"/submissions/{own.pk}/problems/"
    yield MEMBER, "problems, last page", f"/submissions/{own.pk}/problems/?page=9999"
    yield MEMBER, "problems as a table, its first lines", f"/submissions/{own.pk}/problems.csv"
    yield MEMBER, "lines", f"/submissions/{own.pk}/lines/?line=500"
    yield MEMBER, "own team", f"/teams/{own.team_id}/"
    yield MEMBER, "new submission", "/submissions/new/"
    yield VISITOR, "check", "/check/"
    if Entity.objects.exists():
        entity = Entity.objects.order_by("-relations")[0]
        relation = EntityRelation.objects.order_by("-sources").select_related("subject")[0]
        of_it = f"{base}entities/{entity.key}/"
        yield VISITOR, "entities", f"{base}entities/"
        yield VISITOR, "entities, page 100", f"{base}entities/?page=100"
        yield VISITOR, "entities, searched", f"{base}entities/?q=ka"
        yield VISITOR, "entities, of a type", f"{base}entities/?type=ORG"
        yield VISITOR, "an entity", of_it
        yield VISITOR, "an entity, page 2 of its relations", f"{of_it}?claims=2"
        yield VISITOR, "a relation", f"{base}entities/{relation.subject.key}/?relation={relation.key}"
    for name, query in {
        "leaderboard": "leaderboard/",
        "documents": "documents/",
        "corpus": "",
        "epochs": "epochs/",
    }.items():
        yield VISITOR, f"API: {name}", api + query
    yield VISITOR, "API: documents, deep", f"{api}documents/?cursor={write_cursor(marked.pk)}"
    yield VISITOR, "API: a document", f"{api}documents/{document.doc_id}/"
    yield VISITOR, "API: compare", f"{api}compare/?a={one.pk}&b={other.pk}"
    yield VISITOR, "API: labels", f"{api}epochs/{released.number}/labels/"
    yield (
        VISITOR,
        "API: labels, deep",
        (f"{api}epochs/{released.number}/labels/?cursor={write_cursor(document.pk, 0)}"),
    )
    yield VISITOR, "API: predictions", f"/api/v1/submissions/{other.pk}/predictions/"
    yield (
        VISITOR,
        "API: predictions, deep",
        (f"/api/v1/submissions/{other.pk}/predictions/?cursor={write_cursor(19_000)}"),
    )
    yield VISITOR, "API: scores", f"/api/v1/submissions/{other.pk}/scores/"
    yield VISITOR, "API: a submission", f"/api/v1/submissions/{other.pk}/"
    yield MEMBER, "API: submissions", "/api/v1/submissions/"
    yield MEMBER, "API: problems", f"/api/v1/submissions/{own.pk}/problems/"
    yield OPERATOR, "desk: a corpus", f"/desk/corpora/{TAG}/"
    for name in (
        *("", "corpora/", "roles/", "stuck/", "questions/", "answers/", "held/", "annotated/", "workers/"),
        *("budgets/", "ledger/", "acts/", "open/"),
    ):
        yield OPERATOR, f"desk: {name or 'first page'}", f"/desk/{name}"


def ask(client: Any, address: str, turns: Iterator[int]) -> dict[str, Any]:
    """Ask for a page some times, each time from elsewhere, so that nobody asks too often."""
    from django.core.cache import cache
    from django.db import connection

    from benchmarks.pool import now

    queries: list[str] = []

    def note(execute: Any, sql: str, *arguments: Any) -> Any:
        queries.append(sql)
        return execute(sql, *arguments)

    def once() -> tuple[int, int, float]:
        turn = next(turns)
        begun = time.perf_counter()
        answer = client.get(address, REMOTE_ADDR=f"10.{turn >> 16}.{turn >> 8 & 255}.{turn & 255}")
        if answer.streaming:
            content = next(iter(answer.streaming_content), b"")
            answer.close()
        else:
            content = answer.content
        return answer.status_code, len(content), time.perf_counter() - begun

    once()  # whatever is read once in a process
    cache.clear()
    cold = once()[2]
    with connection.execute_wrapper(note):
        status, size, seconds = once()
    times, cpu, postgres = [], time.process_time(), now()[2]
    number = 3 if seconds > LONG else TIMES
    for _ in range(number):
        times.append(1000 * once()[2])
    return {
        "status": status,
        "cold_ms": round(1000 * cold, 1),  # the cache is empty
        "median_ms": round(statistics.median(times), 1),
        "worst_ms": round(max(times), 1),
        "cpu_ms": round(1000 * (time.process_time() - cpu) / number, 1),
        "postgres_cpu_ms": round(1000 * (now()[2] - postgres) / number, 1),
        "queries": len(queries),
        "kB": round(size / 1000, 1),
    }


if __name__ == "__main__":
    main(sys.argv[1:])
