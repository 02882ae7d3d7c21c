"""How long this process waits for its database: what answers people waits least.

Commands that somebody runs by hand have none: loading a corpus, or a migration, takes its time.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Time limits of a process' connections.

    Attributes
    ----------
    connect : int
        Seconds for a connection; the least that Postgres' library knows is 2.
    statement, lock, idle : int
        Seconds for one statement, for one lock, and between two statements of a transaction; 0 for no limit.
        Postgres keeps them itself.
    silence : float or None
        Seconds of silence after which the server is asked whether it is there at all; None: never.
    """

    connect: int
    statement: int
    lock: int
    idle: int
    silence: float | None

    def options(self) -> str:
        """Write the limits that Postgres keeps as options of a connection."""
        given = {
            "statement_timeout": self.statement,
            "lock_timeout": self.lock,
            "idle_in_transaction_session_timeout": self.idle,
        }
        return " ".join(f"-c {name}={seconds}s" for name, seconds in given.items() if seconds)


COMMANDS = Limits(connect=10, statement=0, lock=0, idle=0, silence=None)
#: Scoring, and the storing of a large file, are long statements and long transactions; hours they are not.
TASKS = Limits(connect=10, statement=2 * 3600, lock=300, idle=2 * 3600, silence=None)
#: With what `watching` adds, an answer that the database is away comes within 3 s.
WEB = Limits(connect=2, statement=30, lock=5, idle=60, silence=1.2)

_present = COMMANDS


def present() -> Limits:
    """Return the limits of this process."""
    return _present


def set_limits(limits: Limits) -> None:
    """Set the limits of the connections that this process will make."""
    global _present
    _present = limits
