"""Runs the tests that depend on time on other days and in other zones.

``python -m tests.dates PROCESSES [TESTS]``; ``make test-dates`` runs it.

The clock of the tests, and of what they start, is libfaketime's; it goes on from the day as the real one
does. Servers, browsers and files keep the real time, as does the monotonic clock, by which everything waits.
"""

import itertools
import os
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from tests.conftest import ROOT
from tests.dates.days import DAYS, ZONES, begin
from tests.dates.plugin import BEGINS, ZONE
from tests.dates.selection import paths

UNFAKED = "postgres,initdb,redis-server,chromium,node"  # node drives the browser
SITE = Path(__file__).with_name("site")


def main() -> int:
    """Run them one after the other; return 1 if any has failed."""
    program = shutil.which("faketime")
    if program is None:
        print("make test-dates needs faketime: run 'apt-get install faketime' first.", file=sys.stderr)
        return 1
    processes, *tests = sys.argv[1:]
    results = []
    for name, zone in itertools.product(DAYS, ZONES):
        day = begin(name, datetime.now(UTC), zone)
        shown = f"{name}, {day.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M} in {zone}"
        print(f"\n=== {shown} ===", flush=True)
        started = time.monotonic()
        status, said = run(program, day, zone, processes, tests or [str(path) for path in paths()])
        results.append((status, f"{time.monotonic() - started:5.0f} s  {shown}: {said}"))
    print("\n=== On other days ===")
    for status, line in results:
        print(f"{'passed' if status == 0 else 'FAILED'}  {line}")
    return int(any(status for status, _ in results))


def run(program: str, day: datetime, zone: str, processes: str, tests: list[str]) -> tuple[int, str]:
    """Run the tests from a moment on, in a zone; return pytest's exit status, and the last line it said."""
    ahead = int((day - datetime.now(UTC)).total_seconds())
    python_path = os.pathsep.join(filter(None, [str(SITE), os.environ.get("PYTHONPATH")]))
    environ = os.environ | {
        "FAKETIME_SKIP_CMDS": UNFAKED,
        "NO_FAKE_STAT": "1",
        "PYTHONPATH": python_path,
        "TZ": zone,
        ZONE: zone,
        BEGINS: str(time.time() + ahead - 1),
        # the day alone differs between the runs
        "CI": "true",
    }
    # libfaketime for threads, and with the monotonic clock left alone
    faked = [program, "-m", "--exclude-monotonic", "-f", f"+{ahead}"]
    options = ["-q", "-n", processes, "--dist", "worksteal", "-m", "not slow", "--randomly-seed=1"]
    command = [*faked, sys.executable, "-m", "pytest", "-p", "tests.dates.plugin", *options, *tests]
    said = ""
    with subprocess.Popen(command, cwd=ROOT, env=environ, stdout=subprocess.PIPE, text=True) as pytest:
        assert pytest.stdout is not None
        for line in pytest.stdout:
            print(line, end="", flush=True)
            said = line.strip() or said
    return pytest.returncode, said


if __name__ == "__main__":
    sys.exit(main())
