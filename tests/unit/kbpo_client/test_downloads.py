"""A file is there whole and right, or not at all."""

import hashlib

import httpx2
import pytest

from kbpo_client import Later, NetworkError, NotAllowed
from kbpo_client.downloads import fetch
from tests.unit.kbpo_client.conftest import Server, problem

CONTENT = bytes(range(256)) * 40
DIGEST = hashlib.sha256(CONTENT).hexdigest()


class Cut(httpx2.SyncByteStream):
    """A body that breaks off."""

    def __init__(self, sent):
        self.sent = sent

    def __iter__(self):
        yield self.sent
        raise httpx2.ReadError("connection reset")


def whole(request=None):
    return httpx2.Response(
        200, stream=httpx2.ByteStream(CONTENT), headers={"Content-Length": str(len(CONTENT))}
    )


def cut(at):
    return lambda request: httpx2.Response(200, stream=Cut(CONTENT[:at]))


def rest(request):
    start = int(request.headers["Range"].removeprefix("bytes=").removesuffix("-"))
    assert request.headers["If-Range"] == f'"{DIGEST}"'
    headers = {"Content-Range": f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}"}
    return httpx2.Response(206, stream=httpx2.ByteStream(CONTENT[start:]), headers=headers)


@pytest.fixture
def to(tmp_path):
    return tmp_path / "corpus.jsonl.gz"


def alone(to):
    """Say that nothing unfinished lies beside the file."""
    return [path.name for path in to.parent.iterdir()] == [to.name]


def test_a_file_is_fetched_and_checked(connect, to):
    assert fetch(connect(Server(whole)), "data/", to, digest=DIGEST)
    assert to.read_bytes() == CONTENT
    assert alone(to)


def test_one_that_is_there_is_not_fetched_again(connect, to):
    to.write_bytes(CONTENT)
    server = Server(whole)
    assert not fetch(connect(server), "data/", to, digest=DIGEST)
    assert server.asked == []


def test_one_that_broke_off_is_gone_on_with(connect, to):
    server = Server(cut(4000), rest)
    fetch(connect(server), "data/", to, digest=DIGEST)
    assert (to.read_bytes(), len(server.asked)) == (CONTENT, 2)


def test_one_that_broke_off_in_an_earlier_run_is_gone_on_with(connect, to):
    with pytest.raises(NetworkError):
        fetch(connect(Server(cut(4000)), attempts=1), "data/", to, digest=DIGEST)
    assert not to.exists()
    fetch(connect(Server(rest)), "data/", to, digest=DIGEST)
    assert to.read_bytes() == CONTENT


def test_a_server_that_sends_no_rest_sends_all(connect, to):
    fetch(connect(Server(cut(4000), whole)), "data/", to, digest=DIGEST)
    assert to.read_bytes() == CONTENT


def test_what_arrives_damaged_is_thrown_away(connect, to):
    with pytest.raises(NetworkError, match="damaged"):
        fetch(connect(Server(whole)), "data/", to, digest="0" * 64)
    assert list(to.parent.iterdir()) == []


def test_without_a_digest_nothing_is_gone_on_with(connect, to):
    server = Server(cut(4000), whole)
    fetch(connect(server), "data/", to)
    assert "Range" not in server.asked[1].headers
    assert to.read_bytes() == CONTENT


def test_one_that_is_being_made_is_waited_for(connect, to, waits):
    fetch(connect(Server(httpx2.Response(202, headers={"Retry-After": "30"}), whole)), "data/", to)
    assert waits == [30]


def test_it_is_waited_for_no_longer_than_patience(connect, to):
    with pytest.raises(Later):
        fetch(connect(Server(httpx2.Response(202, headers={"Retry-After": "30"})), patience=100), "data/", to)


def test_a_closed_file_is_not_tried_again(connect, to, waits):
    with pytest.raises(NotAllowed, match="agreement"):
        fetch(connect(Server(problem(403, "Accept the agreement."))), "data/", to)
    assert waits == []
