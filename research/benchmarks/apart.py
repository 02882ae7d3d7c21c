"""A benchmark in two processes, with a new embedded Postgres: one makes a site, and another measures it.

Each may be started alone, as ``python -m research.benchmarks.NAME make NUMBER NUMBER`` and ``… measure``:
KBPO_HOME keeps the site. CPU seconds are those of Python and of the Postgres process that serves it.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

Found = dict[str, Any]


def _written(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.3f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def run(
    name: str,
    out: Path,
    goals: Mapping[str, float],
    sizes: Iterable[tuple[int, int]],
    words: Callable[[int, int], Found],
) -> None:
    """Make and measure each size, print its figures, and write them to ``NAME.json``.

    Parameters
    ----------
    name : str
        Of the module in ``research.benchmarks``.
    out : Path
    goals : mapping of str to float
        Seconds.
    sizes : iterable of (int, int)
    words : callable
        From a size to how its figures begin.
    """
    report: Found = {"goals, s": dict(goals), "sizes": []}
    for size in sizes:
        load = round(os.getloadavg()[0], 1)
        with tempfile.TemporaryDirectory(prefix="kbpo-bench-") as folder:
            found = words(*size) | _measure(name, Path(folder), size)
        found |= {"load_before": load, "load_after": round(os.getloadavg()[0], 1)}
        report["sizes"].append(found)
        for what, value in found.items():
            print(f"{what:>56}: {_written(value)}")
        (out / f"{name}.json").write_text(json.dumps(report, indent=2) + "\n")


def _measure(name: str, folder: Path, size: tuple[int, int]) -> Found:
    environment = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    found: Found = {}
    for arguments in (["make", *map(str, size)], ["measure"]):
        result = subprocess.run(  # noqa: S603 (no word of the command is a user's)
            [sys.executable, "-m", f"research.benchmarks.{name}", *arguments],
            env={**environment, "KBPO_HOME": str(folder / "home")},
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        )
        found |= json.loads(result.stdout.splitlines()[-1])
    return found


def main(make: Callable[[int, int], Found], measure: Callable[[], Found]) -> None:
    """Be one of the two processes, as the command line says."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbpo.settings")
    django.setup()
    action, *numbers = sys.argv[1:]
    if action == "measure":
        print(json.dumps(measure()))
        return
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    first, second = map(int, numbers)
    print(json.dumps(make(first, second)))


class Stages:
    """How long stages take, by their names."""

    def __init__(self) -> None:
        self.took: dict[str, float] = {}

    def __call__(self, name: str, act: Callable[[], Any]) -> Any:
        """Do something, and note how long it took."""
        from research.benchmarks import pool

        begun = pool.now()
        found = act()
        clock, python, postgres = (after - before for after, before in zip(pool.now(), begun, strict=True))
        self.took[f"{name}, s"] = clock
        self.took[f"{name}, CPU s"] = python + postgres
        self.took[f"{name}, CPU s of Postgres"] = postgres
        return found


def stored() -> Found:
    """Return how much scoring has stored."""
    from evaluation.models import Comparison, Estimate, Score, SubsetScore

    return {
        "scores": Score.objects.count(),
        "measures of scores": Estimate.objects.count(),
        "subset scores": SubsetScore.objects.count(),
        "comparisons, MB": sum(len(row.arrays) for row in Comparison.objects.iterator(chunk_size=1)) / 1e6,
    }
