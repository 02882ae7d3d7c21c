"""How time and memory grow with the lines of a knowledge base, from ten thousand to three million.

The same is measured of claims in JSON Lines, from ten thousand to a million, as far as they are validated.

A separate process reads and stores each size (`research.benchmarks.storing`), with a new embedded Postgres.
The memory "in all" is that of the worker and of the reader that it starts, each at its peak.
"""

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluation.kbp.files.reading import READER
from evaluation.reading import isolated
from evaluation.reading.text_file import write_texts
from kbpo_formats.ontologies.builtin import DEFAULT, read_builtin
from kbpo_formats.ontologies.normal import write_normal
from research.benchmarks import kb

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000)
QUICK = (10_000, 30_000, 100_000)
# at a million lines, on two cores with nothing else to do
GOALS = {"validating, s": 10.0, "validating and storing, s": 60.0, "memory in all, GB": 1.0}
CLAIMS = (10_000, 100_000, 300_000, 1_000_000)
QUICK_CLAIMS = (10_000, 100_000)
GOALS_OF_CLAIMS = {"300,000, s": 10.0, "1,000,000, s": 35.0, "reader, GB": 1.0}
BLUE, RED, GREEN = "#0072B2", "#D55E00", "#009E73"
HEADINGS = ("lines", "validating, s", "its CPU, s", "storing, s", "reader, GB", "in all, GB")


def run(out: Path, *, quick: bool = False) -> None:
    """Measure every size; write ``reading.json`` and ``reading.svg``."""
    circumstances = {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load_before": round(os.getloadavg()[0], 1),
    }
    rows = []
    print(*(f"{heading:>15}" for heading in HEADINGS))
    for size in QUICK if quick else SIZES:
        with tempfile.TemporaryDirectory(prefix="kbpo-bench-") as folder:
            row = _measure(Path(folder), size)
        rows.append(row)
        seconds = row["reading_seconds"], row["reading_cpu_seconds"], row["storing_seconds"]
        memory = row["reader_memory"] / 1e9, _in_all(row) / 1e9
        print(f"{row['lines']:>15,}", *(f"{value:>15.2f}" for value in (*seconds, *memory)), flush=True)
    claims = [_measure_claims(size) for size in (QUICK_CLAIMS if quick else CLAIMS)]
    circumstances["load_after"] = round(os.getloadavg()[0], 1)
    report = {
        "circumstances": circumstances,
        "goals at a million lines": GOALS,
        "sizes": rows,
        "goals of claims in JSON Lines": GOALS_OF_CLAIMS,
        "claims in JSON Lines": claims,
    }
    (out / "reading.json").write_text(json.dumps(report, indent=2) + "\n")
    _plot(rows, claims, circumstances, out / "reading.svg")
    print(f"load {circumstances['load_before']} to {circumstances['load_after']}; written to {out}")


def _measure(folder: Path, size: int) -> dict[str, Any]:
    files = kb.write(folder, size)
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    result = subprocess.run(  # noqa: S603 (no word of the command is a user's)
        [sys.executable, "-m", "research.benchmarks.storing", str(files.kb), str(files.corpus)],
        env={**environment, "KBPO_HOME": str(folder / "home")},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return {
        "lines": files.lines,
        "bytes": files.kb.stat().st_size,
        "documents": files.documents,
        **json.loads(result.stdout.splitlines()[-1]),
    }


def _measure_claims(size: int) -> dict[str, Any]:
    """Validate claims in JSON Lines, in a process of its own, as an upload is."""
    with tempfile.TemporaryDirectory(prefix="kbpo-bench-") as name:
        folder = Path(name)
        files = kb.write_claims(folder, size)
        with files.corpus.open() as corpus:
            write_texts(
                folder / "texts", ((row["doc_id"], row["text"], [0]) for row in map(json.loads, corpus))
            )
        about = {"ontology": write_normal(read_builtin(DEFAULT))}
        started = time.monotonic()
        with files.kb.open("rb") as stream:
            found = isolated.read(
                stream,
                reader=READER,
                format="jsonl",
                texts=folder / "texts",
                about=about,
                limits=isolated.Limits(seconds=3_600.0),  # others may be at work on this machine
            )
        seconds = time.monotonic() - started
        row = {
            "claims": files.lines,
            "bytes": files.kb.stat().st_size,
            "documents": files.documents,
            "predictions": len(found.predictions),
            "reading_seconds": round(seconds, 2),
            "reading_cpu_seconds": round(found.cpu_seconds, 2),
            "reader_memory": found.peak_memory,
        }
    assert found.accepted
    print(
        f"{row['claims']:>15,} claims in JSON Lines: {seconds:.2f} s, its CPU {found.cpu_seconds:.2f} s,"
        f" {found.peak_memory / 1e9:.2f} GB",
        flush=True,
    )
    return row


def _in_all(row: dict[str, Any]) -> int:
    return int(row["reader_memory"] + row["worker_memory"])


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def _plot(
    rows: list[dict[str, Any]], claims: list[dict[str, Any]], circumstances: dict[str, Any], path: Path
) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "reading"
    lines = [row["lines"] for row in rows]
    figure, (time, memory) = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    total = [row["reading_seconds"] + row["storing_seconds"] for row in rows]
    time.loglog(lines, total, "o-", color=BLUE, label="validating and storing")
    time.loglog(lines, [row["reading_seconds"] for row in rows], "s-", color=RED, label="validating")
    time.loglog(lines, [row["reading_cpu_seconds"] for row in rows], "^:", color=RED, label="validating, CPU")
    stated = [row["claims"] for row in claims]
    time.loglog(
        stated, [row["reading_cpu_seconds"] for row in claims], "D--", color=GREEN, label="JSON Lines, CPU"
    )
    _mark_goal(time, 60, BLUE)
    _mark_goal(time, 10, RED)
    _mark_goal(time, 35, GREEN)
    time.set(xlabel="lines of TAC KBP, or claims in JSON Lines", ylabel="seconds")
    time.legend(frameon=False)
    memory.loglog(lines, [_in_all(row) / 1e9 for row in rows], "o-", color=BLUE, label="in all")
    memory.loglog(lines, [row["reader_memory"] / 1e9 for row in rows], "s-", color=RED, label="reader")
    memory.loglog(
        stated, [row["reader_memory"] / 1e9 for row in claims], "D--", color=GREEN, label="JSON Lines, reader"
    )
    _mark_goal(memory, 1, BLUE)
    memory.set(xlabel="lines of TAC KBP, or claims in JSON Lines", ylabel="GB at most")
    memory.legend(frameon=False)
    for axes in (time, memory):
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(
        f"{circumstances['processor']}, {circumstances['cores']} cores,"
        f" load {circumstances['load_before']}–{circumstances['load_after']}",
        fontsize=9,
    )
    figure.savefig(path, metadata={"Date": None})
    figure.savefig(path.with_suffix(".png"), dpi=150)


def _mark_goal(axes: Any, value: float, colour: str) -> None:
    axes.plot(1e6, value, "_", color=colour, markersize=18, markeredgewidth=2)
    axes.annotate("goal", (1e6, value), (12, -4), textcoords="offset points", color=colour)
