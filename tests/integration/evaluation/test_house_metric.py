"""The house metric is learnt from what was published before an epoch opened, and frozen before samples."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command

from annotations.models import Corpus, Label
from evaluation.design import audit
from evaluation.generation import house
from evaluation.generation.metrics import freezing
from evaluation.generation.task import TASK
from evaluation.models import Epoch, HouseMetric, Submission
from kbpo import pipeline

pytestmark = pytest.mark.django_db

INPUTS = 30


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.fixture
def submission(tmp_path: Path) -> Submission:
    """Judgements come in that grow with the length of what was written; then a system is submitted."""
    inputs = write(tmp_path / "inputs.jsonl", [{"input_id": f"I{n:02}"} for n in range(INPUTS)])
    call_command("load_corpus", inputs, corpus="notes", task="generation", prompt="quality", verbosity=0)
    outputs = write(
        tmp_path / "outputs.one.jsonl",
        [{"input_id": f"I{n:02}", "output": f"Ferry {n}{' sails' * (n % 3)}."} for n in range(INPUTS)],
    )
    said = {"systems": ["one"], "worker": 1, "seconds": 40, "grammar": 1, "redundancy": 0, "hter": 0.25}
    judgements = write(
        tmp_path / "judgements.jsonl",
        [{"input_id": f"I{n:02}", "overall": n % 3 - 1, "edit": "Better.", **said} for n in range(INPUTS)],
    )
    out = io.StringIO()
    call_command("import_judgements", judgements, corpus="notes", outputs=[outputs], stdout=out)
    call_command("submit", outputs, corpus="notes", team="ours", name="ours", stdout=out)
    pipeline.validate_submissions()
    return Submission.objects.get()


def test_it_foretells_what_people_said_of_others(
    submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house, "FEW", 20)
    assert pipeline.sample_submissions() == 0
    pipeline.prepare_submissions()
    frozen = HouseMetric.objects.get()
    assert (frozen.epoch.number, frozen.outputs, frozen.learnt_from) == (2, INPUTS, [1])
    (found,) = freezing.read(frozen.epoch, [submission])
    assert np.corrcoef(found["overall"], [n % 3 for n in range(INPUTS)])[0, 1] > 0.99
    assert pipeline.sample_submissions() == 1


def test_what_is_frozen_rests_on_nothing_that_was_published_later(
    submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house, "FEW", 20)
    epoch = Epoch.objects.get(number=2)
    Label.objects.update(value=0.5)
    first = freezing.freeze(epoch=epoch)
    Label.objects.update(value=-0.5)
    assert freezing.freeze(epoch=epoch).digest == first.digest
    assert not any("house metric" in one for one in audit.audit_corpus(Corpus.objects.get(), TASK))
    HouseMetric.objects.update(coefficients=first.coefficients + " ")
    assert any("house metric" in one for one in audit.audit_corpus(Corpus.objects.get(), TASK))


def test_too_few_judgements_teach_nothing(submission: Submission) -> None:
    pipeline.prepare_submissions()
    frozen = HouseMetric.objects.get()
    assert (frozen.coefficients, frozen.outputs) == ("", INPUTS)
    assert freezing.read(frozen.epoch, [submission]) == [{}]
