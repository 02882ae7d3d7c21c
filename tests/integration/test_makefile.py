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
    for name in ("Makefile", "requirements.txt"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / ".venv").mkdir()
    stamp = shutil.copy(ROOT / "requirements.txt", tmp_path / ".venv")
    (tmp_path / "client").mkdir()
    shutil.copy(ROOT / "client" / "pyproject.toml", tmp_path / "client")
    for name in ("requirements.txt", "client/pyproject.toml"):
        os.utime(tmp_path / name, (1_000, 1_000))
    os.utime(stamp, (2_000, 2_000))
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
    (project / ".venv" / "requirements.txt").unlink()
    done = make(project, "setup", "PYTHON=no-such-python")
    assert done.returncode != 0
    [line] = own_lines(done.stderr)
    assert "Python 3.11, 3.12 or 3.13 is needed" in line


def test_another_python_is_one_clear_line(project: Path) -> None:
    (project / ".venv" / "requirements.txt").unlink()
    other = project / "python3.9"
    other.write_text("#!/bin/sh\nexit 1\n")
    other.chmod(0o755)
    done = make(project, "setup", f"PYTHON={other}")
    [line] = own_lines(done.stderr)
    assert "Python 3.11, 3.12 or 3.13 is needed" in line


def test_the_first_python_that_is_supported_is_taken(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".venv" / "requirements.txt").unlink()
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, status in (("python3.11", 1), ("python3.12", 0), ("python3.13", 0)):
        (programs / name).write_text(f"#!/bin/sh\nexit {status}\n")
        (programs / name).chmod(0o755)
    monkeypatch.delenv("PYTHON", raising=False)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    assert "python3.12 -m venv" in make(project, "--dry-run", "setup").stdout


def test_nothing_is_installed_when_the_requirements_are_old(project: Path) -> None:
    assert make(project, "--question", "setup").returncode == 0


@pytest.mark.parametrize("name", ["requirements.txt", "client/pyproject.toml"])
def test_changed_requirements_are_installed(project: Path, name: str) -> None:
    os.utime(project / name, (3_000, 3_000))
    assert make(project, "--question", "setup").returncode == 1


@pytest.mark.parametrize(
    "target", ["lock", "demo", "test", "test-all", "check", "bench", "screenshots", "clean"]
)
def test_every_promised_target_is_there(project: Path, target: str) -> None:
    assert make(project, "--dry-run", target).returncode == 0
