"""Outputs and metrics are read in a process of their own, and come back as they were."""

import gzip
import io
import json
from pathlib import Path

import pytest

from evaluation.generation.submitted import READER, SubmittedOutputs
from evaluation.kbp.files.reading import READER as OTHER
from evaluation.reading import isolated
from evaluation.reading.text_file import write_texts
from kbpo.core.errors import InvalidInput

OUTPUTS = '{"input_id": "D2", "output": "\u2583 said\\n<b>"}\n{"input_id": "D1", "output": ""}\n'
METRICS = "input_id\tsim\tmeteor\nD1\t0.1\t-3e-100\nD2\t2\t7\n"


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("texts") / "corpus.sqlite"
    write_texts(path, [("D1", "One.", [0]), ("D2", "Two.", [0])])
    return path


def outcome(texts: Path, **attachments: bytes) -> isolated.Outcome:
    beside = {name: io.BytesIO(data) for name, data in attachments.items()}
    return isolated.read(
        io.BytesIO(OUTPUTS.encode()), reader=READER, format="jsonl", texts=texts, attachments=beside
    )


def test_what_was_submitted_comes_back_in_its_order(texts: Path) -> None:
    found = outcome(texts, metrics=gzip.compress(METRICS.encode()))
    assert found.accepted
    assert isinstance(found.predictions, SubmittedOutputs)
    assert found.predictions.outputs == [("D2", "\u2583 said\n<b>"), ("D1", "")]
    assert {name: list(values) for name, values in found.predictions.metrics.items()} == {
        "sim": [2.0, 0.1],
        "meteor": [7.0, -3e-100],
    }


def test_a_fault_in_the_second_file_refuses_both_and_says_where_it_is(texts: Path) -> None:
    found = outcome(texts, metrics=METRICS.replace("0.1", "x").encode())
    assert not found.accepted
    assert len(found.predictions) == 0
    assert [(one.code, one.attachment, one.line) for one in found.problems if one.severity == "ERROR"] == [
        ("METRIC_NOT_A_NUMBER", "metrics", 2)
    ]


def test_what_is_written_anew_has_the_outputs(texts: Path) -> None:
    to = io.BytesIO()
    isolated.normalise(io.BytesIO(OUTPUTS.encode()), to, reader=READER, format="jsonl", texts=texts)
    lines = gzip.decompress(to.getvalue()).decode().splitlines()
    assert [json.loads(line) for line in lines] == [json.loads(line) for line in OUTPUTS.splitlines()]


def test_a_second_file_that_the_task_does_not_know_is_refused(texts: Path) -> None:
    with pytest.raises(InvalidInput, match="take metrics alone"):
        READER.check_attachments(["notes"])


def test_a_task_that_knows_no_second_file_says_so() -> None:
    with pytest.raises(InvalidInput, match="take no second file"):
        OTHER.check_attachments(["metrics"])
