"""The client against a live server: the walk of its page, and what goes wrong under way."""

import gzip
import io
import json
import re
import shlex
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from annotations.challenges import versions
from annotations.models import Corpus
from evaluation.models import ScoreRecord, Submission, Upload
from evaluation.registry import task_of
from evaluation.scoring.published import freezing
from evaluation.submissions import quota
from kbpo import pipeline
from kbpo.accounts import tokens
from kbpo.accounts.models import ApiToken, User
from kbpo_client import Client, NotAllowed, Refused, login, validate
from kbpo_client.command import main
from kbpo_client.output import Output
from kbpo_client.uploads import send
from kbpo_formats.corpus import Texts
from kbpo_formats.kbp.files import convert
from kbpo_formats.ontologies.builtin import read_builtin
from tests import factories as make
from tests.conftest import ROOT
from tests.integration.conftest import Small

pytestmark = pytest.mark.django_db(transaction=True)
WALK = re.findall(r"^\$ kbpo (.+)$", (ROOT / "docs/client.md").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, live_server: LiveServer) -> None:
    settings.KBPO_HOME = tmp_path / "home"
    (tmp_path / "home" / "postgres").mkdir(parents=True)  # commands note there that nothing is to be migrated
    settings.MEDIA_ROOT = tmp_path / "home" / "media"
    for name in (login.SITE, login.TOKEN):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(login.FOLDER, str(tmp_path / "login"))


@pytest.fixture
def user(home: None) -> User:
    found = make.UserFactory.create()
    make.TeamFactory.create(members=[found], name="Alpha")
    return found


@pytest.fixture
def secret(user: User) -> str:
    scopes = [tokens.READ, tokens.SUBMIT]
    return tokens.make(user=user, name="script", scopes=scopes, days=30, now=timezone.now()).secret


def system(small: Small, path: Path) -> Path:
    """Write a system's file as JSON Lines."""
    kb = small.world.write_kb(path.with_suffix(".kb"), small.world.system(recall=0.7, precision=0.6, seed=0))
    lines = (small.folder / "corpus.jsonl").read_text().splitlines()
    texts = Texts({one["doc_id"]: one["text"] for one in map(json.loads, lines)})
    with kb.open("rb") as stream:
        _, written = convert(
            stream, source="tac2016", target="jsonl", documents=texts, ontology=read_builtin("tac-kbp@1")
        )
        path.write_text("".join(written))
    return path


@pytest.mark.slow
def test_the_commands_of_the_walk_do_what_its_page_says(
    small: Small, user: User, secret: str, live_server: LiveServer, tmp_path: Path, monkeypatch: Any
) -> None:
    small.load()
    Corpus.objects.update(licence="CC0")
    pipeline.make_corpus_files()
    monkeypatch.chdir(tmp_path)
    system(small, tmp_path / "system.jsonl")
    other = small.submit("other", team="Beta", seed=3).pk
    corpus = Corpus.objects.get()
    versions.write_terms(
        corpus=corpus, text="Be honest.", by=make.UserFactory.create(operator=True), now=timezone.now()
    )

    def work(seconds: float) -> None:
        pipeline.advance()
        if Submission.objects.filter(state="judging").exists():
            small.judge()

    printed, score = {}, "0"
    for line in WALK:
        made = Submission.objects.filter(name="baseline").first()
        numbers = {"17": str(made.pk if made else 0), "12": str(other)}
        if line.startswith("history"):
            freezing.freeze(corpus=corpus, task=task_of(corpus), now=timezone.now())
            score = str(ScoreRecord.objects.filter(submission=made).latest("change").change)
        numbers["5"] = score
        meant = re.sub(r"\b(17|12|5)\b", lambda found: numbers[found[0]], line)  # noqa: B023
        words = shlex.split(meant.replace("https://kbpo.example.org", live_server.url), comments=True)
        if words[0] == "login":
            words += ["--token", secret]
        output = Output(stdout=io.StringIO(), stderr=io.StringIO())
        assert main(words, output=output, sleep=work) == 0, (line, output.stderr.getvalue())
        printed[words[0]] = output.stdout.getvalue()
    assert {"login", "corpora", "data", "validate", "submit", "status", "problems"} <= set(printed)
    assert {row["name"] for row in json.loads(printed["leaderboard"])} == {"baseline", "other"}
    assert "precision" in printed["scores"]
    assert "difference" in printed["compare"]
    assert (tmp_path / "claims.gz").read_bytes().startswith(b"\x1f\x8b")


def hostile(small: Small) -> dict[str, bytes]:
    """Return files that are wrong in many ways, with a right line here and there."""
    (document, *_) = map(json.loads, (small.folder / "corpus.jsonl").read_text().splitlines())
    mention = {"start": 0, "end": 5, "type": "PER"}
    whole = {"start": 0, "end": min(140, len(document["text"])), "type": "PER"}
    right = {
        "doc_id": document["doc_id"],
        "predicate": "per:spouse",
        "subject": mention,
        "object": {"start": 8, "end": 12, "type": "PER"},
    }
    line = json.dumps(right)
    lines = [
        line,
        json.dumps({**right, "object": whole}),
        line.replace('"end": 5', '"end": 5, "end": 6'),
        line.replace("per:spouse", "per:spuose"),
        line.replace(": 0,", ": NaN,"),
        line.replace(": 0,", ": 1" + "0" * 5000 + ","),
        line.replace(": 0,", ": 1e999,"),
        line.replace("per:spouse", "\\ud800"),
        line.replace("per:spouse", "\0"),
        "[" * 5000,
        "x" * 9000,
        "{}",
        "",
    ]
    claims = "\ufeff" + "\r\n".join(lines) + "\n"
    return {
        "warned.jsonl": f"{lines[0]}\n{lines[1]}\n{lines[0]}\n".encode(),
        "wrong.jsonl": claims.encode() + b'{"doc_id": "\xff"}\n' + b"{}\n" * 2_000,
        "cut.jsonl.gz": gzip.compress(line.encode() * 100)[:-5],
        "wide.jsonl": claims.encode("utf-16"),
        "wrong.kb": b'run\n:A\ttype\tPER\n:A\tmention\t"x"\tD9:0-2\n\xff\none\ttwo\n',
    }


@pytest.mark.slow
def test_offline_and_on_the_site_the_same_is_said_of_a_file(
    small: Small, secret: str, live_server: LiveServer, tmp_path: Path
) -> None:
    small.load()
    Corpus.objects.update(licence="CC0")
    pipeline.make_corpus_files()
    with Client(live_server.url, secret, sleep=lambda _: pipeline.read_checks()) as site:
        site.download_data("small", tmp_path / "small")
        for name, content in hostile(small).items():
            path = tmp_path / name
            path.write_bytes(content)
            there, here = site.check(path, corpus="small"), validate(path, data=tmp_path / "small")
            assert there["problems"] == here.problems, name
            assert there["counts"] == here.counts, name
            assert (there["state"] == "accepted") == here.accepted
    assert not Submission.objects.exists()


class Breaking(httpx2.HTTPTransport):
    """A network that breaks in the middle of some pieces of a file."""

    def __init__(self, *broken: int) -> None:
        super().__init__()
        self.broken, self.pieces = broken, 0

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "PATCH":
            self.pieces += 1
            if self.pieces in self.broken:
                body = request.read()
                request.stream = _Half(body)
        return super().handle_request(request)


class _Half(httpx2.SyncByteStream):
    def __init__(self, body: bytes) -> None:
        self.body = body

    def __iter__(self) -> Iterator[bytes]:
        yield self.body[: len(self.body) // 2]
        raise httpx2.WriteError("connection reset")


@pytest.mark.parametrize("megabytes", [9, pytest.param(300, marks=pytest.mark.slow)])
def test_an_upload_that_is_interrupted_arrives_whole(
    megabytes: int, secret: str, live_server: LiveServer, tmp_path: Path
) -> None:
    path = tmp_path / "system.jsonl"
    with path.open("wb") as file:
        for number in range(megabytes):
            file.write(bytes([number % 251]) * (1 << 20))
    transport = Breaking(1, 2, 4)
    seen: list[int] = []
    with Client(live_server.url, secret, transport=transport) as site:
        upload = send(site._connection, path, progress=lambda done, total: seen.append(done))
    arrived = Upload.objects.get(pk=upload)
    assert arrived.offset == path.stat().st_size
    assert arrived.digest == arrived.announced_digest
    assert transport.pieces > 4
    assert seen == sorted(seen)


def test_an_upload_that_was_given_up_goes_on_in_the_next_run(
    secret: str, live_server: LiveServer, tmp_path: Path
) -> None:
    path = tmp_path / "system.jsonl"
    path.write_bytes(bytes(1 << 20))
    given_up = Client(live_server.url, secret, transport=Breaking(1), attempts=1)
    with pytest.raises(Exception, match="cannot be reached"):
        send(given_up._connection, path)
    for _ in range(1_000):  # until the server has seen that nothing more comes
        if Upload.objects.get().offset:
            break
        threading.Event().wait(0.01)
    seen: list[int] = []
    with Client(live_server.url, secret) as site:
        send(site._connection, path, progress=lambda done, total: seen.append(done))
    assert Upload.objects.count() == 1
    assert (seen[0] > 0, seen[-1]) == (True, 1 << 20)


def test_a_token_that_was_revoked_is_told_from_other_failures(
    secret: str, user: User, live_server: LiveServer
) -> None:
    with Client(live_server.url, secret) as site:
        assert site.me()["email"] == user.email
        tokens.revoke(token=ApiToken.objects.get(), by=user, now=timezone.now())
        with pytest.raises(NotAllowed, match="revoked"):
            site.me()
    output = Output(stdout=io.StringIO(), stderr=io.StringIO())
    assert main(["status", "--site", live_server.url, "--token", secret], output=output) == 3


def test_a_server_that_restarts_is_waited_for(secret: str, user: User) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    started: list[LiveServer] = []
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            started.append(LiveServer(f"localhost:{port}"))

    try:
        with Client(f"http://localhost:{port}", secret, sleep=wait) as site:
            assert site.me()["email"] == user.email
    finally:
        for server in started:
            server.stop()
    assert waits == [0.5, 1.0]


def test_a_quota_that_is_used_up_is_told_in_the_servers_words(
    secret: str, live_server: LiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.CorpusFactory.create(tag="news")
    monkeypatch.setattr(quota, "most_waiting", lambda corpus: 1)
    path = tmp_path / "system.jsonl"
    path.write_bytes(b"{}\n")
    with Client(live_server.url, secret) as site:
        submitted = {"corpus": "news", "team": "Alpha", "go_ahead": True, "again": True}
        assert site.submit(path, name="one", **submitted)["state"] == "uploaded"
        with pytest.raises(Refused, match="wait to be judged") as refused:
            site.submit(path, name="two", **submitted)
        assert (refused.value.status, refused.value.exit_status) == (409, 1)
        assert site.submit(path, name="three", **{**submitted, "go_ahead": False})["state"] == "uploaded"
        assert [row["team"] for row in site.quotas("news")] == ["Alpha"]
