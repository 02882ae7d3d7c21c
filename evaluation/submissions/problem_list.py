"""The problems of a file that was submitted or checked: stored, counted, found again."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet

from evaluation.models import FileCheck, Problem, Submission
from kbpo_formats.problems import Code
from kbpo_formats.problems import Problem as ReadProblem

ReadFile = Submission | FileCheck
FIELDS = ("line", "column", "code", "severity", "message", "text", "attachment")


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


def records(problems: "QuerySet[Problem]", codes: Iterable[CodeCount]) -> Iterator[dict[str, Any]]:
    """Yield problems as records with the keys of `FIELDS`, a few thousand in memory at a time.

    Then one record without a line for each code of `codes` of which more were counted than are listed, so
    that nobody takes what follows from the list for all.
    """
    yield from problems.values(*FIELDS).iterator(2000)
    for one in codes:
        if one.unlisted:
            words = f"{one.unlisted:,} more of this code {'are' if one.unlisted > 1 else 'is'} counted and"
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
