"""How long it takes to sample systems, and to score an epoch of them, from Postgres to stored rows.

A process makes each size, with a new embedded Postgres, and another measures it. Each may be started by
itself, for any size, as ``python -m benchmarks.scoring make SYSTEMS CLAIMS`` and ``… measure``: what is made
stays in KBPO_HOME. Two sizes have goals. CPU seconds are those of Python and of the Postgres process that
serves it.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

SIZES = ((40, 20_000), (200, 100_000))
GOALS = {
    (40, 20_000): 2.0,
    (200, 100_000): 20.0,
}  # seconds from scores that are due to the leaderboard's rows
GOAL_OF_SAMPLING = 5.0  # for 100,000 claims


def run(out: Path, *, quick: bool = False) -> None:
    """Measure the sizes, or with `quick` the smaller one; write ``scoring.json``."""
    report: dict[str, Any] = {"goals, s": {f"{m} x {n}": goal for (m, n), goal in GOALS.items()}, "sizes": []}
    for systems, own in SIZES[:1] if quick else SIZES:
        load = round(os.getloadavg()[0], 1)
        with tempfile.TemporaryDirectory(prefix="kbpo-bench-") as folder:
            found = _measure(Path(folder), systems, own)
        found |= {"load_before": load, "load_after": round(os.getloadavg()[0], 1)}
        report["sizes"].append(found)
        for name, value in found.items():
            print(f"{name:>56}: {value:,.2f}" if isinstance(value, float) else f"{name:>56}: {value:,}")
        (out / "scoring.json").write_text(json.dumps(report, indent=2) + "\n")


def _measure(folder: Path, systems: int, own: int) -> dict[str, Any]:
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    found: dict[str, Any] = {"systems": systems, "claims of each": own}
    for words in (["make", str(systems), str(own)], ["measure"]):
        result = subprocess.run(  # noqa: S603 (no word of the command is a user's)
            [sys.executable, "-m", "benchmarks.scoring", *words],
            env={**environment, "KBPO_HOME": str(folder / "home")},
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        )
        found |= json.loads(result.stdout.splitlines()[-1])
    return found


def main(action: str, *numbers: str) -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbpo.settings")
    django.setup()
    print(json.dumps(measure() if action == "measure" else make(*map(int, numbers))))


def make(systems: int, own: int) -> dict[str, Any]:
    """Make an epoch whose scores are due; return how long sampling its systems took."""
    from django.core.management import call_command

    from benchmarks import pool

    call_command("migrate", verbosity=0)
    started = time.perf_counter()
    sampling = pool.build(systems, own)
    last = sampling[-pool.MEASURED :]
    return {
        "making it, s": time.perf_counter() - started,
        "sampling the first, s": sampling[0][0],
        "sampling one of the last ten, s": sum(one[0] for one in last) / len(last),
        "sampling one of the last ten, CPU s": sum(one[1] + one[2] for one in last) / len(last),
        "sampling one of the last ten, CPU s of Postgres": sum(one[2] for one in last) / len(last),
    }


def measure() -> dict[str, Any]:
    """Score what is due, stage by stage."""
    from django.urls import get_resolver

    from annotations.models import Corpus, Question
    from benchmarks import pool
    from evaluation.design import batches
    from evaluation.kbp.task import TASK as KBP
    from evaluation.models import (
        Comparison,
        Epoch,
        Estimate,
        SampledClaim,
        SampledUnit,
        Score,
        SubsetScore,
    )
    from evaluation.scoring import estimation, leaderboard

    get_resolver().url_patterns  # noqa: B018 - as in a worker that has written mail before
    epoch = Epoch.objects.select_related("corpus").get()
    batches.close_batches(epoch=epoch)
    Epoch.objects.update(scores_due=True)
    corpus = Corpus.objects.get()

    took = {}

    def timed(name: str, act: Any) -> Any:
        begun = pool.now()
        found = act()
        clock, python, postgres = (after - before for after, before in zip(pool.now(), begun, strict=True))
        took[f"{name}, s"] = clock
        took[f"{name}, CPU s"] = python + postgres
        took[f"{name}, CPU s of Postgres"] = postgres
        return found

    assert timed("scoring", partial(estimation.score_epoch, task=KBP, epoch_id=epoch.pk))
    rows = timed("the leaderboard's rows", lambda: leaderboard.rows(corpus, KBP.choices))
    assert all(row.rank is not None for row in rows), "not every system is ranked"
    Epoch.objects.update(scores_due=True)
    assert timed("scoring once more", partial(estimation.score_epoch, task=KBP, epoch_id=epoch.pk))
    timed("measuring labels", partial(estimation.measure_labels, corpus))
    counted = timed("counting the names of documents, as they come", partial(KBP.count_names, corpus))
    assert timed(
        "scoring subsets, and measuring labels",
        partial(estimation.score_subsets, task=KBP, epoch_id=epoch.pk),
    )
    end_to_end = took["scoring, s"] + took["the leaderboard's rows, s"]
    return {
        **took,
        "end to end, s": end_to_end,
        "memory at the peak, GB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
        "ranks": len({row.rank for row in rows}),
        "documents": counted,
        "labels": SampledUnit.objects.count(),
        "questions that are audited": Question.objects.filter(audits__isnull=False).count(),
        "claims at labels": SampledClaim.objects.count(),
        "scores": Score.objects.count(),
        "measures of scores": Estimate.objects.count(),
        "subset scores": SubsetScore.objects.count(),
        "comparisons, MB": sum(len(row.arrays) for row in Comparison.objects.iterator(chunk_size=1)) / 1e6,
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
