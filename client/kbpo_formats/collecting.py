"""Python's collector of cycles, paused."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Search for no cycles meanwhile."""
    # Nothing here makes cycles, and searching millions of objects for them costs more than all the rest.
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
