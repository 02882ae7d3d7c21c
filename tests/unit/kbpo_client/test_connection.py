"""What the client does when a server is away, slow, in doubt, or refuses."""

import httpx2
import pytest

from kbpo_client import Later, NetworkError, NotAllowed, NotFound, Outdated, Refused, WrongUsage
from kbpo_client.connection import Connection
from tests.unit.kbpo_client.conftest import SITE, Server, page, problem

REFUSED = httpx2.ConnectError("connection refused")
CUT = httpx2.ReadError("connection reset")


def ok(**headers):
    return httpx2.Response(200, json={}, headers={k.replace("_", "-"): v for k, v in headers.items()})


def test_a_server_that_comes_back_is_asked_again_after_longer_waits(connect, waits):
    connect(Server(REFUSED, REFUSED, REFUSED, ok())).ask("GET", "me/")
    assert waits == [0.5, 1.0, 2.0]


def test_one_that_stays_away_is_given_up(connect):
    server = Server(REFUSED)
    with pytest.raises(NetworkError, match=SITE):
        connect(server, attempts=3).ask("GET", "me/")
    assert len(server.asked) == 3


def test_what_may_have_been_done_is_not_done_twice(connect):
    server = Server(CUT, ok())
    with pytest.raises(NetworkError, match="look before you do it again"):
        connect(server).ask("POST", "submissions/")
    assert len(server.asked) == 1


@pytest.mark.parametrize("answer", [REFUSED, problem(429), problem(503)])
def test_what_was_certainly_not_done_is_done_again(connect, answer):
    server = Server(answer, ok())
    connect(server).ask("POST", "submissions/")
    assert len(server.asked) == 2


def test_it_waits_as_long_as_the_server_says(connect, waits):
    connect(Server(problem(429, Retry_After="17"), ok())).ask("GET", "me/")
    assert waits == [17]


def test_it_waits_no_longer_than_its_patience(connect, waits):
    with pytest.raises(Later) as refused:
        connect(Server(problem(429, "Too many.", Retry_After="3600")), patience=60).ask("GET", "me/")
    assert (refused.value.seconds, waits) == (3600, [])


def test_it_asks_nothing_while_nothing_is_left_to_ask(connect, waits):
    used_up = '"client";r=90;t=10, "token";r=0;t=42'
    connection = connect(Server(ok(RateLimit=used_up), ok(RateLimit='"token";r=5;t=60')))
    for _ in range(3):
        connection.ask("GET", "me/")
    assert waits == [42]


@pytest.mark.parametrize(
    ("status", "error", "exit_status"),
    [
        (400, Refused, 1),
        (401, NotAllowed, 3),
        (403, NotAllowed, 3),
        (404, NotFound, 6),
        (409, Refused, 1),
        (413, Refused, 1),
        (500, NetworkError, 4),
        (429, Later, 5),
    ],
)
def test_a_refusal_says_why_and_has_its_exit_status(connect, status, error, exit_status):
    with pytest.raises(error, match=r"Because\.") as refused:
        connect(Server(problem(status, "Because.")), attempts=1).ask("GET", "me/")
    assert refused.value.exit_status == exit_status


def test_a_refusal_names_the_fields_that_are_wrong(connect):
    with pytest.raises(Refused, match="team: There is none") as refused:
        connect(Server(problem(400, errors=[("team", "There is none.")]))).ask("POST", "submissions/")
    assert refused.value.fields == (("team", "There is none."),)


def test_an_answer_that_is_no_problem_is_told_by_its_status(connect):
    with pytest.raises(NetworkError, match="status 500"):
        connect(Server(httpx2.Response(500, text="<html>"))).ask("GET", "me/")


@pytest.mark.parametrize("body", ["<html>Sign in to the network</html>", "[]"])
def test_what_is_no_such_site_is_told(connect, body):
    with pytest.raises(WrongUsage, match="no KBP Online"):
        connect(Server(httpx2.Response(200, text=body))).read("GET", "me/")


def test_pages_are_followed_and_the_token_goes_nowhere_else(connect):
    server = Server(
        page({"n": 1}, next="https://evil.example/api/v1/x/?cursor=abc&limit=250"), page({"n": 2})
    )
    assert [row["n"] for row in connect(server).pages("corpora/")] == [1, 2]
    assert [str(one.url) for one in server.asked] == [
        f"{SITE}/api/v1/corpora/?limit=250",
        f"{SITE}/api/v1/corpora/?cursor=abc&limit=250",
    ]


def test_a_token_goes_over_no_open_line():
    with pytest.raises(WrongUsage, match="https"):
        Connection("http://kbpo.example.org", "kbpo_secret")
    Connection("http://localhost:8000", "kbpo_secret").close()
    Connection("http://kbpo.example.org").close()


@pytest.mark.parametrize("site", ["", "kbpo.example.org", "ftp://kbpo.example.org"])
def test_what_is_no_address_is_refused(site):
    with pytest.raises(WrongUsage):
        Connection(site)


def test_a_redirect_is_not_followed(connect):
    moved = httpx2.Response(301, headers={"Location": "https://elsewhere.example/"})
    with pytest.raises(WrongUsage, match="elsewhere"):
        connect(Server(moved)).ask("GET", "me/")


def test_a_server_that_serves_only_newer_clients_is_not_used(connect):
    answer = ok(KBPO_Oldest_Client="99.0.0")
    with pytest.raises(Outdated, match=r"99\.0\.0") as refused:
        connect(Server(answer)).ask("GET", "me/")
    assert refused.value.exit_status == 7


def test_an_older_server_is_told_of_once(connect):
    told = []
    connection = connect(Server(ok(KBPO_Version="0.1.0")), tell=told.append)
    connection.ask("GET", "me/")
    connection.ask("GET", "me/")
    assert len(told) == 1
    assert "0.1.0" in told[0]
