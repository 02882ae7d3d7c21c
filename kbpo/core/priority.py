"""How processes in which nobody waits let those go first in which people do, on one machine."""

import logging
import os
import time
from pathlib import Path

logger = logging.getLogger(__name__)

NICER = 15  # how much lower than the web's their priority is: to a session that leads, 36 parts for 1024
TRIES, PAUSE = 20, 0.15  # seconds
OF_SESSION = Path("/proc/self/autogroup")


def give_way() -> None:
    """Lower the priority of this process, and that of its session where it leads one.

    Linux shares the processor out among sessions first (``sched_autogroup``), and only then among the
    processes of each: what is nicer in a session of its own gives way to nobody. Nor does it in a container
    of its own, whose share whoever starts it has to say (``cpu_shares`` in docker-compose.yml).
    """
    os.nice(NICER)
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
