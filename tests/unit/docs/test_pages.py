"""The files, headings, modules and tests that the documentation names exist."""

import importlib
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.conftest import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("demo/*.md")])
ESTIMATION = ROOT / "docs" / "estimation.md"


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def prose(page: Path) -> str:
    """The page without what is shown as code."""
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def links(page: Path) -> list[str]:
    """The pages and files of ours that a page leads to."""
    found = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", prose(page)))
    return [link for link in found if not re.match(r"[a-z]+:", link)]


def anchors(page: Path) -> set[str]:
    """The headings as GitHub names them in an address."""
    headings = re.findall(r"^#+ (.+)$", prose(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def target(page: Path, link: str) -> Path:
    path = link.partition("#")[0]
    return (page.parent / unquote(path)).resolve() if path else page


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in links(page):
        to = target(page, link)
        assert to.exists(), link
        assert "#" not in link or link.partition("#")[2] in anchors(to), link


def test_every_page_of_docs_is_in_the_index() -> None:
    index = ROOT / "docs" / "README.md"
    listed = {target(index, link) for link in links(index)}
    there = {page for page in PAGES if page.parent != ROOT / "docs" / "adr" or page.name == "README.md"}
    assert listed >= there - {index}


def referred() -> list[str]:
    """The modules, functions and tests that docs/estimation.md names."""
    found = re.findall(
        r"`((?:evaluation|annotations|kbpo)\.[\w.]+|[\w/]*test_\w+\.py(?:::\w+)?)`", prose(ESTIMATION)
    )
    return sorted(set(found))


def on_the_map() -> list[str]:
    """The modules and functions that docs/architecture.md names."""
    page = prose(ROOT / "docs" / "architecture.md")
    return sorted(set(re.findall(r"`((?:annotations|crowd|evaluation|kbpo|marketplace)\.[\w.]+)`", page)))


def test_the_map_names_much() -> None:
    assert len(on_the_map()) > 30


@pytest.mark.parametrize("reference", [one for one in on_the_map() if not one.endswith(".py")])
def test_what_the_map_names_is_there(reference: str) -> None:
    if (ROOT / reference.replace(".", "/")).is_dir() or (
        ROOT / f"{reference.replace('.', '/')}.py"
    ).is_file():
        return
    module, _, name = reference.rpartition(".")
    path = ROOT / f"{module.replace('.', '/')}.py"
    assert re.search(rf"^(?:class |def |    ){name}\b", path.read_text(encoding="utf-8"), re.MULTILINE), (
        reference
    )


def test_docs_on_estimation_name_much() -> None:
    assert len(referred()) > 80


@pytest.mark.parametrize("reference", [one for one in referred() if "test_" not in one])
def test_modules_and_functions_that_docs_on_estimation_name_are_there(reference: str) -> None:
    try:
        importlib.import_module(reference)
    except ModuleNotFoundError:
        module, _, member = reference.rpartition(".")
        assert hasattr(importlib.import_module(module), member)


@pytest.mark.parametrize("reference", [one for one in referred() if "test_" in one])
def test_tests_that_docs_on_estimation_name_are_there(reference: str) -> None:
    path, _, test = reference.partition("::")
    file = ROOT / (path if "/" in path else f"tests/unit/kbpo_estimators/{path}")
    assert file.is_file()
    assert not test or f"def {test}(" in file.read_text(encoding="utf-8")


def test_sections_on_estimation_that_code_and_decisions_cite_are_there() -> None:
    sections = set(re.findall(r"^#+ (\d+(?:\.\d+)?)", prose(ESTIMATION), flags=re.MULTILINE))
    cited = set()
    for folder in ("annotations", "crowd", "docs", "evaluation", "kbpo", "marketplace", "tests"):
        for file in [*ROOT.glob(f"{folder}/**/*.py"), *ROOT.glob(f"{folder}/**/*.md")]:
            cited |= set(re.findall(r"estimation\.md,? (\d+(?:\.\d+)?)", file.read_text(encoding="utf-8")))
    assert {"3.2", "3.5", "4"} <= cited <= sections
