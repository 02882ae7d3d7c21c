"""The version is one, wherever it stands."""

import re
import tomllib

import kbpo
from tests.conftest import ROOT


def test_the_package_the_project_and_the_changelog_name_the_same_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    released = re.findall(
        r"^## (\d+\.\d+\.\d+) - (\d{4}-\d\d-\d\d)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE
    )
    assert kbpo.__version__ == project["version"] == released[0][0]


def test_versions_and_their_dates_fall_from_the_top() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert headings[0] == "Unreleased"
    versions = [
        (tuple(map(int, number.split("."))), date)
        for number, date in (one.split(" - ") for one in headings[1:])
    ]
    assert versions == sorted(versions, reverse=True)
    dates = [date for _, date in versions]
    assert dates == sorted(dates, reverse=True)


def test_the_licence_is_the_one_that_the_project_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license"] == "MIT"
    [file] = project["license-files"]
    assert (
        (ROOT / file)
        .read_text(encoding="utf-8")
        .startswith("MIT License\n\nCopyright (c) 2026 the KBP Online authors\n")
    )
