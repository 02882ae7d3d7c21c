"""A file is checked without the service, and every fault of what it is checked against is told."""

import gzip
import json

import pytest

from kbpo_client import WrongUsage, validate
from kbpo_formats.errors import InvalidInput
from kbpo_formats.ontologies.builtin import read_builtin
from kbpo_formats.ontologies.normal import write_normal

TEXT = "Ada Quill founded Quill Press."
RIGHT = {
    "doc_id": "A",
    "predicate": "org:founded_by",
    "subject": {"start": 18, "end": 29, "type": "ORG"},
    "object": {"start": 0, "end": 9, "type": "PER"},
}


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "news"
    folder.mkdir()
    (folder / "corpus.json").write_text(json.dumps({"tag": "news", "task": "kbp"}))
    (folder / "ontology.json").write_text(write_normal(read_builtin("tac-kbp@1")))
    with gzip.open(folder / "corpus.jsonl.gz", "wt") as lines:
        for doc_id, text, sentences in (("A", TEXT, [0]), ("C", "Ada Quill founded Q. Press.", [0, 21])):
            lines.write(json.dumps({"doc_id": doc_id, "text": text, "sentences": sentences}) + "\n")
    return folder


def write(folder, *lines):
    path = folder / "system.jsonl"
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return path


def test_a_right_file_is_accepted(data, tmp_path):
    found = validate(write(tmp_path, RIGHT), data=data)
    assert (found.accepted, found.problems) == (True, [])


def test_a_wrong_one_has_its_faults_by_line_and_column(data, tmp_path):
    found = validate(write(tmp_path, RIGHT, {**RIGHT, "doc_id": "B"}), data=data)
    assert not found.accepted
    assert [(one["line"], one["severity"]) for one in found.problems] == [(2, "ERROR")]
    assert found.problems[0]["column"]


def test_a_mention_that_goes_on_into_another_sentence_is_warned_of(data, tmp_path):
    line = {**RIGHT, "doc_id": "C", "subject": {"start": 18, "end": 26, "type": "ORG"}}
    found = validate(write(tmp_path, line), data=data)
    assert [one["code"] for one in found.problems] == ["LONG_MENTION"]
    assert "goes on into another sentence" in found.problems[0]["message"]


def test_classes_are_checked_too(data, tmp_path):
    (data / "corpus.json").write_text(json.dumps({"tag": "letters", "task": "classification"}))
    (data / "classes.json").write_text(json.dumps({"classes": [{"name": "good"}, {"name": "bad"}]}))
    line = {"doc_id": "A", "label": "good", "confidence": 0.5}
    other = {**line, "doc_id": "C"}
    assert validate(write(tmp_path, line, other), data=data).accepted
    assert not validate(write(tmp_path, {**line, "label": "none such"}, other), data=data).accepted


@pytest.mark.parametrize("name", ["corpus.json", "ontology.json", "corpus.jsonl.gz"])
def test_what_is_missing_is_named(data, tmp_path, name):
    (data / name).unlink()
    with pytest.raises(WrongUsage, match=name):
        validate(write(tmp_path, RIGHT), data=data)


@pytest.mark.parametrize("name", ["corpus.json", "corpus.jsonl.gz"])
def test_what_is_damaged_is_named(data, tmp_path, name):
    (data / name).write_bytes(b"[1")
    with pytest.raises(WrongUsage, match=f"{name} is damaged"):
        validate(write(tmp_path, RIGHT), data=data)


def test_a_task_that_is_newer_than_the_client_is_not_checked(data, tmp_path):
    (data / "corpus.json").write_text(json.dumps({"task": "poetry"}))
    with pytest.raises(WrongUsage, match="update"):
        validate(write(tmp_path, RIGHT), data=data)


def test_a_format_that_is_none_is_refused(data, tmp_path):
    with pytest.raises(InvalidInput, match="format"):
        validate(write(tmp_path, RIGHT), data=data, format="xml")


def test_a_file_that_is_not_there_is_named(data, tmp_path):
    with pytest.raises(WrongUsage, match="nothing"):
        validate(tmp_path / "nothing.jsonl", data=data)
