"""The cache of a server: Redis, and while that is away this process' own memory.

Nothing that must hold is kept in a cache, so all that is lost is speed.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis import Redis
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

AWAY = 10.0  # seconds in which Redis is not asked again
PATIENCE = 0.3  # seconds for Redis to answer, or to be reached


class ForgivingCache(BaseCache):
    """Redis where it answers; this process' memory where it does not.

    Parameters
    ----------
    server : str
        Redis' address.
    params : dict
        As Django gives them.
    """

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(params)
        self._server = server
        self._timeouts = {"socket_timeout": PATIENCE, "socket_connect_timeout": PATIENCE}
        given = {**params, "OPTIONS": {**self._timeouts, **params.get("OPTIONS", {})}}
        self._redis: BaseCache = RedisCache(server, given)
        self._local: BaseCache = LocMemCache("while-redis-is-away", {})
        self._lock = threading.Lock()
        self._away_until = 0.0

    def _ask(self, act: Callable[[BaseCache], Any]) -> Any:
        if time.monotonic() < self._away_until:
            return act(self._local)
        try:
            return act(self._redis)
        except (RedisError, OSError) as error:
            with self._lock:
                is_news = self._away_until < time.monotonic() - AWAY
                self._away_until = time.monotonic() + AWAY
            if is_news:
                logger.warning("Redis is away; this process' memory is the cache meanwhile (%s)", error)
            return act(self._local)

    def add(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Keep a value unless there is one."""
        return bool(self._ask(lambda cache: cache.add(key, value, timeout, version)))

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """Return a value."""
        return self._ask(lambda cache: cache.get(key, default, version))

    def set(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        """Keep a value."""
        self._ask(lambda cache: cache.set(key, value, timeout, version))

    def touch(self, key: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Keep what is there for longer."""
        return bool(self._ask(lambda cache: cache.touch(key, timeout, version)))

    def delete(self, key: Any, version: int | None = None) -> bool:
        """Forget a value."""
        return bool(self._ask(lambda cache: cache.delete(key, version)))

    def clear(self) -> None:
        """Forget everything that is cached; the broker's messages, in the same database, stay."""
        self._ask(lambda cache: cache.clear() if cache is self._local else self._clear_redis())

    def _clear_redis(self) -> None:
        with Redis.from_url(self._server, **self._timeouts) as client:
            for key in client.scan_iter(f"{self.key_prefix}:*"):
                client.delete(key)
