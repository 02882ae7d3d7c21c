"""A file's format is told from how it begins."""

import gzip
import io

import pytest

from kbpo_formats.kbp.problems import FORMATS
from kbpo_formats.recognising import is_recognised, recognise


@pytest.mark.parametrize(
    ("begin", "format"),
    [
        (b'{"doc_id"', "jsonl"),
        (b"\xef\xbb\xbf\r\n {", "jsonl"),
        (b"[", "jsonl"),
        (b'INFO: loading\n{"doc_id": "D1"}\n', "jsonl"),
        (b"run1\n# {\n{", "tac2016"),
        (gzip.compress(b"{}", mtime=0), "jsonl"),
        (gzip.compress(b"run1\n", mtime=0), "tac2016"),
        (b"run1\n:E1\ttype\tPER", "tac2016"),
        (b"", "tac2016"),
        (b"\x1f\x8bbroken", "tac2016"),
    ],
)
def test_a_brace_begins_json_lines_and_everything_else_is_tac(begin, format):
    stream = io.BytesIO(begin)
    assert recognise(stream, FORMATS) == format
    assert stream.read() == begin


def test_where_there_is_one_format_nothing_is_looked_at():
    assert recognise(io.BytesIO(b"run1"), ["jsonl"]) == "jsonl"


def test_the_rules_of_2015_have_to_be_asked_for():
    assert [name for name in FORMATS if not is_recognised(name, FORMATS)] == ["tac2015"]
