"""Two hosts that share only Postgres, Redis and the store of files: which one does what makes no difference.

Postgres and Redis are reached by sockets in a folder, the store over the hosts' networks, by another address
from each. Neither host reaches the other, nor has a file that the other has.
"""

import json
from collections.abc import Iterator

import pytest

from tests.hosts.hosts import Host, may_make_networks
from tests.hosts.place import Place, two_hosts
from tests.processes import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(may_make_networks()), reason=may_make_networks())]

LONG = 240.0  # seconds; what is waited for takes a few, on a machine that has nothing else to do
MAKE_A_MEMBER = """
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "kbpo.settings"
import django
django.setup()
from django.utils import timezone
from kbpo.accounts import tokens
from kbpo.accounts.models import Membership, Team, User
user = User.objects.create_user(email="ada@example.org", name="Ada")
Membership.objects.create(team=Team.objects.get(name="Alpha"), user=user)
days = min(tokens.DAYS)
made = tokens.make(user=user, name="two hosts", scopes=tokens.SCOPES, days=days, now=timezone.now())
print(made.secret)
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with two_hosts(tmp_path_factory.mktemp("hosts")) as place:
        yield place


def test_what_one_host_takes_in_the_other_reads_samples_judges_and_sends(place: Place) -> None:
    first, second, world = place.first, place.second, place.world
    corpus = world.write_corpus(place.folder / "corpus.jsonl")
    gold = world.write_gold(place.folder / "gold.jsonl")
    loading = ("load_corpus", str(corpus), "--corpus", "news", "--licence", "CC0", "--texts", "public")
    first.manage(*loading)
    second.manage("load_gold", str(gold), "--corpus", "news", "--documents", "6")
    first.manage("submit", str(place.system(1)), "--corpus", "news", "--team", "Alpha", "--name", "one")
    second.manage("advance")  # names database and store, and reads at one what was stored at the other
    token = first.run("-c", MAKE_A_MEMBER).strip()
    first.start_web()
    second.start_web()
    first.fork("beat")

    # A worker that was given no store refuses, says why, and touches no row.
    first.start_worker("lost", FILE_STORE="", FILE_STORE_ENDPOINT="", FILE_STORE_KEY="", FILE_STORE_SECRET="")
    sent = ("--corpus", "news", "--team", "Alpha", "--go-ahead")
    two = json.loads(first.client(token, "submit", str(place.system(2)), *sent, "--name", "two"))["id"]
    assert wait_until(lambda: "has no installation.json" in first.said("lost"), LONG), first.said("lost")
    assert json.loads(second.client(token, "status", str(two)))["state"] == "uploaded"
    assert "the same FILE_STORE" in first.said("lost")
    first.kill("lost")

    # Uploaded at one, read and sampled at the other; then the other way round.
    second.fork("worker")
    waiting = ("--until", "judging", "--timeout", str(LONG))
    assert json.loads(second.client(token, "status", str(two), *waiting))["state"] == "judging"
    first.fork("worker")
    second.kill("worker")
    three = second.client(token, "submit", str(place.system(3)), *sent, "--name", "three", *waiting)
    assert json.loads(three)["state"] == "judging"
    second.fork("worker")

    # Judged at both, and scored by whoever comes first.
    crowd = ("simulate_crowd", "--corpus", "news", "--gold", str(gold), "--seed", "5")
    first.manage(*crowd)
    second.manage(*crowd)
    for number in (two, json.loads(three)["id"]):
        scored = second.client(token, "status", str(number), "--until", "scored", "--timeout", str(LONG))
        assert json.loads(scored)["state"] == "scored"
    assert wait_until(lambda: _boards_agree(first, second), LONG)

    # What was made at one is sent by both.
    for host in (first, second):
        wanted = ("data", "news", "corpus.jsonl.gz", "--to", str(host.home / "client" / "data"))
        assert wait_until(lambda host=host, wanted=wanted: _has(host, token, *wanted), LONG)
    sent_by = [next((host.home / "client" / "data").glob("*.gz")).read_bytes() for host in (first, second)]
    assert sent_by[0] == sent_by[1] != b""
    first.manage("audit_samples", "--corpus", "news")

    # Nothing that people sent, and nothing that was made of it, lies on a host.
    for host in (first, second):
        assert [name for name in host.files() if not name.startswith(("texts/", "mail/"))] == []
    assert all(key.startswith("site/") for key in place.objects())
    assert sum("/submissions/" in key for key in place.objects()) == 3


def _has(host: Host, token: str, *command: str) -> bool:
    try:
        host.client(token, *command)
    except AssertionError:
        return False
    return True


def _boards_agree(*at: Host) -> bool:
    boards = [host.manage("leaderboard", "--corpus", "news", "--json") for host in at]
    return boards[0] == boards[1] and len(json.loads(boards[0])["rows"]) == 3
