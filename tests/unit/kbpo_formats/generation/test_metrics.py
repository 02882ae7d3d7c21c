"""Reading a table of metrics: each fault names its line and column, and says what would be right."""

import gzip
from io import BytesIO
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbpo_formats import lines, problems
from kbpo_formats.generation.metrics import write_metrics
from kbpo_formats.generation.names import BUILT_IN, LONGEST_NAME, RENAMED, is_name
from kbpo_formats.generation.problems import MOST_METRICS
from kbpo_formats.generation.reader import read
from tests.unit.kbpo_formats.generation.files import DOCUMENTS, RIGHT, only, read_lines, read_table


def test_values_stand_in_the_order_of_the_outputs() -> None:
    found = read_table("input_id sim meteor", "D1 0.5 -3e-4", "D2 1 7")
    assert found.accepted
    assert {name: list(values) for name, values in found.metrics.items()} == {
        "sim": [1.0, 0.5],
        "meteor": [7.0, -3e-4],
    }
    assert found.counts["metrics"] == ["sim", "meteor"]


@pytest.mark.parametrize(
    ("header", "code", "column"),
    [
        ("id sim", "WRONG_HEADER", 1),
        ("input_id", "NO_METRICS", None),
        ("input_id sim -sim", "METRIC_NAME", 3),
        ("input_id 1sim", "METRIC_NAME", 2),
        ("input_id ", "METRIC_NAME", 2),
        ("input_id caf\u00e9", "METRIC_NAME", 2),
        (f"input_id {'a' * (LONGEST_NAME + 1)}", "METRIC_NAME", 2),
        ("input_id sim SIM", "METRIC_TWICE", 3),
        ("input_id House", "METRIC_RESERVED", 2),
        ("input_id none", "METRIC_RESERVED", 2),
        (f"input_id {' '.join(f'm{n}' for n in range(MOST_METRICS + 1))}", "TOO_MANY_METRICS", 52),
    ],
)
def test_a_faulty_header_is_named(header: str, code: str, column: int | None) -> None:
    values = " 1" * header.count(" ")
    found = read_table(header, f"D1{values}", f"D2{values.replace('1', '2')}")
    assert not found.accepted
    problem = only(found)
    assert (problem.code, problem.line, problem.column) == (code, 1, column)
    assert problem.attachment == "metrics"


@pytest.mark.parametrize(
    ("line", "code", "column"),
    [
        ("D1 NaN 1", "METRIC_NOT_FINITE", 2),
        ("D1 0 inf", "METRIC_NOT_FINITE", 3),
        ("D1 0 -Infinity", "METRIC_NOT_FINITE", 3),
        ("D1 1e999 1", "METRIC_NOT_FINITE", 2),
        ("D1 1e101 1", "METRIC_NOT_FINITE", 2),
        ("D1  1", "METRIC_MISSING", 2),
        ("D1 x 1", "METRIC_NOT_A_NUMBER", 2),
        ("D1 1_0 1", "METRIC_NOT_A_NUMBER", 2),
        ("D1 \uff11 1", "METRIC_NOT_A_NUMBER", 2),
        ("D1 0,5 1", "METRIC_NOT_A_NUMBER", 2),
        ("D1 1", "WRONG_COLUMNS", None),
        ("D1 1 2 3", "WRONG_COLUMNS", None),
    ],
)
def test_a_faulty_value_is_named(line: str, code: str, column: int | None) -> None:
    problem = only(read_table("input_id a b", "D2 5 6", line))
    assert (problem.code, problem.severity, problem.line, problem.column) == (code, "ERROR", 3, column)


@pytest.mark.parametrize(
    ("lines", "code", "line"),
    [
        (("D1 1", "D2 2", "D2 3"), "INPUT_TWICE", 4),
        (("D1 1", "D2 2", "D9 3"), "UNKNOWN_INPUT", 4),
        (("D1 1",), "MISSING_INPUT", 0),
    ],
)
def test_every_input_stands_in_one_line(lines: tuple[str, ...], code: str, line: int) -> None:
    problem = only(read_table("input_id sim", *lines))
    assert (problem.code, problem.line) == (code, line)


def test_an_empty_table_is_said_to_be() -> None:
    assert only(read_lines(*RIGHT, metrics="")).code == "EMPTY_FILE"


def test_a_table_of_empty_lines_wants_a_header() -> None:
    assert only(read_lines(*RIGHT, metrics="\n" * 70_000)).code == "NO_HEADER"


def test_a_constant_metric_is_a_warning() -> None:
    found = read_table("input_id sim", "D1 0.5", "D2 0.5")
    assert found.accepted
    assert (only(found).code, only(found).column) == ("METRIC_CONSTANT", 2)


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_column_named_like_a_built_in_metric_is_renamed_with_a_warning(name: str) -> None:
    found = read_table(f"input_id {name.upper()}", "D1 1", "D2 2")
    assert found.accepted
    assert only(found).code == "METRIC_BUILT_IN"
    assert list(found.metrics) == [RENAMED.format(name)]


def test_a_column_has_the_name_that_a_renamed_one_gets() -> None:
    found = read_table("input_id ter ter-uploaded", "D1 1 2", "D2 2 1")
    assert "METRIC_TWICE" in {one.code for one in found.problems}


def test_names_that_columns_get_are_names() -> None:
    assert all(is_name(name) and is_name(RENAMED.format(name)) for name in BUILT_IN)


def test_a_byte_order_mark_windows_line_ends_and_gzip_are_fine() -> None:
    table = gzip.compress(b"\xef\xbb\xbfinput_id\tsim\r\nD1\t1\r\n\r\nD2\t2\r\n")
    found = read_lines(*RIGHT, metrics=table)
    assert found.problems == ()
    assert list(found.metrics["sim"]) == [2.0, 1.0]


def test_of_a_million_faulty_lines_the_rest_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems, "MOST_ERRORS", 1_000)
    found = read_lines(*RIGHT, metrics=b"input_id\tsim\n" + b"D9\t1\n" * 1_000_000)
    assert found.counts["problems"] == {"UNKNOWN_INPUT": 1_000, "TOO_MANY_ERRORS": 1}


def test_a_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "SWELLS_FREELY", 1_000)
    bomb = gzip.compress(b" \n" * (1 << 20))
    assert only(read_lines(*RIGHT, metrics=bomb)).code == "TOO_LARGE"


def test_a_table_that_is_no_utf8_names_the_line() -> None:
    found = read_lines(*RIGHT, metrics=b"input_id\tsim\nD1\t1\nD2\t\xe9\n")
    assert [(one.code, one.line) for one in found.problems if one.line] == [("UNDECODABLE_BYTES", 3)]


def test_faults_of_outputs_and_of_metrics_are_told_at_once() -> None:
    found = read_lines(RIGHT[0], metrics="input_id\tsim\nD1\tx\nD2\t2\n")
    assert [(one.code, one.attachment) for one in found.problems] == [
        ("MISSING_INPUT", ""),
        ("METRIC_NOT_A_NUMBER", "metrics"),
    ]
    assert found.counts["errors"] == 2


@given(st.lists(st.floats(-1e100, 1e100), min_size=2, max_size=2))
def test_what_is_written_reads_as_the_same_to_the_bit(values: list[float]) -> None:
    table = "".join(write_metrics(["D2", "D1"], {"sim": values}))
    assert list(read_lines(*RIGHT, metrics=table).metrics["sim"]) == values


_cells = st.sampled_from(["", "1", "-0.5", "nan", "x", "\t", "\x85", "1e400", "D1", "D2", "input_id", "ter"])


@given(st.lists(st.lists(_cells, max_size=4), max_size=4), st.binary(max_size=20))
def test_whatever_the_bytes_a_table_is_accepted_or_its_faults_are_named(
    rows: list[list[str]], rest: bytes
) -> None:
    data = "\n".join("\t".join(row) for row in rows).encode() + rest
    found = read_lines(*RIGHT, metrics=data)
    assert found.accepted is (found.counts["errors"] == 0)
    assert found.accepted is bool(found.metrics)
    values = [value for column in found.metrics.values() for value in column]
    assert not {nan, inf, -inf} & set(values)


@given(st.binary(max_size=60))
def test_whatever_the_bytes_outputs_are_accepted_or_their_faults_are_named(data: bytes) -> None:
    found = read(BytesIO(data), "jsonl", DOCUMENTS)
    assert not found.accepted
    assert found.problems
