"""The version, the changelog and the licence."""

import re
import tomllib

import kbpo
from tests.conftest import ROOT


def headings() -> list[str]:
    return re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)


def test_package_project_and_changelog_have_the_same_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert kbpo.__version__ == project["version"]
    assert headings()[1].startswith(f"{kbpo.__version__} - ")


def test_changelog_lists_versions_from_newest_to_oldest() -> None:
    unreleased, *released = headings()
    assert unreleased == "Unreleased"
    found = [re.fullmatch(r"(\d+)\.(\d+)\.(\d+) - (\d{4}-\d\d-\d\d)", one) for one in released]
    assert None not in found
    versions = [(*map(int, one.groups()[:3]), one[4]) for one in found if one]
    assert versions == sorted(versions, reverse=True)


def test_licence_file_holds_the_licence_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license"] == "MIT"
    [file] = project["license-files"]
    assert (
        (ROOT / file)
        .read_text(encoding="utf-8")
        .startswith("MIT License\n\nCopyright (c) 2026 the KBP Online authors\n")
    )
