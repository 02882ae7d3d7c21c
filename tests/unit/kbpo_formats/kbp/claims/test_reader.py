"""A knowledge base as JSON Lines: what it claims, and each fault by line and column."""

import gzip
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbpo_formats import json_lines
from kbpo_formats import lines as lines_module
from kbpo_formats.corpus import Texts
from kbpo_formats.kbp.claims.problems import EXAMPLE
from kbpo_formats.kbp.claims.reader import read
from kbpo_formats.spans import Span
from tests.ontologies import TAC
from tests.unit.kbpo_formats.kbp.claims.claims import ADA, DAY, SHE, TOWN, claim, read_bytes, read_lines

RIGHT = json.dumps(claim())


def test_a_claim_is_read_with_its_mentions_as_they_stand():
    found = read_lines(claim(subject={**SHE, "entity": "ada"}, confidence=0.5))
    (one,) = found.predictions
    assert found.accepted
    assert (one.doc_id, one.predicate, one.official) == ("D1", "per:place_of_birth", "per:city_of_birth")
    assert (one.subject, one.subject_canonical, one.subject_entity) == (Span(48, 51), Span(0, 9), "ada")
    assert (one.object, one.object_canonical, one.object_entity) == (Span(22, 32), Span(22, 32), "")
    assert (one.confidence, one.line) == (0.5, 1)


def test_a_document_is_found_however_its_id_is_coded():
    documents = Texts({"caf\u00e9": "Ada Lovett was born in Marrenholm."})
    subject, object_ = {"start": 0, "end": 10, "type": "PER"}, {"start": 23, "end": 33, "type": "GPE"}
    line = json.dumps(claim(doc_id="cafe\u0301", subject=subject, object=object_), ensure_ascii=False)
    (one,) = read(io.BytesIO(line.encode()), documents=documents, ontology=TAC).predictions
    assert one.doc_id == "caf\u00e9"


def test_what_is_left_out_is_the_mention_itself_and_a_confidence_of_1():
    (one,) = read_lines(claim()).predictions
    assert (one.subject_canonical, one.confidence) == (one.subject, 1.0)


def test_a_predicate_that_is_stored_the_other_way_round_changes_places():
    said = claim(predicate="gpe:births_in_city", subject=TOWN, object=ADA)
    (one,) = read_lines(said).predictions
    assert (one.predicate, one.subject, one.turned) == ("per:place_of_birth", Span(0, 9), True)


def test_a_date_has_a_value_and_no_canonical_mention():
    date = claim(predicate="per:date_of_birth", object={**DAY, "value": "1979-05-04"})
    (one,) = read_lines(date).predictions
    assert (one.object_entity, one.object_canonical) == ("1979-05-04", None)


def test_the_value_of_a_date_is_its_text_where_none_is_given():
    (one,) = read_lines(claim(predicate="per:date_of_birth", object=DAY)).predictions
    assert one.object_entity == "4 May 1979"


def test_of_lines_that_claim_the_same_the_most_confident_counts():
    inverse = claim(predicate="gpe:births_in_city", subject=TOWN, object=ADA, confidence=0.9)
    found = read_lines(claim(confidence=0.2), inverse)
    (one,) = found.predictions
    assert (one.confidence, one.line) == (0.9, 2)
    assert [(problem.code, problem.line) for problem in found.problems] == [("REPEATED_CLAIM", 2)]
    assert found.counts["merged_lines"] == 1


def test_a_claim_that_overlaps_a_surer_one_is_not_scored():
    found = read_lines(claim(confidence=0.2), claim(subject={**ADA, "end": 3}))
    assert [one.line for one in found.predictions] == [2]
    assert [problem.code for problem in found.problems] == ["OVERLAPPING_CLAIM"]


def test_a_predicate_that_is_not_scored_is_left_out():
    age = claim(predicate="per:age", object={"start": 36, "end": 37, "type": "STRING"})
    found = read_lines(claim(), age)
    assert len(found.predictions) == 1
    assert found.counts["dropped_by_reason"] == {"PREDICATE_NOT_SCORED": 1}


@pytest.mark.parametrize(
    ("line", "code", "at", "words"),
    [
        ("{", "NOT_JSON", "", "Write each line as one JSON object"),
        (RIGHT + ",", "NOT_JSON", ",", "extra data"),
        (RIGHT.replace('"', "'"), "NOT_JSON", "'doc_id", "double quotes"),
        ("[" * 4000, "NOT_JSON", "[", "nested too deep"),
        (RIGHT.replace(": 0", ": 1" + 5000 * "0"), "NOT_JSON", "{", "thousands of digits"),
        ("[1]", "NOT_AN_OBJECT", "[", "a list"),
        ('"text"', "NOT_AN_OBJECT", '"', "text"),
        (RIGHT[:-1] + ', "doc_id": "D2"}', "DUPLICATE_KEY", '"doc_id": "D2"', "Leave one of them out"),
        (RIGHT.replace('"end": 9', '"end": 9, "end": 8'), "DUPLICATE_KEY", '"end": 8', "twice"),
        (RIGHT[:-1] + ', "confidence": NaN}', "NOT_A_NUMBER", "NaN", "NaN is no number"),
        (RIGHT[:-1] + ', "confidence": -Infinity}', "NOT_A_NUMBER", "-Infinity", "finite"),
        (RIGHT.replace("D1", "\\ud800"), "HALF_A_CHARACTER", "\\ud800", "both halves"),
        (RIGHT.replace("D1", "\\\\\\udc00"), "HALF_A_CHARACTER", "\\udc00", "both halves"),
        ({"predicate": "per:city_of_birth"}, "MISSING_FIELD", "{", "doc_id is missing"),
        (claim(doc_id=7), "WRONG_KIND", "7", "doc_id is a number, 7"),
        (claim(doc_id="D9"), "UNKNOWN_DOCUMENT", '"D9"', 'no document "D9"'),
        (claim(doc_id="D1\0"), "UNKNOWN_DOCUMENT", '"D1', "as the corpus has it"),
        (
            claim(predicate="per:citi_of_birth"),
            "UNKNOWN_PREDICATE",
            '"per:citi',
            "Is per:city_of_birth meant",
        ),
        (claim(predicate=None), "WRONG_KIND", "null", "null"),
        (claim(subject=[0, 9]), "WRONG_KIND", "[0", "a list"),
        (claim(subject={**ADA, "type": "ORG"}), "WRONG_TYPE", '"ORG"', "takes PER"),
        (claim(object={**TOWN, "type": "XX"}), "WRONG_TYPE", '"XX"', "takes GPE"),
        (claim(object={"start": 22, "end": 32}), "MISSING_FIELD", '{"start": 22', "object.type is missing"),
        (claim(subject={**ADA, "start": 0.0}), "WRONG_OFFSET", "0.0", "whole number"),
        (claim(subject={**ADA, "start": True}), "WRONG_OFFSET", "true", "subject.start is true"),
        (claim(subject={**ADA, "end": "9"}), "WRONG_OFFSET", '"9"', "text"),
        (claim(subject={**ADA, "start": -1}), "WRONG_OFFSET", "-1", "counted from 0"),
        (claim(subject={**ADA, "end": 999}), "OFFSET_OUTSIDE", "999", "has 64 characters"),
        (claim(subject={**ADA, "start": 9}), "EMPTY_SPAN", '9, "type"', "character after the last"),
        (
            claim(subject={"start": 3, "type": "PER"}),
            "MISSING_FIELD",
            '{"start": 3',
            "subject.end is missing",
        ),
        (claim(subject={**SHE, "canonical": None}), "WRONG_KIND", "null", "subject.canonical is null"),
        (claim(subject={**SHE, "canonical": {"start": 1}}), "MISSING_FIELD", '{"start": 1', "canonical.end"),
        (claim(subject={**ADA, "value": "A"}), "VALUE_OF_ENTITY", '"A"', "leave it out"),
        (claim(subject={**ADA, "entity": ""}), "ILLEGAL_TEXT", '""', "is empty"),
        (claim(subject={**ADA, "entity": "a\nb"}), "ILLEGAL_TEXT", '"a', "line end"),
        (claim(subject={**ADA, "entity": 7}), "WRONG_KIND", "7", "a number"),
        (
            claim(predicate="per:date_of_birth", object={**DAY, "canonical": {"start": 0, "end": 9}}),
            "CANONICAL_OF_VALUE",
            '{"start": 0, "end": 9}}',
            "leave it out",
        ),
        (claim(confidence=-1), "WRONG_CONFIDENCE", "-1}", "from 0 to 1"),
        (claim(confidence=True), "WRONG_CONFIDENCE", "true", "from 0 to 1"),
        (claim(confidence="0.5"), "WRONG_CONFIDENCE", '"0.5"', "a number"),
        (claim(confidence=1.5), "WRONG_CONFIDENCE", "1.5", "1.5"),
        ("x" * 9000, "LINE_TOO_LONG", None, "8,192 characters"),
    ],
)
def test_a_fault_names_its_line_and_column_and_what_would_be_right(line, code, at, words):
    text = line if isinstance(line, str) else json.dumps(line)
    found = read_lines(claim(), text)
    problem = next(one for one in found.problems if one.code == code)
    assert (found.accepted, problem.line, problem.severity) == (False, 2, "ERROR")
    assert words in problem.message
    if at is not None:
        assert problem.column is not None
        assert text[problem.column - 1 :].startswith(at)


def test_a_mention_of_more_than_150_characters_is_refused():
    stream = io.BytesIO(json.dumps(claim(subject={**ADA, "end": 151})).encode())
    found = read(stream, documents=Texts({"D1": "x" * 300}), ontology=TAC)
    assert [problem.code for problem in found.problems] == ["LONG_SPAN"]


def test_all_faults_of_a_line_are_named():
    bad = claim(predicate="per:x", subject={**ADA, "start": 0.5}, object={**TOWN, "end": 1}, confidence=2)
    codes = {problem.code for problem in read_lines(bad).problems}
    assert codes == {"UNKNOWN_PREDICATE", "WRONG_OFFSET", "EMPTY_SPAN", "WRONG_CONFIDENCE"}


def test_a_field_that_nobody_asks_for_is_ignored_with_a_warning():
    found = read_lines(claim(subject={**ADA, "cannonical": {"start": 0, "end": 3}}))
    (problem,) = found.problems
    assert found.accepted
    assert (problem.code, problem.severity) == ("UNKNOWN_FIELD", "WARNING")
    assert "Is canonical meant?" in problem.message


def test_a_file_that_says_nothing_is_empty():
    assert [problem.code for problem in read_lines("", " ").problems] == ["EMPTY_FILE"]


@pytest.mark.parametrize(
    ("line", "code", "column"),
    [
        ('{"doc_id": "é'.encode() + b'\xe9"}', "UNDECODABLE_BYTES", 14),
        (b'{"doc_id": "\xed\xa0\x80"}', "UNDECODABLE_BYTES", 13),  # half of a pair, written as bytes
        ('{"doc_id": "é\0"}'.encode(), "ILLEGAL_CHARACTER", 14),
        (b'{"doc_id": "' + b"x" * 9000, "LINE_TOO_LONG", 8193),
        (b' \xef\xbb\xbf{"doc_id": "D1"}', "NOT_JSON", 2),  # a byte-order mark within a line
    ],
)
def test_what_is_no_text_is_named_by_its_character(line, code, column):
    (problem,) = read_bytes(RIGHT.encode() + b"\n" + line).problems
    assert (problem.code, problem.line, problem.column) == (code, 2, column)


_HOSTILE = ["\0", "\ufeff", "\r", "\u2028", "\\ud800", "\\u0000", "NaN", "-Infinity", "1e999", "9" * 5000]
_HOSTILE += ["[" * 3000, '{"a":' * 1500, '"', "\\", ",", "}", "\t", "\x7f", "\U0001f600", "null", "x" * 8000]


@pytest.mark.slow
@given(st.sampled_from(_HOSTILE), st.integers(0, len(RIGHT)), st.integers(0, 12))
def test_whatever_is_put_into_a_line_what_is_wrong_stands_in_it(hostile, at, gone):
    text = RIGHT[:at] + hostile + RIGHT[at + gone :]
    found = read_bytes(f"{RIGHT}\n{text}\n{RIGHT}\n".encode())
    assert found.accepted or found.counts["errors"]
    for problem in found.problems:
        assert problem.line in (2, 3)
        assert problem.message.endswith((".", "?", "}"))
        assert problem.column is None or 1 <= problem.column <= len(text) + 1


@pytest.mark.parametrize(
    "packed",
    [
        RIGHT.encode(),
        b"\xef\xbb\xbf" + RIGHT.encode() + b"\r\n\r\n",
        gzip.compress(RIGHT.encode()),
        RIGHT.replace("D1", "\\u0044\\u0031").encode(),
    ],
    ids=["plain", "byte-order mark and CRLF", "gzip", "escapes"],
)
def test_how_the_same_text_is_written_changes_nothing(packed):
    found = read_bytes(packed)
    assert found.problems == ()
    assert list(found.predictions) == list(read_lines(RIGHT).predictions)


def test_the_example_in_messages_is_about_what_a_line_is():
    assert read_lines(EXAMPLE).accepted


def test_what_is_written_is_read_as_the_same():
    lines = [claim(), claim(subject=SHE, confidence=0.25), claim(predicate="per:date_of_birth", object=DAY)]
    first = read_lines(*lines)
    again = read_bytes("".join(first.lines()).encode())
    assert again.problems == ()
    assert list(again.predictions) == list(first.predictions)


def test_names_of_any_length_are_written_so_that_they_fit_a_line():
    long = "n" * 3000
    first = read_lines(claim(subject={**ADA, "entity": long}, object={**TOWN, "entity": long + "2"}))
    (line,) = first.lines()
    assert len(line) < lines_module.LONGEST_LINE
    (one,) = read_bytes(line.encode()).predictions
    assert one.subject_entity != one.object_entity


_json = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 70) | st.floats() | st.sampled_from(["D1", "PER", "GPE", ""]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["start", "end", "type", "canonical", "value"]), inner, max_size=4)
    ),
    max_leaves=6,
)


@given(
    st.dictionaries(st.sampled_from(["doc_id", "predicate", "subject", "object", "confidence", "x"]), _json)
)
def test_any_object_gives_a_reading_whose_problems_have_columns_of_the_line(fields):
    text = json.dumps({**claim(), **fields})
    found = read_lines(text)
    assert found.accepted == (found.counts["errors"] == 0)
    for problem in found.problems:
        assert problem.column is None or 1 <= problem.column <= len(text) + 1


@given(st.binary(max_size=60))
def test_any_bytes_give_a_reading(data):
    read_bytes(RIGHT.encode() + b"\n" + data)


def test_the_unknown_fields_of_an_object_are_found_in_one_walk(monkeypatch):
    walked = []
    members = json_lines._members

    def counted(*args):
        for one in members(*args):
            walked.append(one)
            yield one

    monkeypatch.setattr(json_lines, "_members", counted)
    odd = {f"odd{n}": n for n in range(100)}
    line = json.dumps({**claim(subject={**SHE, **odd}), **odd})
    found = read_bytes(line.encode())
    assert found.counts["problems"] == {"UNKNOWN_FIELD": 200}
    assert all(line[one.column - 1 :].startswith(one.text[3:]) for one in found.problems)
    assert len(walked) < 250


@pytest.mark.parametrize(
    "line",
    ['"\\ud800"', '{"\\ud800": 1, "\\ud800": 2}', '{"a\\ud800\\u0000": 1, "a\\ud800\\u0000": 2}'],
)
def test_half_a_character_is_told_as_its_escape(line):
    (one,) = read_bytes(line.encode()).problems
    assert "\\ud800" in one.message
    assert one.message.encode()
    assert one.text.encode()
