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
BLINK = 0.002  # seconds that a process sleeps to find out whether others want the processor
LATE = 0.01  # seconds by which it then wakes too late
REST = 3.0  # times as long as others worked for it, they rest then
LONGEST_REST = 2.0  # seconds


def give_way() -> None:
    """Lower the priority of this process, and that of its session where it leads one.

    Linux shares the processor out among sessions first (``sched_autogroup``), and only then among the
    processes of each: what is nicer in a session of its own gives way to nobody. Nor does it in a container
    of its own, whose share whoever starts it has to say (``cpu_shares`` in docker-compose.yml). Idle ones
    (``SCHED_IDLE``) do not lower a session's or a container's share, but leave the processor at once when
    another wakes up, and Linux looks for an idle core where they run.
    """
    os.nice(NICER)
    try:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    except (AttributeError, OSError) as error:  # another system, or a container that lets nobody
        logger.warning("this process does not leave the processor at once to others: %s", error)
    if os.getsid(0) != os.getpid():
        return
    for _ in range(TRIES):
        try:
            OF_SESSION.write_text(str(NICER))
            return
        except BlockingIOError:  # Linux takes one in a tenth of a second, of whoever is not root
            time.sleep(PAUSE)
        except FileNotFoundError:  # another system, or one that shares nothing out so
            return
        except OSError as error:
            logger.warning("the priority of this session stays as it is: %s", error)
            return
    logger.warning("the priority of this session stays as it is: others changed theirs all the while")


@contextmanager
def letting_people_first() -> Iterator[None]:
    """Rest after what another server, such as Postgres, did for a process that gives way.

    That server knows nothing of who gives way, and serves all alike. Whether the processor is wanted by
    others, who gives way notices by itself: it wakes late. A process that does not give way never rests.
    """
    began = time.monotonic()
    yield
    if os.nice(0) < NICER:
        return
    lay_down = time.monotonic()
    time.sleep(BLINK)
    if time.monotonic() - lay_down - BLINK >= LATE:
        time.sleep(min(REST * (lay_down - began), LONGEST_REST))
