"""Everything at once: visitors' pages, workers' answers and large uploads, by how many systems there are.

The site runs as ``make demo`` runs it, with compose's proxy before it for those who only look. Two hundred
visitors ask for 20 pages a second that they have not, and 200 that they have, whether these changed; fifty
workers send 10 answers a second; a file of 100,000 claims is handed in each minute, read and sampled.
Pages are timed from when they were to be asked for, so that what waits is not left out. All of it, the load
too, runs on the same cores. Visitors come a little earlier than what is counted: a site that has just begun
connects to Postgres and compiles its queries.

``python -m benchmarks.rush FOLDER [--seconds S] [--systems N …] [--claims N] [--share X]`` runs it with
other sizes, or with a share of the visitors and workers. To fill takes longer than to measure: with
``--sites WHERE --fill`` the sites are made there and nothing is measured, which ``--sites WHERE`` does then,
once for each that was made. Figures join those of other sizes in the folder that were measured alike.
"""

import argparse
import http.client
import json
import os
import platform
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path
from typing import Any

from benchmarks import crowd_load, kb, nginx, rush_world
from benchmarks.crowd import _quantile
from benchmarks.processor import loop_ms
from benchmarks.reading import BLUE, RED, _processor
from benchmarks.site import Meter, Site, prepared, serving
from kbpo_client import Client
from kbpo_client.errors import ClientError

SYSTEMS, QUICK_SYSTEMS = (10, 30, 100, 300, 1000), (10,)
SECONDS, QUICK_SECONDS = 300.0, 20.0
CLAIMS, QUICK_CLAIMS = 100_000, 2_000
UPLOAD_EVERY = 60.0  # seconds
VISITORS, UNCACHED, CACHED = 200, 20.0, 200.0  # all of them together, a second
WORKERS = 50  # who answer once in five seconds
QUESTIONS = 3000  # at most; each has three places
THREADS = 50  # that play the visitors
WARMING = 10.0  # seconds for which visitors come before anything is counted
PORT, PROXY = 18_753, 18_754
FILLED = "filled.json"  # beside a site that was made: what is to be known of it
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
    if nginx.find() is None:
        print(f"  not measured: {nginx.MISSING}", flush=True)
        return
    systems: Sequence[int] = SYSTEMS
    seconds, claims = SECONDS, CLAIMS
    if quick:
        systems, seconds, claims = QUICK_SYSTEMS, QUICK_SECONDS, QUICK_CLAIMS
    measure(out, systems=systems, seconds=seconds, claims=claims)


def measure(out: Path, *, systems: Sequence[int], seconds: float, claims: int, share: float = 1.0) -> None:
    """Measure at each number of systems, for so many seconds, with a share of the visitors and workers."""
    for number in systems:
        with tempfile.TemporaryDirectory(prefix="kbpo-bench-") as where:
            fill(Path(where), number, seconds, claims, share)
            measure_filled(Path(where), out)


def fill(where: Path, systems: int, seconds: float, claims: int, share: float) -> None:
    """Make a site in a folder, to be measured once: a board, HITs, and the files that are handed in."""
    files = _files(where, claims, max(1, round(seconds / UPLOAD_EVERY)))
    corpus = str(where / f"{claims}.jsonl")
    workers, questions = round(share * WORKERS), min(QUESTIONS, int(seconds * 5 * share) + 200)
    with prepared(where / "home", PORT) as site:
        keys = json.loads(site.run("-m", "benchmarks.crowd_world", "keys"))
        site.environ.update(keys)
        token = json.loads(site.run("-m", "benchmarks.rush_world", "fill", str(systems), corpus))["token"]
        with serving(site):
            crowd = json.loads(site.run("-m", "benchmarks.crowd_world", "fill", str(questions), str(workers)))
    filled = {
        "systems": systems,
        "seconds": seconds,
        "claims of an upload": claims,
        "share of visitors and workers": share,
        "keys": keys,
        "token": token,
        "crowd": crowd,
        "files": [str(file) for file in files],
    }
    (where / FILLED).write_text(json.dumps(filled))


def measure_filled(where: Path, out: Path) -> None:
    """Measure the site that was made in a folder; write what there is of all sizes so far."""
    filled = json.loads((where / FILLED).read_text())
    asked = {
        name: filled[name] for name in ("seconds", "claims of an upload", "share of visitors and workers")
    }
    circumstances = {"processor": _processor(), "cores": os.cpu_count(), "python": _python(), **asked}
    row = _rush(where, filled)
    print(f"  {json.dumps(row)}", flush=True)
    path = out / "rush.json"
    before = json.loads(path.read_text()) if path.exists() else {}
    rows = before.get("runs", []) if before.get("circumstances") == circumstances else []
    rows = sorted(
        [*(one for one in rows if one["systems"] != row["systems"]), row], key=itemgetter("systems")
    )
    report = {"circumstances": circumstances, "goals": GOALS, "runs": rows}
    path.write_text(json.dumps(report, indent=1) + "\n")
    _plot(rows, circumstances, out / "rush.svg")


def _rush(where: Path, filled: dict[str, Any]) -> dict[str, Any]:
    seconds, share, crowd = filled["seconds"], filled["share of visitors and workers"], filled["crowd"]
    files = [Path(file) for file in filled["files"]]
    program = nginx.find()
    assert program, nginx.MISSING
    with (
        tempfile.TemporaryDirectory(prefix="kbpo-proxy-") as folder,
        prepared(where / "home", PORT, is_new=False) as site,
    ):
        Path(folder).chmod(0o755)  # nginx' workers are nobody
        site.environ.update(filled["keys"], TRUSTED_PROXIES="127.0.0.1")
        proxy = nginx.before(site, program, Path(folder), PROXY, "127.0.0.1")
        with serving(site), proxy, Meter(site) as meter:
            _visit(Seen(), WARMING, share)
            speed, load = loop_ms(), os.getloadavg()[0]
            cpu, began = meter.seconds(), time.monotonic()
            seen, uploads = Seen(), dict[str, Any]()
            memory: list[dict[str, float]] = []
            with _beside(
                (_visit, seen, seconds, share),
                (_look, site, memory, seconds),
                (_hand_in, filled["token"], files, uploads, seconds),
            ):
                outcome = crowd_load.run(
                    crowd["workers"],
                    site=("127.0.0.1", PORT),
                    group=crowd["group"],
                    seconds=seconds,
                    seed=filled["systems"],
                )
            taken, lasted = meter.seconds(), time.monotonic() - began
            speeds = [speed, loop_ms()]
            settled = _settled(site)
            state = json.loads(site.run("-m", "benchmarks.crowd_world", "state"))
    return {
        "systems": filled["systems"],
        "date": datetime.now(UTC).date().isoformat(),
        "load_before": round(load, 1),
        "a million additions before and after, ms": speeds,
        "lasted, s": round(lasted, 1),
        **{name: _summary(asked) for name, asked in seen.of.items()},
        "answers": {
            "number": outcome.acknowledged,
            "a second": round(outcome.acknowledged / lasted, 1),
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


def _python() -> str:
    """Return the version of Python, and when it was compiled: a fifth of what a page takes hangs on how."""
    return f"{platform.python_version()}, compiled {platform.python_build()[1]}"


def _files(folder: Path, claims: int, number: int) -> list[Path]:
    """Write files of the same documents, in which other systems say the same with other confidence."""
    first = kb.write_claims(folder, claims).kb
    rng, made = random.Random(1), []
    rows = [json.loads(line) for line in first.open()]
    for one in range(number):
        made.append(folder / f"upload-{one}.kb.jsonl")
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
    plans: list[list[tuple[float, str, str]]] = [[] for _ in range(THREADS)]
    rng = random.Random(2)
    for kind, rate in (("uncached", share * UNCACHED), ("cached", share * CACHED)):
        for number in range(int(rate * seconds)):
            where = KNOWN if kind == "cached" else next(address)
            plans[rng.randrange(VISITORS) % THREADS].append((begin + number / rate, kind, where))
    threads = [
        threading.Thread(target=_follow, args=(f"127.0.3.{number + 1}", sorted(plan), seen))
        for number, plan in enumerate(plans)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()


def _follow(source: str, plan: list[tuple[float, str, str]], seen: Seen) -> None:
    connection = http.client.HTTPSConnection(
        "127.0.0.1", PROXY, timeout=60, context=nginx.tls(), source_address=(source, 0)
    )
    etag = ""
    for due, kind, where in plan:
        if (pause := due - time.monotonic()) > 0:
            time.sleep(pause)
        headers = {"If-None-Match": etag} if kind == "cached" and etag else {}
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
    low, high = axes.get_ylim()
    ticks = [power * step for power in (1, 10, 100, 1000, 10_000, 100_000) for step in (1, 3)]
    ticks = [tick for tick in ticks if low <= tick <= high]
    axes.set_yticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(
        f"{circumstances['processor']}, {circumstances['cores']} cores,"
        f" {circumstances['seconds']:.0f} s each, load {rows[0]['load_before']} before",
        fontsize=8,
    )
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rush")
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--systems", type=int, nargs="+", default=SYSTEMS)
    parser.add_argument("--claims", type=int, default=CLAIMS)
    parser.add_argument("--share", type=float, default=1.0, help="of the visitors and workers")
    parser.add_argument("--sites", type=Path, help="where the sites are kept that were filled before")
    parser.add_argument("--fill", action="store_true", help="make them, and measure nothing")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    if asked.sites is None:
        sizes = {"seconds": asked.seconds, "claims": asked.claims, "share": asked.share}
        measure(asked.out, systems=asked.systems, **sizes)
        return
    for number in asked.systems:
        where = asked.sites / str(number)
        if asked.fill:
            where.mkdir(parents=True)
            fill(where, number, asked.seconds, asked.claims, asked.share)
        else:
            measure_filled(where, asked.out)


if __name__ == "__main__":
    main()
