"""A small world seen by five kinds of people."""

from dataclasses import dataclass

import pytest

from annotations.models import Corpus
from evaluation.models import Submission
from kbpo.accounts.models import User
from tests.factories import CorpusFactory, SubmissionFactory, TeamFactory, UserFactory


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
