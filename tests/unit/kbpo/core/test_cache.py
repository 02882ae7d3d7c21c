"""A cache that is away costs speed, and nothing else."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from kbpo.core import embedded
from kbpo.core.cache import ForgivingCache


@pytest.fixture(params=["nobody listens", "it says nothing"])
def away(request: pytest.FixtureRequest) -> Iterator[ForgivingCache]:
    if request.param == "nobody listens":
        yield ForgivingCache("redis://127.0.0.1:1/0", {})
        return
    with socket.create_server(("127.0.0.1", 0)) as silent:
        yield ForgivingCache(f"redis://127.0.0.1:{silent.getsockname()[1]}/0", {})


def test_everything_is_kept_in_this_process_while_redis_is_away(away: ForgivingCache) -> None:
    away.clear()
    assert away.get("a", 7) == 7
    assert away.add("a", 1)
    assert not away.add("a", 2)
    assert away.incr("a") == 2
    assert away.has_key("a")
    away.set_many({"b": 3})
    assert away.get_many(["a", "b"]) == {"a": 2, "b": 3}
    assert away.touch("a")
    assert away.get_or_set("c", 4) == 4
    away.delete_many(["b"])
    assert away.delete("a")
    assert away.get_many(["a", "b"]) == {}


def test_redis_is_not_asked_again_at_once(away: ForgivingCache) -> None:
    asked: list[int] = []
    away.get("a")
    away._redis.get = lambda *args, **kwargs: asked.append(1)  # type: ignore[method-assign]
    away.get("a")
    assert asked == []


def test_redis_is_asked_again_after_a_while(away: ForgivingCache) -> None:
    away.get("a")
    away._redis.get = lambda *args, **kwargs: "back"  # type: ignore[method-assign]
    away._away_until = 0.0
    assert away.get("a") == "back"


def test_clearing_the_cache_leaves_the_broker_s_keys(tmp_path: Path) -> None:
    server = embedded.redis(tmp_path)
    address = f"unix://{server.acquire()}"
    try:
        cache, broker = ForgivingCache(address, {"KEY_PREFIX": "cache"}), Redis.from_url(address)
        broker.set("_kombu.binding.kbpo", "binding")
        cache.set("a", 1)
        cache.clear()
        assert cache.get("a") is None
        assert broker.keys() == [b"_kombu.binding.kbpo"]
    finally:
        server.release()
