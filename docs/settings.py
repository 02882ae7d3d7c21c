"""Write ``docs/settings.md``: every variable that the service reads, from the modules that read them.

``python -m docs.settings`` writes it; a test says whether it is what the code says.
"""

import re
import textwrap
from pathlib import Path
from types import ModuleType

from kbpo import (
    access_environment,
    crowd_environment,
    environment,
    retention_environment,
    storage_environment,
)

FILE = Path(__file__).parent / "settings.md"
PARTS: tuple[tuple[str, ModuleType], ...] = (
    ("The service", environment),
    ("Where files are", storage_environment),
    ("Who comes in", access_environment),
    ("The crowd", crowd_environment),
    ("How long things about people are kept", retention_environment),
)
RULE = re.compile(r"^=+ +=+$", re.MULTILINE)
NAME = re.compile(r"^``(\w+)``\s*(.*)$")
HEAD = """# Settings

Variables of the environment: each is read once, checked, and refused with the reason if it is wrong.
An empty one is an unset one. docker-compose.yml passes all of them on, from a file `.env` beside it.
This page is written from the code (`python -m docs.settings`).
"""


def page() -> str:
    """Return the page's Markdown."""
    return "\n".join((HEAD, *(f"## {title}\n\n{table(module)}" for title, module in PARTS)))


def table(module: ModuleType) -> str:
    """Return one module's variables as a Markdown table, and what its docstring says below its own.

    Raises
    ------
    ValueError
        If the table lacks a variable, or has one that is not read.
    """
    text = module.__doc__ or ""
    _, _, body, rest = RULE.split(text)
    rows: list[tuple[str, str]] = []
    for line in body.strip("\n").splitlines():
        if found := NAME.match(line):
            rows.append((found[1], found[2]))
        else:
            name, meaning = rows[-1]
            rows[-1] = name, f"{meaning} {line.strip()}"
    read = own_variables(module)
    if {name for name, _ in rows} != read:
        raise ValueError(
            f"{module.__name__}: {read ^ {name for name, _ in rows}} in the table or read, not both"
        )
    lines = ["| variable | meaning |", "|---|---|"]
    lines += [f"| `{name}` | {meaning.replace('``', '`').strip()} |" for name, meaning in rows]
    after = " ".join(rest.split()).replace("``", "`")
    return "\n".join([*lines, "", *textwrap.wrap(after, 118, break_on_hyphens=False), ""])


def own_variables(module: ModuleType) -> set[str]:
    """Return the names that a module reads itself."""
    others = {name for _, other in PARTS if other not in (module, environment) for name in other.VARIABLES}
    return set(module.VARIABLES) - (others if module is environment else set())


if __name__ == "__main__":
    FILE.write_text(page(), encoding="utf-8")
