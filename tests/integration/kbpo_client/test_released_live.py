"""A stranger at a live server: what was cited, and what is made of the archive that they download."""

import io
import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import httpx2
import pytest
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from annotations.models import Corpus
from evaluation.kbp.task import TASK as KBP
from evaluation.scoring import estimation, releasing
from evaluation.scoring.published import freezing
from evaluation.submissions import lifecycle
from kbpo import pipeline
from kbpo_client import login
from kbpo_client.command import main
from kbpo_client.output import Output
from tests import factories as make
from tests.conftest import ROOT
from tests.integration.conftest import Small

pytestmark = pytest.mark.django_db(transaction=True)
ARRIVALS = 20
SCRIPT = ROOT / "docs" / "recompute_precision.py"


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.KBPO_HOME = tmp_path / "home"
    (tmp_path / "home" / "postgres").mkdir(parents=True)  # commands note there that nothing is to be migrated
    settings.MEDIA_ROOT = tmp_path / "home" / "media"
    for name in (login.SITE, login.TOKEN):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(login.FOLDER, str(tmp_path / "login"))


class Stranger:
    """Somebody without an account, who reads the site and runs the client in a folder of their own."""

    def __init__(self, site: str, folder: Path) -> None:
        self.site, self.folder = site, folder
        folder.mkdir()

    def read(self, address: str) -> str:
        answer = httpx2.get(f"{self.site}{address}")
        assert answer.status_code == 200, address
        return answer.text

    def numbers(self, address: str) -> list[str]:
        page = self.read(address).partition("<main")[2]
        return re.findall(r"\d+\.\d", re.sub(r"<(svg|time|pre|code)\b.*?</\1>", "", page, flags=re.DOTALL))

    def keep(self, address: str) -> Path:
        """Download what is at an address."""
        path = self.folder / address.strip("/").replace("/", "-")
        path.write_text(self.read(address))
        return path

    def kbpo(self, *words: object) -> tuple[list[dict[str, Any]], str]:
        """Run a command that must succeed; return its rows, and what it says beside them."""
        output = Output(stdout=io.StringIO(), stderr=io.StringIO(), as_json=True)
        said = [str(word) for word in words]
        status = main([*said, "--json"], output=output)
        assert status == 0, (said, output.stderr.getvalue())
        printed = output.stdout.getvalue()
        return json.loads(printed) if printed else [], output.stderr.getvalue()


@pytest.mark.slow
def test_what_was_cited_stays_and_comes_out_of_the_archive(
    small: Small, live_server: LiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cited before twenty arrivals, other code, a release and a withdrawal."""
    stranger = Stranger(live_server.url, tmp_path / "stranger")
    monkeypatch.setenv(login.SITE, live_server.url)
    member = make.UserFactory.create()
    make.TeamFactory.create(name="Alpha", members=[member])
    corpus = small.load()
    Corpus.objects.update(licence="CC0")
    pipeline.make_corpus_files()
    cited = small.submit("cited", team="Alpha", seed=1)
    small.submit("other", team="Beta", seed=2)
    pipeline.advance()
    small.judge()
    freezing.freeze(corpus=corpus, task=KBP, now=timezone.now())
    citation = httpx2.get(f"{live_server.url}/api/v1/submissions/{cited.pk}/citation/").json()["scores"]
    address = citation["address"].removeprefix(live_server.url)
    shown = re.findall(r"\d+\.\d", citation["plain"].partition("(in per cent")[0])
    first = "/corpora/small/snapshots/1.1/"
    before = stranger.numbers(address), stranger.numbers(first)
    assert len(shown) == 9
    assert set(shown) <= set(before[0])

    monkeypatch.setattr(estimation, "code_version", lambda task: "99.0+other")
    for number in range(ARRIVALS):
        small.submit(f"later{number}", team=f"Team{number % 7}", seed=10 + number)
        if number % 5 == 4:
            pipeline.advance()
            small.judge()
    live = f"/submissions/{cited.pk}/history.json"
    releasing.release(corpus=corpus, task=KBP, retire=1.0)
    pipeline.advance()
    lifecycle.withdraw(submission=cited, user=member)
    pipeline.advance()

    assert before == (stranger.numbers(address), stranger.numbers(first))
    assert httpx2.get(f"{live_server.url}{live}").status_code == 404
    for page in (stranger.read(address), stranger.read(first)):
        assert "Withdrawn" in page
        assert "Alpha" not in page

    archive, data, out = (stranger.folder / name for name in ("archive.zip", "texts", "training"))
    stranger.kbpo("archive", "small", 1, "--to", archive)
    rows, said = stranger.kbpo("recompute", archive)
    assert "all published figures come out again, within 1e-12" in said
    assert "more figures" not in said
    alone = subprocess.run(
        [sys.executable, "-I", str(SCRIPT), str(archive)], capture_output=True, text=True, check=True
    )
    apart = [float(line.rsplit(maxsplit=1)[1]) for line in alone.stdout.splitlines()]
    assert len(apart) == ARRIVALS + 2
    assert max(apart) < 1e-9

    stranger.kbpo("data", "small", "--to", data)
    stranger.kbpo("training", archive, "--texts", data, out)
    weighted: dict[int, float] = defaultdict(float)
    for path in sorted((out / "data" / "relation_extraction").glob("*.jsonl")):
        for example in map(json.loads, path.read_text().splitlines()):
            assert example["text"]
            for one in example["claimed"]:
                weighted[one["system"]] += one["weight"] * example["label"]
    published = {
        row["system"]: row["estimate"]
        for row in rows
        if (row["part"], row["weighting"], row["standard"]) == ("relation", "instance", "votes")
        and (row["level"], row["measure"], row["estimator"]) == (95, "precision", "documents")
    }
    assert len(published) == ARRIVALS + 2
    assert all(abs(weighted[system] - estimate) < 1e-9 for system, estimate in published.items())
