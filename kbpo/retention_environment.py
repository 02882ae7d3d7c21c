"""What the environment says of how long things about people are kept.

============================  ========================================================================
variable                      meaning
============================  ========================================================================
``KEEP_SESSIONS_DAYS``        how long somebody stays signed in; 14 unless given
``KEEP_MAIL_DAYS``            how long it is kept to whom which mail went; 30 unless given
``KEEP_UPLOADS_DAYS``         how long a file is kept that was not submitted, and its check; 1 unless given
``KEEP_LOGS_DAYS``            how long the web server's log is kept, as the privacy page says: whoever runs
                              the server sees to it; 30 unless given
============================  ========================================================================
"""

from collections.abc import Mapping
from dataclasses import dataclass

from kbpo.core.errors import InvalidInput

DEFAULTS = {
    "KEEP_SESSIONS_DAYS": 14,
    "KEEP_MAIL_DAYS": 30,
    "KEEP_UPLOADS_DAYS": 1,
    "KEEP_LOGS_DAYS": 30,
}
VARIABLES = frozenset(DEFAULTS)
LONGEST = 3650  # days


@dataclass(frozen=True)
class RetentionEnvironment:
    """How long things are kept, in days.

    Attributes
    ----------
    sessions, mail, uploads, logs : int
    """

    sessions: int
    mail: int
    uploads: int
    logs: int


def read(given: Mapping[str, str]) -> RetentionEnvironment:
    """Read and check these variables.

    Parameters
    ----------
    given : mapping of str to str
        Those that are set, and not empty.

    Raises
    ------
    InvalidInput
        Naming the variable that is wrong and what would be right.
    """
    return RetentionEnvironment(
        sessions=_days(given, "KEEP_SESSIONS_DAYS"),
        mail=_days(given, "KEEP_MAIL_DAYS"),
        uploads=_days(given, "KEEP_UPLOADS_DAYS"),
        logs=_days(given, "KEEP_LOGS_DAYS"),
    )


def _days(given: Mapping[str, str], name: str) -> int:
    value = given.get(name, str(DEFAULTS[name]))
    if not value.isascii() or not value.isdigit() or len(value) > 9 or not 1 <= int(value) <= LONGEST:
        raise InvalidInput(f"must be a number of days from 1 to {LONGEST}, not {value[:20]!r}", where=name)
    return int(value)
