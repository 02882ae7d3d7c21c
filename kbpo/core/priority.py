"""How processes in which nobody waits let those go first in which people do, on one machine."""

import os
from contextlib import suppress
from pathlib import Path

NICER = 15  # how much lower than the web's their priority is: to a session that leads, 36 parts for 1024
OF_SESSION = Path("/proc/self/autogroup")


def give_way() -> None:
    """Lower the priority of this process, and that of its session where it leads one.

    Linux shares the processor out among sessions first (``sched_autogroup``), and only then among the
    processes of each: what is nicer in a session of its own gives way to nobody. Nor does it in a container
    of its own, whose share whoever starts it has to say (``cpu_shares`` in docker-compose.yml).
    """
    os.nice(NICER)
    if os.getsid(0) == os.getpid():
        with suppress(OSError):  # another system, or one that may not be written to
            OF_SESSION.write_text(str(NICER))
