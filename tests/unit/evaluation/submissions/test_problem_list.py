from evaluation.submissions.problem_list import some_of_each
from kbpo_formats.problems import Problem


def found(*codes):
    return [Problem(line, code, "ERROR", "", "") for line, code in enumerate(codes, start=1)]


def test_a_kind_that_is_frequent_hides_no_other():
    problems = found(*["MENTION"] * 50, "PREDICATE", *["MENTION"] * 50, "SPAN")
    shown = some_of_each(problems, most=5)
    assert [(one.line, one.code) for one in shown] == [
        (1, "MENTION"),
        (2, "MENTION"),
        (3, "MENTION"),
        (51, "PREDICATE"),
        (102, "SPAN"),
    ]


def test_kinds_beyond_the_room_wait_and_a_short_list_is_whole():
    problems = found("A", "B", "C")
    assert some_of_each(problems, most=2) == problems[:2]
    assert some_of_each(problems, most=10) == problems
    assert some_of_each([], most=10) == []
