"""Reading a file of outputs: each fault names its line and says what would be right."""

import gzip
import json
from io import BytesIO

import pytest

from kbpo_formats import lines, problems
from kbpo_formats.corpus import Texts
from kbpo_formats.generation.problems import LONGEST_OUTPUT
from kbpo_formats.generation.reader import read
from tests.unit.kbpo_formats.generation.files import DOCUMENTS, RIGHT, only, read_lines


def test_a_file_that_is_right_is_accepted_in_its_order() -> None:
    found = read_lines(RIGHT[0], "", RIGHT[1])
    assert found.accepted
    assert [tuple(one) for one in found.read] == [("D2", "Second."), ("D1", "First.")]
    assert found.counts["items"] == 2


def test_an_input_is_found_however_its_id_is_coded() -> None:
    documents = Texts({"caf\u00e9": "One."})
    line = {"input_id": "cafe\u0301", "output": "Caf\u00e9, cafe\u0301."}
    found = read_lines(line, metrics="input_id\tsim\ncafe\u0301\t0.5\n", documents=documents)
    assert found.accepted
    assert [tuple(one) for one in found.read] == [("caf\u00e9", line["output"])]
    assert found.metrics["sim"].tolist() == [0.5]


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("{", "NOT_JSON", "as one JSON object"),
        ("[1]", "NOT_AN_OBJECT", "Write each line as"),
        ('{"input_id": "D1", "output": "a", "output": "b"}', "DUPLICATE_KEY", '"output"'),
        ({"output": "x"}, "MISSING_FIELD", "input_id is missing"),
        ({"input_id": "D1"}, "MISSING_FIELD", "output is missing"),
        ({"input_id": 7, "output": "x"}, "WRONG_KIND", "7"),
        ({"input_id": "D1", "output": None}, "WRONG_KIND", "empty where it wrote nothing"),
        ({"input_id": "D1", "output": ["x"]}, "WRONG_KIND", "a list"),
        ({"input_id": "D9", "output": "x"}, "UNKNOWN_INPUT", '"D9"'),
        ({"input_id": "D1\0", "output": "x"}, "UNKNOWN_INPUT", "D1"),
        ({"input_id": "D2", "output": "x"}, "INPUT_TWICE", "in line 1"),
        ({"input_id": "D1", "output": "a\0b"}, "NULL_CHARACTER", "shown to people"),
        ({"input_id": "D1", "output": "x" * (LONGEST_OUTPUT + 1)}, "OUTPUT_TOO_LONG", "At most 5,000"),
        ('{"input_id": "D1", "output": "\\ud800"}', "HALF_A_CHARACTER", "both halves"),
        ('{"input_id": "D1", "output": "\0"}', "ILLEGAL_CHARACTER", "null character"),
        ('{"input_id": "D1", "output": NaN}', "NOT_A_NUMBER", "NaN"),
        ({"input_id": "D1", "output": "x" * 40_000}, "LINE_TOO_LONG", "32,766"),
    ],
)
def test_a_fault_names_its_line_and_refuses_the_file(line: object, code: str, words: str) -> None:
    found = read_lines(RIGHT[0], line)
    problem = next(one for one in found.problems if one.code == code)
    assert not found.accepted
    assert problem.line == 2
    assert words in problem.message


def test_a_fault_points_at_the_character_where_it_stands() -> None:
    line = '{"output": 7, "input_id": "D9"}'
    found = read_lines(*RIGHT, line)
    assert {one.code: line[(one.column or 0) - 1 :][:4] for one in found.problems} == {
        "WRONG_KIND": '7, "',
        "UNKNOWN_INPUT": '"D9"',
    }


def test_an_input_with_a_faulty_output_is_not_called_missing() -> None:
    assert only(read_lines(RIGHT[0], {"input_id": "D1", "output": 7})).code == "WRONG_KIND"


def test_an_input_whose_line_cannot_be_read_is_not_called_missing() -> None:
    assert only(read_lines(RIGHT[0], '{"input_id": "D1", "output": ')).code == "NOT_JSON"


def test_every_input_without_a_line_is_named() -> None:
    problem = only(read_lines(RIGHT[0]))
    assert (problem.code, problem.line, problem.text) == ("MISSING_INPUT", 0, "D1")
    assert "empty where nothing was written" in problem.message


@pytest.mark.parametrize("output", ["", " \n\t", "\r\n"])
def test_an_empty_output_is_a_warning_and_is_kept(output: str) -> None:
    found = read_lines(RIGHT[0], {"input_id": "D1", "output": output})
    assert found.accepted
    assert only(found).code == "EMPTY_OUTPUT"
    assert found.read[1].output == ""


def test_line_ends_are_line_feeds_and_none_are_around_an_output() -> None:
    found = read_lines(RIGHT[0], {"input_id": "D1", "output": "\r\n One\r\ntwo \r\n\n"})
    assert found.read[1].output == " One\ntwo "


@pytest.mark.parametrize("output", ["<script>alert(1)</script>", "\u202egnorw", "a\u200bb", "\u2583 said"])
def test_what_looks_odd_is_kept_as_it_is(output: str) -> None:
    found = read_lines(RIGHT[0], {"input_id": "D1", "output": output})
    assert found.problems == ()
    assert found.read[1].output == output


def test_the_longest_output_may_have_every_character_escaped() -> None:
    assert read_lines(RIGHT[0], {"input_id": "D1", "output": "\u00e9" * LONGEST_OUTPUT}).problems == ()


def test_a_byte_order_mark_and_windows_line_ends_are_fine() -> None:
    data = b"\xef\xbb\xbf" + b"\r\n".join(json.dumps(one).encode() for one in RIGHT) + b"\r\n"
    assert read(BytesIO(data), "jsonl", DOCUMENTS).problems == ()


def test_gzip_is_fine() -> None:
    data = gzip.compress("\n".join(json.dumps(one) for one in RIGHT).encode())
    assert read(BytesIO(data), "jsonl", DOCUMENTS).problems == ()


def test_a_line_that_is_no_utf8_is_named() -> None:
    data = json.dumps(RIGHT[0]).encode() + b'\n{"input_id": "D1", "output": "caf\xe9"}'
    found = read(BytesIO(data), "jsonl", DOCUMENTS)
    assert [(one.code, one.line) for one in found.problems if one.line] == [("UNDECODABLE_BYTES", 2)]


def test_a_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "SWELLS_FREELY", 1_000)
    bomb = gzip.compress(b" \n" * (1 << 20))
    assert only(read(BytesIO(bomb), "jsonl", DOCUMENTS)).code == "TOO_LARGE"


def test_of_a_million_faulty_lines_the_rest_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems, "MOST_ERRORS", 1_000)
    file = BytesIO(b'{"input_id": "D9", "output": "x"}\n' * 1_000_000)
    found = read(file, "jsonl", DOCUMENTS)
    assert found.counts["problems"] == {"UNKNOWN_INPUT": 1_000, "TOO_MANY_ERRORS": 1}
    assert file.tell() < 2_000_000  # of 34 MB


def test_an_unknown_field_with_a_null_character_can_be_told() -> None:
    found = read_lines(RIGHT[0], {**RIGHT[1], "a\0b": 1})
    assert found.accepted
    assert "\0" not in only(found).text + only(found).message


def test_errors_without_end_stop_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(problems, "MOST_ERRORS", 10)
    found = read_lines(*['{"input_id": "D1", "output": "x"}'] * 100)
    assert found.counts["problems"] == {"INPUT_TWICE": 10, "TOO_MANY_ERRORS": 1}


def test_what_is_written_reads_as_the_same() -> None:
    found = read_lines(RIGHT[0], {"input_id": "D1", "output": '"\u2583"\n\u202e \\ <b>\x01'})
    again = read(BytesIO("".join(found.lines()).encode()), "jsonl", DOCUMENTS)
    assert again.read == found.read
