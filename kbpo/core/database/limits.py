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
    unreachable : int
        Seconds after which a connection ends whose server's machine acknowledges nothing; 0 for the system's
        limits.
    """

    connect: int
    statement: int
    lock: int
    idle: int
    unreachable: int

    def of_client(self) -> dict[str, int]:
        """Return the limits that Postgres' library keeps, by its names of them."""
        if not self.unreachable:
            return {"connect_timeout": self.connect}
        return {
            "connect_timeout": self.connect,
            "tcp_user_timeout": self.unreachable * 1000,
            "keepalives_idle": 1,
            "keepalives_interval": 1,
            "keepalives_count": self.unreachable,
        }

    def options(self) -> str:
        """Write the limits that Postgres keeps as options of a connection."""
        given = {
            "statement_timeout": self.statement,
            "lock_timeout": self.lock,
            "idle_in_transaction_session_timeout": self.idle,
        }
        return " ".join(f"-c {name}={seconds}s" for name, seconds in given.items() if seconds)


COMMANDS = Limits(connect=10, statement=0, lock=0, idle=0, unreachable=0)
#: Scoring, and the storing of a large file, are long statements and long transactions; hours they are not.
TASKS = Limits(connect=10, statement=2 * 3600, lock=300, idle=2 * 3600, unreachable=0)
WEB = Limits(connect=2, statement=30, lock=5, idle=60, unreachable=3)

_present = COMMANDS


def present() -> Limits:
    """Return the limits of this process."""
    return _present


def set_limits(limits: Limits) -> None:
    """Set the limits of the connections that this process will make."""
    global _present
    _present = limits
