"""How long it takes to sample systems, and to score an epoch of them, from Postgres to stored rows.

Two sizes have goals. `research.benchmarks.apart` runs it, for any number of systems and of claims of each.
"""

import resource
import time
from functools import partial
from pathlib import Path
from typing import Any

from research.benchmarks import apart

SIZES = ((40, 20_000), (200, 100_000))
GOALS = {
    (40, 20_000): 3.0,
    (200, 100_000): 20.0,
}  # seconds from scores that are due to the leaderboard's rows


def run(out: Path, *, quick: bool = False) -> None:
    """Measure the sizes, or with `quick` the smaller one; write ``scoring.json``."""
    goals = {f"{m} x {n}": goal for (m, n), goal in GOALS.items()}
    sizes = SIZES[:1] if quick else SIZES
    apart.run("scoring", out, goals, sizes, lambda m, n: {"systems": m, "claims of each": n})


def make(systems: int, own: int) -> dict[str, Any]:
    """Make an epoch whose scores are due; return how long sampling its systems took."""
    from research.benchmarks import pool

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
    from evaluation.design import batches
    from evaluation.kbp.task import TASK as KBP
    from evaluation.models import Epoch, SampledClaim, SampledUnit
    from evaluation.scoring import estimation, leaderboard

    get_resolver().url_patterns  # noqa: B018 - as in a worker that has written mail before
    epoch = Epoch.objects.select_related("corpus").get()
    batches.close_batches(epoch=epoch)
    Epoch.objects.update(scores_due=True)
    corpus = Corpus.objects.get()

    timed = apart.Stages()
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
    took = timed.took
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
        **apart.stored(),
    }


if __name__ == "__main__":
    apart.main(make, measure)
