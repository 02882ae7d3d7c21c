"""How fast the processor is at a moment: machines that are shared are not always equally so."""

import time

LOOPS = 1_000_000


def loop_ms() -> float:
    """Return how many milliseconds of the processor a million additions take in Python.

    What a page takes is to be read beside it: twice as many here are twice as many there. On the machine of
    docs/benchmarks it was 49 with nothing else on its two cores, and twice as many at other times.
    """
    started, total = time.process_time(), 0
    for one in range(LOOPS):
        total += one
    return round(1000 * (time.process_time() - started), 1)
