"""A small world seen by five kinds of people."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from django.core.management import call_command

from annotations.models import Corpus
from evaluation.models import Submission
from kbpo.accounts.models import User
from tests.factories import CorpusFactory, SubmissionFactory, TeamFactory, UserFactory
from tests.world import World


@dataclass
class Cast:
    """A corpus, a team's submission in it, and who may or may not see it. None is a visitor."""

    corpus: Corpus
    member: User
    people: dict[str, User | None]

    def submission(self, **fields: object) -> Submission:
        """Make a submission of the member's team."""
        return SubmissionFactory(corpus=self.corpus, team=self.member.teams.get(), **fields)


@pytest.fixture(autouse=True)
def media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def cast(db) -> Cast:
    member, other = UserFactory(), UserFactory()
    TeamFactory(members=[member])
    TeamFactory(members=[other])
    people = {
        "visitor": None,
        "other team": other,
        "team": member,
        "annotator": UserFactory(annotator=True),
        "operator": UserFactory(operator=True),
    }
    return Cast(CorpusFactory(tag="news", name="News"), member, people)


@pytest.fixture
def sign_in(client):
    """Sign somebody in, or nobody."""

    def act(user):
        if user is not None:
            client.force_login(user)
        return client

    return act


@pytest.fixture
def unsampled(world: World, tmp_path: Path) -> Corpus:
    """Documents of which none is drawn or annotated yet."""
    path = world.write_corpus(tmp_path / "corpus.jsonl")
    call_command("load_corpus", str(path), "--corpus", "bare", verbosity=0)
    return Corpus.objects.get(tag="bare")
