"""Every problem of a file, recorded while it is read: sorted by line, compressed, in little memory.

What was found is sorted and set aside on disk a few megabytes at a time; at the end these runs are merged.
"""

import gzip
import heapq
import io
import json
import tempfile
import time
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, BinaryIO, cast

from kbpo_formats.problems import Problem

MOST_PROBLEMS = 1_000_000
MOST_BYTES = 1 << 27  # set aside, compressed: more than any honest million takes
MOST_SECONDS = 90  # of the processor since recording began: any honest million is found in less
WRITING_SECONDS = 60  # of the processor: the most bytes that there can be take 45
RUN = 1 << 24  # bytes that are sorted at once
BUFFER = 1 << 16
FAST, SMALL = 1, 6  # levels of compression
_FIELDS = tuple(field.name for field in fields(Problem))
_JSON = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode


class ProblemRecorder:
    """Records problems, and writes them by line; a `kbpo_formats.problems.Recorder`.

    Those of the file itself come before those of what came beside it; of one line they come as found. Beyond
    `MOST_PROBLEMS`, `MOST_BYTES` or `MOST_SECONDS`, only those are recorded that are listed.

    Attributes
    ----------
    count : int
        How many are recorded.
    """

    def __init__(self) -> None:
        self.count = 0
        self._ends = time.process_time() + MOST_SECONDS
        self._set_aside = 0
        self._runs: list[BinaryIO] = []
        self._lines: list[bytes] = []
        self._size = 0

    @property
    def takes_more(self) -> bool:
        """Say whether one that is not listed is recorded."""
        is_full = self.count >= MOST_PROBLEMS or self._set_aside >= MOST_BYTES
        return not is_full and time.process_time() < self._ends

    def add(self, problem: Problem) -> None:
        """Record a problem."""
        # Sorted as bytes: no name of a file has a character before the tab.
        key = f"{problem.attachment}\t{problem.line:010}\t{self.count:010}\t"
        line = f"{key}{_JSON({field: getattr(problem, field) for field in _FIELDS})}\n".encode()
        self.count += 1
        self._lines.append(line)
        self._size += len(line)
        if self._size >= RUN:
            self._set_run_aside()

    def write(self, to: BinaryIO) -> None:
        """Write all as JSON Lines, gzip: the same bytes whenever the same was recorded."""
        self._lines.sort()
        runs: list[Iterator[bytes]] = [*map(_unpacked, self._runs), iter(self._lines)]
        packed = gzip.GzipFile(filename="", mode="wb", compresslevel=SMALL, fileobj=to, mtime=0)
        with packed, io.BufferedWriter(packed, BUFFER) as buffered:
            buffered.writelines(line.split(b"\t", 3)[3] for line in heapq.merge(*runs))

    def _set_run_aside(self) -> None:
        self._lines.sort()
        file = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 (closed with this process)
        with gzip.GzipFile(filename="", mode="wb", compresslevel=FAST, fileobj=file, mtime=0) as packed:
            packed.write(b"".join(self._lines))
        self._set_aside += file.tell()
        self._runs.append(file)
        self._lines, self._size = [], 0


def read_problems(stream: BinaryIO) -> Iterator[dict[str, Any]]:
    """Yield the problems that were written to a file, as mappings of their fields; close it after."""
    with stream, gzip.open(stream, "rb") as packed:
        for line in cast(io.BufferedIOBase, packed):
            yield json.loads(line)


def _unpacked(file: BinaryIO) -> Iterator[bytes]:
    file.seek(0)
    return iter(gzip.open(file, "rb"))
