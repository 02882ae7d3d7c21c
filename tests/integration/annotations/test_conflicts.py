"""Who may not judge a corpus."""

import pytest

from annotations import conflicts
from annotations.models import Competitor, Corpus
from kbpo.accounts import teams
from kbpo.accounts.models import Membership, Team, User
from tests.factories import CorpusFactory, TeamFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def corpus() -> Corpus:
    return CorpusFactory.create()


@pytest.fixture
def member() -> User:
    return UserFactory.create()


@pytest.fixture
def team(corpus: Corpus, member: User) -> Team:
    team: Team = TeamFactory.create(members=[member, UserFactory.create()])
    conflicts.add_competitor(corpus=corpus, team=team)
    return team


def is_barred(user: User, corpus: Corpus) -> bool:
    return conflicts.exists(worker_id=user.pk, corpus_id=corpus.pk)


def test_a_member_of_a_competing_team_is_barred(team: Team, member: User, corpus: Corpus) -> None:
    assert is_barred(member, corpus)


def test_who_joins_later_is_barred(team: Team, corpus: Corpus) -> None:
    user = UserFactory.create()
    Membership.objects.create(team=team, user=user)
    assert is_barred(user, corpus)


def test_who_has_left_stays_barred(team: Team, member: User, corpus: Corpus) -> None:
    teams.leave_team(user=member, team=team)
    assert is_barred(member, corpus)


def test_others_are_not_barred(team: Team, corpus: Corpus) -> None:
    other = UserFactory.create()
    TeamFactory.create(members=[other])
    assert not is_barred(other, corpus)


def test_nobody_is_barred_from_a_corpus_in_which_the_team_does_not_compete(team: Team, member: User) -> None:
    assert not is_barred(member, CorpusFactory.create())


def test_a_team_competes_once(team: Team, corpus: Corpus) -> None:
    conflicts.add_competitor(corpus=corpus, team=team)
    assert Competitor.objects.count() == 1
