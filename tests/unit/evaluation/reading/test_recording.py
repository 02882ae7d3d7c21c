import gzip
import io
import json
from dataclasses import asdict

import pytest

from evaluation.reading import recording
from evaluation.reading.recording import ProblemRecorder, read_problems
from kbpo_formats.problems import Code, Problem, ProblemLog

CODES = {"ODD": Code("ODD", {"any": "WARNING"}, "leave out", "It is {0}", "It is left out.")}


def problem(line: int, text: str = "x", attachment: str = "") -> Problem:
    return Problem(line, "ODD", "WARNING", "It is odd.", text, None, attachment)


def written(recorder: ProblemRecorder) -> bytes:
    to = io.BytesIO()
    recorder.write(to)
    return to.getvalue()


@pytest.mark.parametrize("run", [1, 300, 1 << 24])
def test_problems_come_by_line_however_few_are_sorted_at_once(monkeypatch, run):
    monkeypatch.setattr(recording, "RUN", run)
    recorder = ProblemRecorder()
    found = [problem(line, f"{n}\té\n") for n, line in enumerate((3, 20, 100, 3, 0, 20))]
    for one in (problem(1, attachment="metrics"), *found):
        recorder.add(one)
    expected = [*sorted(found, key=lambda one: one.line), problem(1, attachment="metrics")]
    assert list(read_problems(io.BytesIO(written(recorder)))) == [asdict(one) for one in expected]


def test_it_is_json_lines_and_the_same_bytes_every_time():
    def made() -> bytes:
        recorder = ProblemRecorder()
        recorder.add(problem(2))
        return written(recorder)

    assert made() == made()
    assert json.loads(gzip.decompress(made())) == asdict(problem(2))


@pytest.mark.parametrize(("bound", "value"), [("MOST_PROBLEMS", 5), ("MOST_BYTES", 1)])
def test_beyond_the_bound_only_what_is_listed_is_recorded(monkeypatch, bound, value):
    monkeypatch.setattr(recording, bound, value)
    monkeypatch.setattr(recording, "RUN", 5 * 130)  # five of them, about
    recorder = ProblemRecorder()
    log = ProblemLog({**CODES, "NEW": CODES["ODD"]}, "any", 2, recorder)
    for line in range(1, 30):
        log.add("ODD", line, "x", "odd")
    assert not log.tells("ODD")
    kept = recorder.count
    assert 5 <= kept < 10
    log.add("NEW", 30, "x", "new")
    assert (recorder.count, log.counts.total(), len(log.by_line())) == (kept + 1, 30, 3)


def test_without_a_bound_reached_all_that_is_counted_is_recorded():
    recorder = ProblemRecorder()
    log = ProblemLog(CODES, "any", 2, recorder, attachment="metrics")
    for line in range(10):
        log.add("ODD", line, "x", "odd")
    assert (recorder.count, log.unlisted, len(log.by_line())) == (10, 8, 2)
    assert {one["attachment"] for one in read_problems(io.BytesIO(written(recorder)))} == {"metrics"}
