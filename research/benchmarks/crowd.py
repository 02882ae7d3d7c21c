"""How long answers take while many workers work at once, from fifty to four hundred.

The site runs as ``make demo`` runs it, with the embedded Postgres: two web processes of four threads, the
pipeline's workers (which collect, approve and pay meanwhile) and its clock. The load runs on the same cores.
Everything is on the loopback.
"""

import json
import os
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from research.benchmarks import crowd_load
from research.benchmarks.reading import BLUE, RED, _processor
from research.benchmarks.site import Meter, Site, prepared, serving

#: Workers, and for how many seconds.
RUNS = ((50, 300.0), (100, 60.0), (200, 60.0), (400, 60.0))
QUICK = ((10, 20.0),)
QUESTIONS, QUICK_QUESTIONS = 3000, 60
PORT = 18_743
GOALS = {"workers": 50, "median, ms": 50.0, "p99, ms": 250.0, "lost": 0}
SETTLING = 600.0  # seconds for everything that was sent to be collected
HEADINGS = ("workers", "answers/s", "wanted/s", "median, ms", "p99, ms", "max, ms", "page p50, ms", "lost")


def run(out: Path, *, quick: bool = False) -> None:
    """Measure every number of workers; write ``crowd.json`` and ``crowd.svg``."""
    circumstances = {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load_before": round(os.getloadavg()[0], 1),
    }
    runs = QUICK if quick else RUNS
    rows = []
    with tempfile.TemporaryDirectory(prefix="kbpo-bench-") as folder, prepared(Path(folder), PORT) as site:
        site.environ.update(json.loads(site.run("-m", "research.benchmarks.crowd_world", "keys")))
        with serving(site), Meter(site) as meter:
            most = max(number for number, _ in runs)
            questions = QUICK_QUESTIONS if quick else QUESTIONS
            world = json.loads(
                site.run("-m", "research.benchmarks.crowd_world", "fill", str(questions), str(most))
            )
            print(f"{world['questions']} HITs posted in {world['posting_seconds']} s")
            print(*(f"{heading:>13}" for heading in HEADINGS))
            for seed, (number, seconds) in enumerate(runs):
                row = _measure(site, meter, world, number, seconds, seed)
                rows.append(row)
                print(*(f"{value:>13}" for value in _shown(row)), flush=True)
    circumstances["load_after"] = round(os.getloadavg()[0], 1)
    report = {"circumstances": circumstances, "goals": GOALS, "runs": rows}
    (out / "crowd.json").write_text(json.dumps(report, indent=2) + "\n")
    _plot(rows, circumstances, out / "crowd.svg")
    print(f"load {circumstances['load_before']} to {circumstances['load_after']}; written to {out}")


def _measure(
    site: Site, meter: Meter, world: dict[str, Any], number: int, seconds: float, seed: int
) -> dict[str, Any]:
    before = _state(site)
    load, cpu = os.getloadavg()[0], meter.seconds()
    outcome = crowd_load.run(
        world["workers"][:number],
        site=("127.0.0.1", site.port),
        group=world["group"],
        seconds=seconds,
        seed=seed,
    )
    ended = time.monotonic()
    meanwhile, lasted = meter.seconds(), outcome.last - outcome.first
    after = _state(site)
    while after["collected"] - before["collected"] < outcome.handed_over:
        if time.monotonic() - ended > SETTLING:
            break
        time.sleep(1)
        after = _state(site)
    in_all = meter.seconds()
    stored, collected = (after[name] - before[name] for name in ("stored", "collected"))
    return {
        "workers": number,
        "seconds": seconds,
        "load_before": round(load, 1),
        "answers_a_second": round(outcome.acknowledged / max(lasted, 1.0), 2),
        "wanted_a_second": number / crowd_load.SLOT,
        "acknowledged": outcome.acknowledged,
        "stored": stored,
        "handed_over": outcome.handed_over,
        "collected": collected,
        "lost": outcome.acknowledged - stored + outcome.handed_over - collected,
        "flagged": after["flagged"] - before["flagged"],
        "collected_within_seconds": round(time.monotonic() - ended, 1),
        "cpu_share": {name: round((meanwhile[name] - cpu[name]) / max(lasted, 1.0), 3) for name in cpu},
        "cpu_ms_an_answer": {
            name: round(1000 * (in_all[name] - cpu[name]) / max(outcome.handed_over, 1), 1)
            for name in cpu
            if name != "others"
        },
        "late_median_seconds": round(_quantile(outcome.late, 0.5), 2),
        "failures": len(outcome.failures),
        "first_failures": outcome.failures[:5],
        "milliseconds": {step: _summary(outcome.seconds[step]) for step in crowd_load.STEPS},
    }


def _state(site: Site) -> dict[str, int]:
    state: dict[str, int] = json.loads(site.run("-m", "research.benchmarks.crowd_world", "state"))
    return state


def _summary(seconds: list[float]) -> dict[str, float]:
    quantiles = {"median": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}
    return {"number": len(seconds)} | {
        name: round(1000 * _quantile(seconds, share), 1) for name, share in quantiles.items()
    }


def _quantile(values: list[float], share: float) -> float:
    """Return the smallest value that so large a share does not exceed."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -(-int(share * 1e6) * len(ordered) // 1_000_000) - 1))]


def _shown(row: dict[str, Any]) -> tuple[object, ...]:
    answer, page = row["milliseconds"]["answer"], row["milliseconds"]["page"]
    return (
        row["workers"],
        row["answers_a_second"],
        row["wanted_a_second"],
        answer["median"],
        answer["p99"],
        answer["max"],
        page["median"],
        row["lost"],
    )


def _plot(rows: list[dict[str, Any]], circumstances: dict[str, Any], path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "crowd"
    figure, (latency, rate) = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    workers = [row["workers"] for row in rows]
    for name, style, colour in (("median", "o-", BLUE), ("p99", "s-", RED)):
        latency.loglog(
            workers, [row["milliseconds"]["answer"][name] for row in rows], style, color=colour, label=name
        )
        goal = GOALS[f"{name}, ms"]
        latency.plot(GOALS["workers"], goal, "_", color=colour, markersize=18, markeredgewidth=2)
        latency.annotate("goal", (GOALS["workers"], goal), (12, -4), textcoords="offset points", color=colour)
    latency.set(xlabel="workers", ylabel="until an answer is stored, ms")
    latency.set_xticks(workers, [str(number) for number in workers])
    latency.minorticks_off()
    latency.legend(frameon=False)
    rate.plot(workers, [row["answers_a_second"] for row in rows], "o-", color=BLUE, label="answered")
    rate.plot(workers, [row["wanted_a_second"] for row in rows], ":", color="grey", label="wanted")
    rate.set(xlabel="workers", ylabel="answers a second")
    rate.legend(frameon=False)
    for axes in (latency, rate):
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(
        f"{circumstances['processor']}, {circumstances['cores']} cores,"
        f" load {circumstances['load_before']} before",
        fontsize=9,
    )
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    import sys

    run(Path(sys.argv[1]), quick="--quick" in sys.argv)
