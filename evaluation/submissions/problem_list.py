"""The problems of a file that was submitted or checked: stored, counted, found again."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet

from evaluation.models import Problem, Submission
from evaluation.reading.recording import read_problems
from evaluation.submissions import problem_files
from evaluation.submissions.problem_files import ReadFile
from kbpo_formats.problems import Code
from kbpo_formats.problems import Problem as ReadProblem

FIELDS = ("line", "column", "code", "severity", "message", "text", "attachment")


def some_of_each(problems: Iterable[ReadProblem], *, most: int) -> list[ReadProblem]:
    """Choose up to `most` problems by turns of each code, so that none hides the others; as they came."""
    seen: Counter[str] = Counter()
    turns = []
    for place, one in enumerate(problems):
        turns.append((seen[one.code], place, one))
        seen[one.code] += 1
    chosen = sorted(turns, key=lambda turn: turn[:2])[:most]
    return [one for _, _, one in sorted(chosen, key=lambda turn: turn[1])]


@dataclass(frozen=True, slots=True)
class CodeCount:
    """How often a kind of problem was found.

    Attributes
    ----------
    code : str
    severity : {"ERROR", "WARNING"}
    count : int
        All of them.
    listed : int
        Those that are in the list: of each kind only the first are.
    repair : str
        What is done about it where it is a warning.
    """

    code: str
    severity: str
    count: int
    listed: int
    repair: str

    @property
    def unlisted(self) -> int:
        """How many were counted and are not in the list."""
        return self.count - self.listed


def store(file: ReadFile, problems: Iterable[ReadProblem]) -> None:
    """Store the problems that were found in a file."""
    owner = {"submission" if isinstance(file, Submission) else "file_check": file}
    Problem.objects.bulk_create(
        (Problem(**owner, **{field: getattr(problem, field) for field in FIELDS}) for problem in problems),
        batch_size=5000,
    )


def count_codes(file: ReadFile, codes: Mapping[str, Code]) -> list[CodeCount]:
    """Count a file's problems by code: errors first, then the most frequent.

    Parameters
    ----------
    file : Submission or FileCheck
    codes : mapping of str to Code
        Those of its task.
    """
    rows = file.problems.order_by().values("code", "severity").annotate(n=Count("pk"))
    listed = {row["code"]: (row["severity"], row["n"]) for row in rows}
    totals: dict[str, int] = file.counts.get("problems", {})
    found = [
        CodeCount(
            code,
            severity := listed[code][0] if code in listed else _severity(codes.get(code), file.format),
            max(totals.get(code, 0), listed.get(code, ("", 0))[1]),
            listed.get(code, ("", 0))[1],
            _repair(codes.get(code), severity),
        )
        for code in {*totals, *listed}
    ]
    return sorted(found, key=lambda one: (one.severity != "ERROR", -one.count, one.code))


def find(file: ReadFile, *, code: str = "", severity: str = "") -> "QuerySet[Problem]":
    """Return the listed problems of a file, and then of what came beside it, by line.

    Parameters
    ----------
    code, severity : str
        Only those; empty for all.
    """
    found = file.problems.order_by("attachment", "line", "pk")
    if code:
        found = found.filter(code=code)
    if severity:
        found = found.filter(severity=severity)
    return found


def records(
    file: ReadFile, codes: Collection[CodeCount], *, code: str = "", severity: str = ""
) -> Iterator[dict[str, Any]]:
    """Return every problem of a file as a record with the keys of `FIELDS`, in little memory.

    They come from the file of all problems where rows do not have them all. Then comes a record without a
    line for each code of `codes` of which more were counted, so that nobody takes what there is for all.

    Parameters
    ----------
    codes : collection of CodeCount
        Those that the filter leaves.
    code, severity : str
        Only those; empty for all.
    """
    whole = problem_files.opened(file) if any(one.unlisted for one in codes) else None
    if whole is None:
        listed = find(file, code=code, severity=severity).values(*FIELDS)
        return _with_the_rest(listed.iterator(2000), codes)
    recorded = ({field: one[field] for field in FIELDS} for one in read_problems(whole))
    chosen = (one for one in recorded if code in ("", one["code"]) and severity in ("", one["severity"]))
    return _with_the_rest(chosen, codes)


def _with_the_rest(
    problems: Iterable[dict[str, Any]], codes: Iterable[CodeCount]
) -> Iterator[dict[str, Any]]:
    told: Counter[str] = Counter()
    for problem in problems:
        told[problem["code"]] += 1
        yield problem
    for one in codes:
        if (rest := one.count - told[one.code]) > 0:
            words = f"{rest:,} more of this code {'are' if rest > 1 else 'is'} counted and"
            yield {
                **dict.fromkeys(FIELDS, ""),
                "line": None,
                "column": None,
                "code": one.code,
                "severity": one.severity,
                "message": f"{words} not listed here; kbpo validate --all lists every one.",
            }


def _severity(code: Code | None, format: str) -> str:
    return code.severity.get(format, "WARNING") if code else "WARNING"


def _repair(code: Code | None, severity: str) -> str:
    return code.repair if code and severity == "WARNING" else ""
