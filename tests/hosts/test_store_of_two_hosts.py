"""The store that two hosts share is slow, silent, gone, broken or full: it is said, and nothing is lost."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.hosts import disturbing, history
from tests.hosts.disturbing import Keeper
from tests.hosts.faulty_store import FaultyStore, Mode
from tests.hosts.history import SYSTEMS, Outcome
from tests.hosts.hosts import Host, may_make_networks
from tests.hosts.place import Place, two_hosts
from tests.processes import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(may_make_networks()), reason=may_make_networks())]

AWAY = "Nothing is lost: try the same again in a few minutes."
#: What who uploads is told.
SAID: dict[Mode, tuple[str, ...]] = {
    "gone": ("The store of files cannot be reached", AWAY),
    "broken": ("The store of files cannot do this now", AWAY),
    "silent": ("The store of files cannot be reached", AWAY),
    "full": ("The store of files is full, so nothing of this was kept. The operators have to make room",),
}


@pytest.fixture
def stores() -> Iterator[list[FaultyStore]]:
    made: list[FaultyStore] = []
    yield made
    for one in made:
        one.close()


def test_a_store_that_fails_is_named_and_nothing_is_lost(
    undisturbed: Outcome, stores: list[FaultyStore], tmp_path: Path
) -> None:
    def before_store(port: int) -> int:
        stores.append(FaultyStore(port))
        return stores[0].port

    with two_hosts(tmp_path, before_store=before_store) as place:
        (store,) = stores
        tokens, keeper = history.begin(place)
        with disturbing.kept_and_killed(keeper, None):
            _fail(place, tokens, keeper, store)
            disturbing.wait_until_settled(place.first)
        store.be("well")
        outcome = history.end(place, keeper, [])
    assert outcome.ended == []
    assert outcome.rows["mail"] == undisturbed.rows["mail"]
    assert disturbing.differences(undisturbed.rows, outcome.rows) == {}


def _fail(place: Place, tokens: dict[str, str], keeper: Keeper, store: FaultyStore) -> None:
    history.hand_in(place, tokens, 0)
    for number, mode in enumerate(SAID, 1):
        # Taken in while it was well, read when it is not: that is said, and the file waits.
        keeper.end("worker")
        history.hand_in(place, tokens, number)
        store.be(mode)
        for host in place.hosts:
            (host.home / "worker.log").write_bytes(b"")
            keeper.start(host, "worker")
        for host in place.hosts:
            if mode != "full":  # then it can be read
                assert wait_until(partial(_has_noticed, host), disturbing.LONG), mode
            _is_said(host, tokens["Alpha"], place, mode)
        if mode != "full":
            assert _state(place.first, tokens, number) == "uploaded"
        assert store.asked[mode] > 0 or mode == "gone"
        store.be("well")
    store.be("slow")
    for number in range(len(SAID) + 1, SYSTEMS):
        history.hand_in(place, tokens, number)
    assert store.asked["slow"] > 0


def _has_noticed(host: Host) -> bool:
    return "the store of files is away" in host.said("worker")


def _state(host: Host, tokens: dict[str, str], number: int) -> str:
    team = ("Alpha", "Beta")[number % 2]
    found = json.loads(host.client(tokens[team], "status"))
    return next(str(one["state"]) for one in found if one["name"] == f"system {number}")


def _is_said(host: Host, token: str, place: Place, mode: Mode) -> None:
    """Look whether somebody who hands in another file is told, and whatever watches the host."""
    found = disturbing.try_once(host, token, place.system(99), "Alpha", "not now")
    for words in SAID[mode]:
        assert words in found["refusal"]
    assert found["files"]["state"] == "failed"
    assert "not now" not in host.client(token, "status")
