"""A line and those around it, out of files of any size."""

import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.reading.excerpt import SHOWN, Line, excerpt
from kbpo_formats import lines

TEN = b"".join(b"line %d\n" % number for number in range(1, 11))


def numbers(found):
    return [line.number for line in found]


def test_a_line_stands_between_its_neighbours():
    found = excerpt(io.BytesIO(TEN), 5, 2)
    assert [line.text for line in found] == ["line 3", "line 4", "line 5", "line 6", "line 7"]


@pytest.mark.parametrize(("line", "expected"), [(1, [1, 2, 3]), (10, [8, 9, 10])])
def test_at_the_ends_there_are_fewer(line, expected):
    assert numbers(excerpt(io.BytesIO(TEN), line, 2)) == expected


@pytest.mark.parametrize("line", [11, 12, 10**9])
def test_a_line_that_is_not_there_has_no_excerpt(line):
    assert excerpt(io.BytesIO(TEN), line) == ()


def test_a_packed_file_is_read_as_a_plain_one():
    assert excerpt(io.BytesIO(gzip.compress(TEN)), 5, 2) == excerpt(io.BytesIO(TEN), 5, 2)


def test_a_broken_packed_file_shows_what_comes_before_the_damage(monkeypatch):
    text = b"".join(b"%d %d\n" % (n, n * 7919 % 1000003) for n in range(1, 5001))
    monkeypatch.setattr(lines, "CHUNK", 1000)
    assert numbers(excerpt(io.BytesIO(gzip.compress(text)[:-9000]), 10, 1)) == [9, 10, 11]


def test_no_more_of_a_line_is_kept_than_is_shown():
    (found,) = excerpt(io.BytesIO(b"x" * 3_000_000 + b"\nnext\n"), 1, 0)
    assert found == Line(1, "x" * SHOWN, is_cut=True)


def test_bytes_that_are_no_text_are_shown_as_such():
    assert excerpt(io.BytesIO(b"\xef\xbb\xbfa\r\n\xff\n"), 1, 1) == (Line(1, "a"), Line(2, "�"))


def test_no_more_is_read_than_is_needed(monkeypatch):
    monkeypatch.setattr(lines, "CHUNK", 64)
    stream = io.BytesIO(TEN * 1000)
    excerpt(stream, 5, 2)
    assert stream.tell() <= 128


@given(
    texts=st.lists(st.text("ab\t", max_size=9), min_size=1, max_size=30),
    line=st.integers(1, 35),
    around=st.integers(0, 4),
    chunk=st.integers(1, 40),
)
def test_wherever_the_pieces_end_the_lines_are_the_same(texts, line, around, chunk):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "CHUNK", chunk)
        found = excerpt(io.BytesIO("".join(f"{text}\n" for text in texts).encode()), line, around)
    first, last = max(1, line - around), min(len(texts), line + around)
    expected = [(n, texts[n - 1]) for n in range(first, last + 1)] if line <= len(texts) else []
    assert [(one.number, one.text) for one in found] == expected
