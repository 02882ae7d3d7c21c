"""What systems write, as stages that are killed: files read, metrics computed, judgements, scores."""

import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import connection

from annotations.models import Corpus, Label, Response
from evaluation.generation import house
from evaluation.models import (
    Epoch,
    Estimate,
    HouseMetric,
    JudgedVariance,
    MetricColumn,
    MetricWorth,
    Output,
    SampleBatch,
    StageWork,
    Submission,
    SubsetScore,
)
from evaluation.submissions import work
from kbpo import pipeline
from kbpo.core.commands import prepare_database
from tests.kills.stage import Stage

INPUTS = 12
KNOWN = house.FEW  # inputs of a data set of which enough is judged for a house metric
ALL = {"judgements": 2 * INPUTS, "labels": 5 * INPUTS, "epochs": [True, False]}
NOTHING = {"judgements": 0, "labels": 0, "epochs": [False]}
UPLOADED = ("ours", "theirs")


def stages(folder: Path) -> dict[str, Stage]:
    """Return the stages by name."""
    work.ATTEMPTS = 1_000  # tries that were killed count too
    return {
        "validate_submissions": Stage(
            pipeline.validate_submissions,
            (
                "evaluation/submissions/submitting.py",
                "evaluation/generation/outputs.py",
                "evaluation/generation/submitted.py",
                "evaluation/generation/metrics/stored.py",
            ),
            lambda: load(folder),
            lambda: submit_file(folder),
            look_at_submissions,
            report_submissions,
        ),
        "prepare_submissions": Stage(
            pipeline.prepare_submissions,
            (
                "evaluation/submissions/preparing.py",
                "evaluation/generation/metrics/preparing.py",
                "evaluation/generation/metrics/computing.py",
                "evaluation/generation/metrics/freezing.py",
                "evaluation/generation/metrics/stored.py",
            ),
            lambda: accept_new(folder),
            forget_metrics,
            look_at_metrics,
            report_metrics,
        ),
        "import_judgements": Stage(
            lambda: bring_in(folder),
            (
                "evaluation/generation/importing.py",
                "evaluation/generation/recorded.py",
                "evaluation/design/recorded.py",
                "annotations/questions.py",
                "annotations/responses.py",
                "annotations/labels.py",
            ),
            lambda: write(folder),
            lambda: one_without_judgements(folder),
            look_at_judgements,
            report_judgements,
        ),
        "score_epochs": Stage(
            pipeline.score_epochs,
            (
                "evaluation/scoring/estimation.py",
                "evaluation/generation/candidates.py",
                "evaluation/generation/scoring.py",
            ),
            lambda: judge(folder),
            have_scored,
            lambda: look_at_rows(folder, "scores", _scores()),
            lambda: report_rows(pipeline.score_epochs, _scores),
        ),
        "score_subsets": Stage(
            pipeline.score_subsets,
            (
                "evaluation/scoring/estimation.py",
                "evaluation/generation/scoring.py",
                "evaluation/generation/metrics/worths.py",
            ),
            lambda: score(folder),
            have_subsets_scored,
            lambda: look_at_rows(folder, "subsets", _of_subsets()),
            lambda: report_rows(pipeline.score_subsets, _of_subsets),
        ),
    }


def write(folder: Path, inputs: int = INPUTS) -> None:
    """Write inputs, outputs, metrics and judgements, for an empty database."""
    prepare_database()
    ids = [f"I{number:02}" for number in range(inputs)]
    _lines(folder / "inputs.jsonl", [{"input_id": one, "references": ["The ferry sails."]} for one in ids])
    _lines(
        folder / "outputs.one.jsonl",
        [
            {"input_id": one, "output": f"The ferry {one} sails{' again' * (number % 4)} at noon."}
            for number, one in enumerate(ids)
        ],
    )
    rows = [f"{one}\t{number}\t{-number}" for number, one in enumerate(ids)]
    (folder / "metrics.tsv").write_text("\n".join(["\t".join(("input_id", *UPLOADED)), *rows]) + "\n")
    _lines(
        folder / "judgements.jsonl",
        [
            {
                "input_id": one,
                "systems": ["one"],
                "worker": worker,
                "seconds": 40,
                "overall": (number + worker) % 3 - 1,
                "grammar": 1,
                "redundancy": 0,
                "hter": 0.25,
                "edit": "Better.",
            }
            for number, one in enumerate(ids)
            for worker in (number % 5, 5 + number % 3)
        ],
    )


def _lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def load(folder: Path, tag: str = "notes") -> None:
    """Load a data set."""
    if not (folder / "inputs.jsonl").exists():
        write(folder)
    given = {"corpus": tag, "task": "generation", "prompt": "quality", "verbosity": 0}
    call_command("load_corpus", str(folder / "inputs.jsonl"), **given)
    Corpus.objects.update(weekly_quota=10_000)


def submit_file(folder: Path) -> None:
    """Submit outputs with metrics, unless some are there that nobody has read."""
    if Submission.objects.filter(state="uploaded").exists():
        return
    call_command(
        "submit",
        str(folder / "outputs.one.jsonl"),
        corpus="notes",
        team="ours",
        name=f"system {Submission.objects.count()}",
        metrics=folder / "metrics.tsv",
        stdout=io.StringIO(),
    )


def look_at_submissions() -> None:
    """A submission is read, with all of both files, or nothing is stored of it."""
    for submission in Submission.objects.all():
        outputs, columns = _stored(submission)
        whole = INPUTS, sorted(UPLOADED)
        assert (outputs, columns) == (whole if submission.state == "accepted" else (0, [])), submission.state


def _stored(submission: Submission) -> tuple[int, list[str]]:
    columns = MetricColumn.objects.filter(submission=submission, is_uploaded=True)
    return Output.objects.filter(submission=submission).count(), sorted(
        columns.values_list("name", flat=True)
    )


def report_submissions() -> Any:
    """Return how many were read, and what differs between them."""
    found = {json.dumps(_stored(one)) for one in Submission.objects.filter(state="accepted")}
    return {
        "submissions": Submission.objects.count(),
        "different": [json.loads(one) for one in sorted(found)],
    }


def accept(folder: Path) -> None:
    """Have a submission that waits for its metrics."""
    submit_file(folder)
    assert pipeline.validate_submissions() == 1


def accept_new(folder: Path) -> None:
    """Have a submission that waits for its metrics; nobody has said anything of what it wrote."""
    load(folder)
    accept(folder)


def accept_known(folder: Path) -> None:
    """Have a submission that waits for its metrics; what people say of all that it wrote was published."""
    write(folder, KNOWN)
    load(folder)
    bring_in(folder)
    accept(folder)


def forget_metrics() -> None:
    """Have the metrics computed again where all were."""
    if not pipeline.task_of(Corpus.objects.get()).is_prepared(Submission.objects.get()):
        return
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM evaluation_metriccolumn WHERE NOT is_uploaded")
    HouseMetric.objects.all().delete()
    StageWork.objects.all().delete()


def look_at_metrics() -> None:
    """Columns are whole, and those of one step stand together."""
    from evaluation.generation.metrics import preparing, stored

    submission = Submission.objects.get()
    assert stored.audit(submission.corpus) == []
    missing = len(preparing.left(submission))
    assert (len(preparing.computable(submission)) - missing) % preparing.STEP == 0 or not missing


def report_metrics() -> Any:
    """Return the columns as they are, and as they are where nobody is killed; and have the sample drawn."""
    killed, learnt = _columns(), _house()
    forget_metrics()
    assert pipeline.prepare_submissions() == 1
    found = {"killed": killed, "undisturbed": _columns(), "houses": [learnt, _house()]}
    pipeline.sample_submissions()
    return {**found, "sampled": SampleBatch.objects.count()}


def _columns() -> list[list[Any]]:
    rows = MetricColumn.objects.filter(is_uploaded=False).order_by("name")
    return [list(row) for row in rows.values_list("name", "version", "size", "missing", "digest")]


def _house() -> list[Any]:
    epoch = Epoch.objects.get(released_at=None)
    return list(HouseMetric.objects.values_list("digest", "outputs").get(epoch=epoch))


def judge(folder: Path) -> None:
    """Have a system whose scores are due."""
    accept_known(folder)
    for stage in (pipeline.prepare_submissions, pipeline.sample_submissions, pipeline.close_batches):
        assert stage() == 1
    assert Epoch.objects.get(released_at=None).scores_due


def score(folder: Path) -> None:
    """Have a system with scores, whose subsets are due."""
    judge(folder)
    assert pipeline.score_epochs() == 1


def have_scored() -> None:
    """Have the scores computed again."""
    Epoch.objects.filter(released_at=None).update(scores_due=True, scoring_not_before=None)


def have_subsets_scored() -> None:
    """Have the scores of subsets computed again, and what metrics are worth."""
    Epoch.objects.filter(released_at=None).update(subsets_due=True, scoring_not_before=None)


def _scores() -> list[Any]:
    keys = ("standard", "estimator", "part", "level", "rank", "labels", "counts")
    names = (*(f"score__{name}" for name in keys), "measure", "estimate", "low", "high")
    rows = Estimate.objects.order_by(*names[:4], "measure")
    return [*map(list, rows.values_list(*names)), Submission.objects.get().state]


def _of_subsets() -> list[Any]:
    subsets = SubsetScore.objects.order_by("division", "order", "part", "standard", "measure")
    variances = JudgedVariance.objects.order_by("measure", "submission", "is_published")
    worths = MetricWorth.objects.order_by("judged__measure", "judged__submission", "metric")
    return [
        *map(list, subsets.values_list("division", "name", "part", "measure", "estimate", "low", "high")),
        *map(list, variances.values_list("measure", "mean", "outputs", "judgements")),
        *map(list, worths.values_list("judged__measure", "metric", "rho", "efficiency")),
    ]


def look_at_rows(folder: Path, name: str, rows: list[Any]) -> None:
    """All rows are there as they were at first, or those that were there before any: nothing in between."""
    digest = hashlib.sha256(json.dumps(rows).encode()).hexdigest()
    path = folder / f"seen-{name}.json"
    seen = json.loads(path.read_text()) if path.exists() else []
    if digest not in seen:
        path.write_text(json.dumps([*seen, digest]))
    assert len(seen) <= 2, "a third state was seen"


def report_rows(act: Callable[[], int], read: Callable[[], list[Any]]) -> Any:
    """Return the rows as they are, and as they are once more where nobody is killed."""
    killed = read()
    have_scored() if act is pipeline.score_epochs else have_subsets_scored()
    assert act() == 1
    return {"killed": killed, "undisturbed": read()}


def one_without_judgements(folder: Path) -> None:
    """Have a data set to which nothing was brought."""
    number = Corpus.objects.count()
    if number == Epoch.objects.filter(released_at__isnull=False).count():
        load(folder, f"notes-{number}")


def bring_in(folder: Path) -> int:
    """Bring the judgements to the newest data set; return how many were not there."""
    corpus = Corpus.objects.latest("pk")
    outputs = [str(folder / "outputs.one.jsonl")]
    path = str(folder / "judgements.jsonl")
    before = Response.objects.count()
    call_command("import_judgements", path, corpus=corpus.tag, outputs=outputs, stdout=io.StringIO())
    return Response.objects.count() - before


def look_at_judgements() -> None:
    """All are there, or none."""
    for corpus in Corpus.objects.all():
        assert (found := _brought(corpus)) in (ALL, NOTHING), found


def _brought(corpus: Corpus) -> dict[str, Any]:
    epochs = Epoch.objects.filter(corpus=corpus).order_by("number").values_list("released_at", flat=True)
    return {
        "judgements": Response.objects.filter(question__document__corpus=corpus).count(),
        "labels": Label.objects.filter(question__document__corpus=corpus).count(),
        "epochs": [one is not None for one in epochs],
    }


def report_judgements() -> Any:
    """Return what came in last, and to how many data sets all came."""
    released = Epoch.objects.filter(released_at__isnull=False).count()
    return {"whole": released, "undisturbed": _brought(Corpus.objects.latest("pk"))}
