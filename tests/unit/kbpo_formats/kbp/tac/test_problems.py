import csv
from pathlib import Path

import pytest

from kbpo_formats.kbp.tac.problems import CODES, ProblemLog
from kbpo_formats.problems import LISTED_PER_CODE, shorten

NIST_TABLE = Path(__file__).parents[6] / "shared" / "tac" / "problem_codes.tsv"
REPAIRS_OF_OUR_OWN = {"MISSING_TYPEDEF"}


def test_every_code_of_nist_has_its_severities_and_repair():
    if not NIST_TABLE.exists():
        pytest.skip(f"{NIST_TABLE.name} is not at hand")
    with NIST_TABLE.open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    years = {"tac2015": "severity_2015", "tac2016": "severity_2016"}
    expected = {
        row["code"]: {format: row[year] for format, year in years.items() if row[year] != "-"} for row in rows
    }
    expected = {code: severities for code, severities in expected.items() if severities}
    assert expected == {code.name: dict(code.severity) for code in CODES.values() if not code.own}
    repairs = {row["code"]: row["repair"].removesuffix(" (README.md)") for row in rows}
    for code in CODES.values():
        if not code.own and code.name not in REPAIRS_OF_OUR_OWN:
            assert code.repair == repairs[code.name]


VALUES = ("a", "b", "c", "d", "e", "f")


@pytest.mark.parametrize("code", [code for code in CODES if "tac2016" in CODES[code].severity])
def test_every_code_is_listed_up_to_one_limit_and_counted_beyond(code):
    log = ProblemLog("tac2016")
    for line in range(1, LISTED_PER_CODE + 11):
        log.add(code, line, ":A", *VALUES)
    assert len(log.by_line()) == LISTED_PER_CODE
    assert (log.counts[code], log.unlisted) == (LISTED_PER_CODE + 10, 10)


def test_a_log_without_a_limit_lists_all():
    log = ProblemLog("tac2016", most=None)
    for line in range(1, LISTED_PER_CODE + 11):
        log.add("NO_MENTIONS", line, ":A", ":A")
    assert (len(log.by_line()), log.unlisted) == (LISTED_PER_CODE + 10, 0)


def test_many_problems_of_one_code_leave_room_for_another():
    log = ProblemLog("tac2016")
    for line in range(1, 100_001):
        log.add("NO_MENTIONS", line, ":A", ":A")
    log.add("UNKNOWN_TYPE", 7, ":A", ":A", "PER")
    assert "UNKNOWN_TYPE" in {problem.code for problem in log.by_line()}


def test_problems_come_by_line():
    log = ProblemLog("tac2016")
    for line in (3, 1, 2):
        log.add("NO_MENTIONS", line, ":A", ":A")
    assert [problem.line for problem in log.by_line()] == [1, 2, 3]


def test_a_severity_is_that_of_the_format():
    counts = {}
    for format in ("tac2015", "tac2016"):
        log = ProblemLog(format)
        log.add("MISSING_TYPEDEF", 1, ":A", ":A", "PER")
        counts[format] = log.count("ERROR")
    assert counts == {"tac2015": 0, "tac2016": 1}


def test_a_long_text_is_cut_and_says_so():
    log = ProblemLog("tac2016")
    log.add("ILLEGAL_ENTITY_NAME", 1, "x" * 10_000, "x" * 10_000)
    (problem,) = log.by_line()
    assert len(problem.text) == 200
    assert problem.text.endswith("…")
    assert len(problem.message) < 500


def test_a_short_text_stays_as_it_is():
    assert shorten("abc", 3) == "abc"


def test_a_value_with_braces_is_shown_as_it_is():
    log = ProblemLog("tac2016")
    log.add("ILLEGAL_ENTITY_NAME", 1, "{0}", "{9}{x!r}")
    (problem,) = log.by_line()
    assert "{9}{x!r}" in problem.message
