"""A file arrives whole and once, whatever happens under way."""

import base64
import hashlib

import httpx2
import pytest

from kbpo_client import NetworkError, Refused, WrongUsage
from kbpo_client.uploads import send
from tests.unit.kbpo_client.conftest import problem

CONTENT = bytes(range(256)) * 40
PIECE = 1000


class Tus:
    """A server of the tus protocol with one upload; `faults` befall its pieces in turn."""

    def __init__(self, *faults, here=b"", left=()):
        self.faults, self.here, self.left, self.announced, self.pieces = list(faults), here, left, [], 0

    def __call__(self, request):
        if request.method == "GET":
            return httpx2.Response(200, json={"results": list(self.left), "next": None})
        if request.method == "POST":
            pairs = (pair.split(" ") for pair in request.headers["Upload-Metadata"].split(","))
            self.announced.append({key: base64.b64decode(value).decode() for key, value in pairs})
            self.here = b""
            return httpx2.Response(201, headers={"Location": "http://behind.a.proxy/api/v1/uploads/u1/"})
        if request.method == "HEAD":
            return httpx2.Response(200, headers={"Upload-Offset": str(len(self.here))})
        self.pieces += 1
        return self.take(request)

    def take(self, request):
        offset, body = int(request.headers["Upload-Offset"]), request.read()
        if offset != len(self.here):
            return problem(409)
        fault = self.faults.pop(0) if self.faults else None
        if fault == "cut":
            self.here += body[:300]
            raise httpx2.WriteError("connection reset")
        if fault == "cut before the answer":
            self.here += body
            raise httpx2.ReadError("connection reset")
        if isinstance(fault, httpx2.Response):
            return fault
        self.here += body
        return httpx2.Response(204, headers={"Upload-Offset": str(len(self.here))})


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "système.jsonl"
    path.write_bytes(CONTENT)
    return path


def begun(file, **other):
    modified = file.stat().st_mtime_ns // 1_000_000
    known = {"id": "u1", "name": file.name, "size": len(CONTENT), "modified": modified, "offset": 0}
    return {**known, "digest": hashlib.sha256(CONTENT).hexdigest(), **other}


def test_a_file_is_announced_with_its_digest_and_sent_in_pieces(connect, file):
    server, seen = Tus(), []
    upload = send(connect(server), file, piece=PIECE, progress=lambda *so_far: seen.append(so_far))
    assert (upload, server.here, server.pieces) == ("u1", CONTENT, 11)
    assert server.announced[0]["filename"] == "système.jsonl"
    assert server.announced[0]["sha256"] == hashlib.sha256(CONTENT).hexdigest()
    assert (seen[0], seen[-1]) == ((0, 10240), (10240, 10240))


@pytest.mark.parametrize(
    "fault", ["cut", "cut before the answer", problem(423), problem(503, Retry_After="1")]
)
def test_after_a_break_it_goes_on_where_the_server_is(connect, file, fault):
    server = Tus(None, fault, None, fault)
    send(connect(server), file, piece=PIECE)
    assert server.here == CONTENT
    assert len(server.announced) == 1


def test_what_an_earlier_run_sent_is_not_sent_again(connect, file):
    server = Tus(here=CONTENT[:9000], left=[begun(file, offset=9000, digest="")])
    send(connect(server), file, piece=PIECE)
    assert (server.here, server.pieces, server.announced) == (CONTENT, 2, [])


@pytest.mark.parametrize("other", [{"name": "other"}, {"size": 5}, {"modified": 1}, {"digest": "0" * 64}])
def test_what_may_be_another_file_is_not_gone_on_with(connect, file, other):
    server = Tus(left=[begun(file, offset=9000, **other)])
    send(connect(server), file, piece=PIECE)
    assert (server.here, len(server.announced)) == (CONTENT, 1)


@pytest.mark.parametrize("status", [404, 460])
def test_an_upload_that_is_gone_is_begun_anew_once(connect, file, status):
    server = Tus(None, problem(status))
    send(connect(server), file, piece=PIECE)
    assert (server.here, len(server.announced)) == (CONTENT, 2)


def test_a_file_that_is_too_large_is_refused(connect, file):
    with pytest.raises(Refused, match="too large"):
        send(connect(Tus(problem(413, "It is too large."))), file, piece=PIECE)


def test_a_server_that_takes_nothing_more_is_given_up(connect, file):
    def stuck(request):
        return problem(409) if request.method == "PATCH" else Tus(left=[])(request)

    with pytest.raises(NetworkError, match="takes no more"):
        send(connect(stuck), file, piece=PIECE)


@pytest.mark.parametrize("content", [b"", None])
def test_what_is_no_file_or_empty_is_not_sent(connect, tmp_path, content):
    path = tmp_path / "a"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(WrongUsage):
        send(connect(Tus()), path)
