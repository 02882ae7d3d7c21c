"""Archives as files: what is written is read, and what is no archive is refused."""

import io
import json
import zipfile

import numpy as np
import pytest

from kbpo_archive.errors import BadArchive
from kbpo_archive.reading import NOTHING, Archive
from kbpo_archive.tables import FORMAT, TABLES
from kbpo_archive.training.schema import SETS
from kbpo_archive.writing import Writer
from tests.conftest import ROOT


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "archive.zip"
    path.write_bytes(written())
    return path


def written():
    stream = io.BytesIO()
    writer = Writer(stream)
    rows = [(0, 'a "b", c\nd', 0.1 + 0.2, None, True), (1, "", None, 7, False)]
    writer.add_table("units", rows, ("unit", "key", "pi", "question", "sampled"))
    writer.add("README.md", [b"what it is\n"])
    writer.finish({"format": FORMAT, "task": "kbp"})
    return stream.getvalue()


def test_what_is_written_is_read_with_all_digits(path):
    with Archive(path) as archive:
        units = archive.table("units")
        assert archive.check() == 2
    assert units["unit"].tolist() == [0, 1]
    assert units["key"] == ['a "b", c\nd', ""]
    assert units["pi"][0] == 0.1 + 0.2
    assert np.isnan(units["pi"][1])
    assert units["question"].tolist() == [NOTHING, 7]
    assert units["sampled"].tolist() == [True, False]


def test_the_same_contents_are_the_same_bytes():
    assert written() == written()


@pytest.mark.parametrize("content", [b"", b"PK", b"no archive"])
def test_what_is_no_archive_is_refused(tmp_path, content):
    path = tmp_path / "none.zip"
    path.write_bytes(content)
    with pytest.raises(BadArchive, match="no archive"):
        Archive(path)


def test_another_format_is_refused_with_what_would_be_right(tmp_path):
    path = tmp_path / "later.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", json.dumps({"format": FORMAT + 1, "files": {}}))
    with pytest.raises(BadArchive, match="another of the client"):
        Archive(path)


def test_a_file_that_is_not_there_is_named(path):
    with Archive(path) as archive, pytest.raises(BadArchive, match=r"has no labels\.csv"):
        archive.table("labels")


def test_the_docs_say_every_column_of_every_table():
    said = (ROOT / "docs" / "archive.md").read_text(encoding="utf-8")
    for table in TABLES.values():
        _, _, section = said.partition(f"\n### {table.file}\n")
        section = section.partition("\n### ")[0]
        rows = [f"| `{one.name}` | {one.kind} | {one.words} |" for one in table.columns]
        assert [line for line in section.splitlines() if line.startswith("| `")] == rows


def test_the_documentation_has_every_set_of_training_data_and_every_field():
    said = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    for one in SETS.values():
        section = said.partition(f"\n### {one.name}\n")[2].partition("\n### ")[0]
        rows = [
            f"| `{field}` | {kind} | {words} |"
            for outer in one.fields
            for field, kind, words in [
                (outer.name, outer.kind, outer.words),
                *((f"{outer.name}[].{inner.name}", inner.kind, inner.words) for inner in outer.fields),
            ]
        ]
        assert section.strip().startswith(one.words)
        assert [line for line in section.splitlines() if line.startswith("| `")] == rows
