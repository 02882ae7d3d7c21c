"""Each fault class has a small file and the exact problems expected of it."""

import io

import pytest

from kbpo_formats.corpus import Texts
from kbpo_formats.kbp.tac.problems import CODES
from kbpo_formats.kbp.tac.reader import read
from tests.ontologies import TAC
from tests.unit.kbpo_formats.kbp.tac.kb import BASE, NEXT, extend, faults, read_text, tabbed

E, W = "ERROR", "WARNING"
N = NEXT

# what is wrong: the lines that follow the base, and the problems (line, code, severity)
FAULTS: dict[str, tuple[tuple[str, ...], list[tuple[int, str, str]]]] = {
    "a document that the corpus does not have": (
        (':A | mention | "Ann" | D9:0-2',),
        [(N, "ILLEGAL_DOCID", E)],
    ),
    "an offset that is no number": (
        (':A | mention | "Ann" | D1:x-2',),
        [(N, "ILLEGAL_OFFSET", E)],
    ),
    "an offset too long to be one": (
        (f':A | mention | "Ann" | D1:0-{"9" * 5_000}',),
        [(N, "ILLEGAL_OFFSET", E)],
    ),
    "an offset one past the last character": (
        (':A | mention | "Ann" | D1:98-100',),
        [(N, "ILLEGAL_OFFSET_IN_DOC", E)],
    ),
    "both offsets past the end": (
        (':A | mention | "Ann" | D1:100-102',),
        [(N, "ILLEGAL_OFFSET_IN_DOC", E), (N, "ILLEGAL_OFFSET_IN_DOC", E)],
    ),
    "a span that ends before it starts": (
        (':A | mention | "Ann" | D1:7-5',),
        [(N, "ILLEGAL_OFFSET_PAIR", E)],
    ),
    "one offset where two are needed": (
        (':A | mention | "Ann" | D1:7',),
        [(N, "ILLEGAL_OFFSET_PAIR_STRING", E)],
    ),
    "provenance without a document": (
        (':A | mention | "Ann" | 0-2',),
        [(N, "ILLEGAL_OFFSET_TRIPLE_STRING", E)],
    ),
    "five spans": (
        (':A | per:title | "boss" | D1:5-8,D1:0-2,D1:20-22,D1:0-2,D1:0-2',),
        [(N, "TOO_MANY_PROVENANCE_TRIPLES", W)],
    ),
    "a span of 151 characters": (
        (':A | mention | "Ann" | LONG:0-150', ':A | canonical_mention | "Ann" | LONG:0-149'),
        [(N, "TOO_MANY_CHARS", W)],
    ),
    "a predicate of several types on a subject of none": (
        (":X | parents | :A | D1:0-2", ':X | mention | "X" | D1:60-60'),
        [
            (N, "AMBIGUOUS_PREDICATE", E),
            (N, "UNKNOWN_TYPE", E),
            (N + 1, "MISSING_CANONICAL", W),
        ],
    ),
    "a name without its colon": (
        ('A | mention | "her" | D1:24-26',),
        [(N, "COLON_OMITTED", W)],
    ),
    "an object's name without its colon": (
        (
            ":A | per:schools_attended | B | D1:0-33",
            ":B | org:students | :A | D1:0-33",
        ),
        [(N, "COLON_OMITTED", W)],
    ),
    "an assertion with another provenance": (
        (':A | per:title | "boss" | D1:5-8,D1:0-2', ':A | per:title | "boss" | D1:50-53,D1:20-22'),
        [(N + 1, "DUPLICATE_ASSERTION", W)],
    ),
    "an assertion with the same provenance": (
        (':A | per:title | "boss" | D1:5-8,D1:0-2', ':A | per:title | "boss" | D1:0-2,D1:5-8'),
        [(N + 1, "REPEATED_ASSERTION", W)],
    ),
    "a claim that overlaps another": (
        (':A | per:title | "boss" | D1:5-8,D1:0-2', ':A | per:title | "bos" | D1:5-7,D1:0-2'),
        [(N + 1, "OVERLAPPING_CLAIM", W)],
    ),
    "a mention of thirteen words": (
        (':A | mention | "a b c d e f g h i j k l m" | D1:60-84',),
        [(N, "LONG_MENTION", W)],
    ),
    "a confidence above 1": (
        (':A | mention | "her" | D1:24-26 | 1.5',),
        [(N, "ILLEGAL_CONFIDENCE_VALUE", E)],
    ),
    "a confidence of 0 without a decimal point": (
        (':A | mention | "her" | D1:24-26 | 0',),
        [(N, "MISSING_DECIMAL_POINT", W)],
    ),
    "a confidence in words": (
        (':A | mention | "her" | D1:24-26 | high',),
        [(N, "ILLEGAL_CONFIDENCE_VALUE", E)],
    ),
    "a confidence below what a float can hold": (
        (':A | mention | "her" | D1:24-26 | 1.0e-999',),
        [(N, "IMPROPER_CONFIDENCE_VALUE", W)],
    ),
    "a confidence without decimal point": (
        (':A | mention | "her" | D1:24-26 | 1',),
        [(N, "MISSING_DECIMAL_POINT", W)],
    ),
    "a confidence in scientific notation": (
        (':A | mention | "her" | D1:24-26 | 5.0e-01',),
        [(N, "IMPROPER_CONFIDENCE_VALUE", W)],
    ),
    "a hyphen in a name": (
        (':A-1 | mention | "her" | D1:24-26',),
        [(N, "ILLEGAL_ENTITY_NAME", E)],
    ),
    "a type that is none": (
        (":D | type | DOG", ':D | mention | "Dot" | D2:0-2', ':D | canonical_mention | "Dot" | D2:0-2'),
        [(N, "ILLEGAL_ENTITY_TYPE", E)],
    ),
    "a link without a knowledge base": (
        (":A | link | Q42",),
        [(N, "ILLEGAL_LINK_SPECIFICATION", W)],
    ),
    "two links to one knowledge base": (
        (":A | link | wikidata:Q42", ":A | link | freebase:m.1", ':A | link | "wikidata:Q43"'),
        [(N + 2, "MULTIPLE_LINKS", W)],
    ),
    "a predicate that is none": (
        (":A | per:kids | :A | D1:0-2",),
        [(N, "ILLEGAL_PREDICATE", E)],
    ),
    "a predicate's type that is none": (
        (":A | dog:title | :A | D1:0-2",),
        [(N, "ILLEGAL_PREDICATE_TYPE", E)],
    ),
    "a document without canonical mention": (
        (':A | mention | "Ann" | D2:0-2',),
        [(N, "MISSING_CANONICAL", W)],
    ),
    "two mentions in a document without canonical mention": (
        (':A | mention | "Ann" | D2:0-2', ':A | nominal_mention | "the boss" | D2:10-17'),
        [(N, "MULTIPLE_MENTIONS_NO_CANONICAL", E)],
    ),
    "a nominal mention and no other": (
        (':A | nominal_mention | "the boss" | D2:10-17',),
        [(N, "MISSING_MENTION", W), (N, "MISSING_CANONICAL", W)],
    ),
    "two canonical mentions in a document": (
        (':A | canonical_mention | "she" | D1:20-22',),
        [(N, "MULTIPLE_CANONICAL", E)],
    ),
    "a canonical mention that is no mention": (
        (':A | canonical_mention | "Ann" | D2:0-2',),
        [(N, "UNASSERTED_MENTION", W)],
    ),
    "a mention of two spans": (
        (':A | mention | "her" | D1:24-26,D1:20-22',),
        [(N, "EXTRA_MENTION_SPANS", W)],
    ),
    "a relation in one direction only": (
        (":A | per:schools_attended | :B | D1:0-33", ":A | per:schools_attended | :B | D1:20-33"),
        [(N, "MISSING_INVERSE", W), (N + 1, "DUPLICATE_ASSERTION", W)],
    ),
    "an entity without type, used as one": (
        (
            ':D | canonical_mention | "Dot" | D1:50-52',
            ':D | mention | "Dot" | D1:50-52',
            ':D | per:title | "boss" | D1:5-8,D1:50-52',
        ),
        [(N + 2, "MISSING_TYPEDEF", E)],
    ),
    "an entity without type, of which nothing is said": (
        (':D | mention | "Dot" | D1:50-52', ':D | canonical_mention | "Dot" | D1:50-52'),
        [(N, "UNKNOWN_TYPE", E)],
    ),
    "two values of a predicate that takes one": (
        (
            ':A | per:date_of_birth | "1950" | D1:5-8,D1:0-2',
            ':A | per:date_of_birth | "1951" | D1:9-12,D1:0-2',
        ),
        [(N + 1, "MULTIPLE_FILLS_ENTITY", W)],
    ),
    "two values by way of the inverse": (
        (
            ":D | type | GPE",
            ':D | mention | "Derry" | D1:50-54',
            ':D | canonical_mention | "Derry" | D1:50-54',
            ":C | gpe:births_in_city | :A | D1:0-43",
            ":D | gpe:births_in_city | :A | D1:0-54",
        ),
        [
            (N + 3, "MISSING_INVERSE", W),
            (N + 4, "MISSING_INVERSE", W),
            (N + 4, "MULTIPLE_FILLS_ENTITY", W),
        ],
    ),
    "two types": (
        (":A | type | ORG",),
        [(N, "MULTITYPED_ENTITY", E)],
    ),
    "an object of a type that the predicate does not take": (
        (":A | per:employee_or_member_of | :A | D1:0-2",),
        [(N, "MULTITYPED_ENTITY", E)],
    ),
    "an entity without mentions": (
        (":D | type | PER",),
        [(N, "NO_MENTIONS", W)],
    ),
    "an alias": (
        (':A | per:titles | "boss" | D1:5-8,D1:0-2', ':A | mentions | "her" | D1:24-26'),
        [(N, "PREDICATE_ALIAS", W), (N + 1, "PREDICATE_ALIAS", W)],
    ),
    "a string for an entity": (
        (':A | per:schools_attended | "Bolt" | D1:0-33',),
        [(N, "STRING_USED_FOR_ENTITY", E)],
    ),
    "a predicate of another type than the subject": (
        (':B | per:title | "boss" | D1:5-8,D1:30-33', ':B | per:mention | "it" | D1:50-51'),
        [(N, "SUBJECT_PREDICATE_MISMATCH", E), (N + 1, "SUBJECT_PREDICATE_MISMATCH", E)],
    ),
    "entities without a mention in the relation's document": (
        (':A | per:title | "boss" | D2:5-8,D2:0-2',),
        [(N, "UNATTESTED_RELATION_ENTITY", E)],
    ),
    "a string without quotes": (
        (":A | per:title | boss | D1:5-8,D1:0-2", ':A | mention | "her" way" | D1:23-29'),
        [(N, "UNQUOTED_STRING", W), (N + 1, "UNQUOTED_STRING", W), (N + 1, "MENTION_TEXT_DIFFERS", W)],
    ),
    "a string that does not stand at its offsets": (
        (':A | mention | "An" | D1:0-2', ':A | mention | "Ann" | D1:0-2'),
        [(N, "MENTION_TEXT_DIFFERS", W)],
    ),
    "columns missing": (
        (":A | type", ':A | mention | "her"', ":A", ":A | per:spouse | :A | 0.5"),
        [(line, "WRONG_NUM_ENTRIES", E) for line in range(N, N + 4)],
    ),
    "columns too many": (
        (":A | type | PER | 1.0 | x", ':A | mention | "her" | D1:24-26 | 1.0 | x'),
        [(N, "WRONG_NUM_ENTRIES", E), (N + 1, "WRONG_NUM_ENTRIES", E)],
    ),
    "a predicate that the service does not score": (
        (':A | per:age | "50" | D1:5-6,D1:0-2',),
        [(N, "PREDICATE_NOT_SCORED", W)],
    ),
    "a string's own span and no other": (
        (':A | per:title | "boss" | D1:5-8',),
        [(N, "NO_MENTION_FOUND", W)],
    ),
    "spans after the last mention": (
        (':A | per:title | "boss" | D1:5-8,D1:90-95',),
        [(N, "NO_MENTION_FOUND", W)],
    ),
    "a subject and an object in two documents": (
        (
            ':A | mention | "Ann" | D2:0-2',
            ':A | canonical_mention | "Ann" | D2:0-2',
            ':A | per:title | "boss" | D1:5-8,D2:0-2',
        ),
        [(N + 2, "MENTIONS_IN_TWO_DOCUMENTS", W)],
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_has_exactly_its_problems(fault):
    lines, expected = FAULTS[fault]
    assert faults(extend(*lines)) == expected


@pytest.mark.parametrize("fault", FAULTS)
def test_an_error_refuses_the_file_and_a_warning_does_not(fault):
    lines, expected = FAULTS[fault]
    reading = extend(*lines)
    assert reading.accepted is not any(severity == E for _, _, severity in expected)
    assert reading.accepted or not reading.predictions


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [(0, "EMPTY_FILE", E)]),
        ("\n", [(0, "EMPTY_FILE", E)]),
        ("two words\n", [(1, "MISSING_RUNID", E)]),
        (":run1\n", [(1, "MISSING_RUNID", E)]),
        (":A | type | PER\n", [(1, "MISSING_RUNID", E), (1, "NO_MENTIONS", W)]),
        ("# a comment\nrun1\n", [(1, "MISSING_RUNID", E), (2, "WRONG_NUM_ENTRIES", E)]),
    ],
)
def test_a_file_begins_with_its_run_id(text, expected):
    assert faults(read_text(text)) == expected


def test_the_base_of_the_examples_is_in_order():
    reading = read_text(BASE)
    assert (reading.run_id, reading.accepted, reading.problems) == ("run1", True, ())


def test_every_code_of_a_file_has_an_example():
    seen = {code for _, expected in FAULTS.values() for _, code, _ in expected}
    elsewhere = {
        # the first line; bytes; cost; a total that four spans of the allowed length cannot exceed
        "MISSING_RUNID",
        "UNSUPPORTED_FILE",
        "EMPTY_FILE",
        "BROKEN_GZIP",
        "UNDECODABLE_BYTES",
        "ILLEGAL_CHARACTER",
        "LINE_TOO_LONG",
        "TOO_LARGE",
        "TOO_MANY_ERRORS",
        "TOO_SLOW",
        "TOO_MANY_TOTAL_CHARS",
        # many lines: test_offsets
        "OFFSETS_COUNTED_OTHERWISE",
        # an upload's alone: a file in order that makes no instance
        "NO_CLAIMS",
        # no knowledge base can raise it
        "FAILED_LANG_INFERENCE",
    }
    assert seen.isdisjoint(elsewhere)
    assert seen | elsewhere == set(CODES)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            (':D | per:title | "boss" | D1:5-8,D1:50-52', ':D | mention | "Dot" | D1:50-52'),
            [(N, "MISSING_TYPEDEF", W), (N + 1, "MISSING_CANONICAL", W)],
        ),
        (
            (':A | mention | "Ann" | D2:0-2', ':A | mention | "her" | D2:10-12'),
            [(N, "MISSING_CANONICAL", W)],
        ),
        ((':B | nominal_mention | "the firm" | D1:50-57',), [(N, "ILLEGAL_PREDICATE", E)]),
        ((':A | mention | "her" | D1:24-26 | 5.0e-01',), [(N, "ILLEGAL_CONFIDENCE_VALUE", E)]),
    ],
)
def test_2015_differs_from_2016(lines, expected):
    assert faults(extend(*lines, format="tac2015")) == expected


def test_all_faults_are_found_in_one_pass():
    reading = extend(
        ":A | per:kids | :A | D1:0-2",
        ':A | mention | "Ann" | D9:0-2',
        ":D | type | PER",
        "one column",
    )
    assert faults(reading) == [
        (N, "ILLEGAL_PREDICATE", E),
        (N + 1, "ILLEGAL_DOCID", E),
        (N + 2, "NO_MENTIONS", W),
        (N + 3, "WRONG_NUM_ENTRIES", E),
    ]


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        (
            "A-1 | type | DOG | 2.0",
            ["ILLEGAL_CONFIDENCE_VALUE", "ILLEGAL_ENTITY_NAME", "ILLEGAL_ENTITY_TYPE"],
        ),
        ("A-1 | mention | x | D1:x-2", ["ILLEGAL_ENTITY_NAME", "UNQUOTED_STRING", "ILLEGAL_OFFSET"]),
        ("A-1 | per:kids | :B | D9:0-2", ["ILLEGAL_ENTITY_NAME", "ILLEGAL_PREDICATE", "ILLEGAL_DOCID"]),
        (':A | per:spouse | "x" | D9:0-2', ["STRING_USED_FOR_ENTITY", "ILLEGAL_DOCID"]),
    ],
)
def test_a_line_with_several_faults_has_them_all(line, codes):
    assert [problem.code for problem in extend(line).problems] == codes


def test_a_relation_may_come_before_the_type_of_its_subject():
    reading = read_text(
        'run1\n:A | title | "boss" | D1:5-8,D1:0-2\n:A | mention | "Ann" | D1:0-2\n'
        ':A | canonical_mention | "Ann" | D1:0-2\n:A | type | PER\n'
    )
    assert [prediction.predicate for prediction in reading.predictions] == ["per:title"]


def test_a_problem_shows_the_value_and_what_would_be_right():
    (problem,) = extend(':A | mention | "Ann" | D1:98-100').problems
    assert "Offset 100 lies outside document D1" in problem.message
    assert "from 0 to 99" in problem.message
    assert (problem.text, problem.column) == ("D1:98-100", 4)


def test_a_misspelled_predicate_is_answered_with_the_one_that_is_meant():
    (problem,) = extend(":A | per:childern | :A | D1:0-2").problems
    assert "Is per:children meant?" in problem.message


def test_comments_and_empty_lines_say_nothing():
    reading = extend("", "   # a comment", ':A | mention | "her #1" | D1:24-29 # so it is', "\t\t")
    assert (reading.problems, reading.counts["mentions"]) == ((), 8)


def mention_problems(string: str, text: str, length: int) -> list[str]:
    """Return the messages about a mention of this string where a document has this text."""
    kb = f"run1\n:A | type | PER\n:A | mention | {string} | D:0-{length - 1}\n"
    kb += kb.splitlines()[2].replace("mention", "canonical_mention", 1)
    reading = read(io.BytesIO(tabbed(kb)), documents=Texts({"D": text}), ontology=TAC)
    return [problem.message for problem in reading.problems]


@pytest.mark.parametrize(
    ("string", "text"),
    [
        ('"Ann Lee"', "Ann\nLee"),
        ('"Ann Lee"', "Ann \t Lee"),
        ('"caf\u00e9"', "cafe\u0301"),
        (r'"\"Ann\" \\"', '"Ann" \\'),
        ('"' + "Ann " * 37 + 'An or more"', "Ann " * 40),
    ],
    ids=["a line end", "a run of white space", "an accent of its own", "escapes", "a span that was cut"],
)
def test_these_are_the_same_text(string, text):
    messages = mention_problems(string, text, len(text))
    assert not [message for message in messages if "not " in message]


@pytest.mark.parametrize("string", ["ann lee", "Ann  Le", "Ann Lee.", ""])
def test_a_mention_that_differs_is_shown_beside_the_text(string):
    first, second = mention_problems(f'"{string}"', "Ann Lee", 7)
    assert first == second
    assert f"The document has 'Ann Lee' at D:0-6, not {string!r}." in first


def test_the_filler_of_a_string_slot_may_be_normalised():
    reading = extend(':A | per:date_of_birth | "1950-02-XX" | D1:50-57,D1:0-2')
    assert reading.problems == ()
