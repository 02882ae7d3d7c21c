"""What a score says of the code that made it covers that code."""

import ast
from pathlib import Path

from evaluation.kbp.task import TASK as KBP
from evaluation.scoring.estimation import code_files
from tests.conftest import ROOT

#: Rows, and what is said of scores; no figure is computed there.
NO_FIGURE = ("evaluation/models", "evaluation/choices", "evaluation/task", "evaluation/reading")


def imported(path: Path) -> set[Path]:
    """Return the modules of `evaluation` and of `kbpo_estimators` that a module imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    found = set()
    for name in names:
        root = ROOT / "client" if name.startswith("kbpo_estimators") else ROOT
        place = root / name.replace(".", "/")
        found |= {path for path in (place.with_suffix(".py"), place / "__init__.py") if path.exists()}
    parts = (ROOT / "evaluation", ROOT / "client" / "kbpo_estimators")
    return {path for path in found if any(path.is_relative_to(part) for part in parts)}


def test_whatever_scoring_imports_is_in_the_digest() -> None:
    left, seen = [ROOT / "evaluation/kbp/scoring.py"], set()
    while left:
        path = left.pop()
        if path in seen or str(path.relative_to(ROOT)).startswith(NO_FIGURE):
            continue
        seen.add(path)
        left += imported(path)
    packages = {path for path in seen if not path.read_text().strip()}
    assert ROOT / "client/kbpo_estimators/kbp/labels.py" in seen
    assert seen - packages - set(code_files(KBP)) == set()
