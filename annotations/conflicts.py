"""Conflicts of interest: who may not judge a corpus."""

from django.db.models import Q, QuerySet

from annotations.models import Competitor, Corpus
from kbpo.accounts.models import Team, User


def add_competitor(*, corpus: Corpus, team: Team) -> None:
    """Have nobody of a team judge a corpus any more; a team that competes there already, still does."""
    Competitor.objects.bulk_create([Competitor(corpus=corpus, team=team)], ignore_conflicts=True)


def exists(*, worker_id: int, corpus_id: int) -> bool:
    """Say whether a team that the worker is or was in competes in the corpus: they never judge it."""
    return _competitors(worker_id).filter(corpus_id=corpus_id).exists()


def corpora(*, worker_id: int) -> QuerySet[Corpus]:
    """Select the corpora in which a team competes that somebody is or was in."""
    return Corpus.objects.filter(pk__in=_competitors(worker_id).values("corpus"))


def people(team: Team) -> QuerySet[User]:
    """Select who is or was in a team."""
    return User.objects.filter(
        Q(pk__in=team.memberships.values("user")) | Q(pk__in=team.past_memberships.values("user"))
    )


def _competitors(worker_id: int) -> QuerySet[Competitor]:
    theirs = Q(team__memberships__user_id=worker_id) | Q(team__past_memberships__user_id=worker_id)
    return Competitor.objects.filter(theirs)
