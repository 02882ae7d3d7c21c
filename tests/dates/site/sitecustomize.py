"""Found by every Python that runs on another day: there ``time.sleep`` would fail.

Python 3.11 sleeps until a moment of the monotonic clock. Where that clock is real, libfaketime up to 0.9.10,
which Debian 12 has, misreads the moment (https://github.com/wolfcw/libfaketime/issues/426).
"""

import select
import time


def sleep(seconds: float) -> None:
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    select.select([], [], [], seconds)


time.sleep = sleep
