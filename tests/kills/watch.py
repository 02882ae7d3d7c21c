"""Following a process through its database connection and the pipeline's stages, to kill it on the way."""

import hashlib
import json
import os
import re
import signal
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

from django.db import connection, connections
from psycopg import Binary
from psycopg.types.json import Jsonb

from evaluation.models import Submission
from evaluation.submissions import work
from kbpo import pipeline
from kbpo.core.mail import sending
from kbpo.core.models import Message

Side = Literal["before", "after"]
WRITES = ("INSERT", "UPDATE", "DELETE", "COPY")
WRITTEN = re.compile(r'(INSERT INTO|UPDATE|DELETE FROM|COPY)\s+"?(\w+)')
SIGNED = re.compile(r"(:|%3A)[0-9A-Za-z]{6}(:|%3A)[\w-]{43}")  # the second of a signature, and it itself
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]{8,15}\+00:00")
NOTHING = hashlib.sha256().digest()
UPDATE_MESSAGE = 'UPDATE "core_message"'


@dataclass(frozen=True)
class Point:
    """A place in a life at which it may end.

    Attributes
    ----------
    step, stage : str
        Of the scenario, and of the pipeline ("" outside it).
    side : {"before", "after"}
    number : int
        Of the commit within this life and stage, from 1.
    identity : str
        The same in another life if it writes the same.
    tables : str
        What the commit does to which tables, in order. After a kill one commit may do what two would have
        done, of several rows in place of one.
    """

    step: str
    stage: str
    side: Side
    number: int
    identity: str
    tables: str = ""


class Watch:
    """Says where a process is, in a file that outlives it, and kills it where `decide` says so.

    Parameters
    ----------
    step : str
        What the process does.
    where : Path
        The file; `read_where` reads it.
    decide : callable
        Given each point that is reached, whether the process ends there.
    """

    def __init__(self, step: str, where: Path, decide: Callable[[Point], bool]) -> None:
        self.step = step
        self.stage = ""
        self.subject = self.message = ""
        self.mailing = self.asking = False
        self.decide = decide
        self.commits = 0
        self.written = hashlib.sha256()
        self.tables: list[str] = []
        self.where = where

    def tell(self) -> None:
        """Write down where the process is."""
        write_where(self.where, self.step, self.stage, self.mailing)

    def reach(self, side: Side, number: int, identity: str, tables: str) -> None:
        """End here, if that is decided."""
        if self.decide(Point(self.step, self.stage, side, number, identity, tables)):
            os.kill(os.getpid(), signal.SIGKILL)

    def install(self) -> "Watch":
        """Follow the connection of this thread, the stages, and the mail."""
        connection.execute_wrappers.append(self.execute)
        database = connections["default"]
        commit = database._commit
        database._commit = lambda: self.committing(commit)
        pipeline.STAGES = tuple(map(self.watched_stage, pipeline.STAGES))
        run = work.run

        def watched_run(*, submission_id: int, **rest: Any) -> bool:
            self.subject = Submission.objects.values_list("name", flat=True).get(pk=submission_id)
            try:
                return run(submission_id=submission_id, **rest)
            finally:
                self.subject = ""

        work.run = watched_run
        send = sending._send

        def watched_send(message: Message, transport: Any) -> bool:
            self.mailing = True  # from here on the mail may be out, and until it is marked it may go again
            self.tell()
            return send(message, transport)

        sending._send = watched_send
        return self

    def watched_stage(self, stage: Callable[[], int]) -> Callable[[], int]:
        def watched() -> int:
            self.stage = stage.__name__
            self.commits = 0
            self.tell()
            try:
                return stage()
            finally:
                self.stage = ""
                self.tell()

        watched.__name__ = stage.__name__
        return watched

    def execute(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        """Wrap a statement; outside of a transaction, one that writes is its own commit."""
        text = str(sql)
        if self.asking:
            return execute(sql, params, many, context)
        if text.startswith(UPDATE_MESSAGE):
            self.message = self.ask_about_message(params[-1])
        writes = text.lstrip().upper().startswith(WRITES)

        def do() -> Any:
            return execute(sql, params, many, context)

        if writes:
            self.written.update(describe_statement(text, params).encode())
            self.tables.append(" ".join(WRITTEN.findall(text)[0]))
        done = self.committing(do) if writes and not connection.in_atomic_block else do()
        if self.mailing and text.startswith(UPDATE_MESSAGE):
            self.mailing = False
            self.tell()
        return done

    def ask_about_message(self, pk: int) -> str:
        self.asking = True
        try:
            return Message.objects.values_list("subject", flat=True).get(pk=pk)
        finally:
            self.asking = False

    def committing(self, commit: Callable[[], Any]) -> Any:
        """Pass a commit on; one of nothing is none, and whether there is any hangs on what is still due."""
        if self.written.digest() == NOTHING:
            return commit()
        self.commits += 1
        identity = f"{self.step}|{self.stage}|{self.subject}{self.message}|{self.written.hexdigest()[:16]}"
        tables = ", ".join(dict.fromkeys(self.tables))
        self.written, self.tables, self.message = hashlib.sha256(), [], ""
        number = self.commits
        self.reach("before", number, identity, tables)
        done = commit()
        self.reach("after", number, identity, tables)
        return done


def describe_statement(sql: str, params: Any) -> str:
    """Return what a statement writes, without row ids, times, and names made of random letters."""
    return json.dumps([re.sub(r"(%s, )+", "", sql), stable(params)], default=str)


def stable(value: Any) -> Any:
    """Leave out of a statement's parameters what another life has otherwise."""
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return value
    if isinstance(value, int | datetime | UUID):
        return "*"
    if isinstance(value, str) and re.fullmatch(r"\{[\d,]+\}", value):
        return ["*"] * (value.count(",") + 1)  # row ids, as `bulk.array_literal` writes them
    if isinstance(value, str) and (value.isdecimal() or re.fullmatch(r"[0-9a-f]{64}", value)):
        return "*"  # a row id, as the audit log has it; a digest, which may be of row ids
    if isinstance(value, str):
        value = re.sub(r"/\d+/", "/*/", value)  # addresses in mail
        value = TIME.sub("*", SIGNED.sub(":*", value))
        value = re.sub(r"\bteam \d+", "team *", value)  # a model's names
        return re.sub(r"_[A-Za-z0-9]{7}\.kb$", ".kb", value) if not value.startswith("!") else "!"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Sequence):
        return [stable(item) for item in value]
    if isinstance(value, Binary):
        return "*"  # which may hold row ids
    if isinstance(value, Jsonb):
        return stable(json.dumps(value.obj, sort_keys=True))
    return type(value).__name__


def write_where(path: Path, step: str, stage: str = "", mailing: bool = False) -> None:
    """Write down where a process is, as a whole or not at all."""
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps({"step": step, "stage": stage, "mailing": mailing}))
    partial.rename(path)


def read_where(path: Path) -> dict[str, Any]:
    """Return where a process is, or was when it ended."""
    return dict(json.loads(path.read_bytes()))


def write_point(path: Path, point: Point) -> None:
    """Add a point to a list that outlives its writer."""
    with path.open("ab") as stream:
        stream.write(json.dumps(asdict(point)).encode() + b"\n")


def read_points(path: Path) -> list[Point]:
    """Return the points of such a list."""
    return [Point(**json.loads(line)) for line in path.read_bytes().splitlines()] if path.exists() else []
