"""The Makefile's clear lines, and that it installs only when there is something new to install."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the Makefile, its requirements and an installed environment."""
    for name in ("Makefile", "requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
        os.utime(tmp_path / name, (1_000, 1_000))
    (tmp_path / ".venv").mkdir()
    for number, group in enumerate(("demo", "tests", "lint", "research")):
        (tmp_path / ".venv" / f"installed-{group}").touch()
        os.utime(tmp_path / ".venv" / f"installed-{group}", (2_000 + number, 2_000 + number))
    return tmp_path


def make(project: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["make", *arguments],
        cwd=project,
        env={name: value for name, value in os.environ.items() if not name.startswith("MAKE")},
        capture_output=True,
        text=True,
        check=False,
    )


def own_lines(said: str) -> list[str]:
    return [line for line in said.splitlines() if not line.startswith("make")]


def test_a_missing_python_is_one_clear_line(project: Path) -> None:
    (project / ".venv" / "installed-demo").unlink()
    done = make(project, "setup", "PYTHON=no-such-python")
    assert done.returncode != 0
    [line] = own_lines(done.stderr)
    assert "Python 3.11, 3.12 or 3.13 is needed" in line


def test_another_python_is_one_clear_line(project: Path) -> None:
    (project / ".venv" / "installed-demo").unlink()
    other = project / "python3.9"
    other.write_text("#!/bin/sh\nexit 1\n")
    other.chmod(0o755)
    done = make(project, "setup", f"PYTHON={other}")
    [line] = own_lines(done.stderr)
    assert "Python 3.11, 3.12 or 3.13 is needed" in line


def test_the_first_python_that_is_supported_is_taken(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".venv" / "installed-demo").unlink()
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, status in (("python3.11", 1), ("python3.12", 0), ("python3.13", 0)):
        (programs / name).write_text(f"#!/bin/sh\nexit {status}\n")
        (programs / name).chmod(0o755)
    monkeypatch.delenv("PYTHON", raising=False)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    assert "python3.12 -m venv" in make(project, "--dry-run", "setup").stdout


@pytest.mark.parametrize("target", ["setup", "demo", "test", "check"])
def test_nothing_is_installed_when_the_requirements_are_old(project: Path, target: str) -> None:
    assert "--group" not in make(project, "--dry-run", target).stdout


@pytest.mark.parametrize("name", ["requirements.txt", "pyproject.toml"])
def test_changed_requirements_are_installed(project: Path, name: str) -> None:
    os.utime(project / name, (3_000, 3_000))
    assert "--group runtime --group embedded" in make(project, "--dry-run", "setup").stdout


@pytest.mark.slow
@pytest.mark.parametrize(("target", "group"), [("test", "tests"), ("check", "lint"), ("bench", "research")])
def test_a_target_installs_only_its_groups(project: Path, target: str, group: str) -> None:
    for stamp in (project / ".venv").iterdir():
        stamp.unlink()
    demo, own = make(project, "--dry-run", "demo").stdout, make(project, "--dry-run", target).stdout
    assert f"--group {group}" in own
    assert "--group runtime" in demo
    assert f"--group {group}" not in demo


@pytest.mark.parametrize("target", ["lock", "demo", "test", "test-all", "check", "bench", "clean"])
def test_every_promised_target_is_there(project: Path, target: str) -> None:
    assert make(project, "--dry-run", target).returncode == 0
