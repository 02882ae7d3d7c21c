"""What every process of a run on another day begins with: it makes sure of the day, and sets the zone."""

import os
import time

import pytest

BEGINS, ZONE = "KBPO_TEST_BEGINS", "KBPO_TEST_ZONE"
_LONGEST_RUN = 2 * 3600.0  # seconds


@pytest.hookimpl(trylast=True)
def pytest_configure() -> None:
    """Refuse to run at the real time, or with a faked monotonic clock; take the zone.

    Django has set the zone of its settings, UTC, for the whole process. Here the process has another, so that
    whatever reads the machine's zone shows.
    """
    ahead = time.time() - float(os.environ[BEGINS])
    if not 0 <= ahead < _LONGEST_RUN:
        raise pytest.UsageError(f"The clock is {ahead:.0f} s from the start of the run: it is not faked.")
    if abs(time.monotonic() - _uptime()) > 60:
        raise pytest.UsageError("The monotonic clock is faked.")
    os.environ["TZ"] = os.environ[ZONE]
    time.tzset()


def _uptime() -> float:
    with open("/proc/uptime", encoding="ascii") as uptime:
        return float(uptime.read().split()[0])
