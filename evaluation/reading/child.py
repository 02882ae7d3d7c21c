"""The process that reads one file, whatever its task: its limits, its order, its answer.

A task has a module of its own that is run, ``python -m evaluation.TASK.….child ORDER``, and calls `main` with
what reads its files. ``ORDER`` is the number of an open file that holds the order: what a reader must know of
a corpus may be longer than a command line. The file comes on stdin and the answer goes to stdout: a line of
JSON, and then the predictions or the normalised file. `evaluation.reading.isolated` starts it, and it dies
with who did.
"""

import ctypes
import errno
import gc
import gzip
import io
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, Protocol, TypeVar

from evaluation.reading.recording import MOST_SECONDS, WRITING_SECONDS, ProblemRecorder
from evaluation.reading.text_file import TextFile
from kbpo_formats.problems import Problem

OUT_OF_MEMORY = 71  # exit statuses
OUT_OF_ROOM = 72

Wanted = Literal["predictions", "normalised"]

_PR_SET_PDEATHSIG = 1
_SECONDS_TO_DIE = 5


@dataclass(frozen=True, slots=True)
class Order:
    """What to do, and what it may cost.

    Attributes
    ----------
    wanted : {"predictions", "normalised"}
        What follows the first line of the answer.
    format : str
        One of the task's.
    texts : str
        The path of the corpus' texts, as written by `evaluation.reading.text_file.write_texts`.
    about : mapping
        What else the reader must know of the corpus.
    parent : int
        The id of the process that waits for the answer.
    cpu_seconds, memory, output : int
        The most that may be used: seconds, bytes of address space, bytes of answer.
    attachments : mapping of str to int
        What comes beside the file: by name, the number of an open file.
    problems : int or None
        The number of an open file that every problem is written to, if some are not in the answer.
    """

    wanted: Wanted
    format: str
    texts: str
    about: Mapping[str, Any]
    parent: int
    cpu_seconds: int
    memory: int
    output: int
    attachments: Mapping[str, int]
    problems: int | None = None

    @property
    def seconds_to_record(self) -> int:
        """How many processor seconds recording has, so that it never makes a file too slow."""
        return 0 if self.problems is None else MOST_SECONDS + WRITING_SECONDS


class FileRead(Protocol):
    """What a task makes of a file."""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return what is wrong with it, by line."""

    @property
    def accepted(self) -> bool:
        """Say whether it has no error."""

    @property
    def counts(self) -> Mapping[str, Any]:
        """Return what became of it, in numbers."""

    def lines(self) -> Iterator[str]:
        """Write it as a file without faults, if it is accepted: the lines, each with its end."""


Read = TypeVar("Read", bound=FileRead)
ReadFile = Callable[..., Read]
"""Reads a file in a format, about the documents of a corpus; attachments come by their names.

``recorder`` takes every problem while the file is read: a `kbpo_formats.problems.Recorder`, or None.
"""
Send = Callable[[Read, BinaryIO], object]
"""Writes the predictions of a file that was read, for the task's `Reader.receive`."""


def main(read: ReadFile[Read], send: Send[Read]) -> None:
    """Carry out the order of the file that the command line names, from stdin to stdout."""
    with open(int(sys.argv[1]), "rb") as written:
        order = Order(**json.load(written))
    _limit(order)
    gc.disable()  # nothing that is read makes cycles
    try:
        with open(0, "rb", buffering=0) as file, open(1, "wb") as answer:
            _carry_out(order, read, send, file, answer)
    except MemoryError:
        os._exit(OUT_OF_MEMORY)  # at once: tidying up may take memory too
    except OSError as error:
        if error.errno == errno.EFBIG:
            os._exit(OUT_OF_ROOM)
        if error.errno == errno.ENOMEM:
            os._exit(OUT_OF_MEMORY)
        raise
    os._exit(0)  # taking millions of objects apart one by one would cost more than a second


def _limit(order: Order) -> None:
    seconds = order.cpu_seconds + order.seconds_to_record
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + _SECONDS_TO_DIE))
    resource.setrlimit(resource.RLIMIT_AS, (order.memory, order.memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (order.output, order.output))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != order.parent:
            os._exit(1)


def _carry_out(
    order: Order, read: ReadFile[Read], send: Send[Read], file: BinaryIO, answer: BinaryIO
) -> None:
    with ExitStack() as opened:
        beside = {
            name: opened.enter_context(open(number, "rb", buffering=0))
            for name, number in order.attachments.items()
        }
        recorder = None if order.problems is None else ProblemRecorder()
        texts = TextFile(Path(order.texts), order.about)
        found = read(file, order.format, texts, recorder=recorder, **beside)
    header = {
        "accepted": found.accepted,
        "recorded": _write_problems(order, recorder, len(found.problems)),
        "problems": [asdict(problem) for problem in found.problems],
        "counts": found.counts,
        "peak_memory": _peak_memory(),
        "cpu_seconds": time.process_time(),
    }
    answer.write(json.dumps(header, ensure_ascii=False).encode() + b"\n")
    if not found.accepted:
        return
    if order.wanted == "predictions":
        answer.flush()
        send(found, answer)
        return
    packed = gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=answer, mtime=0)
    with packed, io.TextIOWrapper(packed, encoding="utf-8", newline="\n") as text:
        text.writelines(found.lines())


def _write_problems(order: Order, recorder: ProblemRecorder | None, listed: int) -> int:
    """Write every problem where the answer has not all; return how many, 0 where it has."""
    if order.problems is None or recorder is None or recorder.count <= listed:
        return 0
    with open(order.problems, "wb") as to:
        recorder.write(to)
    return recorder.count


def _peak_memory() -> int:
    """Return the most bytes that this process ever had in memory.

    `resource.getrusage` would count those of the process that it was forked from.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
