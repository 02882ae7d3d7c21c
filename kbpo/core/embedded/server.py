"""Embedded servers: finding, starting, sharing and leaving them."""

import atexit
import fcntl
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import ClassVar, TypeVar

from kbpo.core.embedded import keeper
from kbpo.core.errors import Unavailable

LONGEST_SOCKET = 103  # bytes: what every system's sockaddr_un takes, its final zero aside
START_TIMEOUT = 60.0  # seconds; starting takes far less than one, recovery after a crash may take longer
LEAVE_TIMEOUT = 20.0
LOOK = 0.01

S = TypeVar("S", bound="Server")


class Server:
    """One embedded server of one folder; shared by every process that names the same folder.

    Parameters
    ----------
    home : Path
        The service's folder (``KBPO_HOME``). The server's own is ``home / name``, and is made on demand.
    """

    name: ClassVar[str]
    programs: ClassVar[tuple[str, ...]]  # one of them is in the server's command line
    socket_name: ClassVar[str]
    environment: ClassVar[Mapping[str, str]] = {}  # beside this process' own

    def __init__(self, home: Path) -> None:
        self.folder = home.absolute() / self.name
        self._users: int | None = None
        self._guarding: int | None = None
        self._keeper: subprocess.Popen[bytes] | None = None

    # What each server says of itself

    def _prepare(self) -> None:
        """Make the folder ready for a start."""

    def _command(self, sockets: Path) -> list[str]:
        raise NotImplementedError

    def _ready(self, sockets: Path) -> bool:
        raise NotImplementedError

    def _owner(self) -> tuple[int, int]:
        """Return the user and group to run as; -1 stays the same."""
        return -1, -1

    # What they share

    def acquire(self) -> Path:
        """Use the server, starting it unless it runs; return the path of its socket.

        Calling it again is cheap, and starts a server that has crashed in the meantime.

        Raises
        ------
        Unavailable
            If the server cannot be started; the message says why, and where its log is.
        """
        if self._users is not None and self._runs():
            return self._socket()
        try:
            with self._guard():
                if self._users is None:
                    self._users = self._lock("users.lock", fcntl.LOCK_SH)
                try:
                    if not self._runs():
                        self._start()
                    self._wait()
                except BaseException:
                    self._leave()
                    raise
        except OSError as error:
            raise Unavailable(
                f"The embedded {self.title} cannot use {self.folder}: {reason(error)}."
            ) from error
        return self._socket()

    def release(self) -> None:
        """Stop using the server. Its last user ends it, and waits until it has ended."""
        if self._users is None:
            return
        try:
            # Holding the users' lock alone keeps newcomers waiting until the old server is gone.
            if keeper.unused(self._users) and self._runs():
                os.kill(self.keeper_pid(), signal.SIGTERM)
                deadline = time.monotonic() + LEAVE_TIMEOUT
                while self._runs() and time.monotonic() < deadline:
                    time.sleep(LOOK)
        finally:
            self._leave()
        if self._keeper is not None and self._keeper.poll() is None:
            self._keeper.returncode = 0  # it lives on for its other users; nobody waits for it here

    def running(self) -> Path | None:
        """Return the path of the socket if the server runs, without starting it; else None."""
        with suppress(OSError):
            if self._runs():
                return self._socket()
        return None

    def keeper_pid(self) -> int:
        """Return the process that keeps the server; meaningful only while it runs."""
        return int((self.folder / "keeper.lock").read_text(encoding="ascii").split()[0])

    @property
    def title(self) -> str:
        """The server's name in messages."""
        return self.name.capitalize()

    @property
    def log(self) -> Path:
        """Where the server's messages are."""
        return self.folder / "log"

    def after_fork(self) -> None:
        """Count a forked child as a user of its own: it shares its parent's locks until it takes another."""
        self._keeper = None
        if self._guarding is not None:
            os.close(self._guarding)
            self._guarding = None
        if self._users is not None:
            inherited = self._users
            self._users = None
            with suppress(OSError):
                self._users = self._lock("users.lock", fcntl.LOCK_SH | fcntl.LOCK_NB)
            os.close(inherited)

    def _leave(self) -> None:
        if self._users is not None:
            os.close(self._users)
            self._users = None

    def _socket(self) -> Path:
        return self._sockets() / self.socket_name

    def _sockets(self) -> Path:
        """Read where the server's socket is."""
        whose, sockets = (self.folder / "socket").read_text(encoding="utf-8").split("\0")
        if whose != str(self.folder):
            raise FileNotFoundError(f"{self.folder} is a copy of {whose}")
        return Path(sockets)

    def _lock(self, name: str, how: int) -> int:
        descriptor = os.open(self.folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, how)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    @contextmanager
    def _guard(self) -> Iterator[None]:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        held = self._guarding = self._lock("lock", fcntl.LOCK_EX)
        try:
            yield
        finally:
            self._guarding = None
            os.close(held)

    def _runs(self) -> bool:
        """Tell whether a keeper lives: then its lock cannot be taken."""
        try:
            os.close(self._lock("keeper.lock", fcntl.LOCK_SH | fcntl.LOCK_NB))
        except BlockingIOError:
            return True
        except FileNotFoundError:
            return False
        return False

    def _start(self) -> None:
        self._end_orphan()
        self._prepare()
        uid, gid = self._owner()
        sockets = self._choose_sockets(uid, gid)
        alive = self._lock("keeper.lock", fcntl.LOCK_EX)
        scratch = "" if sockets == self.folder else str(sockets)
        try:
            with self.log.open("wb") as log:
                self._keeper = subprocess.Popen(  # noqa: S603  # our own interpreter and script
                    [
                        *(sys.executable, "-I", "-S", keeper.__file__, "keep"),
                        *(str(self.folder / "users.lock"), str(alive), scratch, str(uid), str(gid)),
                        *self._command(sockets),
                    ],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    pass_fds=[alive],
                    start_new_session=True,
                    env=os.environ | self.environment,
                    cwd="/",
                )
        finally:
            os.close(alive)

    def _wait(self) -> None:
        """Wait until the server takes connections."""
        deadline = time.monotonic() + START_TIMEOUT
        while not self._ready(self._sockets()):
            if not self._runs():
                why = complaint(self.log.read_text(encoding="utf-8", errors="replace"))
                raise Unavailable(f"The embedded {self.title} did not start: {why} ({self.log}).")
            if time.monotonic() > deadline:
                raise Unavailable(
                    f"The embedded {self.title} was not ready after {START_TIMEOUT:.0f} s; see {self.log}."
                )
            time.sleep(LOOK)

    def _choose_sockets(self, uid: int, gid: int) -> Path:
        """Choose the folder of the socket, and write it down."""
        sockets = self.folder
        # Postgres, and its clients, take a comma for the end of a folder's name.
        if len(os.fsencode(sockets / self.socket_name)) > LONGEST_SOCKET or {",", '"'} & {*str(sockets)}:
            sockets = Path(tempfile.mkdtemp(prefix="kbpo-", dir="/tmp"))  # short, and made private
            if uid >= 0:
                os.chown(sockets, uid, gid)
        partial = self.folder / "socket.partial"
        # A folder can be copied; the copy must not take the original's socket for its own.
        partial.write_text(f"{self.folder}\0{sockets}", encoding="utf-8")
        partial.replace(self.folder / "socket")
        return sockets

    def _end_orphan(self) -> None:
        """End a server that lost its keeper, and remove what it or a killed one left of its socket.

        A server takes any living process for the one that it finds written down, and after a reboot that
        number may belong to anything; so these files go before a start.
        """
        with suppress(FileNotFoundError, ValueError, IndexError):
            sockets = self._sockets()
            pid = int((self.folder / "keeper.lock").read_text(encoding="ascii").split()[1])
            deadline = time.monotonic() + LEAVE_TIMEOUT
            while str(sockets) in (line := command_line(pid)) and any(one in line for one in self.programs):
                os.kill(pid, signal.SIGINT if time.monotonic() < deadline else signal.SIGQUIT)
                time.sleep(10 * LOOK)
            if sockets != self.folder:
                shutil.rmtree(sockets, ignore_errors=True)
        (self.folder / self.socket_name).unlink(missing_ok=True)
        (self.folder / f"{self.socket_name}.lock").unlink(missing_ok=True)


def installed(package: str) -> Path | None:
    """Return the folder of a package without importing it, or None where it is not installed."""
    found = importlib.util.find_spec(package)
    return Path(found.origin).parent if found is not None and found.origin is not None else None


def reason(error: OSError) -> str:
    """Say what the system said, without its number."""
    return (error.strerror or str(error)).lower()


def command_line(pid: int) -> str:
    """Return a living process' arguments; nothing for one that is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def complaint(said: str) -> str:
    """Find the line of a server's messages that says why it ended."""
    lines = said.splitlines()
    severe = [line for line in lines if re.search("fatal|panic|error|denied", line, re.IGNORECASE)]
    return (severe or lines or ["it said nothing"])[-1].strip().rstrip(".")


def left_at_exit(server: S) -> S:
    """Have this process leave a server when it ends, and its forked children be users of their own."""
    atexit.register(server.release)
    os.register_at_fork(after_in_child=server.after_fork)
    return server
