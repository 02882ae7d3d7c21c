"""How processes in which nobody waits let those go first in which people do, on one machine."""

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

logger = logging.getLogger(__name__)

NICER = 15  # how much lower than the web's their priority is: to a session that leads, 36 parts for 1024
TRIES, PAUSE = 20, 0.15  # seconds
OF_SESSION = Path("/proc/self/autogroup")
SHARES_OUT = Path("/proc/sys/kernel/sched_autogroup_enabled")
OWN_GROUPS = Path("/proc/self/cgroup")
GROUPS = Path("/sys/fs/cgroup")
BLINK = 0.002  # seconds that a process sleeps to find out whether others want the processor
LATE = 0.01  # seconds by which it then wakes too late
REST = 3.0  # times as long as others worked for it, they rest then
LONGEST_REST, LONGEST_IN_ALL = 2.0, 60.0  # seconds


def give_way() -> None:
    """Lower the priority of this process, and that of its session where it leads one.

    Linux shares the processor out among sessions first (``sched_autogroup``), and only then among the
    processes of each: what is nicer in a session of its own gives way to nobody. Nor does it in a container
    or a unit of its own, whose share whoever starts it has to say (``cpu_shares`` in docker-compose.yml).

    With a session of its own it becomes an idle process besides (``SCHED_IDLE``): that does not lower the
    session's share, but whoever wakes up is given a core where only such processes run, as one that rests.
    Among processes that share with it, an idle one would have next to nothing.
    """
    os.nice(NICER)
    if os.getsid(0) == os.getpid() and _lower_session() and _is_shared_out_by_sessions():
        try:
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        except OSError as error:  # whoever runs it lets nobody
            logger.warning("this process does not become an idle one: %s", error)


def _lower_session() -> bool:
    for _ in range(TRIES):
        try:
            OF_SESSION.write_text(str(NICER))
        except BlockingIOError:  # Linux takes one in a tenth of a second, of whoever is not root
            time.sleep(PAUSE)
        except FileNotFoundError:  # another system, or one that shares nothing out so
            return False
        except OSError as error:
            logger.warning("the priority of this session stays as it is: %s", error)
            return False
        else:
            return True
    logger.warning("the priority of this session stays as it is: others changed theirs all the while")
    return False


def _is_shared_out_by_sessions() -> bool:
    """Tell whether sessions have shares: they have none where that is off, nor within a group of others."""
    try:
        return SHARES_OUT.read_text().strip() == "1" and not _is_in_group()
    except OSError:
        return False


def _is_in_group() -> bool:
    """Tell whether a control group has a share of the processor of which this process' is a part.

    In a container its own group may look like the first of all, which alone has no weight (version 2), or
    alone has an agent that is told of empty ones (version 1).
    """
    for line in OWN_GROUPS.read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:
            own = GROUPS / path.lstrip("/")
            if any((one / "cpu.weight").exists() for one in (own, *own.parents)):
                return True
        elif "cpu" in controllers.split(","):
            first = GROUPS / controllers
            if path != "/" or (first.exists() and not (first / "release_agent").exists()):
                return True
    return False


class Rests:
    """Rests after what another server, such as Postgres, did for a process that gives way.

    That server knows nothing of who gives way, and serves all alike. Whether the processor is wanted by
    others, who gives way notices by itself: it wakes late. A process that does not give way never rests.

    Attributes
    ----------
    left : float
        Seconds that may still be rested: others may wait for what is held meanwhile.
    """

    def __init__(self) -> None:
        self.left = LONGEST_IN_ALL

    @contextmanager
    def after(self) -> Iterator[None]:
        """Rest after what is done within, where others want the processor."""
        began = time.monotonic()
        yield
        if os.nice(0) < NICER or not self.left:
            return
        lay_down = time.monotonic()
        time.sleep(BLINK)
        if time.monotonic() - lay_down - BLINK >= LATE:
            rest = min(REST * (lay_down - began), LONGEST_REST, self.left)
            self.left -= rest
            time.sleep(rest)
