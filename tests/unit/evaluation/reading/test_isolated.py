import gzip
import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.kbp.files.reading import READER
from evaluation.kbp.files.sent import gather
from evaluation.reading import isolated
from evaluation.reading.isolated import Limits, ReaderFailed
from kbpo.core.errors import InvalidInput
from kbpo_formats.kbp.tac.reader import read
from tests.conftest import ROOT
from tests.ontologies import ABOUT, TAC
from tests.unit.kbpo_formats.kbp.tac.kb import BASE, tabbed, texts_for

GOOD = tabbed(
    f"{BASE}:A | per:schools_attended | :B | D1:0-40 | 0.5\n:A | per:date_of_birth | x | D1:50-57,D1:0-2\n"
)


def outcome(data: bytes, texts: Path, **limits: float) -> isolated.Outcome:
    return isolated.read(
        io.BytesIO(data),
        reader=READER,
        format="tac2016",
        texts=texts,
        about=ABOUT,
        limits=Limits(**limits),
    )


def many_entities(count: int) -> bytes:
    return b"run1\n" + b"".join(b":E%d\ttype\tPER\n" % number for number in range(count))


def test_what_comes_from_afar_is_what_the_reader_says(texts):
    here = read(io.BytesIO(GOOD), documents=texts_for(BASE), ontology=TAC)
    there = outcome(GOOD, texts)
    assert there.accepted is here.accepted is True
    assert there.problems == here.problems
    assert there.counts == here.counts
    assert there.predictions == gather(here.predictions, texts_for(BASE))


def test_an_open_file_is_read_from_its_start(texts, tmp_path):
    path = tmp_path / "kb"
    path.write_bytes(gzip.compress(GOOD))
    with path.open("rb") as stream:
        stream.read(10)
        assert isolated.read(stream, reader=READER, format="tac2016", texts=texts, about=ABOUT).accepted


def test_a_pipe_is_read(texts):
    with subprocess.Popen(["printf", GOOD.decode().replace("\t", r"\t")], stdout=subprocess.PIPE) as process:
        found = isolated.read(process.stdout, reader=READER, format="tac2016", texts=texts, about=ABOUT)  # type: ignore[arg-type]
        assert found.accepted


def test_a_file_without_a_claim_is_refused(texts):
    found = outcome(tabbed(BASE), texts)
    assert [problem.code for problem in found.problems] == ["NO_CLAIMS"]
    assert (found.accepted, found.counts["errors"], found.counts["problems"]) == (False, 1, {"NO_CLAIMS": 1})


@pytest.mark.parametrize(
    ("limits", "code", "words"),
    [
        ({"cpu_seconds": 1}, "TOO_SLOW", "longer than 1 seconds"),
        ({"memory": 150_000_000}, "TOO_LARGE", "takes more than 150,000,000 bytes of memory"),
        ({"output": 100}, "TOO_LARGE", "more than fits into 100 bytes"),
    ],
)
def test_what_costs_more_than_a_limit_is_refused_with_the_reason(limits, code, words, texts):
    size = 10 if "output" in limits else 1_000_000
    found = outcome(many_entities(size), texts, **limits)
    (problem,) = found.problems
    assert (found.accepted, len(found.predictions), problem.line) == (False, 0, 0)
    assert (problem.code, problem.severity) == (code, "ERROR")
    assert words in problem.message
    assert found.counts["problems"] == {code: 1}


@pytest.mark.slow
def test_recording_has_time_of_its_own(texts, tmp_path):
    with (tmp_path / "problems").open("w+b") as every_problem:
        found = isolated.read(
            io.BytesIO(many_entities(200_000)),
            reader=READER,
            format="tac2016",
            texts=texts,
            about=ABOUT,
            limits=Limits(cpu_seconds=1),
            every_problem=every_problem,
        )
    assert found.cpu_seconds > 1
    assert found.recorded > 200_000
    assert "TOO_SLOW" not in found.counts["problems"]


def test_a_reader_that_fails_by_itself_is_no_fault_of_the_file(tmp_path):
    with pytest.raises(ReaderFailed, match="status 1"):
        outcome(GOOD, tmp_path / "missing")


def test_a_file_is_not_refused_by_the_clock(texts):
    with pytest.raises(ReaderFailed, match=r"not read within 0\.001 seconds by the clock"):
        outcome(many_entities(1_000), texts, seconds=0.001)


def test_a_format_that_does_not_exist_is_refused(texts):
    with pytest.raises(InvalidInput, match="no format 'tac2099'"):
        isolated.read(io.BytesIO(GOOD), reader=READER, format="tac2099", texts=texts, about=ABOUT)


def test_an_accepted_file_is_written_anew(texts):
    to = io.BytesIO()
    isolated.normalise(io.BytesIO(GOOD), to, reader=READER, format="tac2016", texts=texts, about=ABOUT)
    again = outcome(to.getvalue(), texts)
    assert not again.problems
    assert again.predictions.confidences == outcome(GOOD, texts).predictions.confidences


def test_a_refused_file_is_not_written_anew(texts):
    with pytest.raises(InvalidInput, match="refused"):
        isolated.normalise(
            io.BytesIO(b"two words\n"),
            io.BytesIO(),
            reader=READER,
            format="tac2016",
            texts=texts,
            about=ABOUT,
        )


def test_the_child_is_told_no_secret(texts, monkeypatch, tmp_path):
    monkeypatch.setenv("SECRET_KEY", "do not tell")
    seen = {}
    start = subprocess.Popen

    def spy(*arguments, **options):
        seen.update(options["env"])
        return start(*arguments, **options)

    monkeypatch.setattr(subprocess, "Popen", spy)
    outcome(GOOD, texts)
    assert "PATH" in seen
    assert set(seen) <= set(isolated.KEPT_ENVIRONMENT)


def test_no_ctrl_c_reaches_the_child(texts, monkeypatch):
    seen = []
    start = subprocess.Popen

    def spy(*arguments, **options):
        child = start(*arguments, **options)
        seen.append(os.getpgid(child.pid) == child.pid)
        return child

    monkeypatch.setattr(subprocess, "Popen", spy)
    outcome(GOOD, texts)
    assert seen == [True]


PARENT = """
import sys
from pathlib import Path
from evaluation.kbp.files.reading import READER
from evaluation.reading import isolated
from tests.ontologies import ABOUT
isolated.read(sys.stdin.buffer, reader=READER, format="tac2016", texts=Path(sys.argv[1]), about=ABOUT)
"""


def test_the_child_ends_with_the_process_that_started_it(texts):
    read_end, write_end = os.pipe()
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(texts)], stdin=read_end, cwd=ROOT)
    os.close(read_end)
    with os.fdopen(write_end, "wb", buffering=0) as pipe:
        pipe.write(b"#\n" * (1 << 20))  # more than a pipe holds, so the child has begun to read
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        with pytest.raises(BrokenPipeError):
            pipe.write(b"#\n" * (1 << 26))
