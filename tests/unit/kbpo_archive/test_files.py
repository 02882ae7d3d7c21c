"""Archives as files: what is written is read, and what is no archive is refused."""

import hashlib
import io
import json
import zipfile

import numpy as np
import pytest

from kbpo_archive.errors import BadArchive
from kbpo_archive.reading import LARGE, NOTHING, Archive
from kbpo_archive.tables import FORMAT, TABLES
from kbpo_archive.training.schema import SETS
from kbpo_archive.writing import Writer
from kbpo_client.command import main
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


@pytest.mark.parametrize(("format", "right"), [(1, "newest edition"), (FORMAT + 1, "newer client")])
def test_another_format_is_refused_with_what_would_be_right(tmp_path, format, right):
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", json.dumps({"format": format, "files": {}}))
    with pytest.raises(BadArchive, match=right):
        Archive(path)


def packed(path, **files):
    """Write a ZIP file with a manifest that says of each file what is right."""
    listed = {
        name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in files.items()
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
        archive.writestr("manifest.json", json.dumps({"format": FORMAT, "task": "kbp", "files": listed}))
    return path


def test_a_file_that_unpacks_to_far_more_than_it_takes_is_refused_before_it_is_read(tmp_path):
    bomb = packed(tmp_path / "bomb.zip", **{"units.csv": b"unit\n" + b"0" * (LARGE + 1)})
    assert bomb.stat().st_size < LARGE / 500
    with Archive(bomb) as archive, pytest.raises(BadArchive, match="no table packs like that"):
        archive.table("units")


@pytest.mark.parametrize(
    "table", [b"unit\n1,2\n", b"unit\nx\n", b"\xff\xfe", b"unit\n99999999999999999999\n"]
)
def test_a_table_whose_cells_are_none_of_its_columns_is_refused(tmp_path, table):
    path = packed(tmp_path / "wrong.zip", **{"units.csv": table})
    with Archive(path) as archive, pytest.raises(BadArchive, match=r"units\.csv: "):
        archive.table("units")


@pytest.mark.parametrize("manifest", [b"[]", b"{}", b"null", b"[" * 100_000, b"\xff"])
def test_a_manifest_that_is_none_is_refused(tmp_path, manifest):
    path = tmp_path / "none.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", manifest)
    with pytest.raises(BadArchive, match="is no archive"):
        Archive(path)


def test_half_of_an_archive_is_refused(tmp_path, path):
    half = tmp_path / "half.zip"
    half.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(BadArchive, match="is no archive"):
        Archive(half)


def test_a_byte_that_is_another_is_found(tmp_path, path):
    content = bytearray(path.read_bytes())
    content[60] ^= 0xFF  # within the first file
    path.write_bytes(bytes(content))
    with Archive(path) as archive, pytest.raises(BadArchive, match=r"damaged|SHA-256"):
        archive.check()


@pytest.mark.parametrize("command", [("recompute",), ("training",)])
@pytest.mark.parametrize("kind", ["half", "nonsense", "earlier", "later", "names"])
def test_the_client_says_what_is_wrong_in_one_line_and_writes_nothing(tmp_path, path, command, kind, capsys):
    given = tmp_path / "given.zip"
    if kind == "half":
        given.write_bytes(path.read_bytes()[:80])
    elif kind in ("earlier", "later"):
        format = 1 if kind == "earlier" else FORMAT + 1
        with zipfile.ZipFile(given, "w") as archive:
            archive.writestr("manifest.json", json.dumps({"format": format, "files": {}}))
    elif kind == "names":
        packed(given, **{"../../outside.csv": b"x\n", "systems.csv": b"system,name\n1,a\n"})
    else:
        packed(given, **{"systems.csv": b"system,name\n1,a\n", "units.csv": b"unit\n0\n"})
    out = tmp_path / "out"
    rest = [str(out)] if command == ("training",) else []
    assert main([*command, str(given), *rest]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("kbpo: ")
    assert said.err.count("\n") == 1
    assert not out.exists()
    assert {one.name for one in tmp_path.iterdir()} == {"archive.zip", "given.zip"}


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
