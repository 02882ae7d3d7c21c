"""Files that were made to do harm, or submitted by mistake: each has its answer, soon and at little cost."""

import gzip
import random
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from evaluation.kbp.files.reading import READER
from evaluation.reading import isolated
from tests.ontologies import ABOUT
from tests.unit.kbpo_formats.kbp.tac.kb import BASE, tabbed

# A third of what reading may take, after which a file is refused. On a quiet machine it takes six at most;
# 22 were seen on a busy one whose processor ran at half its speed.
CPU_SECONDS = 60.0
LITTLE = 100 << 20
MUCH = 600 << 20
MILLION = 1_000_000
MORE_THAN_ERRORS = 150_000
MORE_THAN_ENTITIES = 2_000_001
MANY = 1 << 27  # bytes
HEAD = tabbed(BASE)


def bomb(piece: bytes, times: int) -> bytes:
    """Pack a run id and then a piece many times over, as gzip members."""
    return gzip.compress(b"run\n") + gzip.compress(piece) * times


def numbered(line: bytes, count: int, *, head: bytes = HEAD) -> bytes:
    return head + b"".join(line.replace(b"%d", b"%d" % number) + b"\n" for number in range(count))


def packed(line: bytes, *, head: bytes = HEAD) -> bytes:
    """Pack lines that differ in a number each, `MANY` bytes in all."""
    count = MANY // len(line)
    return gzip.compress(head + b"".join(line.replace(b"%d", b"%d" % number) for number in range(count)), 1)


LONG = b"x" * 600
RANDOM = random.Random(0).randbytes(30_000).hex().encode()  # more than gzip looks back

# what the file holds, the one code of its errors besides TOO_MANY_ERRORS, and the memory that it may take
REFUSED: dict[str, tuple[Callable[[], bytes], str, int]] = {
    "a gzip bomb of one line": (lambda: bomb(bytes(100_000_000), 100), "LINE_TOO_LONG", LITTLE),
    "a gzip bomb of long lines": (lambda: bomb((b"#" * 999 + b"\n") * 100_000, 100), "TOO_LARGE", LITTLE),
    "a gzip bomb of empty lines": (lambda: bomb(b"\n" * 100_000_000, 10), "TOO_LARGE", LITTLE),
    "a gzip file that is cut off": (lambda: gzip.compress(HEAD)[:-9], "BROKEN_GZIP", LITTLE),
    "a null byte": (lambda: HEAD + b":A\tmention\t\0\tD1:0-2\n", "ILLEGAL_CHARACTER", LITTLE),
    "nothing but null bytes": (lambda: bytes(MILLION), "LINE_TOO_LONG", LITTLE),
    "invalid UTF-8": (lambda: HEAD + b"\xff\xfe\xfd\n", "UNDECODABLE_BYTES", LITTLE),
    "many lines of invalid UTF-8": (
        lambda: numbered(b"\xff%d", MORE_THAN_ERRORS),
        "UNDECODABLE_BYTES",
        LITTLE,
    ),
    "a zip archive": (lambda: b"PK\x03\x04" + zlib.compress(HEAD), "UNSUPPORTED_FILE", LITTLE),
    "a PDF document": (lambda: b"%PDF-1.7\n" + HEAD, "UNSUPPORTED_FILE", LITTLE),
    "nothing": (lambda: b"", "EMPTY_FILE", LITTLE),
    "another corpus' documents": (
        lambda: numbered(b':A\tmention\t"x"\tOTHER%d:0-2', MORE_THAN_ERRORS),
        "ILLEGAL_DOCID",
        LITTLE,
    ),
    "another corpus' documents and entities": (
        lambda: numbered(b':E%d\tmention\t"x"\tOTHER%d:0-2', MORE_THAN_ERRORS),
        "ILLEGAL_DOCID",
        MUCH,
    ),
    "offsets past the end": (
        lambda: numbered(b':A\tmention\t"x"\tD1:10%d-10%d', MORE_THAN_ERRORS),
        "ILLEGAL_OFFSET_IN_DOC",
        LITTLE,
    ),
    "a million errors": (lambda: b"run\n" + b"one\ttwo\n" * MILLION, "WRONG_NUM_ENTRIES", LITTLE),
    "too many entities": (lambda: numbered(b":E%d\ttype\tPER", MORE_THAN_ENTITIES), "TOO_LARGE", 2 * MUCH),
    "too many lines": (lambda: HEAD + b"#\n" * 5 * MILLION, "TOO_LARGE", LITTLE),
    "long comments": (lambda: packed(b"#%d" + LONG + b"\n"), "NO_CLAIMS", LITTLE),
    "long names": (lambda: packed(b":E%d" + LONG + b"\ttype\tPER\n"), "NO_CLAIMS", MUCH),
    "long predicates": (lambda: packed(b":A\tper:p%d" + LONG + b"\t:B\tD1:0-2\n"), "ILLEGAL_PREDICATE", MUCH),
    "long provenance": (
        lambda: packed(b':A\tper:title\t"x"\t%d' + LONG + b"\n"),
        "ILLEGAL_OFFSET_TRIPLE_STRING",
        MUCH,
    ),
    "long links": (lambda: packed(b":A\tlink\tkb%d" + LONG + b":1\n"), "NO_CLAIMS", MUCH),
    "long lines": (lambda: packed(b":A\tper:title\t" + RANDOM + b"\tD1:0-2\n"), "LINE_TOO_LONG", LITTLE),
    "a million predicates that are none": (
        lambda: numbered(b":A\tper:p%d\t:B\tD1:0-2", MILLION),
        "ILLEGAL_PREDICATE",
        MUCH,
    ),
    "a million entities of nothing": (
        lambda: numbered(b":E%d\tlink\tkb:%d", MILLION),
        "UNKNOWN_TYPE",
        MUCH,
    ),
}

ACCEPTED: dict[str, Callable[[], bytes]] = {
    "a great many long strings": lambda: packed(b':A\tper:title\t"%d' + LONG + b'"\tD1:50-53,D1:0-2\n'),
    "a million times one relation": lambda: HEAD + b':A\tper:title\t"boss"\tD1:50-53,D1:0-2\n' * MILLION,
    "a million times one mention": lambda: (
        HEAD + b':A\tper:title\t"boss"\tD1:50-53,D1:0-2\n' + b':A\tmention\t"Ann"\tD1:0-2\n' * MILLION
    ),
}

# make test reads one of each reason, a small one; the others do the same harm in another way.
SLOW = {
    *("a gzip bomb of long lines", "a gzip bomb of empty lines", "too many entities", "long lines"),
    *("long names", "long links", "long predicates", "another corpus' documents and entities"),
    *("a great many long strings", "a million times one relation"),
}


def some(kinds: Iterable[str]) -> list[ParameterSet]:
    return [pytest.param(kind, marks=[pytest.mark.slow] if kind in SLOW else [], id=kind) for kind in kinds]


def read_soon(data: bytes, texts: Path, folder: Path) -> isolated.Outcome:
    path = folder / "kb"
    path.write_bytes(data)
    with path.open("rb") as stream:
        outcome = isolated.read(stream, reader=READER, format="tac2016", texts=texts, about=ABOUT)
    assert 0 < outcome.cpu_seconds < CPU_SECONDS
    return outcome


def errors(outcome: isolated.Outcome) -> set[str]:
    return {problem.code for problem in outcome.problems if problem.severity == "ERROR"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", some(REFUSED))
def test_it_is_refused_with_its_reason(kind: str, texts: Path, tmp_path: Path) -> None:
    make, code, memory = REFUSED[kind]
    outcome = read_soon(make(), texts, tmp_path)
    assert errors(outcome) - {"TOO_MANY_ERRORS"} == {code}
    assert 0 < outcome.peak_memory < memory


@pytest.mark.slow
@pytest.mark.parametrize("kind", some(ACCEPTED))
def test_a_million_duplicates_are_one_claim(kind: str, texts: Path, tmp_path: Path) -> None:
    outcome = read_soon(ACCEPTED[kind](), texts, tmp_path)
    assert (outcome.accepted, len(outcome.predictions)) == (True, 1)
    assert 0 < outcome.peak_memory < MUCH


def test_a_line_of_ten_gigabytes_is_given_up(texts: Path, tmp_path: Path) -> None:
    path = tmp_path / "kb"
    with path.open("wb") as stream:
        stream.write(HEAD)
        stream.truncate(10 * 10**9)  # a hole, which takes no room
    with path.open("rb") as stream:
        outcome = isolated.read(stream, reader=READER, format="tac2016", texts=texts, about=ABOUT)
    assert errors(outcome) == {"LINE_TOO_LONG"}
    assert 0 < outcome.peak_memory < LITTLE
