"""Run benchmarks: ``python -m research.benchmarks [NAME …] [--out FOLDER]``.

They measure the figures of docs/benchmarks; without a name all run. Each prints its figures and writes
them to the folder. The exit status is 1 if a page misses its goal.
"""

import argparse
import importlib
import os
import sys
from pathlib import Path

BENCHMARKS = {
    "reading": "time and memory of validating a file of claims",
    "scoring": "time of sampling systems, and of scoring them from Postgres to stored rows",
    "pages": "time of pages on a site of a hundred systems with two million claims",
    "keystrokes": "time of a keystroke in the entity interface, on a large document",
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m research.benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(BENCHMARKS)}; default: all")
    parser.add_argument("--out", type=Path, help="default: $KBPO_HOME/benchmarks")
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    options = parser.parse_args()
    if unknown := set(options.names) - set(BENCHMARKS):
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
    out = options.out or Path(os.environ.get("KBPO_HOME") or "var") / "benchmarks"
    out.mkdir(parents=True, exist_ok=True)
    is_over = False
    for name in options.names or BENCHMARKS:
        print(f"{name}: {BENCHMARKS[name]}", flush=True)
        is_over |= bool(importlib.import_module(f"research.benchmarks.{name}").run(out, quick=options.quick))
    sys.exit(is_over)


if __name__ == "__main__":
    main()
