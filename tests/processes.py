"""What runs, as the kernel tells it."""

import time
from collections.abc import Callable
from pathlib import Path


def pids_in(folder: Path) -> dict[int, str]:
    """Return the arguments of the living processes that name a folder in them or in their environment."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (process / "cmdline").read_bytes()
            named = arguments + (process / "environ").read_bytes()
        except OSError:
            continue
        if arguments and str(folder).encode() in named:
            found[int(process.name)] = arguments.replace(b"\0", b" ").decode(errors="replace").strip()
    return found


def working_in(folder: Path) -> list[str]:
    """Return the arguments of the living processes that name a folder."""
    return list(pids_in(folder).values())


def wait_until(true: Callable[[], bool], seconds: float = 15.0) -> bool:
    """Wait for something that another process does; return whether it came true in time."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
