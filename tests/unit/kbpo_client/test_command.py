"""What the command prints, and the status that it ends with."""

import hashlib
import io
import json
from pathlib import Path

import httpx2
import pytest

import kbpo
import kbpo_client
from kbpo_client import login
from kbpo_client.client import ACTIONS, Client
from kbpo_client.command import main
from kbpo_client.output import Output
from tests.conftest import ROOT
from tests.unit.kbpo_client.conftest import SITE, Server, page, problem

MEASURES = {"precision": {"estimate": 0.51234, "low": 0.4, "high": 0.6, "reason": ""}}
BOARD = {"rows": [{"rank": 1, "team": "Our\x1b[2J lab", "name": "baseline", "measures": MEASURES}]}


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Called:
    """The command, called against a server that is made up."""

    def __init__(self, server, *arguments, stderr=None):
        self.waits = []
        output = Output(stdout=io.StringIO(), stderr=stderr or io.StringIO())
        options = {"transport": httpx2.MockTransport(server), "sleep": self.waits.append, "attempts": 2}
        self.status = main(arguments, output=output, **options)
        self.stdout, self.stderr = output.stdout.getvalue(), output.stderr.getvalue()


@pytest.fixture(autouse=True)
def logged_in(monkeypatch, tmp_path):
    for name in (login.SITE, login.TOKEN):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(login.FOLDER, str(tmp_path / "config"))
    login.keep(tmp_path / "config", site=SITE, token="kbpo_secret")


def ok(body):
    return httpx2.Response(200, json=body)


def stand(state, **more):
    return ok({"id": 7, "state": state, "go_ahead": False, **more})


def test_a_table_has_the_rows_and_nothing_that_moves_a_terminals_cursor():
    called = Called(Server(ok(BOARD)), "leaderboard", "news")
    assert called.status == 0
    assert called.stdout.splitlines() == [
        "rank  team         name      precision  precision_low  precision_high",
        "1     Our [2J lab  baseline  0.512      0.400          0.600",
    ]


def test_json_is_a_list_of_flat_rows():
    rows = json.loads(Called(Server(ok(BOARD)), "leaderboard", "news", "--json").stdout)
    assert rows[0]["precision"] == 0.51234
    assert not [value for row in rows for value in row.values() if isinstance(value, dict | list)]


def test_what_is_chosen_is_asked_for():
    server = Server(ok({"scores": []}))
    Called(server, "scores", "7", "--level", "95", "--part", "all")
    assert str(server.asked[0].url) == f"{SITE}/api/v1/submissions/7/scores/?level=95&part=all"


class Parts(httpx2.SyncByteStream):
    """A body that comes in parts; `sent` says how many were asked for."""

    def __init__(self, *parts):
        self.parts, self.sent = parts, 0

    def __iter__(self):
        for part in self.parts:
            self.sent += 1
            yield part


ONE, OTHER = {"line": 1, "text": "a\u2028b\n{,"}, {"line": None, "text": "}"}
ROWS = ",\n".join(json.dumps(one, ensure_ascii=False) for one in (ONE, OTHER))
WHOLE = f'{{"results": [\n{ROWS}\n]\n, "next": null}}'.encode()


def test_all_problems_are_printed_a_row_a_line():
    server = Server(httpx2.Response(200, stream=Parts(WHOLE[:20], WHOLE[20:33], WHOLE[33:])))
    called = Called(server, "problems", "7", "--all", "--severity", "error")
    assert called.status == 0
    assert [json.loads(line) for line in called.stdout.split("\n")[:-1]] == [ONE, OTHER]
    assert str(server.asked[0].url) == f"{SITE}/api/v1/submissions/7/problems/all/?severity=ERROR"


def test_all_problems_come_while_they_are_sent():
    second = WHOLE.index(b'{"line": null')
    body = Parts(WHOLE[:second], WHOLE[second:])
    transport = httpx2.MockTransport(Server(httpx2.Response(200, stream=body)))
    rows = Client(SITE, transport=transport).all_problems(7)
    assert (next(rows), body.sent) == (ONE, 1)
    assert list(rows) == [OTHER]


def test_no_problems_are_no_lines_and_another_answer_is_no_list():
    none = Called(
        Server(httpx2.Response(200, content=b'{"results": []\n, "next": null}')), "problems", "7", "--all"
    )
    assert (none.status, none.stdout) == (0, "")
    assert Called(Server(httpx2.Response(200, content=WHOLE[:-9])), "problems", "7", "--all").status == 2


def test_a_comparison_has_a_row_for_each_measure():
    number = {"estimate": 0.5, "low": 0.4, "high": 0.6}
    among = {**number, "systems": 3, "is_significant": True}
    measures = {"f1": {"a": number, "b": None, "difference": number, "among": among}}
    called = Called(Server(ok({"measures": measures})), "compare", "news", "1", "2", "--json")
    (row,) = json.loads(called.stdout)
    assert (row["measure"], row["a_low"], row["b"], row["is_significant"]) == ("f1", 0.4, None, True)


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (problem(400), 1),
        (problem(401), 3),
        (httpx2.ConnectError("refused"), 4),
        (problem(429), 5),
        (problem(404), 6),
        (httpx2.Response(200, json={}, headers={"KBPO-Oldest-Client": "99.0.0"}), 7),
    ],
)
def test_each_failure_has_its_exit_status_and_one_line(answer, status):
    called = Called(Server(answer), "corpora")
    assert (called.status, called.stdout) == (status, "")
    assert called.stderr.splitlines()[-1].startswith("kbpo: ")
    assert "Traceback" not in called.stderr


def test_wrong_usage_has_status_2():
    with pytest.raises(SystemExit) as ended:
        Called(Server(page()), "nothing")
    assert ended.value.code == 2
    submit = ("submit", "a", "--corpus", "c", "--team", "t", "--name", "n", "--until", "scored")
    assert Called(Server(page()), *submit).status == 2


@pytest.mark.parametrize(("state", "status"), [("accepted", 0), ("refused", 1), ("failed", 1)])
def test_waiting_ends_with_what_became_of_the_file(state, status):
    called = Called(Server(stand("uploaded"), stand("uploaded"), stand(state)), "status", "7", "--wait")
    assert (called.status, called.waits) == (status, [1.0, 1.5])
    assert state in called.stdout


def test_waiting_ends_when_it_is_told_to():
    assert Called(Server(stand("uploaded")), "status", "7", "--wait", "--timeout", "20").status == 5


@pytest.mark.parametrize("until", ["judging", "scored"])
def test_nobody_waits_for_what_waits_for_them(until):
    assert Called(Server(stand("accepted")), "status", "7", "--until", until).status == 2


@pytest.mark.parametrize("action", ACTIONS)
def test_what_a_team_may_do_with_a_submission_is_a_command(action):
    server = Server(stand("accepted"))
    assert Called(server, action, "7").status == 0
    (asked,) = server.asked
    assert (asked.method, str(asked.url)) == ("POST", f"{SITE}/api/v1/submissions/7/{action}/")


ID = "0d5b3c1e-8d0b-4f5c-9a37-6f2b7f0f9a11"


def test_files_that_were_not_submitted_are_listed_and_thrown_away():
    row = {"id": ID, "name": "a.jsonl", "size": 7, "offset": 7, "expires_at": "2026-12-01T00:00:00Z"}
    assert "a.jsonl" in Called(Server(page(row)), "uploads").stdout
    server = Server(httpx2.Response(204))
    assert Called(server, "discard", ID).status == 0
    (asked,) = server.asked
    assert (asked.method, str(asked.url)) == ("DELETE", f"{SITE}/api/v1/uploads/{ID}/")
    assert asked.headers["Tus-Resumable"] == "1.0.0"
    assert Called(Server(problem(404)), "discard", ID).status == 6
    for other in ("", "../corpora/news/phases/3", "7"):
        assert Called(Server(problem(404)), "discard", other).status == 2


@pytest.mark.parametrize("words", [("predictions", "7", "--doc-id", "D1"), ("labels", "news", "1")])
def test_what_may_be_a_million_rows_is_printed_a_line_each(words):
    last = page({"line": 2, "x": {"y": "é"}})
    called = Called(Server(page({"line": 1}, next=f"{SITE}/api/v1/x/?cursor=a"), last), *words)
    assert called.stdout == '{"line": 1}\n{"line": 2, "x": {"y": "é"}}\n'


def test_a_download_waits_until_it_is_written_and_is_held_against_its_digest(tmp_path):
    file = httpx2.Response(200, stream=httpx2.ByteStream(b"gzip"))
    server = Server(
        ok({"state": "waiting", "seconds": 1, "digest": ""}),
        ok({"state": "ready", "seconds": 1, "digest": hashlib.sha256(b"gzip").hexdigest()}),
        file,
    )
    called = Called(server, "download", "7", "--to", str(tmp_path / "claims.gz"))
    assert (called.status, called.waits, (tmp_path / "claims.gz").read_bytes()) == (0, [1.0], b"gzip")


def test_a_token_is_kept_once_it_is_known_to_be_good(monkeypatch, tmp_path):
    monkeypatch.setenv(login.FOLDER, str(tmp_path / "other"))
    asked = ("login", "--site", SITE, "--token", "kbpo_new")
    assert Called(Server(problem(401)), *asked).status == 3
    assert login.read(tmp_path / "other") == login.Login()
    me = {"email": "ada@example.org", "token": {"scopes": ["read"]}}
    called = Called(Server(ok(me)), *asked)
    assert (called.status, login.read(tmp_path / "other").tokens) == (0, {SITE: "kbpo_new"})
    assert "kbpo_new" not in called.stdout


def test_a_token_comes_from_stdin_too(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.stdin", io.StringIO("kbpo_piped\n"))
    server = Server(ok({"email": "ada@example.org", "token": None}))
    assert Called(server, "login").status == 0
    assert server.asked[0].headers["Authorization"] == "Bearer kbpo_piped"


def test_closed_files_are_left_out_and_told(tmp_path):
    files = [
        {"name": "corpus.jsonl.gz", "is_open": False, "digest": "0", "size": 5},
        {"name": "kit.zip", "is_open": True, "digest": "", "size": None},
    ]
    kit = httpx2.Response(200, stream=httpx2.ByteStream(b"PK"))
    server = Server(page(*files), ok({"tag": "news", "task": "kbp"}), kit)
    called = Called(server, "data", "news", "--to", str(tmp_path / "news"))
    assert called.status == 0
    assert "/corpora/news/data/" in called.stderr
    assert sorted(path.name for path in (tmp_path / "news").iterdir()) == ["corpus.json", "kit.zip"]


def test_a_server_names_no_file_outside_of_the_folder(tmp_path):
    files = [{"name": "../evil", "is_open": True, "digest": "", "size": None}]
    called = Called(Server(page(*files), ok({"task": "kbp"})), "data", "news", "--to", str(tmp_path / "news"))
    assert called.status == 2
    assert not Path(tmp_path / "evil").exists()


def test_bars_are_drawn_on_a_terminal_alone():
    for stderr, is_drawn in ((io.StringIO(), False), (Terminal(), True)):
        Output(stderr=stderr).bar(1, 2)
        assert ("50%" in stderr.getvalue()) is is_drawn


def test_ctrl_c_ends_it_without_a_traceback():
    def interrupt(request):
        raise KeyboardInterrupt

    assert Called(Server(interrupt), "corpora").status == 130


def test_client_and_service_have_one_version():
    written = f'version = "{kbpo_client.__version__}"'
    assert written in (ROOT / "client/pyproject.toml").read_text()
    assert kbpo_client.__version__ == kbpo.__version__


TERMS = [
    {
        "version": 2,
        "text": "Be honest.\n\x1b[2JCite us.",
        "written_at": "2026-11-23T12:00:00Z",
        "accepted": [],
    },
    {"version": 1, "text": "Be honest.", "written_at": "2026-11-01T12:00:00Z", "accepted": []},
]


def test_terms_are_printed_as_they_hold_with_how_to_accept_them():
    called = Called(Server(page(*TERMS)), "terms", "news")
    assert called.stdout.splitlines() == ["Be honest.", " [2JCite us."]
    assert "kbpo accept news --team TEAM --version 2" in called.stderr


def test_terms_that_were_taken_back_are_none():
    called = Called(Server(page({**TERMS[0], "text": ""})), "terms", "news")
    assert (called.status, called.stdout) == (0, "")
    assert "nothing to accept" in called.stderr


def test_accepting_names_the_team_and_the_version_that_was_read():
    made = {"team": "Alpha", "version": 2, "accepted_by": "Ada", "accepted_at": "2026-11-23T12:00:00Z"}
    server = Server(httpx2.Response(201, json=made))
    assert Called(server, "accept", "news", "--team", "Alpha", "--version", "2").status == 0
    assert str(server.asked[0].url) == f"{SITE}/api/v1/corpora/news/terms/accept/"
    assert json.loads(server.asked[0].content) == {"team": "Alpha", "version": 2}


def test_a_table_of_corpora_says_which_are_open():
    row = {"tag": "news", "state": "open", "changes_at": "2026-12-02T12:00:00Z", "phase": "test"}
    called = Called(Server(page(row)), "corpora")
    assert called.stdout.splitlines()[1].split() == ["news", "open", "2026-12-02T12:00:00Z", "test"]


def test_a_leaderboard_is_asked_for_the_rows_that_are_wanted():
    server = Server(ok(BOARD))
    Called(server, "leaderboard", "news", "--sort=-precision", "--baselines", "hide", "--mine")
    assert dict(server.asked[0].url.params) == {"sort": "-precision", "baselines": "hide", "mine": "true"}


CITED = {
    "plain": "Our lab. baseline.",
    "bibtex": "@misc{a,\n  title = {x\x1b[2J}\n}",
    "address": "https://x/",
}


def test_a_citation_is_printed_as_it_is_pasted_without_what_moves_a_cursor():
    called = Called(Server(ok({"system": CITED, "scores": CITED})), "cite", "7")
    assert called.stdout == "@misc{a,\n  title = {x [2J}\n}\n"
    called = Called(Server(ok({"system": CITED, "scores": None})), "cite", "7", "--system", "--plain")
    assert called.stdout == "Our lab. baseline.\n"


@pytest.mark.parametrize("arguments", [["news"], ["--snapshot", "1", "news", "--score", "2"]])
def test_what_cannot_be_cited_is_wrong_usage(arguments):
    assert Called(Server(), "cite", *arguments).status == 2


def test_what_has_no_scores_yet_is_not_cited():
    called = Called(Server(ok({"system": CITED, "scores": None})), "cite", "7")
    assert (called.status, called.stdout) == (2, "")


def test_a_snapshot_is_cited_by_its_corpus():
    server = Server(ok({"citation": CITED}))
    called = Called(server, "cite", "news", "--snapshot", "3", "--plain")
    assert called.stdout == "Our lab. baseline.\n"


def test_snapshots_are_listed_and_one_is_printed_as_a_board():
    one = {
        "number": 1,
        "taken_at": "2026-01-02",
        "reason": "release",
        "epoch": 1,
        "systems": 2,
        "digest": "ab",
    }
    assert "release" in Called(Server(page(one)), "snapshots", "news").stdout
    assert "0.512" in Called(Server(ok(BOARD)), "snapshots", "news", "1").stdout
