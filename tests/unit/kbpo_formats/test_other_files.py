"""A file that is no such file as is read is recognised, in one line that says what would be right."""

import gzip
import io
import json
import tarfile
import zipfile

import pytest

from kbpo_formats.corpus import Texts
from kbpo_formats.generation.problems import CODES as OF_OUTPUTS
from kbpo_formats.kbp.problems import CODES as OF_KB
from kbpo_formats.lines import numbered_lines
from kbpo_formats.ontologies.builtin import DEFAULT, read_builtin
from kbpo_formats.ontologies.normal import write_normal
from kbpo_formats.problems import Problem, ProblemLog
from kbpo_formats.reading import check

CLAIM = {"doc_id": "D1", "predicate": "per:title"}
TAC = 'run1\n:A\ttype\tPER\n:A\tmention\t"Ann"\tD1:0-2\n'


def packed(*names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return file.getvalue()


def tar() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("system.kb"))
    return file.getvalue()


def found(data: bytes, format: str) -> list[Problem]:
    log = ProblemLog(OF_OUTPUTS if format == "tsv" else OF_KB, format)
    list(numbered_lines(io.BytesIO(data), log))
    return list(log.by_line())


LINE = json.dumps(CLAIM)
OTHERS: dict[str, tuple[str, bytes, str, str]] = {
    "JSON array over lines": ("jsonl", f"[\n{LINE},\n{LINE}\n]\n".encode(), "JSON array", "jq -c '.[]'"),
    "JSON array in one line": ("jsonl", json.dumps([CLAIM] * 3).encode(), "JSON array", "jq -c '.[]'"),
    "JSON array that is long": ("jsonl", json.dumps([CLAIM] * 9000).encode(), "JSON array", "jq -c '.[]'"),
    "JSON over lines": ("jsonl", json.dumps(CLAIM, indent=2).encode() * 9, "several lines", "jq -c ."),
    "an object with a list": ("jsonl", json.dumps({"claims": [CLAIM]}).encode(), "'claims'", '.["claims"][]'),
    "such an object over lines": (
        *("jsonl", json.dumps({"claims": [CLAIM]}, indent=1).encode(), "'claims'", '.["claims"][]'),
    ),
    "columns for JSON": ("jsonl", TAC.partition("\n")[2].encode(), "with tabs between", "one object a line"),
    "commas for JSON": ("jsonl", b"doc_id,label\nD1,spam\n", "with commas between", "one object a line"),
    "spaces for tabs": ("tac2016", TAC.replace("\t", "    ").encode(), "with spaces between", "one tab"),
    "spaces in 2015": ("tac2015", TAC.replace("\t", " ").encode(), "with spaces between", "one tab"),
    "commas for tabs": ("tac2016", TAC.replace("\t", ",").encode(), "with commas between", "one tab"),
    "JSON for columns": ("tac2016", f"{LINE}\n".encode(), "JSON", "recognise the format"),
    "spaces in a table": ("tsv", b"input_id    sim   rouge\nD1   0.1  0.2\n", "with spaces", "one tab"),
    "a PDF": ("jsonl", b"%PDF-1.7\n1 0 obj", "a PDF document", "plain text"),
    "Word": ("tac2016", packed("[Content_Types].xml", "word/document.xml"), "a Word document", "plain text"),
    "Excel": ("jsonl", packed("xl/workbook.xml"), "an Excel workbook", "plain text"),
    "old Word": ("jsonl", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), "a Word, Excel", "plain text"),
    "Rich Text": ("jsonl", b"{\\rtf1\\ansi{}}", "Rich Text", "plain text"),
    "a zip": ("jsonl", packed("claims.jsonl"), "a zip archive", "Unpack it"),
    "a tar": ("tac2016", tar(), "a tar archive", "Unpack it"),
    "a tar in gzip": ("jsonl", gzip.compress(tar()), "gzip, and what is in it is a tar", "Unpack it"),
    "a PDF in gzip": ("jsonl", gzip.compress(b"%PDF-1.7"), "gzip, and what is in it is a PDF", "plain text"),
    "an array in gzip": ("jsonl", gzip.compress(json.dumps([CLAIM]).encode()), "JSON array", "jq"),
    "a page": ("tac2016", b"<!DOCTYPE html>\n<html><body>Sign in</body></html>", "HTML", "your system wrote"),
    "a page for JSON": ("jsonl", b"<html>\n<p>", "HTML", "your system wrote"),
    "XML": ("jsonl", b"<?xml version='1.0'?>\n<kb/>", "XML", "one object a line"),
    "UTF-16": ("jsonl", LINE.encode("utf-16"), "UTF-16", "UTF-8"),
    "UTF-16 without a mark": ("tac2016", TAC.encode("utf-16-le"), "UTF-16", "UTF-8"),
    "UTF-16 from the other end": ("jsonl", LINE.encode("utf-16-be"), "UTF-16", "UTF-8"),
    "AppleDouble": ("jsonl", b"\0\x05\x16\x07\0\x02\0\0Mac OS X" + bytes(90), "AppleDouble", "begin with ._"),
    "a Git LFS pointer": (
        *("tac2016", b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"),
        *("a Git LFS pointer", "git lfs pull"),
    ),
    "a merge conflict": (
        *("jsonl", f"{LINE}\n<<<<<<< HEAD\n{LINE}\n=======\n{LINE}\n>>>>>>> other\n".encode()),
        *("'<<<<<<< HEAD', in line 2", "Resolve the conflict"),
    ),
    "a merge conflict in columns": (
        *(
            "tac2016",
            f"{TAC}<<<<<<< HEAD\n{TAC}".encode(),
            "'<<<<<<< HEAD', in line 4",
            "Resolve the conflict",
        ),
    ),
    "old line ends": ("jsonl", f"{LINE}\r{LINE}\r".encode(), "carriage return alone", "line feeds"),
    "old line ends in columns": (
        *("tac2016", TAC.replace("\n", "\r").encode(), "carriage return alone", "line feeds"),
    ),
    "output of a program": (
        *("jsonl", f"INFO: loading the model\n{LINE}\n{LINE}\n".encode()),
        *("its first line is other text: 'INFO: loading the model'", "Delete that line"),
    ),
    "nothing": ("jsonl", b"", "is empty.", "your system wrote"),
    "nothing in gzip": ("tac2016", gzip.compress(b""), "is empty.", "your system wrote"),
    "white space": ("tsv", b"\xef\xbb\xbf \r\n\n", "is empty but for white space", "your system wrote"),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_it_is_one_problem_that_says_what_it_is_and_what_would_be_right(kind: str) -> None:
    format, data, what, right = OTHERS[kind]
    problems = found(data, format)
    assert len(problems) == 1, problems
    assert problems[0].severity == "ERROR"
    assert what in problems[0].message
    assert right.lower() in problems[0].message.lower()


@pytest.mark.parametrize(
    ("format", "data"),
    [
        ("jsonl", LINE.encode()),
        ("jsonl", f"\n {LINE}\n{LINE}".encode()),
        ("jsonl", f"{LINE}\r\n{LINE}\r\n".encode()),
        ("jsonl", f"{LINE}\r".encode()),
        ("jsonl", b'{"doc_id": "D1", \n'),  # a line that was cut off: its own fault
        ("jsonl", f'{{"a": \n{LINE}\n'.encode()),
        ("jsonl", b"[1]\n[2]\n"),
        ("jsonl", b"no JSON\n"),
        ("jsonl", b'{"doc_id": "D1", "notes": [1, 2]}'),
        ("tac2016", TAC.encode()),
        ("tac2016", b"run1\n"),
        ("tac2016", b"two words\n"),
        ("tac2016", b"# a comment of some words\nrun1\n"),
        ("tsv", b"input_id\tsim\nD1\t0.1"),
        ("tsv", b"input_id"),
    ],
)
def test_a_file_of_the_format_is_read_line_by_line_whatever_its_faults(format: str, data: bytes) -> None:
    assert found(data, format) == []


ABOUT = {"ontology": write_normal(read_builtin(DEFAULT)), "classes": ["spam"]}


@pytest.mark.parametrize("task", ["kbp", "classification", "generation"])
def test_readers_of_every_task_say_nothing_else_of_it(task: str) -> None:
    documents = Texts({"D1": "Ann"}, about=ABOUT)
    for data in (json.dumps([CLAIM]).encode(), b"%PDF-1.7", b""):
        read = check(io.BytesIO(data), task=task, documents=documents)
        assert [one.code in ("UNSUPPORTED_FILE", "EMPTY_FILE") for one in read.problems] == [True]
