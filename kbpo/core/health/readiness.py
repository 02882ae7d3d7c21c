"""Whether all is there that the service needs: looked at from outside, within two seconds, whatever hangs.

Each look runs in a thread of its own, and is waited for so long; one that still hangs is not begun again.
What is found is shared by those who ask within a second. Nothing of it is secret: no addresses, no paths, no
messages of errors.
"""

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from types import MappingProxyType
from uuid import uuid4

from django.db import connection
from django.utils import timezone

from kbpo.core import disk
from kbpo.core.errors import StoreAway, StoreFull
from kbpo.core.health import signs
from kbpo.core.keeping import installation
from kbpo.core.storage import store

PATIENCE = 1.5  # seconds for all looks together
SHARED_FOR = 1.0  # seconds
BROKER_PATIENCE = 0.5  # seconds for each step


@dataclass(frozen=True, slots=True)
class Check:
    """What was found of one thing.

    Attributes
    ----------
    name : str
    is_ok : bool
    age : float or None
        Seconds since it was known to be so: since the look, or since a process' last sign of life. None
        where there was never one.
    words : str
        What is wrong, or worth knowing.
    """

    name: str
    is_ok: bool
    age: float | None = 0.0
    words: str = ""


Look = Callable[[], list[Check]]


def look_at_database() -> list[Check]:
    """Look whether the database answers, and which processes have given it a sign of life."""
    found = signs.signs(now=timezone.now())
    return [Check("database", True), *(_process(sign) for sign in found)]


def look_at_broker() -> list[Check]:
    """Look whether the broker answers."""
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    from kbpo.core.clock.celery import broker

    address = broker(start=False)
    if address is None:
        return [Check("broker", False, None, "it does not run")]
    client = redis.Redis.from_url(
        address.replace("redis+socket://", "unix://"),
        socket_connect_timeout=BROKER_PATIENCE,
        socket_timeout=BROKER_PATIENCE,
        retry=Retry(NoBackoff(), 0),
    )
    try:
        client.ping()
    finally:
        client.close()
    return [Check("broker", True)]


def look_at_files() -> list[Check]:
    """Look whether files can be written."""
    files, place = store(hurried=True), f"media/.written-{uuid4().hex}"
    try:
        files.put(place, BytesIO(b"written"))
        with files.open(place) as stream:
            is_ok = stream.read() == b"written"
    except StoreFull:
        return [Check("files", False, words="the store is full: uploads are refused")]
    finally:
        with suppress(StoreAway):
            files.delete(place)
    return [Check("files", is_ok, words="" if is_ok else "what is written is not what is read")]


def look_at_installation() -> list[Check]:
    """Look whether the files that this process sees are the database's."""
    mark = installation.read_mark(hurried=True)
    if installation.compare(installation.row(), mark).is_elsewhere:
        return [Check("installation", False, words="the files are not the database's")]
    return [Check("installation", True)]


def look_at_disk() -> list[Check]:
    """Look whether there is room on the disks."""
    found = disk.spaces()
    if any(space.is_full for space in found):
        return [Check("disk", False, words="it is full: uploads are refused")]
    is_low = any(space.is_low for space in found)
    return [Check("disk", True, words="it fills up: make room" if is_low else "")]


#: Each look, and the names of what it finds.
LOOKS: Mapping[str, tuple[Look, tuple[str, ...]]] = MappingProxyType(
    {
        "database": (look_at_database, ("database", *signs.NAMES)),
        "broker": (look_at_broker, ("broker",)),
        "files": (look_at_files, ("files",)),
        "installation": (look_at_installation, ("installation",)),
        "disk": (look_at_disk, ("disk",)),
    }
)
NAMES = tuple(name for _, names in LOOKS.values() for name in names)


class Looking:
    """One look, in a thread of its own."""

    def __init__(self, look: Look, names: tuple[str, ...]) -> None:
        self.names = names
        self.found: list[Check] | None = None
        self._look = look
        self._thread = threading.Thread(target=self._run, name=f"a look at the {names[0]}", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.found = self._look()
        except Exception:  # noqa: BLE001  # whatever it is, what was looked at is not as it should be
            self.found = _failed(self.names, "it cannot be reached, or does not work")
        finally:
            connection.close()

    def wait(self, until: float) -> list[Check]:
        """Return what it found, or that it found nothing in time."""
        self._thread.join(max(0.0, until - time.monotonic()))
        return self.found if self.found is not None else _failed(self.names, "it does not answer in time")

    @property
    def hangs(self) -> bool:
        """Whether it is not over yet."""
        return self._thread.is_alive()


class Readiness:
    """What was found last, shared by all requests of a process."""

    def __init__(
        self,
        looks: Mapping[str, tuple[Look, tuple[str, ...]]] = LOOKS,
        *,
        patience: float = PATIENCE,
        shared_for: float = SHARED_FOR,
    ) -> None:
        self._looks, self._patience, self._shared_for = looks, patience, shared_for
        self._lock = threading.Lock()
        self._under_way: dict[str, Looking] = {}
        self._found: list[Check] = []
        self._at: float | None = None

    def checks(self) -> list[Check]:
        """Look at everything, unless somebody has just done so."""
        with self._lock:
            if self._at is None or time.monotonic() - self._at >= self._shared_for:
                self._found = self._look()
                self._at = time.monotonic()
            return self._found

    def _look(self) -> list[Check]:
        until = time.monotonic() + self._patience
        for name, (look, names) in self._looks.items():
            if name not in self._under_way or not self._under_way[name].hangs:
                self._under_way[name] = Looking(look, names)
        return [check for name in self._looks for check in self._under_way[name].wait(until)]


def _failed(names: tuple[str, ...], words: str) -> list[Check]:
    first, *others = names
    return [Check(first, False, None, words), *(Check(name, False, None, "not known") for name in others)]


def _process(sign: signs.Sign) -> Check:
    age = None if sign.age is None else round(sign.age.total_seconds(), 1)
    return Check(sign.name, not sign.is_late, age, "no sign of life" if sign.is_late else "")
