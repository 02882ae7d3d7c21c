"""Everything at once: visitors' pages, workers' answers and large uploads, by how many systems there are.

The site runs as ``make demo`` runs it. Two hundred visitors ask for 20 pages a second that they have not, and
200 that they have, whether these changed; fifty workers send 10 answers a second; five files of 100,000
claims are handed in meanwhile, read and sampled. Pages are timed from when they were to be asked for, so that
what waits is not left out. All of it, the load too, runs on the same cores.

``python -m benchmarks.rush FOLDER [--seconds S] [--systems N …] [--claims N] [--share X]`` runs it with
other sizes, or with a share of the visitors and workers.
"""

import argparse
import http.client
import json
import os
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import crowd_load, kb, rush_world
from benchmarks.crowd import _quantile
from benchmarks.reading import BLUE, RED, _processor
from benchmarks.site import Meter, Site, prepared, serving
from kbpo_client import Client
from kbpo_client.errors import ClientError

SYSTEMS, QUICK_SYSTEMS = (10, 30, 100, 300, 1000), (10,)
SECONDS, QUICK_SECONDS = 300.0, 20.0
UPLOADS, CLAIMS, QUICK_CLAIMS = 5, 100_000, 2_000
VISITORS, UNCACHED, CACHED = 200, 20.0, 200.0  # all of them together, a second
WORKERS = 50  # who answer once in five seconds
QUESTIONS = 3000  # at most; each has three places
THREADS = 50  # that play the visitors
PORT = 18_753
SETTLING = 600.0  # seconds for what was handed in to be sampled
LOOK = 5.0  # seconds between two looks at the memory
GOALS = {"errors": 0, "pages p95, ms": 300.0, "answers p99, ms": 500.0}
KNOWN = "/corpora/board/"  # what visitors have, and ask for again


def pages() -> Iterator[str]:
    """Yield addresses, as those who look around ask for them, each seldom twice."""
    rng = random.Random(0)
    while True:
        yield from (
            f"/corpora/board/?page={rng.randint(1, 40)}",
            "/",
            f"/corpora/board/?q=team+{rng.randint(1, 250)}",
            f"/corpora/uploads/documents/?page={rng.randint(1, 40)}",
            f"/corpora/uploads/documents/DOC_{rng.randint(0, 50):07}/",
            f"/corpora/board/?sort=-recall&page={rng.randint(1, 40)}",
            "/leaderboard/",
            "/help/",
        )


@dataclass
class Seen:
    """What visitors saw: by whether they had the page, (seconds, status) of each that they asked for."""

    of: dict[str, list[tuple[float, int]]] = field(default_factory=lambda: {"uncached": [], "cached": []})
    lock: threading.Lock = field(default_factory=threading.Lock)


def run(out: Path, *, quick: bool = False) -> None:
    """Measure at every size; write ``rush.json`` and ``rush.svg``."""
    systems: Sequence[int] = SYSTEMS
    seconds, claims = SECONDS, CLAIMS
    if quick:
        systems, seconds, claims = QUICK_SYSTEMS, QUICK_SECONDS, QUICK_CLAIMS
    measure(out, systems=systems, seconds=seconds, claims=claims)


def measure(out: Path, *, systems: Sequence[int], seconds: float, claims: int, share: float = 1.0) -> None:
    """Measure at each number of systems, for so many seconds, with a share of the visitors and workers."""
    circumstances = {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "seconds": seconds,
        "claims of an upload": claims,
        "share of visitors and workers": share,
    }
    rows = []
    for number in systems:
        with tempfile.TemporaryDirectory(prefix="kbpo-bench-") as folder:
            rows.append(_rush(Path(folder), number, seconds, claims, share))
        print(f"  {json.dumps(rows[-1])}", flush=True)
        report = {"circumstances": circumstances, "goals": GOALS, "runs": rows}
        (out / "rush.json").write_text(json.dumps(report, indent=1) + "\n")
    _plot(rows, circumstances, out / "rush.svg")


def _rush(folder: Path, systems: int, seconds: float, claims: int, share: float) -> dict[str, Any]:
    files = _files(folder, claims)
    with prepared(folder / "home", PORT) as site:
        site.environ["TRUSTED_PROXIES"] = "127.0.0.1"  # each visitor has an address
        site.environ.update(json.loads(site.run("-m", "benchmarks.crowd_world", "keys")))
        corpus = str(folder / f"{claims}.jsonl")
        token = json.loads(site.run("-m", "benchmarks.rush_world", "fill", str(systems), corpus))["token"]
        with serving(site), Meter(site) as meter:
            workers = round(share * WORKERS)
            asked = str(min(QUESTIONS, int(seconds * 5 * share) + 200))
            crowd = json.loads(site.run("-m", "benchmarks.crowd_world", "fill", asked, str(workers)))
            load, cpu, began = os.getloadavg()[0], meter.seconds(), time.monotonic()
            seen, uploads = Seen(), dict[str, Any]()
            memory: list[dict[str, float]] = []
            with _beside(
                (_visit, seen, seconds, share),
                (_look, site, memory, seconds),
                (_hand_in, token, files, uploads, seconds),
            ):
                outcome = crowd_load.run(
                    crowd["workers"],
                    site=("127.0.0.1", PORT),
                    group=crowd["group"],
                    seconds=seconds,
                    seed=systems,
                )
            taken, lasted = meter.seconds(), time.monotonic() - began
            settled = _settled(site)
            state = json.loads(site.run("-m", "benchmarks.crowd_world", "state"))
    return {
        "systems": systems,
        "load_before": round(load, 1),
        "lasted, s": round(lasted, 1),
        **{name: _summary(asked) for name, asked in seen.of.items()},
        "answers": {
            "number": outcome.acknowledged,
            "a second": round(outcome.acknowledged / seconds, 1),
            "median_ms": round(1000 * _quantile(outcome.seconds["answer"], 0.5), 1),
            "p99_ms": round(1000 * _quantile(outcome.seconds["answer"], 0.99), 1),
            "lost": outcome.acknowledged - state["stored"],
            "failures": len(outcome.failures),
            "first failures": outcome.failures[:3],
        },
        "uploads": {"seconds": uploads, "states": settled},
        "memory_MB": _flatness(memory),
        "cpu_share": {name: round((taken[name] - cpu[name]) / lasted, 2) for name in cpu},
    }


def _files(folder: Path, claims: int) -> list[Path]:
    """Write files of the same documents, in which other systems say the same with other confidence."""
    first = kb.write_claims(folder, claims).kb
    rng, made = random.Random(1), []
    rows = [json.loads(line) for line in first.open()]
    for number in range(UPLOADS):
        made.append(folder / f"upload-{number}.kb.jsonl")
        with made[-1].open("w") as file:
            for row in rows:
                file.write(json.dumps({**row, "confidence": round(rng.uniform(0.05, 1), 4)}) + "\n")
    return made


@contextmanager
def _beside(*works: tuple[Any, ...]) -> Iterator[None]:
    threads = [threading.Thread(target=act, args=given, daemon=True) for act, *given in works]
    for one in threads:
        one.start()
    yield
    for one in threads:
        one.join()


def _visit(seen: Seen, seconds: float, share: float) -> None:
    """Have visitors ask at moments that were set before, whatever they still wait for."""
    begin, address = time.monotonic() + 1.0, pages()
    plans: list[list[tuple[float, str, str, int]]] = [[] for _ in range(THREADS)]
    rng = random.Random(2)
    for kind, rate in (("uncached", share * UNCACHED), ("cached", share * CACHED)):
        for number in range(int(rate * seconds)):
            where = KNOWN if kind == "cached" else next(address)
            visitor = rng.randrange(VISITORS)
            plans[visitor % THREADS].append((begin + number / rate, kind, where, visitor))
    threads = [threading.Thread(target=_follow, args=(sorted(plan), seen)) for plan in plans]
    for one in threads:
        one.start()
    for one in threads:
        one.join()


def _follow(plan: list[tuple[float, str, str, int]], seen: Seen) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
    etag = ""
    for due, kind, where, visitor in plan:
        if (pause := due - time.monotonic()) > 0:
            time.sleep(pause)
        headers = {"X-Forwarded-For": f"10.9.{visitor // 250}.{visitor % 250 + 1}"}
        if kind == "cached" and etag:
            headers["If-None-Match"] = etag
        try:
            connection.request("GET", where, headers=headers)
            response = connection.getresponse()
            response.read()
            status = response.status
            if where == KNOWN:
                etag = response.getheader("ETag") or ""
        except (OSError, http.client.HTTPException):
            connection.close()
            status = 0
        with seen.lock:
            seen.of[kind].append((time.monotonic() - due, status))
    connection.close()


def _hand_in(token: str, files: list[Path], uploads: dict[str, Any], seconds: float) -> None:
    """Hand in the files, one after the other, at moments spread over the time."""
    begin = time.monotonic()
    with Client(f"http://127.0.0.1:{PORT}", token) as client:
        for number, path in enumerate(files):
            time.sleep(max(0.0, begin + number * seconds / len(files) - time.monotonic()))
            started = time.monotonic()
            try:
                client.submit(
                    path, corpus=rush_world.CORPUS, team=rush_world.TEAM, name=path.name, go_ahead=True
                )
                uploads[path.name] = round(time.monotonic() - started, 1)
            except ClientError as error:
                uploads[path.name] = str(error)


def _settled(site: Site) -> dict[str, int]:
    """Wait until what was handed in is sampled; count the states."""
    deadline = time.monotonic() + SETTLING
    while True:
        states = Counter(json.loads(site.run("-m", "benchmarks.rush_world", "state")).values())
        if not {"uploaded", "accepted"} & states.keys() or time.monotonic() > deadline:
            return dict(states)
        time.sleep(2)


def _look(site: Site, memory: list[dict[str, float]], seconds: float) -> None:
    """Note what the site's processes hold, each page of memory shared out among those who have it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(LOOK)
        held = dict.fromkeys(site.processes, 0.0)
        by_session = {pid: name for name, pid in site.processes.items()}
        for path in Path("/proc").glob("[0-9]*"):
            try:
                fields = (path / "stat").read_text().rpartition(")")[2].split()
                name = by_session.get(int(fields[3])) or by_session.get(int(fields[1]))
                if name is None:
                    continue
                rolled = (path / "smaps_rollup").read_text().splitlines()
            except OSError:  # it has ended
                continue
            held[name] += next(int(line.split()[1]) for line in rolled if line.startswith("Pss:")) / 1000
        memory.append(held)


def _flatness(memory: list[dict[str, float]]) -> dict[str, dict[str, int]]:
    """Return of each part what it held in the first third, in the last, and at most, in megabytes."""
    third = max(1, len(memory) // 3)
    return {
        name: {
            "first third": round(sum(one[name] for one in memory[:third]) / third),
            "last third": round(sum(one[name] for one in memory[-third:]) / third),
            "most": round(max(one[name] for one in memory)),
        }
        for name in memory[0]
    }


def _summary(asked: list[tuple[float, int]]) -> dict[str, Any]:
    times = [seconds for seconds, _ in asked]
    statuses = Counter(status for _, status in asked)
    return {
        "number": len(asked),
        "median_ms": round(1000 * _quantile(times, 0.5), 1),
        "p95_ms": round(1000 * _quantile(times, 0.95), 1),
        "p99_ms": round(1000 * _quantile(times, 0.99), 1),
        "errors": sum(number for status, number in statuses.items() if status not in (200, 304)),
        "statuses": {str(status): number for status, number in sorted(statuses.items())},
    }


def _plot(rows: list[dict[str, Any]], circumstances: dict[str, Any], path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "rush"
    figure, axes = pyplot.subplots(figsize=(5.5, 3.6), layout="constrained")
    systems = [row["systems"] for row in rows]
    for name, figures, style, colour, goal in (
        ("pages, p95", [row["uncached"]["p95_ms"] for row in rows], "o-", BLUE, "pages p95, ms"),
        ("answers, p99", [row["answers"]["p99_ms"] for row in rows], "s-", RED, "answers p99, ms"),
        ("pages that visitors have, p95", [row["cached"]["p95_ms"] for row in rows], "^-", "grey", ""),
    ):
        axes.loglog(systems, figures, style, color=colour, label=name)
        if goal:
            axes.axhline(GOALS[goal], linestyle=":", color=colour)
    axes.set(xlabel="systems on the board", ylabel="ms (dotted: goals)")
    axes.set_xticks(systems, [str(number) for number in systems])
    axes.minorticks_off()
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(
        f"{circumstances['processor']}, {circumstances['cores']} cores,"
        f" {circumstances['seconds']:.0f} s each, load {rows[0]['load_before']} before",
        fontsize=8,
    )
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rush")
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--systems", type=int, nargs="+", default=SYSTEMS)
    parser.add_argument("--claims", type=int, default=CLAIMS)
    parser.add_argument("--share", type=float, default=1.0, help="of the visitors and workers")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    measure(asked.out, systems=asked.systems, seconds=asked.seconds, claims=asked.claims, share=asked.share)
