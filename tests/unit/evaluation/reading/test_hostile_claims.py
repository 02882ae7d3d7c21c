"""Files of JSON Lines that were made to do harm, or submitted by mistake, in the process that reads them."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluation.kbp.files.reading import READER
from evaluation.reading import isolated
from tests.ontologies import ABOUT
from tests.unit.evaluation.reading.test_hostile import CPU_SECONDS, LITTLE, MILLION, MUCH, errors

CLAIM: dict[str, Any] = {
    "doc_id": "D1",
    "predicate": "per:title",
    "subject": {"start": 0, "end": 3, "type": "PER"},
    "object": {"start": 50, "end": 54, "type": "TITLE"},
}
RIGHT = json.dumps(CLAIM).encode() + b"\n"
NESTED = b'{"doc_id": ' + b"[" * 4000 + b"]" * 4000 + b"}\n"
ENTITIES = 300_000

# what the file holds, the one code of its errors besides TOO_MANY_ERRORS, and the memory that it may take
REFUSED: dict[str, tuple[Callable[[], bytes], str, int]] = {
    "a gzip bomb of one line": (
        lambda: gzip.compress(RIGHT) + gzip.compress(bytes(100_000_000)) * 100,
        "LINE_TOO_LONG",
        LITTLE,
    ),
    "a gzip bomb of lines": (
        lambda: gzip.compress(RIGHT) + gzip.compress(b"\n" * 100_000_000) * 10,
        "TOO_LARGE",
        LITTLE,
    ),
    "gzip that is cut off": (lambda: gzip.compress(RIGHT * 1000)[:-9], "BROKEN_GZIP", LITTLE),
    "a million objects of nothing": (lambda: b"{}\n" * MILLION, "MISSING_FIELD", LITTLE),
    "a million lines without a word": (lambda: b" \r\n" * MILLION, "NO_CLAIMS", LITTLE),
    "lines that are nested": (lambda: NESTED * 20_000, "NOT_JSON", MUCH),
    "one list of claims": (lambda: b"[" + RIGHT.strip() * 100_000 + b"]", "UNSUPPORTED_FILE", LITTLE),
    "keys that stand twice": (
        lambda: (b'{"a": 1, ' + b'"a": 2, ' * 500 + b'"a": 3}\n') * 20_000,
        "DUPLICATE_KEY",
        LITTLE,
    ),
    "numbers of thousands of digits": (
        lambda: (b'{"doc_id": ' + b"9" * 8000 + b"}\n") * 20_000,
        "NOT_JSON",
        LITTLE,
    ),
}
SLOW = {
    *("a gzip bomb of lines", "a million lines without a word", "one list of claims"),
    *("numbers of thousands of digits", "a gzip bomb of one line"),
}


def read_soon(data: bytes, texts: Path, folder: Path) -> isolated.Outcome:
    path = folder / "claims"
    path.write_bytes(data)
    with path.open("rb") as stream:
        assert READER.recognise(stream) == "jsonl" or data.startswith((b" ", b"\x1f"))
        outcome = isolated.read(stream, reader=READER, format="jsonl", texts=texts, about=ABOUT)
    assert 0 < outcome.cpu_seconds < CPU_SECONDS
    return outcome


@pytest.mark.parametrize(
    "kind", [pytest.param(one, marks=[pytest.mark.slow] if one in SLOW else [], id=one) for one in REFUSED]
)
def test_it_is_refused_with_its_reason(kind: str, texts: Path, tmp_path: Path) -> None:
    make, code, memory = REFUSED[kind]
    outcome = read_soon(make(), texts, tmp_path)
    assert errors(outcome) - {"TOO_MANY_ERRORS"} == {code}
    assert 0 < outcome.peak_memory < memory


@pytest.mark.slow
def test_a_million_times_one_claim_is_one(texts: Path, tmp_path: Path) -> None:
    outcome = read_soon(RIGHT * MILLION, texts, tmp_path)
    assert (outcome.accepted, len(outcome.predictions)) == (True, 1)
    assert outcome.peak_memory < MUCH


@pytest.mark.slow
def test_names_of_entities_without_end_take_no_memory_without_end(texts: Path, tmp_path: Path) -> None:
    line = json.dumps({**CLAIM, "subject": {**CLAIM["subject"], "entity": "%d" + "x" * 600}})
    data = b"".join(line.replace("%d", str(one)).encode() + b"\n" for one in range(ENTITIES))
    outcome = read_soon(data, texts, tmp_path)
    assert outcome.accepted
    assert outcome.peak_memory < 2 * MUCH
