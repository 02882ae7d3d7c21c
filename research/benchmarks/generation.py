"""How long it takes to score 40 systems that write 11,490 outputs each, and to show their board.

Outputs come in and are sampled, asked about and settled by the service; metrics and votes are made up. An
epoch of a few systems is released first, so that the service learns a house metric and freezes it. It runs as
`research.benchmarks.apart` says, for any number of systems and of outputs of each.
"""

import hashlib
import resource
import statistics
import time
from functools import partial
from pathlib import Path
from typing import Any

from research.benchmarks import apart

SIZES = ((40, 11_490),)
QUICK = ((10, 2_000),)
GOAL, PAGE_GOAL = 30.0, 0.3  # seconds: scores that are due, with the board's rows; and the board's page
TAG, METRICS, DECLARED = "benchmark", 15, "repeated-2"
WORDS, LENGTH, SHARED = 20_000, 50, 0.15
WORKERS = 120
EARLIER = 2  # systems of the epoch that is released first
TEAMS_OF = 4  # systems of a team
PAGES = 9  # times that each page is asked for


def run(out: Path, *, quick: bool = False) -> None:
    """Measure; write ``generation.json``."""
    goals = {"scored": GOAL, "the board's page": PAGE_GOAL}
    sizes = QUICK if quick else SIZES
    apart.run(
        "generation",
        out,
        goals,
        sizes,
        lambda m, n: {"systems": m, "outputs of each": n, "metrics": METRICS},
    )


def make(systems: int, outputs: int) -> dict[str, Any]:
    """Make an epoch whose scores are due; return how long the service took for what is its part."""
    import numpy as np
    from django.db import connection
    from django.utils import timezone

    from annotations import conflicts
    from annotations.models import Corpus, Document, Input, Prompt
    from evaluation.design import batches, epochs, sampling
    from evaluation.generation import outputs as written
    from evaluation.generation.metrics import freezing
    from evaluation.generation.submitted import SubmittedOutputs
    from evaluation.generation.task import TASK
    from evaluation.models import Epoch, Submission
    from evaluation.scoring import estimation
    from kbpo.accounts.models import Team, User

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
    freezing.freeze(epoch=epoch)  # of nothing: no judgement was published before it
    shared, liked = texts(outputs), rng.normal(size=outputs)
    took: dict[str, list[float]] = {"storing": [], "sampling": []}
    for number in range(WORKERS):
        User.objects.create_user(f"worker{number}@example.org")

    def submit_file(number: int) -> None:
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
        handed = SubmittedOutputs(list(zip(ids, own, strict=True)))
        begun = time.process_time()
        written.store_predictions(submission, handed)
        took["storing"].append(time.process_time() - begun)
        quality = liked + rng.normal(size=outputs)
        _store_metrics(submission, quality, rng)
        begun = time.process_time()
        assert sampling.sample_submission(task=TASK, submission_id=submission.pk)
        took["sampling"].append(time.process_time() - begun)

    for number in range(EARLIER):
        submit_file(systems + number)
    _judge()
    batches.close_batches(epoch=epoch)
    Epoch.objects.update(scores_due=True)
    assert estimation.score_epoch(task=TASK, epoch_id=epoch.pk)
    assert estimation.score_subsets(task=TASK, epoch_id=epoch.pk)
    epochs.release(corpus=corpus, task=TASK)
    begun = time.process_time()
    frozen = freezing.freeze(epoch=epochs.open_epoch(corpus=corpus, task=TASK))
    freezing_took = time.process_time() - begun
    assert frozen.coefficients, "too little was learnt from for a house metric"
    for each in took.values():
        each.clear()
    for number in range(systems):
        submit_file(number)
        if number in (0, 10):
            with connection.cursor() as cursor:  # as autovacuum does while weeks go by
                cursor.execute("ANALYZE")
    settling = _judge()
    return {
        "making it, s": time.perf_counter() - began,
        **{f"{name} a system, CPU s of Python": statistics.mean(each) for name, each in took.items()},
        "outputs that the house metric is learnt from": frozen.outputs,
        "learning and freezing the house metric, CPU s of Python": freezing_took,
        "settling all questions, CPU s of Python": settling,
    }


def _store_metrics(submission: Any, quality: Any, rng: Any) -> None:
    """Store metrics that go with a hidden quality."""
    from evaluation.generation.metrics import stored
    from evaluation.generation.metrics.registry import METRICS as BUILT_IN
    from evaluation.generation.metrics.registry import Needs

    built_in = [one for one in BUILT_IN.values() if one.needs in (Needs.NOTHING, Needs.REFERENCES)]
    names = [(one.name, one.version) for one in built_in]
    names += [(f"ours-{number}", 1) for number in range(METRICS - len(names))]
    for name, version in names:
        values = quality * rng.uniform(0, 0.5) + rng.normal(size=quality.size)
        stored.store(
            submission=submission, name=name, values=values, version=version, uploaded=name not in BUILT_IN
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
    ON worker.place = (question.id * 7 + turn * 11) % {workers}
WHERE question.state = 'open';
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
    from evaluation.design import batches
    from evaluation.generation.metrics import freezing
    from evaluation.generation.task import TASK
    from evaluation.models import Epoch, SampledUnit, Submission
    from evaluation.registry import task_of
    from evaluation.scoring import estimation, leaderboard

    get_resolver().url_patterns  # noqa: B018 - as in a worker that has written mail before
    epoch, corpus = Epoch.objects.get(released_at=None), Corpus.objects.get()
    house = freezing.frozen_of(epoch)
    assert house is not None
    batches.close_batches(epoch=epoch)
    Epoch.objects.filter(pk=epoch.pk).update(scores_due=True)
    task, timed = task_of(corpus), apart.Stages()
    assert task.name == TASK.name

    assert timed("scoring", partial(estimation.score_epoch, task=task, epoch_id=epoch.pk))
    rows = timed("the board's rows", lambda: leaderboard.rows(corpus, task.choices))
    assert all(row.rank is not None for row in rows), "not every system is ranked"
    assert timed("scoring subsets", partial(estimation.score_subsets, task=task, epoch_id=epoch.pk))
    took = timed.took
    took["end to end, s"] = took["scoring, s"] + took["the board's rows, s"]
    took["end to end, CPU s"] = took["scoring, CPU s"] + took["the board's rows, CPU s"]
    client = Client(HTTP_HOST="localhost")
    first, second = Submission.objects.order_by("pk")[:2]
    pages = {
        "the board": f"/corpora/{TAG}/",
        "the board by edits, for other people": f"/corpora/{TAG}/?part=edit&standard=crowd",
        "what metrics are worth": f"/corpora/{TAG}/metrics/",
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
        "measures with a house metric": len(house.measures),
        **apart.stored(),
    }


def _seconds(client: Any, address: str) -> tuple[float, float]:
    from research.benchmarks import pool

    begun = pool.now()
    client.get(address)
    clock, python, postgres = (after - before for after, before in zip(pool.now(), begun, strict=True))
    return clock, python + postgres


if __name__ == "__main__":
    apart.main(make, measure)
