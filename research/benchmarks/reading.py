"""How time and memory grow with the claims of a file in JSON Lines, from ten thousand to a million."""

import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from evaluation.kbp.files.reading import READER
from evaluation.reading import isolated
from evaluation.reading.text_file import write_texts
from kbpo_formats.ontologies.builtin import DEFAULT, read_builtin
from kbpo_formats.ontologies.normal import write_normal
from research.benchmarks import kb

SIZES = (10_000, 100_000, 300_000, 1_000_000)
QUICK = (10_000, 100_000)
GOALS = {"300,000, s": 10.0, "1,000,000, s": 35.0, "reader, GB": 1.0}
HEADINGS = ("claims", "CPU, s", "clock, s", "reader, GB")


def run(out: Path, *, quick: bool = False) -> None:
    """Measure every size; print them and write ``reading.json``."""
    load_before = round(os.getloadavg()[0], 1)
    print(*(f"{heading:>12}" for heading in HEADINGS))
    rows = [_measure(size) for size in (QUICK if quick else SIZES)]
    report = {"goals": GOALS, "load_before": load_before, "sizes": rows}
    (out / "reading.json").write_text(json.dumps(report, indent=2) + "\n")


def _measure(size: int) -> dict[str, Any]:
    """Validate a file of so many claims in a process of its own, as an upload is."""
    with tempfile.TemporaryDirectory(prefix="kbpo-bench-") as name:
        folder = Path(name)
        files = kb.write(folder, size)
        with files.corpus.open() as corpus:
            texts = ((row["doc_id"], row["text"], [0]) for row in map(json.loads, corpus))
            write_texts(folder / "texts", texts)
        started = time.monotonic()
        with files.kb.open("rb") as stream:
            found = isolated.read(
                stream,
                reader=READER,
                format="jsonl",
                texts=folder / "texts",
                about={"ontology": write_normal(read_builtin(DEFAULT))},
                limits=isolated.Limits(seconds=3_600.0),  # others may be at work on this machine
            )
        seconds = time.monotonic() - started
        file_size = files.kb.stat().st_size
    assert found.accepted
    cpu, memory = found.cpu_seconds, found.peak_memory / 1e9
    print(f"{files.claims:>12,} {cpu:>12.2f} {seconds:>12.2f} {memory:>12.2f}", flush=True)
    return {
        "claims": files.claims,
        "bytes": file_size,
        "documents": files.documents,
        "predictions": len(found.predictions),
        "reading_seconds": round(seconds, 2),
        "reading_cpu_seconds": round(cpu, 2),
        "reader_memory": found.peak_memory,
    }
