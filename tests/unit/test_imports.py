"""What serves the site imports nothing that is for development alone."""

import ast
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

from django.conf import settings
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import ROOT

SERVED = (
    "kbpo",
    "annotations",
    "crowd",
    "evaluation",
    "marketplace",
    "kbpo_archive",
    "kbpo_estimators",
    "kbpo_formats",
)
FOLDERS = {name: f"client/{name}" for name in ("kbpo_archive", "kbpo_estimators", "kbpo_formats")}
# run by people with a checkout, for make demo
DEVELOPMENT = ("kbpo/management/commands/load_demo.py",)


def declared_lines() -> list[str]:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    lines: list[str] = groups["runtime"]
    return lines


def served() -> Iterator[Path]:
    for path in [
        ROOT / "manage.py",
        *(path for part in SERVED for path in (ROOT / FOLDERS.get(part, part)).rglob("*.py")),
    ]:
        if not path.relative_to(ROOT).as_posix().startswith(DEVELOPMENT):
            yield path


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            assert node.module is not None
            yield node.module


def test_what_serves_the_site_imports_only_what_the_runtime_group_declares() -> None:
    declared = {canonicalize_name(Requirement(line).name) for line in declared_lines()}
    of_module = packages_distributions()
    undeclared = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in served()
        for name in {module.split(".")[0] for module in imported(path)} - sys.stdlib_module_names - {*SERVED}
        if not declared & {canonicalize_name(one) for one in of_module.get(name, [])}
    }
    assert undeclared == set()


def test_the_settings_name_only_what_the_runtime_group_declares() -> None:
    declared = {canonicalize_name(Requirement(line).name) for line in declared_lines()}
    of_module = packages_distributions()
    named = [
        *(*settings.INSTALLED_APPS, *settings.MIDDLEWARE, *settings.AUTHENTICATION_BACKENDS),
        *(backend["BACKEND"] for backend in (*settings.TEMPLATES, *settings.STORAGES.values())),
    ]
    undeclared = {
        name
        for name in named
        if name.split(".")[0] not in SERVED
        and not declared & {canonicalize_name(one) for one in of_module.get(name.split(".")[0], [])}
    }
    assert undeclared == set()


def test_the_service_imports_no_demo_and_no_research() -> None:
    strays = {
        f"{path.relative_to(ROOT)}: {module}"
        for path in served()
        for module in imported(path)
        if module.split(".")[0] in ("demo", "research", "tests")
    }
    assert strays == set()
