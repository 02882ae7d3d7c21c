"""Places in the quota: of a team, of a person in all their teams, promised to one alone."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from annotations.models import Corpus
from evaluation.models import Submission
from evaluation.submissions import lifecycle, quota
from kbpo import pipeline
from kbpo.accounts import teams
from kbpo.accounts.models import PastMembership, Team, User
from tests.factories import CorpusFactory, SubmissionFactory, TeamFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def small() -> Corpus:
    return CorpusFactory.create(weekly_quota=2, weekly_quota_of_person=2)


def waiting(corpus: Corpus, team: Team, user: User) -> Submission:
    """An accepted submission that nobody has sent to the judges."""
    return SubmissionFactory.create(
        corpus=corpus, team=team, uploaded_by=user, state="accepted", go_ahead=False, quota_taken_at=None
    )


def ask(submission: Submission, user: User) -> bool:
    """Send it to the judges; say whether it got a place at once."""
    lifecycle.give_go_ahead(submission=submission, user=user)
    submission.refresh_from_db()
    return submission.quota_taken_at is not None


def test_one_person_with_five_teams_gets_one_persons_quota(small: Corpus) -> None:
    person = UserFactory.create()
    many = [waiting(small, TeamFactory.create(members=[person]), person) for _ in range(5)]
    assert [ask(one, person) for one in many] == [True, True, False, False, False]


def test_a_team_that_was_left_still_counts(small: Corpus) -> None:
    person, other = UserFactory.create_batch(2)
    left = TeamFactory.create(members=[person, other])
    assert all(ask(waiting(small, left, person), person) for _ in range(2))
    teams.leave_team(user=person, team=left)
    assert PastMembership.objects.filter(user=person).exists()
    assert not ask(waiting(small, TeamFactory.create(members=[person]), person), person)


def test_a_colleague_has_places_of_their_own(small: Corpus) -> None:
    person, other = UserFactory.create_batch(2)
    both = TeamFactory.create(members=[person])
    assert all(ask(waiting(small, both, person), person) for _ in range(2))
    assert ask(waiting(small, TeamFactory.create(members=[other]), other), other)


def test_another_corpus_has_places_of_its_own(small: Corpus) -> None:
    person = UserFactory.create()
    team = TeamFactory.create(members=[person])
    assert all(ask(waiting(small, team, person), person) for _ in range(2))
    assert ask(waiting(CorpusFactory.create(), team, person), person)


def test_no_two_that_wait_are_promised_the_same_place(small: Corpus) -> None:
    person = UserFactory.create()
    team = TeamFactory.create(members=[person])
    taken = [waiting(small, team, person) for _ in range(2)]
    for days, one in zip((6, 2), taken, strict=True):
        assert ask(one, person)
        Submission.objects.filter(pk=one.pk).update(quota_taken_at=timezone.now() - timedelta(days=days))
    late, early, asks_last = (waiting(small, team, person) for _ in range(3))
    for one in (early, late):  # whoever asks first is first, whenever it was uploaded
        assert not ask(one, person)
    now = timezone.now()
    promised = [quota.free_at(submission=one, now=now) for one in (early, late, asks_last)]
    assert [round((time - now) / timedelta(days=1)) for time in promised if time] == [1, 5, 8]
    assert quota.standing(submission=asks_last, now=now).left == 0


def test_a_cancelled_one_gives_its_promise_to_the_next(small: Corpus) -> None:
    person = UserFactory.create()
    team = TeamFactory.create(members=[person])
    for _ in range(2):
        assert ask(waiting(small, team, person), person)
    first, second = (waiting(small, team, person) for _ in range(2))
    assert not ask(first, person)
    Submission.objects.exclude(pk__in=[first.pk, second.pk]).update(
        quota_taken_at=timezone.now() - timedelta(days=7)
    )
    lifecycle.cancel(submission=first, user=person)
    first.refresh_from_db()
    assert (first.quota_asked_at, first.quota_taken_at) == (None, None)
    assert ask(second, person)


def test_where_operators_approve_teams_nothing_is_judged_before(small: Corpus, settings: Any) -> None:
    settings.TEAMS_NEED_APPROVAL = True
    person, operator = UserFactory.create(), UserFactory.create(is_operator=True)
    team = TeamFactory.create(members=[person], approved_at=None)
    submission = waiting(small, team, person)
    assert not ask(submission, person)
    assert submission.quota_asked_at is None
    assert not sampling_is_due(submission)
    teams.approve_team(user=operator, team=team)
    quota.note_waiting(now=timezone.now())
    assert sampling_is_due(submission)


def sampling_is_due(submission: Submission) -> bool:
    from evaluation.design import sampling

    return sampling.is_due(Submission.objects.select_related("corpus", "team").get(pk=submission.pk))


def test_a_team_of_the_command_line_needs_no_approval() -> None:
    assert teams.find_or_create_team(name="Lab").approved_at


def test_the_pipeline_notes_since_when_one_waits_whose_team_was_approved(small: Corpus) -> None:
    person = UserFactory.create()
    submission = waiting(small, TeamFactory.create(members=[person]), person)
    Submission.objects.filter(pk=submission.pk).update(go_ahead=True)
    Corpus.objects.update(weekly_quota=0)
    pipeline.sample_submissions()
    submission.refresh_from_db()
    assert submission.quota_asked_at
