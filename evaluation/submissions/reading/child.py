"""The process that reads one file: ``python -m evaluation.submissions.reading.child ORDER``.

The file comes on stdin and the answer goes to stdout: a line of JSON, and then the predictions in columns or
the normalised file. `evaluation.submissions.reading.isolated` starts it; it dies with the process that did.
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
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import BinaryIO, Literal

from evaluation.kbp.tac.problems import Format, ProblemLog
from evaluation.kbp.tac.reader import Reading, read
from evaluation.kbp.tac.writer import write
from evaluation.submissions.reading import columns
from evaluation.submissions.reading.texts import TextFile

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
    format : {"tac2015", "tac2016"}
    texts : str
        The path of the corpus' texts, as written by `evaluation.submissions.reading.texts.write_texts`.
    parent : int
        The id of the process that waits for the answer.
    cpu_seconds, memory, output : int
        The most that may be used: seconds, bytes of address space, bytes of answer.
    """

    wanted: Wanted
    format: Format
    texts: str
    parent: int
    cpu_seconds: int
    memory: int
    output: int


def main(order: Order) -> None:
    """Carry out an order, from stdin to stdout."""
    _limit(order)
    gc.disable()  # nothing that is read makes cycles
    try:
        with open(0, "rb", buffering=0) as file, open(1, "wb") as answer:
            _carry_out(order, file, answer)
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
    resource.setrlimit(resource.RLIMIT_CPU, (order.cpu_seconds, order.cpu_seconds + _SECONDS_TO_DIE))
    resource.setrlimit(resource.RLIMIT_AS, (order.memory, order.memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (order.output, order.output))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != order.parent:
            os._exit(1)


def _carry_out(order: Order, file: BinaryIO, answer: BinaryIO) -> None:
    documents = TextFile(Path(order.texts))
    reading = _refuse_without_claims(read(file, format=order.format, documents=documents), order.format)
    predictions = columns.gather(reading.predictions)
    header = {
        "accepted": reading.accepted,
        "run_id": reading.run_id,
        "problems": [asdict(problem) for problem in reading.problems],
        "counts": reading.counts,
        "peak_memory": _peak_memory(),
        "cpu_seconds": time.process_time(),
    }
    answer.write(json.dumps(header, ensure_ascii=False).encode() + b"\n")
    if order.wanted == "predictions":
        answer.flush()
        columns.write(predictions, answer)
    elif reading.accepted:
        packed = gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=answer, mtime=0)
        with packed, io.TextIOWrapper(packed, encoding="utf-8", newline="\n") as text:
            text.writelines(write(reading, documents))


def _refuse_without_claims(reading: Reading, format: Format) -> Reading:
    """Refuse a file that the format admits but that claims nothing: it has no precision."""
    counts = reading.counts
    if not reading.accepted or counts["instances"]:
        return reading
    log = ProblemLog(format)
    log.add("NO_CLAIMS", counts["lines"], "", counts["relation_lines"])
    problems = {**counts["problems"], "NO_CLAIMS": 1}
    return replace(
        reading,
        accepted=False,
        problems=(*reading.problems, *log.by_line()),
        counts={**counts, "errors": 1, "problems": problems},
    )


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


if __name__ == "__main__":
    main(Order(**json.loads(sys.argv[1])))
