import gzip
import io
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbpo_formats import lines as module
from kbpo_formats.kbp.tac.problems import ProblemLog
from kbpo_formats.lines import numbered_lines


class Trickle(io.RawIOBase):
    """A stream that gives a byte at a time, as a slow connection may."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def read(self, size: int = -1) -> bytes:
        return self._data.read(1)


def lines_of(data: bytes) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    log = ProblemLog("tac2016")
    found = list(numbered_lines(io.BytesIO(data), log))
    return found, [(problem.line, problem.code) for problem in log.by_line()]


PLAIN = "run\nçé\n\nlast".encode()
LINES = [(1, "run"), (2, "çé"), (3, ""), (4, "last")]


@pytest.mark.parametrize(
    "data",
    [
        PLAIN,
        PLAIN + b"\n",
        b"\xef\xbb\xbf" + PLAIN,
        gzip.compress(PLAIN),
        gzip.compress(PLAIN[:6]) + gzip.compress(PLAIN[6:]),
        gzip.compress(PLAIN) + b"\0" * 700,
    ],
    ids=["plain", "line end at the end", "byte-order mark", "gzip", "gzip in two members", "padded gzip"],
)
def test_the_lines_are_the_same_however_they_are_packed(data):
    assert lines_of(data) == (LINES, [])


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_files_that_were_joined_may_each_begin_with_a_byte_order_mark(pack):
    marked = "\ufeff".encode()
    joined = pack(marked + b"run\none\n") + pack(marked + b"two\n")
    assert lines_of(joined) == ([(1, "run"), (2, "one"), (3, "two")], [])


@pytest.mark.parametrize("data", [PLAIN, gzip.compress(PLAIN, mtime=0)])
def test_a_slow_stream_gives_the_same_lines(data):
    assert list(numbered_lines(Trickle(data), ProblemLog("tac2016"))) == LINES


@given(st.lists(st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"]), max_size=20)))
def test_gzip_and_plain_agree_on_any_text(texts):
    data = "\n".join(["run", *texts]).encode()
    assert lines_of(data) == lines_of(gzip.compress(data))


def test_lines_are_whole_however_the_chunks_fall(monkeypatch):
    monkeypatch.setattr(module, "CHUNK", 3)
    assert lines_of(PLAIN) == (LINES, [])
    assert lines_of(gzip.compress(PLAIN)) == (LINES, [])


def test_bytes_that_are_no_utf8_cost_their_line_alone():
    assert lines_of(b"run\nab\xff\nok\n") == ([(1, "run"), (2, ""), (3, "ok")], [(2, "UNDECODABLE_BYTES")])


def test_a_null_character_costs_its_line_alone():
    assert lines_of(b"run\nab\0\nok\n") == ([(1, "run"), (2, ""), (3, "ok")], [(2, "ILLEGAL_CHARACTER")])


def test_a_line_that_is_too_long_costs_itself_alone():
    long = b"x" * (module.LONGEST_LINE + 1)
    assert lines_of(b"run\n" + long + b"\nok\n") == ([(1, "run"), (2, ""), (3, "ok")], [(2, "LINE_TOO_LONG")])


def test_reading_ends_where_no_line_end_comes():
    class Endless:
        chunks = 0

        def read(self, size: int) -> bytes:
            self.chunks += 1
            return b"x" * size

    stream = Endless()
    log = ProblemLog("tac2016")
    assert list(numbered_lines(stream, log)) == []
    assert [problem.code for problem in log.by_line()] == ["LINE_TOO_LONG"]
    assert stream.chunks * module.CHUNK <= module.GIVE_UP + 2 * module.CHUNK


def test_a_gzip_bomb_is_given_up_before_it_swells():
    log = ProblemLog("tac2016")
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(100)) + packer.flush()
    assert list(numbered_lines(io.BytesIO(bomb), log)) == []
    assert [problem.code for problem in log.by_line()] == ["LINE_TOO_LONG"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-12],
        lambda data: data + b"garbage",
        lambda data: data[:20] + b"\xff" * 8 + data[28:],
    ],
    ids=["cut off", "followed by something else", "overwritten"],
)
def test_damaged_gzip_is_reported(damage):
    data = gzip.compress(b"run\n" + bytes(range(128)) * 20)
    assert (lines_of(damage(data))[1][-1:] or [(0, "")])[0][1] == "BROKEN_GZIP"


@pytest.mark.parametrize(
    "start", [b"PK\x03\x04", b"%PDF-1.7", b"BZh9", b"\xfd7zXZ\0", "run\n".encode("utf-16")]
)
def test_a_file_of_another_kind_has_one_problem(start):
    assert lines_of(start + b"\xff\0\n" * 1000) == ([], [(1, "UNSUPPORTED_FILE")])


def test_a_line_whose_end_was_not_read_is_not_checked(monkeypatch):
    monkeypatch.setattr(module, "SWELLS_FREELY", 0)
    monkeypatch.setattr(module, "CHUNK", 5_000)
    found, problems = lines_of(gzip.compress(b"run\n" + b"0123456\n" * 100_000))
    assert problems == [(0, "TOO_LARGE")]
    assert {text for _, text in found} == {"run", "0123456"}


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (gzip.compress(PLAIN, mtime=0)[:-5], "BROKEN_GZIP"),
        (b"PK\x03\x04" + PLAIN, "UNSUPPORTED_FILE"),
        (gzip.compress(gzip.compress(PLAIN, mtime=0), mtime=0), "UNSUPPORTED_FILE"),
        (gzip.compress(b"PK\x03\x04" + PLAIN, mtime=0), "UNSUPPORTED_FILE"),
        (b"x" * (module.GIVE_UP + module.CHUNK), "LINE_TOO_LONG"),
        (b"\n" * (module.MOST_LINES + 1), "TOO_LARGE"),
    ],
)
def test_a_file_that_is_not_read_to_its_end_is_cut_short(data, code):
    log = ProblemLog("tac2016")
    list(numbered_lines(io.BytesIO(data), log))
    assert [problem.code for problem in log.by_line()] == [code]
    assert log.is_cut_short
