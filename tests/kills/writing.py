"""What systems write, as stages that are killed: two files read, metrics computed, judgements brought in."""

import io
import json
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import connection

from annotations.models import Corpus, Label, Response
from evaluation.models import Epoch, HouseMetric, MetricColumn, Output, SampleBatch, StageWork, Submission
from evaluation.submissions import work
from kbpo import pipeline
from kbpo.core.commands import prepare_database
from tests.kills.stage import Stage

INPUTS = 12
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
                "evaluation/generation/handed.py",
                "evaluation/generation/metrics/stored.py",
            ),
            lambda: load(folder),
            lambda: hand_in(folder),
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
            lambda: accept(folder),
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
    }


def write(folder: Path) -> None:
    """Write inputs, outputs, metrics and judgements, for an empty database."""
    prepare_database()
    ids = [f"I{number:02}" for number in range(INPUTS)]
    _lines(folder / "inputs.jsonl", [{"input_id": one, "references": ["The ferry sails."]} for one in ids])
    _lines(
        folder / "outputs.one.jsonl",
        [{"input_id": one, "output": f"The ferry {one} sails at noon."} for one in ids],
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


def hand_in(folder: Path) -> None:
    """Hand in outputs with metrics, unless some are there that nobody has read."""
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
    load(folder)
    hand_in(folder)
    assert pipeline.validate_submissions() == 1


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
    killed = _columns()
    forget_metrics()
    assert pipeline.prepare_submissions() == 1
    found = {"killed": killed, "undisturbed": _columns()}
    pipeline.sample_submissions()
    return {**found, "sampled": SampleBatch.objects.count()}


def _columns() -> list[list[Any]]:
    rows = MetricColumn.objects.filter(is_uploaded=False).order_by("name")
    return [list(row) for row in rows.values_list("name", "version", "size", "missing", "digest")]


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
