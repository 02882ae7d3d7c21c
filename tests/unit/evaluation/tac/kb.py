"""A small knowledge base to build examples on. Columns are written with `` | `` between them."""

import io
from typing import Literal

from evaluation.tac.reader import Reading, read

DOCUMENTS = {"D1": 100, "D2": 60, "LONG": 5_000}

BASE = """\
run1
:A | type | PER
:A | canonical_mention | "Ann" | D1:0-2
:A | mention | "Ann" | D1:0-2
:A | mention | "she" | D1:20-22
:B | type | ORG
:B | canonical_mention | "Bolt" | D1:30-33
:B | mention | "Bolt" | D1:30-33
:C | type | GPE
:C | canonical_mention | "Cork" | D1:40-43
:C | mention | "Cork" | D1:40-43
"""
NEXT = BASE.count("\n") + 1


def tabbed(text: str) -> bytes:
    return text.replace(" | ", "\t").encode()


def read_text(text: str, format: Literal["tac2015", "tac2016"] = "tac2016") -> Reading:
    return read(io.BytesIO(tabbed(text)), format=format, documents=DOCUMENTS)


def extend(*lines: str, format: Literal["tac2015", "tac2016"] = "tac2016") -> Reading:
    """Read the base with further lines, of which the first is line ``NEXT``."""
    return read_text(BASE + "".join(f"{line}\n" for line in lines), format)


def faults(reading: Reading) -> list[tuple[int, str, str]]:
    return [(problem.line, problem.code, problem.severity) for problem in reading.problems]
