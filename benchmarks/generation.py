"""How long it takes to score 40 systems that write 11,490 outputs each, and to show their board.

One process makes them, with a new embedded Postgres, and another measures. Each may be started by itself, as
``python -m benchmarks.generation make SYSTEMS OUTPUTS`` and ``… measure``: what is made stays in KBPO_HOME.
Outputs come in and are sampled, asked about and settled by the service; metrics and votes are made up. CPU
seconds are those of Python and of the Postgres process that serves it.
"""

import hashlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

SIZES = ((40, 11_490),)
QUICK = ((10, 2_000),)
GOAL, PAGE_GOAL = 30.0, 0.3  # seconds: scores that are due, with the board's rows; and the board's page
TAG, METRICS, DECLARED = "benchmark", 15, "repeated-2"
WORDS, LENGTH, SHARED = 20_000, 50, 0.15
WORKERS = 120
LEARNT = 500  # outputs on which the house metric rests
TEAMS_OF = 4  # systems of a team
PAGES = 9  # times that each page is asked for


def run(out: Path, *, quick: bool = False) -> None:
    """Measure; write ``generation.json``."""
    report: dict[str, Any] = {"goals, s": {"scored": GOAL, "the board's page": PAGE_GOAL}, "sizes": []}
    for systems, outputs in QUICK if quick else SIZES:
        load = round(os.getloadavg()[0], 1)
        with tempfile.TemporaryDirectory(prefix="kbpo-bench-") as folder:
            found = _measure(Path(folder), systems, outputs)
        found |= {"load_before": load, "load_after": round(os.getloadavg()[0], 1)}
        report["sizes"].append(found)
        for name, value in found.items():
            print(f"{name:>56}: {value:,.3f}" if isinstance(value, float) else f"{name:>56}: {value:,}")
        (out / "generation.json").write_text(json.dumps(report, indent=2) + "\n")


def _measure(folder: Path, systems: int, outputs: int) -> dict[str, Any]:
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    found: dict[str, Any] = {"systems": systems, "outputs of each": outputs, "metrics": METRICS}
    for words in (["make", str(systems), str(outputs)], ["measure"]):
        result = subprocess.run(  # noqa: S603 (no word of the command is a user's)
            [sys.executable, "-m", "benchmarks.generation", *words],
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


def make(systems: int, outputs: int) -> dict[str, Any]:
    """Make an epoch whose scores are due; return how long the service took for what is its part."""
    import numpy as np
    from django.core.management import call_command
    from django.db import connection
    from django.utils import timezone

    from annotations import conflicts
    from annotations.models import Corpus, Document, Input, Prompt
    from evaluation.design import epochs, sampling
    from evaluation.generation import outputs as written
    from evaluation.generation.handed import HandedOutputs
    from evaluation.generation.task import TASK
    from evaluation.models import Submission
    from kbpo.accounts.models import Team, User

    call_command("migrate", verbosity=0)
    began = time.perf_counter()
    rng = np.random.default_rng(0)
    vocabulary = np.array([f"word{number}" for number in range(WORDS)])
    chance = 1 / np.arange(1, WORDS + 1)  # as often as words of a language are (Zipf)
    chance /= chance.sum()

    def texts(n: int) -> list[str]:
        drawn = vocabulary[rng.choice(WORDS, size=(n, LENGTH), p=chance)]
        lengths = rng.integers(LENGTH // 2, LENGTH, size=n).tolist()
        return [" ".join(row[:length]) for row, length in zip(drawn.tolist(), lengths, strict=True)]

    corpus = Corpus.objects.create(
        tag=TAG, name="Benchmark", task=TASK.name, policy=TASK.policies[0], weekly_quota=32_000
    )
    Prompt.objects.create(corpus=corpus, name=Prompt.Name.QUALITY, metric=DECLARED)
    ids = [f"I{number:06}" for number in range(outputs)]
    Document.objects.bulk_create(
        (
            Document(
                corpus=corpus, doc_id=doc_id, text="", digest=hashlib.sha256(doc_id.encode()).hexdigest()
            )
            for doc_id in ids
        ),
        batch_size=5_000,
    )
    Input.objects.bulk_create(
        (
            Input(document=document, references=[text], digest="0" * 64)
            for document, text in zip(corpus.documents.order_by("doc_id"), texts(outputs), strict=True)
        ),
        batch_size=5_000,
    )
    epoch = epochs.open_epoch(corpus=corpus, task=TASK)
    shared, liked = texts(outputs), rng.normal(size=outputs)
    took: dict[str, list[float]] = {"storing": [], "sampling": []}
    for number in range(systems):
        team, _ = Team.objects.get_or_create(name=f"Team {number // TEAMS_OF}")
        conflicts.add_competitor(corpus=corpus, team=team)
        submission = Submission.objects.create(
            corpus=corpus,
            team=team,
            name=f"system {number}",
            state=Submission.State.ACCEPTED,
            go_ahead=True,
            quota_taken_at=timezone.now(),
            digest=f"{number:064x}",
        )
        is_shared = rng.random(outputs) < SHARED
        own = [a if same else b for a, b, same in zip(shared, texts(outputs), is_shared, strict=True)]
        handed = HandedOutputs(list(zip(ids, own, strict=True)))
        begun = time.process_time()
        written.store_predictions(submission, handed)
        took["storing"].append(time.process_time() - begun)
        quality = liked + rng.normal(size=outputs)
        _store_metrics(submission, quality, rng, epoch if not number else None)
        begun = time.process_time()
        assert sampling.sample_submission(task=TASK, submission_id=submission.pk)
        took["sampling"].append(time.process_time() - begun)
        if number in (0, 10):
            with connection.cursor() as cursor:  # as autovacuum does while weeks go by
                cursor.execute("ANALYZE")
    for number in range(WORKERS):
        User.objects.create_user(f"worker{number}@example.org")
    settling = _judge()
    return {
        "making it, s": time.perf_counter() - began,
        **{f"{name} a system, CPU s of Python": statistics.mean(each) for name, each in took.items()},
        "settling all questions, CPU s of Python": settling,
    }


def _store_metrics(submission: Any, quality: Any, rng: Any, epoch: Any) -> None:
    """Store metrics that go with a hidden quality; of an epoch, also a house metric learnt on them."""
    import numpy as np

    from evaluation.generation import house
    from evaluation.generation.metrics import stored
    from evaluation.generation.metrics.registry import METRICS as BUILT_IN
    from evaluation.generation.metrics.registry import Needs
    from evaluation.models import HouseMetric

    names = [one.name for one in BUILT_IN.values() if one.needs in (Needs.NOTHING, Needs.REFERENCES)]
    names += [f"ours-{number}" for number in range(METRICS - len(names))]
    columns = {name: quality * rng.uniform(0, 0.5) + rng.normal(size=quality.size) for name in names}
    for name, values in columns.items():
        stored.store(
            submission=submission, name=name, values=values, version=1, uploaded=name.startswith("ours")
        )
    if epoch is not None:
        built_in = {f"{name}|1": values[:LEARNT] for name, values in columns.items() if name in BUILT_IN}
        judged = {"overall": np.clip(np.round(quality[:LEARNT]), -1, 1)}
        learnt = house.learn(built_in, judged, np.arange(LEARNT))
        assert learnt is not None
        HouseMetric.objects.create(
            epoch=epoch, coefficients=learnt.as_json(), digest=learnt.digest, outputs=LEARNT, learnt_from=[]
        )


_VOTES = """
INSERT INTO annotations_response (question_id, worker_id, answer, is_expert, is_valid, seconds, answered_at)
SELECT question.id, worker.id, jsonb_build_object(
    'version', 1, 'fluency', drawn.r % 3 - 1, 'redundancy', drawn.r / 7 % 3 - 1,
    'overall', drawn.r / 31 % 3 - 1, 'edit', question.payload ->> 'text', 'hter', drawn.r % 97 / 100.0
), false, true, 40, now()
FROM annotations_question AS question
CROSS JOIN LATERAL generate_series(1, question.votes_needed) AS turn
CROSS JOIN LATERAL (SELECT abs(hashtext(question.id || 'v' || turn))) AS drawn (r)
JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM accounts_user) AS worker
    ON worker.place = (question.id * 7 + turn * 11) % {workers};
"""


def _judge() -> float:
    """Have all questions answered, and settle them; return the CPU seconds of settling."""
    from django.db import connection

    from annotations import labels

    with connection.cursor() as cursor:
        cursor.execute(_VOTES.format(workers=WORKERS))
    begun = time.process_time()
    while labels.settle_questions(wait=True):
        pass
    took = time.process_time() - begun
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    return took


def measure() -> dict[str, Any]:
    """Score what is due, stage by stage, and show it."""
    from django.test import Client
    from django.urls import get_resolver

    from annotations.models import Corpus, Response
    from benchmarks import pool
    from evaluation.design import batches
    from evaluation.generation.task import TASK
    from evaluation.models import Comparison, Epoch, Estimate, SampledUnit, Score, Submission, SubsetScore
    from evaluation.registry import task_of
    from evaluation.scoring import estimation, leaderboard

    get_resolver().url_patterns  # noqa: B018 - as in a worker that has written mail before
    epoch, corpus = Epoch.objects.get(), Corpus.objects.get()
    batches.close_batches(epoch=epoch)
    Epoch.objects.update(scores_due=True)
    task, took = task_of(corpus), {}
    assert task.name == TASK.name

    def timed(name: str, act: Callable[[], Any]) -> Any:
        begun = pool.now()
        found = act()
        clock, python, postgres = (after - before for after, before in zip(pool.now(), begun, strict=True))
        took.update({f"{name}, s": clock, f"{name}, CPU s": python + postgres})
        took[f"{name}, CPU s of Postgres"] = postgres
        return found

    assert timed("scoring", partial(estimation.score_epoch, task=task, epoch_id=epoch.pk))
    rows = timed("the board's rows", lambda: leaderboard.rows(corpus, task.choices))
    assert all(row.rank is not None for row in rows), "not every system is ranked"
    assert timed("scoring subsets", partial(estimation.score_subsets, task=task, epoch_id=epoch.pk))
    took["end to end, s"] = took["scoring, s"] + took["the board's rows, s"]
    took["end to end, CPU s"] = took["scoring, CPU s"] + took["the board's rows, CPU s"]
    client = Client(HTTP_HOST="localhost")
    first, second = Submission.objects.order_by("pk")[:2]
    pages = {
        "the board": f"/corpora/{TAG}/",
        "the board by edits, for other people": f"/corpora/{TAG}/?part=edit&standard=crowd",
        "a system": first.get_absolute_url(),
        "two compared": f"/corpora/{TAG}/compare/?a={first.pk}&b={second.pk}",
    }
    for name, address in pages.items():
        assert client.get(address).status_code == 200, address
        clocks, cpu = zip(*(_seconds(client, address) for _ in range(PAGES)), strict=True)
        took[f"page of {name}, s"], took[f"page of {name}, CPU s"] = map(statistics.median, (clocks, cpu))
    return {
        **took,
        "memory at the peak, GB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
        "ranks": len({row.rank for row in rows}),
        "sampled outputs": SampledUnit.objects.count(),
        "judgements": Response.objects.count(),
        "scores": Score.objects.count(),
        "measures of scores": Estimate.objects.count(),
        "subset scores": SubsetScore.objects.count(),
        "comparisons, MB": sum(len(row.arrays) for row in Comparison.objects.iterator(chunk_size=1)) / 1e6,
    }


def _seconds(client: Any, address: str) -> tuple[float, float]:
    from benchmarks import pool

    begun = pool.now()
    client.get(address)
    clock, python, postgres = (after - before for after, before in zip(pool.now(), begun, strict=True))
    return clock, python + postgres


if __name__ == "__main__":
    main(*sys.argv[1:])
