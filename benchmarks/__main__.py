"""Run the benchmarks: ``python -m benchmarks [NAME …] [--out FOLDER]``; all of them without a name.

Each prints its figures and writes them, with a plot, to the folder. The exit status is 1 where one returns
what is over its budget.
"""

import argparse
import importlib
import os
import sys
from pathlib import Path

BENCHMARKS = {
    "reading": "how long it takes to validate and store a knowledge base, and in how much memory",
    "fresh": "how long it takes to sample right after an upload into a fresh database, and later",
    "large": "how long pages take with a hundred systems of 20,000 claims, and how many queries",
    "crowd": "how long answers take while many workers work at once",
    "proxy": "how long pages take while a hundred slow clients hang on the proxy",
    "keystrokes": "how long a keystroke takes in the entity interface, on a large document",
    "curtailed": "what a label costs, with three votes and with a third only where two differ",
    "metrics": "how long the built-in metrics of what a system wrote take, and those of hostile texts",
    "generation": "how long it takes to score systems that write, and to show their board",
    "estimators": "how long it takes to score a thousand systems in memory",
    "paging": "how long a page of the API takes, wherever it is in a list of a million predictions",
    "archive": "how large the archive of a real epoch is, and how long it takes to make and to use it",
    "scoring": "how long it takes to sample systems, and to score them from Postgres to stored rows",
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
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
        is_over |= bool(importlib.import_module(f"benchmarks.{name}").run(out, quick=options.quick))
    sys.exit(is_over)


if __name__ == "__main__":
    main()
