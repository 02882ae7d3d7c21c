"""Read a file in a child process: whatever the file does to it, this process goes on."""

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sized
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from io import UnsupportedOperation
from pathlib import Path
from typing import Any, BinaryIO, NotRequired, TypedDict, Unpack

from evaluation.reading.child import OUT_OF_MEMORY, OUT_OF_ROOM, Order, Wanted
from evaluation.reading.reader import Reader
from kbpo.core.errors import InvalidInput, KbpoError
from kbpo_formats.problems import Problem, ProblemLog

logger = logging.getLogger(__name__)

ROOT = Path(__file__).resolve().parents[2]
LOOK = 2.0  # seconds after which somebody may have changed their mind
KEPT_ENVIRONMENT = ("LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "TMPDIR")  # and so none of the secrets


class Abandoned(Exception):
    """Reading was given up, since whoever wanted it does no longer."""


class ReaderFailed(KbpoError):
    """The reading process ended as no file should make it end: the service's fault, not the file's."""

    status = 500


class NotInTime(ReaderFailed):
    """Reading took too long by the clock: others may have had the processor."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What reading one file may cost.

    Attributes
    ----------
    cpu_seconds : int
        Of the child. Where every problem is recorded, that has `Order.seconds_to_record` of its own.
    seconds : float
        On the clock, of which no file is to blame: others may have the processor. Less than a stage of the
        pipeline has.
    memory : int
        Bytes of address space.
    output : int
        Bytes of the answer.
    """

    # Five million honest lines, the most that a file may have, take some 45 s, 2 GB and 0.1 GB.
    cpu_seconds: int = 180
    seconds: float = 3600.0
    memory: int = 5 << 29
    output: int = 1 << 28


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a file says, and what is wrong with it.

    Attributes
    ----------
    accepted : bool
    problems : tuple of Problem
        By line; those about the file as a whole have line 0.
    recorded : int
        How many were written to the file of all problems; 0 where `problems` has all.
    counts : mapping
        What became of it in numbers; ``errors`` and, by code, ``problems`` among them.
    predictions : Sized
        As `Reader.receive` makes them; `Reader.nothing` unless accepted.
    peak_memory : int
        Bytes that the child had in memory at most; 0 where it did not live to say so.
    cpu_seconds : float
        What it took of the processor; 0.0 where it did not live to say so.
    """

    accepted: bool
    problems: tuple[Problem, ...]
    recorded: int
    counts: Mapping[str, Any]
    predictions: Sized
    peak_memory: int
    cpu_seconds: float


class Asked(TypedDict):
    """The file to read, the rules to read it by, and the limits.

    Attributes
    ----------
    reader : Reader
        The task's.
    format : str
        One of the reader's.
    texts : Path
        Of the corpus, as written by `evaluation.reading.text_file.write_texts`.
    about : mapping, optional
        What else the reader must know of the corpus: JSON.
    attachments : mapping of str to binary file, optional
        What was submitted beside it, by name.
    limits : Limits, optional
    is_wanted : callable
        Asked every `LOOK` seconds whether to go on.
    """

    reader: Reader
    format: str
    texts: Path
    about: NotRequired[Mapping[str, Any]]
    attachments: NotRequired[Mapping[str, BinaryIO] | None]
    limits: NotRequired[Limits]
    is_wanted: NotRequired[Callable[[], bool]]


def read(stream: BinaryIO, *, every_problem: BinaryIO | None = None, **asked: Unpack[Asked]) -> Outcome:
    """Read and validate a file; refuse one that costs too much.

    Parameters
    ----------
    stream : binary file
        From its start if it can be sought in.
    every_problem : binary file, optional
        With a descriptor, empty. Every problem is written to it, as `evaluation.reading.recording` writes
        them, where some are not listed.
    **asked
        As `Asked` says.

    Raises
    ------
    InvalidInput
        If there is no such format.
    ReaderFailed
        If the child ended for another reason than its limits, or took too long by the clock.
    Abandoned
        If it was not wanted any more.
    """
    reader = asked["reader"]
    with _answer(stream, "predictions", every_problem, **asked) as (answer, reason):
        if reason is not None:
            return _refused(reader, asked["format"], *reason)
        header = json.loads(answer.readline())
        return Outcome(
            accepted=header["accepted"],
            problems=tuple(Problem(**problem) for problem in header["problems"]),
            recorded=header["recorded"],
            counts=header["counts"],
            predictions=reader.receive(answer) if header["accepted"] else reader.nothing,
            peak_memory=header["peak_memory"],
            cpu_seconds=header["cpu_seconds"],
        )


def normalise(stream: BinaryIO, to: BinaryIO, **asked: Unpack[Asked]) -> None:
    """Write the normalised form of an accepted file, compressed with gzip; arguments as for `read`.

    Raises
    ------
    InvalidInput
        If the file is refused, too.
    """
    with _answer(stream, "normalised", None, **asked) as (answer, reason):
        if reason is not None or not json.loads(answer.readline())["accepted"]:
            raise InvalidInput("the file is refused, so there is nothing to write")
        shutil.copyfileobj(answer, to)


Reason = tuple[str, str]  # a code, and the value that its templates want


@contextmanager
def _answer(
    stream: BinaryIO, wanted: Wanted, every_problem: BinaryIO | None, **asked: Unpack[Asked]
) -> Iterator[tuple[BinaryIO, Reason | None]]:
    """Have a child read a file; yield its answer, and the reason if there is none."""
    reader, format, attachments = asked["reader"], asked["format"], asked.get("attachments") or {}
    limits = asked.get("limits") or Limits()
    if format not in reader.formats:
        known = " or ".join(reader.formats)
        raise InvalidInput(f"there is no format {format!r}; use {known}", where="format")
    reader.check_attachments(attachments)
    # Files without a name: nothing is left behind, however this process ends.
    with (
        tempfile.TemporaryFile() as answer,
        tempfile.TemporaryFile() as errors,
        tempfile.TemporaryFile() as written,
        _descriptor(stream) as file,
        ExitStack() as opened,
    ):
        beside = {name: opened.enter_context(_descriptor(one)) for name, one in attachments.items()}
        order = Order(
            wanted=wanted,
            format=format,
            texts=str(asked["texts"].absolute()),
            about=asked.get("about", {}),
            parent=os.getpid(),
            cpu_seconds=limits.cpu_seconds,
            memory=limits.memory,
            output=limits.output,
            attachments=beside,
            problems=every_problem.fileno() if every_problem is not None else None,
        )
        written.write(json.dumps(asdict(order)).encode())
        written.seek(0)
        child = subprocess.Popen(  # noqa: S603 (no word of the command is a user's)
            [sys.executable, "-s", "-m", reader.child, str(written.fileno())],
            pass_fds=[
                *(written.fileno(), *beside.values()),
                *([every_problem.fileno()] if every_problem is not None else []),
            ],
            stdin=file,
            stdout=answer,
            stderr=errors,
            cwd=ROOT,
            env={name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ},
            process_group=0,  # Ctrl-C is for this process, and the child ends with it
        )
        try:
            status = _wait(child, limits.seconds, asked.get("is_wanted", lambda: True))
        finally:
            child.kill()
            child.wait()
        if status is None:
            raise NotInTime(f"the file was not read within {limits.seconds:g} seconds by the clock")
        reason = _reason(status, limits)
        if status != 0 and reason is None:
            errors.seek(0)
            logger.error("the reading process ended with status %s: %s", status, _tail(errors))
            raise ReaderFailed(f"the reading process ended unexpectedly, with status {status}")
        answer.seek(0)
        yield answer, reason


def _wait(child: "subprocess.Popen[bytes]", seconds: float, is_wanted: Callable[[], bool]) -> int | None:
    """Wait for a child to end; return its status, None if its time is over first."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        try:
            return child.wait(min(left, LOOK))
        except subprocess.TimeoutExpired:
            if not is_wanted():
                raise Abandoned from None
    return None


def _reason(status: int, limits: Limits) -> Reason | None:
    if status == -signal.SIGXCPU:
        return "TOO_SLOW", f"{limits.cpu_seconds}"
    if status == OUT_OF_MEMORY:
        return "TOO_LARGE", f"takes more than {limits.memory:,} bytes of memory to read"
    if status == OUT_OF_ROOM:
        return "TOO_LARGE", f"says more than fits into {limits.output:,} bytes"
    return None


@contextmanager
def _descriptor(stream: BinaryIO) -> Iterator[int]:
    """Give the descriptor of a stream, or of a copy of one that has none."""
    try:
        descriptor = stream.fileno()
    except (AttributeError, UnsupportedOperation):
        if stream.seekable():
            stream.seek(0)
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(stream, copy)
            copy.seek(0)
            yield copy.fileno()
        return
    if stream.seekable():
        os.lseek(descriptor, 0, os.SEEK_SET)  # past the stream's own buffer
    yield descriptor


def _refused(reader: Reader, format: str, code: str, value: str) -> Outcome:
    log = ProblemLog(reader.codes, format)
    log.add(code, 0, "", value)
    counts = {**reader.no_counts, "errors": 1, "problems": {code: 1}}
    return Outcome(False, log.by_line(), 0, counts, reader.nothing, 0, 0.0)


def _tail(stream: BinaryIO) -> str:
    return stream.read()[-2000:].decode("utf-8", "replace")
