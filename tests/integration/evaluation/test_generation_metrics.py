"""Metrics of what systems wrote are computed before the sample is drawn, and stay what they are."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client

from annotations.models import Corpus
from evaluation.design import audit
from evaluation.generation.metrics import preparing, stored
from evaluation.generation.metrics.registry import METRICS, Needs
from evaluation.generation.task import TASK
from evaluation.models import MetricColumn, StageWork, Submission
from kbpo import pipeline
from kbpo.core.errors import Conflict, InvalidInput

pytestmark = pytest.mark.django_db

INPUTS = 12
Submit = Callable[..., Submission]


@pytest.fixture
def submit(tmp_path: Path) -> Submit:
    """Load a corpus, every third input of which has no reference, and submit outputs, which are read."""

    def submit(
        *,
        prompt: str = "quality",
        references: bool = True,
        metrics: dict[str, list[float]] | None = None,
        go_ahead: bool = True,
    ) -> Submission:
        inputs, outputs = tmp_path / "inputs.jsonl", tmp_path / "outputs.jsonl"
        rows: list[dict[str, Any]] = []
        for n in range(INPUTS):
            row: dict[str, Any] = {"input_id": f"I{n:02}"}
            if references and n % 3:
                row["references"] = [f"Ferry {n} sails.", f"It sails, ferry {n}."]
            if prompt == "answer":
                row |= {"question": f"When does ferry {n} sail?", "passages": [{"text": f"It sails at {n}."}]}
            rows.append(row)
        inputs.write_text("".join(json.dumps(row) + "\n" for row in rows))
        written = [
            {"input_id": f"I{n:02}", "output": f"It sails at {n}. It sails at {n}."} for n in range(INPUTS)
        ]
        outputs.write_text("".join(json.dumps(row) + "\n" for row in reversed(written)))
        call_command(
            "load_corpus", str(inputs), corpus="notes", task="generation", prompt=prompt, verbosity=0
        )
        options: dict[str, Any] = {}
        if metrics is not None:
            table = tmp_path / "metrics.tsv"
            lines = ["\t".join(("input_id", *metrics))]
            lines += [
                "\t".join((f"I{n:02}", *(str(column[n]) for column in metrics.values())))
                for n in range(INPUTS)
            ]
            table.write_text("\n".join(lines) + "\n")
            options["metrics"] = table
        call_command(
            "submit", str(outputs), corpus="notes", team="ours", name="ours", stdout=io.StringIO(), **options
        )
        if not go_ahead:
            Submission.objects.update(go_ahead=False)
        pipeline.validate_submissions()
        return Submission.objects.get()

    return submit


def test_a_sample_waits_for_the_metrics(submit: Submit, client: Client) -> None:
    submission = submit()
    assert pipeline.sample_submissions() == 0
    preparing.step(submission)
    assert "4 of 14 metrics computed" in client.get(submission.get_absolute_url()).content.decode()
    assert pipeline.sample_submissions() == 0
    assert pipeline.prepare_submissions() == 1
    assert pipeline.prepare_submissions() == 0
    assert pipeline.sample_submissions() == 1
    assert set(stored.names_of(submission)) == {
        name for name, metric in METRICS.items() if metric.needs in (Needs.NOTHING, Needs.REFERENCES)
    }


def test_values_stand_in_the_order_of_the_file_and_gaps_have_the_mean(submit: Submit) -> None:
    submission = submit()
    pipeline.prepare_submissions()
    (found,) = stored.read_columns([submission], ["rouge-1", "length"])
    assert found["length"].values.tolist() == [8.0] * INPUTS
    is_missing = [not n % 3 for n in reversed(range(INPUTS))]
    assert found["rouge-1"].missing.tolist() == is_missing
    values = found["rouge-1"].values
    assert values[is_missing] == pytest.approx(values[~np.array(is_missing)].mean())
    assert MetricColumn.objects.get(name="rouge-1").missing == 4


def test_metrics_are_absent_where_nothing_is_to_compare_with(submit: Submit) -> None:
    submission = submit(references=False)
    pipeline.prepare_submissions()
    assert {METRICS[name].needs for name in stored.names_of(submission)} == {Needs.NOTHING}


def test_answers_have_the_metrics_of_questions_and_passages(submit: Submit) -> None:
    submission = submit(prompt="answer", references=False)
    pipeline.prepare_submissions()
    (found,) = stored.read([submission], ["question-overlap", "passage-overlap"])
    assert found["passage-overlap"].tolist() == [1.0] * INPUTS
    assert 0 < found["question-overlap"].max() < 1


def test_what_is_computed_is_not_computed_again_after_a_step_that_failed(
    submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = submit()
    steps, compute = [], preparing.compute

    def fail_once(texts: Any, metrics: Any) -> Any:
        steps.append([metric.name for metric in metrics])
        if len(steps) == 2:
            raise MemoryError
        return compute(texts, metrics)

    monkeypatch.setattr(preparing, "compute", fail_once)
    pipeline.prepare_submissions()
    assert MetricColumn.objects.count() == preparing.STEP
    StageWork.objects.update(not_before=None)
    pipeline.prepare_submissions()
    assert steps[1] == steps[2]  # nothing of the first step is done again
    assert TASK.is_prepared(submission)


def test_what_was_cancelled_meanwhile_is_left_alone(submit: Submit, monkeypatch: pytest.MonkeyPatch) -> None:
    submission, compute = submit(), preparing.compute

    def cancel(texts: Any, metrics: Any) -> Any:
        Submission.objects.update(state=Submission.State.CANCELLED)
        return compute(texts, metrics)

    monkeypatch.setattr(preparing, "compute", cancel)
    assert pipeline.prepare_submissions() == 0
    assert not MetricColumn.objects.exists()
    assert submission.metric_columns.count() == 0


def test_metrics_that_come_with_the_outputs_are_stored_with_them(submit: Submit) -> None:
    submission = submit(metrics={"judge": [float(n) for n in range(INPUTS)]})
    column = MetricColumn.objects.get()
    assert (column.name, column.is_uploaded, column.submission) == ("judge", True, submission)
    (found,) = stored.read([submission], ["judge"])
    assert found["judge"].tolist() == [float(n) for n in reversed(range(INPUTS))]


def test_nothing_is_stored_twice_or_after_the_sample_or_with_gaps(submit: Submit) -> None:
    submission = submit()
    with pytest.raises(InvalidInput, match="one each is needed"):
        stored.store(submission=submission, name="judge", values=[1.0], uploaded=True)
    with pytest.raises(InvalidInput, match="output 2 is not a finite number"):
        stored.store(submission=submission, name="judge", values=[1.0, float("nan"), *[0.0] * (INPUTS - 2)])
    stored.store(submission=submission, name="judge", values=[1.0] * INPUTS, uploaded=True)
    with pytest.raises(Conflict, match="is there already"):
        stored.store(submission=submission, name="judge", values=[2.0] * INPUTS, uploaded=True)
    pipeline.advance()
    with pytest.raises(Conflict, match="is drawn: its metrics stay"):
        stored.store(submission=submission, name="late", values=[1.0] * INPUTS, uploaded=True)


@pytest.mark.slow
def test_an_audit_says_which_column_was_changed(submit: Submit) -> None:
    submit()
    pipeline.advance()
    corpus = Corpus.objects.get(tag="notes")
    assert not audit.audit_corpus(corpus, TASK)
    column = MetricColumn.objects.get(name="chrf")
    MetricColumn.objects.filter(pk=column.pk).update(data=bytes(column.data)[:-1] + b"\1")
    assert [one for one in audit.audit_corpus(corpus, TASK) if "chrf of" in one]


def test_a_newer_version_stands_beside_the_older(submit: Submit) -> None:
    submission = submit()
    for version in (1, 2):
        stored.store(submission=submission, name="length", version=version, values=[float(version)] * INPUTS)
    (found,) = stored.read([submission], ["length"])
    assert found["length"].tolist() == [2.0] * INPUTS
