"""How fast the processor is at a moment: machines that are shared are not always equally so."""

import time

LOOPS = 1_000_000


def loop_ms() -> float:
    """Return how many milliseconds of the processor a million additions take in Python.

    What a page takes is to be read beside it: twice as many here are twice as many there. 35 to 45 are usual
    for Python 3.11 at 2.5 to 3 GHz with nothing else on the core.
    """
    started, total = time.process_time(), 0
    for one in range(LOOPS):
        total += one
    return round(1000 * (time.process_time() - started), 1)
