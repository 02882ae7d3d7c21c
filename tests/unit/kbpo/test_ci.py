""".ci/run: finding or installing a browser, and its last line."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run .ci/run where nothing is installed, with programs that only say how they were called."""
    programs, browser = tmp_path / "bin", tmp_path / "chromium"
    programs.mkdir()
    (tmp_path / ".ci").mkdir()
    script = (ROOT / ".ci" / "run").read_text().replace("/usr/bin/chromium", str(browser))
    (tmp_path / ".ci" / "run").write_text(script)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    for name in ("sh", "dirname", "touch", "chmod", "date"):
        (programs / name).symlink_to(shutil.which(name) or name)

    def program(name: str, does: str) -> None:
        (programs / name).write_text(f"#!/bin/sh\n{does}\n")
        (programs / name).chmod(0o755)

    def act(*, user: int, has_sudo: bool = False, installs: bool = True, **environ: str):
        program("id", f"echo {user}")
        program("make", 'echo "make $*, random numbers $PYTEST_ADDOPTS"')
        program("env", 'shift; exec "$@"')
        made = f"; touch {browser}; chmod +x {browser}" if installs else ""
        program("apt-get", f'echo "apt-get $1 by ${{BY:-itself}}"; [ "$1" = update ] || true{made}')
        if has_sudo:
            program("sudo", 'BY=sudo exec "$@"')
        return subprocess.run(
            [programs / "sh", tmp_path / ".ci" / "run"],
            env={"PATH": str(programs)} | environ,
            capture_output=True,
            text=True,
            check=False,
        )

    return act


CHECKS = ["make check, random numbers --randomly-seed=1", "make test, random numbers --randomly-seed=1"]


def test_root_installs_the_browser_itself(run: Run) -> None:
    done = run(user=0, has_sudo=True)
    assert done.stdout.splitlines()[:-1] == ["apt-get update by itself", "apt-get install by itself", *CHECKS]


def test_who_is_not_root_installs_the_browser_by_sudo(run: Run) -> None:
    done = run(user=1000, has_sudo=True)
    assert done.stdout.splitlines()[:-1] == ["apt-get update by sudo", "apt-get install by sudo", *CHECKS]


def test_who_cannot_become_root_is_told_what_to_do(run: Run) -> None:
    done = run(user=1000)
    assert done.returncode == 1
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    assert "only root can install it" in line


def test_a_package_that_brings_no_browser_is_one_clear_line(run: Run) -> None:
    done = run(user=0, installs=False)
    assert done.returncode == 1
    assert done.stdout.splitlines()[2:] == []
    [line] = done.stderr.splitlines()
    assert "set CHROMIUM" in line


def test_a_browser_that_is_named_is_used(run: Run) -> None:
    done = run(user=1000, CHROMIUM=os.fspath(shutil.which("true")))
    assert done.stdout.splitlines()[:-1] == CHECKS


def test_the_last_line_tells_the_time_and_the_speed_of_the_machine(run: Run) -> None:
    last = run(user=0).stdout.splitlines()[-1]
    assert re.fullmatch(
        r"\.ci/run took \d+ s on a machine that adds ten million squares in \d+\.\d\d s\.", last
    )


def test_a_browser_that_is_named_and_not_there_is_one_clear_line(run: Run) -> None:
    done = run(user=0, CHROMIUM="/nowhere/chrome")
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert "CHROMIUM names /nowhere/chrome" in line


def test_the_workflow_runs_what_everybody_runs() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    assert workflow["permissions"] == {"contents": "read"}
    [job] = workflow["jobs"].values()
    assert job["steps"][-1] == {"run": ".ci/run"}
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
