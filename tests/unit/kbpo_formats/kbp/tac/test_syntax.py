import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbpo_formats.corpus import Texts
from kbpo_formats.kbp.tac.problems import ProblemLog
from kbpo_formats.kbp.tac.syntax import (
    LIMITS,
    Limits,
    Place,
    PlaceReader,
    columns,
    confidence_of,
    is_string,
    unquoted,
)
from kbpo_formats.spans import Span


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ("a\tb\tc", ["a", "b", "c"]),
        ("  a \t b\r", ["a", "b"]),
        ("a\tb # c\td", ["a", "b"]),
        ('a\t"b # c"\td#e', ["a", '"b # c"', "d"]),
        (r'a	"b \" # c"	d', ["a", r'"b \" # c"', "d"]),
        ('a\t"b # c', ["a", '"b # c']),
        ("#", []),
        ("\t \t", []),
        ("a\t\tb\t", ["a", "", "b"]),
    ],
)
def test_a_line_has_its_columns(line, cells):
    assert columns(line) == cells


@pytest.mark.parametrize("text", ['""', '"a"', r'"a \"b\""', r'"\\"'])
def test_a_string_stands_between_quotes(text):
    assert is_string(text)


@pytest.mark.parametrize("text", ["", "a", '"', '"a', 'a"', '"a"b"', '"\\"', "'a'"])
def test_what_is_no_string_is_told_from_one(text):
    assert not is_string(text)


@given(st.text())
def test_a_string_with_its_escapes_resolved_is_what_was_meant(text):
    written = '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    assert unquoted(written) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.0", (1.0, None)),
        ("1.", (1.0, None)),
        ("0.25", (0.25, None)),
        (".5", (0.5, None)),
        ("1", (1.0, "MISSING_DECIMAL_POINT")),
        ("2.5e-01", (0.25, "IMPROPER_CONFIDENCE_VALUE")),
        ("2.5e+01", (1.0, "ILLEGAL_CONFIDENCE_VALUE")),
        ("0.0", (0.0, None)),
        (".00", (0.0, None)),
        ("0.", (0.0, None)),
        ("0", (0.0, "MISSING_DECIMAL_POINT")),
        ("1.01", (1.0, "ILLEGAL_CONFIDENCE_VALUE")),
        ("-0.5", (1.0, "ILLEGAL_CONFIDENCE_VALUE")),
        ("nan", (1.0, "ILLEGAL_CONFIDENCE_VALUE")),
        ("inf", (1.0, "ILLEGAL_CONFIDENCE_VALUE")),
        ("٠.٥", (1.0, "ILLEGAL_CONFIDENCE_VALUE")),
        ("0." + "0" * 400 + "1", (1.0, "ILLEGAL_CONFIDENCE_VALUE")),
    ],
)
def test_a_confidence_is_read_and_judged(text, expected):
    assert confidence_of(text, scientific=True) == expected


def places_of(text: str, limits: Limits = LIMITS["tac2016"]) -> tuple[list[Place] | None, list[str]]:
    log = ProblemLog("tac2016")
    places = PlaceReader(Texts({"D": "." * 1_000, "E F": "." * 10}), limits, log).read(text, 1)
    return places, [problem.code for problem in log.by_line()]


def test_a_span_of_a_file_includes_its_last_character():
    assert places_of("D:17-23") == ([Place("D", Span(17, 24))], [])


def test_spans_keep_their_order():
    places = [Place("D", Span(5, 6)), Place("E F", Span(0, 10))]
    assert places_of("D:5-5, E F:0-9") == (places, [])


def test_spans_beyond_the_fourth_are_left_out():
    places, codes = places_of("D:0-1,D:2-3,D:4-5,D:6-7,NOWHERE:8-9")
    assert [place.span.start for place in places or []] == [0, 2, 4, 6]
    assert codes == ["TOO_MANY_PROVENANCE_TRIPLES"]


def test_a_span_of_150_characters_is_allowed():
    assert places_of("D:10-159") == ([Place("D", Span(10, 160))], [])


def test_a_longer_span_is_cut():
    assert places_of("D:10-160") == ([Place("D", Span(10, 160))], ["TOO_MANY_CHARS"])


def test_too_many_characters_in_all_are_refused():
    limits = Limits(triples=4, chars=150, total_chars=200)
    assert places_of("D:0-149,D:200-250", limits) == (None, ["TOO_MANY_TOTAL_CHARS"])


def test_a_fault_in_one_span_does_not_hide_another():
    assert places_of("NOWHERE:0-1,D:9-8,D:0-1") == (None, ["ILLEGAL_DOCID", "ILLEGAL_OFFSET_PAIR"])


@given(st.text(alphabet="DE:,-0123456789 x", max_size=30))
def test_provenance_is_read_or_a_problem_is_reported(text):
    places, codes = places_of(text)
    assert (places is None) <= bool(codes)
    for place in places or []:
        assert 0 <= place.span.start < place.span.end <= {"D": 1_000, "E F": 10}[place.doc_id]


@given(st.text(alphabet='"\\ab#', max_size=8))
def test_a_string_is_what_stands_between_two_quotes_without_a_bare_one(text):
    inside = text[1:-1].replace("\\\\", "").replace('\\"', "")
    assert is_string(text) is (
        len(text) > 1 and text[0] == text[-1] == '"' and '"' not in inside and not inside.endswith("\\")
    )
