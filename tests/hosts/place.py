"""Two hosts, what they share, and a world whose systems they judge."""

import atexit
import contextlib
import logging
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import boto3
from moto.server import ThreadedMotoServer

from kbpo.core.embedded import Postgres, Redis
from tests.conftest import ROOT, clean_environment
from tests.hosts.hosts import Host, hosts
from tests.processes import wait_until
from tests.stores import KEYS, free_port
from tests.world import World

DOCUMENTS = 40
BUCKET = "kbpo-two-hosts"

BeforePostgres = Callable[[Path], contextlib.AbstractContextManager[Path]]


@dataclass
class Place:
    """Two hosts, the store that they share, and the files of a world."""

    first: Host
    second: Host
    store: Any
    world: World
    folder: Path

    @property
    def hosts(self) -> tuple[Host, Host]:
        return self.first, self.second

    def objects(self) -> list[str]:
        return [one["Key"] for one in self.store.list_objects_v2(Bucket=BUCKET).get("Contents", ())]

    def system(self, seed: int) -> Path:
        claims = self.world.system(recall=0.7, precision=0.6, seed=seed)
        return self.world.write_kb(self.folder / f"{seed}.kb", claims)


@contextlib.contextmanager
def two_hosts(
    folder: Path,
    *,
    before_store: Callable[[int], int] = lambda port: port,
    before_postgres: BeforePostgres | None = None,
) -> Iterator[Place]:
    """Make them, with a database whose tables are there, and a Redis and a store that are empty.

    Parameters
    ----------
    folder : Path
    before_store : callable
        Given the store's port on this machine, returns the one that the hosts are told.
    before_postgres : callable, optional
        Given the folder of Postgres' socket, serves a socket in another, from which the hosts get sessions
        for one transaction at a time.
    """
    shared = folder / "shared"
    (shared / "postgres").mkdir(mode=0o700, parents=True)
    # Its files belong to who runs the server.
    subprocess.run(["cp", "-a", str(migrated() / "postgres" / "data"), str(shared / "postgres")], check=True)
    postgres, redis, port = Postgres(shared, durable=False), Redis(shared), free_port()
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    store = ThreadedMotoServer("0.0.0.0", port, verbose=False)
    store.start()
    stack = contextlib.ExitStack()
    try:
        told, direct = before_store(port), postgres.acquire().parent
        between = stack.enter_context(before_postgres(direct)) if before_postgres else None
        common = {
            "DATABASE_URL": f"{_url(between)}&pooled=1" if between else _url(direct),
            "REDIS_URL": f"redis+socket://{redis.acquire()}",
            "SECRET_KEY": "Zt7mQx2vLp9RkW4cYb8NfH3jDs6GaE1uKo5TiVwBn0123456789",
            "DEBUG": "1",
            "KBPO_EPOCH_SECRET": "07" * 32,
            "FILE_STORE": f"s3://{BUCKET}/site",
            "FILE_STORE_KEY": KEYS[0],
            "FILE_STORE_SECRET": KEYS[1],
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONPATH": "client",
        }
        with hosts(folder, common, lambda host: {"FILE_STORE_ENDPOINT": f"http://{host.gateway}:{told}"}) as (
            first,
            second,
        ):
            client = _client(port)
            _reset(port)
            client.create_bucket(Bucket=BUCKET)
            yield Place(first, second, client, World(DOCUMENTS), folder)
    finally:
        stack.close()
        store.stop()
        redis.release()
        postgres.release()


@cache
def migrated() -> Path:
    """Return a folder of a Postgres that has ended, whose database has all tables, to be copied."""
    made = Path(tempfile.mkdtemp(prefix="kbpo-migrated-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    server = Postgres(made, durable=False)
    server.acquire()
    environ = {**clean_environment(), "KBPO_HOME": str(made)}
    try:
        command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(command, cwd=ROOT, env=environ, check=True)
    finally:
        server.release()
    assert wait_until(lambda: not (made / "postgres" / "data" / "postmaster.pid").exists(), 60)
    return made


def _url(sockets: Path) -> str:
    return f"postgres://kbpo@/kbpo?host={sockets}"


def _client(port: int) -> Any:
    return boto3.client(
        "s3",
        endpoint_url=f"http://127.0.0.1:{port}",
        region_name="us-east-1",
        aws_access_key_id=KEYS[0],
        aws_secret_access_key=KEYS[1],
    )


def _reset(port: int) -> None:
    """Have the store hold nothing: moto keeps what it has for all servers of a process."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/moto-api/reset", method="POST")
    urllib.request.urlopen(request, timeout=10).close()
