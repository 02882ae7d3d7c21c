"""The ways in of docs/way-in, carried out against a live server: what their pages say is what one does."""

from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.core.management import call_command
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from annotations.models import Corpus
from evaluation.models import Submission
from kbpo import pipeline
from kbpo.accounts import tokens
from tests import factories as make
from tests.conftest import ROOT
from tests.integration.conftest import Small
from tests.walking import find_link, script, walk

pytestmark = pytest.mark.django_db(transaction=True)
FOLDER = ROOT / "docs" / "way-in"


class Here:
    """What the service's side does, in the process of the test."""

    def __init__(self, small: Small) -> None:
        self.small = small
        self.team = make.TeamFactory.create(name="Wren", members=[make.UserFactory.create()])

    def operate(self, words: list[str]) -> str:
        command, *options = words[words.index("manage.py") + 1 :]
        call_command(
            command,
            *(str(self.small.gold) if one.startswith("var/") else one for one in options),
            verbosity=0,
        )
        return ""

    def link(self) -> str:
        self.work()
        return find_link(str(mail.outbox[-1].body))

    def token(self) -> str:
        scopes = [tokens.READ, tokens.SUBMIT]
        user = self.team.members.get()
        return tokens.make(user=user, name="walk", scopes=scopes, days=7, now=timezone.now()).secret

    def work(self) -> None:
        pipeline.advance()


@pytest.fixture
def here(small: Small, settings: Any, tmp_path: Path, live_server: LiveServer) -> Here:
    settings.SITE_URL = live_server.url  # to which links in mail lead
    settings.KBPO_HOME = tmp_path / "home"
    (tmp_path / "home" / "postgres").mkdir(parents=True)  # commands note there that nothing is to be migrated
    settings.MEDIA_ROOT = tmp_path / "home" / "media"
    small.load()
    small.submit("other", team="Beta", seed=3)
    Corpus.objects.update(tag="demo", licence="CC0")
    found = Here(small)
    found.work()
    return found


@pytest.mark.parametrize(
    "name", ["curl", *(pytest.param(name, marks=pytest.mark.slow) for name in ("client", "script"))]
)
def test_a_way_in_ends_in_a_score(name: str, here: Here, live_server: LiveServer, tmp_path: Path) -> None:
    page = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    (tmp_path / "walk").mkdir()
    walk(page, site=live_server.url, service=here, folder=tmp_path / "walk")
    assert {one.name: one.state for one in Submission.objects.exclude(name="other")} == {
        {"curl": "first try", "client": "second try", "script": "third try"}[name]: "scored"
    }


def test_the_script_is_what_its_page_says() -> None:
    page = (FOLDER / "script.md").read_text(encoding="utf-8")
    assert (FOLDER / "script.py").read_text(encoding="utf-8") == script(page)
