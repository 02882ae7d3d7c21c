"""Keeps an embedded server up for as long as some process uses it.

Run as a script, apart from the project (``python -I -S keeper.py …``), by `kbpo.core.embedded`:

``keep USERS_LOCK ALIVE SCRATCH UID GID COMMAND…``
    Starts COMMAND and waits until nobody holds the shared lock on USERS_LOCK; then stops it and ends. The
    kernel lets go of a lock when its holder dies, however it dies, so no server outlives its users.
``run UID GID COMMAND…``
    Becomes the user and runs COMMAND in place.

``tied PARENT COMMAND…``
    Runs COMMAND in place, to be told to end when the process PARENT, which started it, ends.

A UID of -1 stays the same user.
"""

import ctypes
import fcntl
import os
import select
import shutil
import signal
import sys
import time

CAP_DAC_OVERRIDE, CAP_SETPCAP, CAP_DAC_READ_SEARCH = 1, 8, 2
PR_SET_PDEATHSIG, PR_SET_SECUREBITS, PR_CAP_AMBIENT = 1, 28, 47
SECBIT_NO_SETUID_FIXUP = 1 << 2
PR_CAP_AMBIENT_RAISE = 2
CAPABILITY_VERSION_3 = 0x20080522
LOOK = 0.25  # seconds between looks at the users' lock
GRACE = 15  # seconds from a fast to an immediate shutdown


def prctl(option: int, *arguments: int) -> None:
    """Call prctl(2), with an OSError where it fails."""
    libc = ctypes.CDLL(None, use_errno=True)
    padded = [ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]]
    if libc.prctl(option, *padded) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def capabilities(name: str) -> int:
    """Read one of this process' capability sets, as a bit mask; 0 where there are none."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            return next((int(line.split()[1], 16) for line in status if line.startswith(name)), 0)
    except OSError:
        return 0


def become(uid: int, gid: int) -> None:
    """Become another user who may still read below folders that only root may enter.

    Postgres refuses to run as root, yet the checkout may lie in a folder of mode 0700. Of root's powers one
    is kept: to pass through folders (CAP_DAC_READ_SEARCH, or CAP_DAC_OVERRIDE where containers withhold it).
    access(2) drops the capabilities of any user but root, unless SECBIT_NO_SETUID_FIXUP is set; Postgres asks
    it whether its own programs may be run.
    """
    held = capabilities("CapPrm") & capabilities("CapBnd")
    kept = next((cap for cap in (CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE) if held >> cap & 1), None)
    keeps = kept is not None and bool(held >> CAP_SETPCAP & 1)
    if keeps:
        prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP)
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)
    if keeps and kept is not None:
        libc = ctypes.CDLL(None, use_errno=True)
        header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
        # effective, permitted and inheritable, twice: the lower and the upper 32 capabilities
        sets = (ctypes.c_uint32 * 6)(1 << kept, 1 << kept, 1 << kept, 0, 0, 0)
        if libc.capset(header, sets) != 0:
            raise OSError(ctypes.get_errno(), "capset")
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, kept)


def end_with(parent: int, how: int) -> None:
    """Have the kernel send a signal when the parent ends, even when it is killed (Linux alone can)."""
    if sys.platform == "linux":
        prctl(PR_SET_PDEATHSIG, how)
        if os.getppid() != parent:
            os._exit(1)


def run(uid: int, gid: int, command: list[str]) -> None:
    """Replace this process by the command, run as the user."""
    if uid >= 0:
        become(uid, gid)
    os.execv(command[0], command)  # noqa: S606  # no shell is wanted


def keep(users_lock: str, alive: int, scratch: str, uid: int, gid: int, command: list[str]) -> int:
    """Serve until nobody uses the server; return its exit status.

    The lock on the descriptor `alive` says that this keeper lives, and its file of which server.
    """
    keeper = os.getpid()
    os.set_inheritable(alive, False)
    server = os.fork()
    if server == 0:
        try:
            if uid >= 0:
                become(uid, gid)
            end_with(keeper, signal.SIGINT)
            os.execv(command[0], command)  # noqa: S606
        except OSError as error:
            print(f"FATAL: cannot run {command[0]}: {error}", file=sys.stderr, flush=True)  # noqa: T201
        os._exit(1)

    os.ftruncate(alive, 0)
    os.pwrite(alive, f"{keeper} {server}".encode(), 0)
    try:
        return serve(server, users_lock)
    finally:
        if scratch:
            shutil.rmtree(scratch, ignore_errors=True)


def serve(server: int, users_lock: str) -> int:
    """Wait until the server ends or is no longer used, and end it then; return its exit status."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    told: list[bool] = []
    signal.signal(signal.SIGTERM, lambda *_: told.append(True))
    signal.signal(signal.SIGCHLD, lambda *_: None)

    asked = 0.0  # when the server was told to end
    with open(users_lock, "rb") as users:
        while True:
            done, status = os.waitpid(server, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status)
            if not asked and (told or unused(users.fileno())):
                os.kill(server, signal.SIGINT)
                asked = time.monotonic()
            elif asked and time.monotonic() > asked + GRACE:
                os.kill(server, signal.SIGQUIT)
            if select.select([woken], [], [], LOOK)[0]:
                os.read(woken, 4096)


def unused(users: int) -> bool:
    """Take the users' lock if nobody holds it, so that newcomers wait until this server is gone."""
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


if __name__ == "__main__":
    verb, *rest = sys.argv[1:]
    if verb == "run":
        run(int(rest[0]), int(rest[1]), rest[2:])
    elif verb == "tied":
        end_with(int(rest[0]), signal.SIGTERM)
        run(-1, -1, rest[1:])
    else:
        sys.exit(keep(rest[0], int(rest[1]), rest[2], int(rest[3]), int(rest[4]), rest[5:]))
