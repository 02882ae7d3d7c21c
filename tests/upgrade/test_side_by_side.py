"""A later version's migrations run while this version's web and worker are at work on a large table.

They are those of `tests.upgrade.later`. Nobody waits long for a lock, also where a transaction has the table
for longer than that; this version's worker scores what it judges on the later schema.
"""

import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from kbpo.core.embedded import Postgres, Redis
from tests.conftest import ROOT
from tests.processes import wait_until
from tests.stores import free_port
from tests.upgrade.versions import LONG, WORKER, Code, judge_in_part, kill

pytestmark = pytest.mark.slow

ROWS, OF_WHICH_FAILED = 1_500_000, 60_000
HELD = 15.0  # seconds for which somebody has the table
LONGEST = 6.0  # seconds that a writer waits: a migration stands before it for two of them
FILL = """
INSERT INTO core_message (recipients, sender, subject, text, html, headers, created_at, due_at, give_up_at,
    attempts, error, sent_at, failed_at)
SELECT '[]', 'kbpo@example.org', 'News ' || n, '', '', '{}', now(), now(), now(), 1, '',
    CASE WHEN n > %(failed)s THEN now() END, CASE WHEN n <= %(failed)s THEN now() END
FROM generate_series(1, %(rows)s) AS n
"""
AGAIN = "UPDATE core_message SET error = 'again' WHERE id = (SELECT min(id) FROM core_message)"
FOUND = """
SELECT (SELECT count(*) FROM core_message WHERE note = 'given up'),
    (SELECT indisvalid FROM pg_index WHERE indexrelid = 'message_notes'::regclass),
    (SELECT convalidated FROM pg_constraint WHERE conname = 'message_noted'),
    (SELECT contype FROM pg_constraint WHERE conname = 'notes_differ'),
    (SELECT count(*) FROM pg_constraint WHERE confrelid = 'core_message'::regclass)
"""


class Repeated:
    """Something that is done again and again beside, timed: what it took at most, and what went wrong."""

    def __init__(self, work: Callable[[], object], *, every: float) -> None:
        self.work, self.every = work, every
        self.times: list[float] = []
        self.errors: list[str] = []
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._repeat)

    def _repeat(self) -> None:
        while not self._ends.wait(self.every):
            began = time.monotonic()
            try:
                self.work()
            except Exception as error:  # noqa: BLE001 - each is told of
                self.errors.append(repr(error))
            self.times.append(time.monotonic() - began)

    def __enter__(self) -> "Repeated":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()

    def __str__(self) -> str:
        return f"{len(self.times)} times, {max(self.times):.2f} s at most, {len(self.errors)} errors"


@contextmanager
def held(database: str) -> Iterator[None]:
    """Have the table for a while, as a transaction does that writes to it."""
    with psycopg.connect(database) as connection:
        connection.execute("UPDATE core_message SET error = '' WHERE id = (SELECT max(id) FROM core_message)")
        ends = threading.Timer(HELD, connection.rollback)
        ends.start()
        yield
        ends.join()


def test_a_later_schema_is_made_while_this_code_is_at_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    older = Code(ROOT, home)
    newer = Code(ROOT, home, DJANGO_SETTINGS_MODULE="tests.upgrade.later.settings")
    servers, port = (Postgres(home, durable=False), Redis(home)), free_port()
    running: list[subprocess.Popen[bytes]] = []
    database = f"host={servers[0].acquire().parent} user=kbpo dbname=kbpo"
    servers[1].acquire()

    def write() -> None:
        writer.execute(FILL, {"rows": 1, "failed": 0})
        writer.execute(AGAIN)

    def visit() -> None:
        address = f"http://localhost:{port}/leaderboard/?corpus=news"  # 127.0.0.1 is the HIT pages' host
        with urllib.request.urlopen(address, timeout=30) as page:
            assert b"news" in page.read()

    try:
        judge_in_part(older, tmp_path, running, port=port)
        running.append(older.start(*WORKER))
        with psycopg.connect(database, autocommit=True, options="-c lock_timeout=5s") as writer:
            writer.execute(FILL, {"rows": ROWS, "failed": OF_WHICH_FAILED})
            visit()
            with (
                Repeated(write, every=0.05) as writing,
                Repeated(visit, every=1.0) as visiting,
                held(database),
            ):
                began = time.monotonic()
                newer.manage("upgrade", "--wait", "60")
                took = time.monotonic() - began
            assert writer.execute(FOUND).fetchone() == (OF_WHICH_FAILED, True, True, "u", 1)
        with capsys.disabled():
            print(f"\n{ROWS} rows; upgrade {took:.0f} s; writing {writing}; visiting {visiting}")
        assert took > HELD
        assert (writing.errors, visiting.errors) == ([], [])
        assert max(writing.times) < LONGEST
        older.manage("simulate_crowd", "--corpus", "news", "--gold", str(tmp_path / "gold.jsonl"))
        assert wait_until(lambda: older.counted()["states"]["one"] == "scored", LONG), older.counted()
    finally:
        for process in running:
            kill(process)
        for server in servers:
            server.release()
