"""Run benchmarks: ``python -m research.benchmarks [NAME …] [--out FOLDER]``.

Without a name the four run that measure the figures of docs/benchmarks. Each prints its figures and writes
them to the folder. The exit status is 1 where one returns lines about pages that miss their goal.
"""

import argparse
import importlib
import os
import sys
from pathlib import Path

FIGURES = {
    "reading": "time and memory of validating and storing a knowledge base",
    "scoring": "time of sampling systems, and of scoring them from Postgres to stored rows",
    "pages": "time of pages on a site of a hundred systems with two million claims",
    "keystrokes": "time of a keystroke in the entity interface, on a large document",
}
OTHERS = {
    "crowd": "time of answers while many workers work at once",
    "curtailed": "cost of a label with three votes, and with a third only where two differ",
    "fresh": "time of sampling right after an upload into a fresh database, and later",
    "generation": "time of scoring systems that write, and of showing their board",
    "metrics": "time of the built-in metrics of generated text, and of hostile texts",
}
BENCHMARKS = FIGURES | OTHERS


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m research.benchmarks", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"{', '.join(BENCHMARKS)}; default: {', '.join(FIGURES)}"
    )
    parser.add_argument("--out", type=Path, help="default: $KBPO_HOME/benchmarks")
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    options = parser.parse_args()
    if unknown := set(options.names) - set(BENCHMARKS):
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
    out = options.out or Path(os.environ.get("KBPO_HOME") or "var") / "benchmarks"
    out.mkdir(parents=True, exist_ok=True)
    is_over = False
    for name in options.names or FIGURES:
        print(f"{name}: {BENCHMARKS[name]}", flush=True)
        is_over |= bool(importlib.import_module(f"research.benchmarks.{name}").run(out, quick=options.quick))
    sys.exit(is_over)


if __name__ == "__main__":
    main()
