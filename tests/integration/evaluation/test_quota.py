"""Places in the quota: of a team, of a person in all their teams, promised to one alone."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.utils import timezone

from annotations import roles
from annotations.models import Corpus
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Submission
from evaluation.submissions import lifecycle, places, quota, submitting
from kbpo import pipeline
from kbpo.accounts import teams
from kbpo.accounts.models import PastMembership, Team, User
from kbpo.core.errors import Conflict, NotAllowed
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


def test_what_a_team_does_after_somebody_left_it_is_not_theirs(small: Corpus) -> None:
    person, other = UserFactory.create_batch(2)
    left = TeamFactory.create(members=[person, other])
    teams.leave_team(user=person, team=left)
    assert [ask(waiting(small, left, other), other) for _ in range(3)] == [True, True, False]
    own = TeamFactory.create(members=[person])
    assert [ask(waiting(small, own, person), person) for _ in range(3)] == [True, True, False]


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


def queue(corpus: Corpus, team: Team, user: User, number: int) -> list[Submission]:
    """Have so many wait, the quota of which is used up."""
    for _ in range(2):
        assert ask(waiting(corpus, team, user), user)
    asked = timezone.now()
    many = [waiting(corpus, team, user) for _ in range(number)]
    Submission.objects.filter(pk__in=[one.pk for one in many]).update(go_ahead=True, quota_asked_at=asked)
    return many


def test_places_are_planned_once_for_a_run_of_the_stage_that_moves_nothing(
    small: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = UserFactory.create()
    queue(small, TeamFactory.create(members=[person]), person, 5)
    plans: list[int] = []
    plan = places.plan
    monkeypatch.setattr(places, "plan", lambda waiting, *rest: plans.append(1) or plan(waiting, *rest))
    assert pipeline.sample_submissions() == 0
    assert len(plans) == 1


def test_as_many_of_a_team_wait_as_may_and_one_more_is_refused_in_words(
    small: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quota, "MOST_WAITING", 3)
    person = UserFactory.create()
    team = TeamFactory.create(members=[person])
    many = queue(small, team, person, 3)
    one_more = waiting(small, team, person)
    with pytest.raises(Conflict, match=r"3 submissions of .* wait to be judged"):
        ask(one_more, person)
    lifecycle.cancel(submission=many[0], user=person)
    assert not ask(one_more, person)
    assert one_more.go_ahead


def test_a_file_that_would_be_one_too_many_is_taken_without_a_go_ahead_alone(
    small: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quota, "MOST_WAITING", 2)
    person = UserFactory.create()
    team = TeamFactory.create(members=[person])
    queue(small, team, person, 2)

    def submit_file(*, go_ahead: bool) -> Submission:
        return submitting.upload(
            user=person,
            team=team,
            corpus=small,
            task=KBP,
            name=f"new {go_ahead}",
            file=ContentFile(b"run\n"),
            go_ahead=go_ahead,
        )

    with pytest.raises(Conflict, match="which is as many as may"):
        submit_file(go_ahead=True)
    assert submit_file(go_ahead=False).pk


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


@pytest.mark.parametrize("leaves", [False, True])
@pytest.mark.parametrize("role", ["organiser", "reviewer"])
def test_no_team_hands_in_of_which_somebody_sees_what_is_sampled_or_did_a_minute_ago(
    small: Corpus, role: str, leaves: bool
) -> None:
    insider, mate = UserFactory.create_batch(2)
    team = TeamFactory.create(members=[insider, mate])
    operator = UserFactory.create(is_operator=True)
    roles.give(user=insider, corpus=small, role=role, by=operator, now=timezone.now())
    if leaves:
        teams.leave_team(user=insider, team=team)
    with pytest.raises(NotAllowed, match="sees what is sampled"):
        submitting.upload(
            user=mate, team=team, corpus=small, task=KBP, name="one", file=ContentFile(b"run\n")
        )


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


@pytest.mark.parametrize("later", ["with the file", "by the button"])
def test_whose_file_is_read_first_gets_no_place_before_one_that_asked_earlier(
    small: Corpus, later: str
) -> None:
    small.weekly_quota = 1
    small.save()
    person = UserFactory.create()
    team = TeamFactory.create(members=[person])

    def hand_in(name: str, *, go_ahead: bool) -> Submission:
        file = ContentFile(f"run {name}\n".encode())
        return submitting.upload(
            user=person, team=team, corpus=small, task=KBP, name=name, file=file, go_ahead=go_ahead
        )

    first = hand_in("first", go_ahead=True)
    second = hand_in("second", go_ahead=later == "with the file")
    Submission.objects.filter(pk=second.pk).update(state="accepted")
    second.refresh_from_db()
    if later == "by the button":
        assert not ask(second, person)
    assert quota.note_waiting(now=timezone.now()) == 0
    assert quota.due(corpus=small, now=timezone.now()) == {first.pk}
    assert quota.free_at(submission=second, now=timezone.now())  # and its page says so


def test_a_file_that_is_refused_gives_its_promise_to_the_next(small: Corpus) -> None:
    small.weekly_quota = 1
    small.save()
    person = UserFactory.create()
    team = TeamFactory.create(members=[person])
    file = ContentFile(b"run\nnonsense\n")
    first = submitting.upload(
        user=person, team=team, corpus=small, task=KBP, name="first", file=file, go_ahead=True
    )
    second = waiting(small, team, person)
    assert not ask(second, person)
    submitting.read_submission(submission_id=first.pk, task=KBP)
    first.refresh_from_db()
    assert (first.state, first.quota_asked_at) == ("refused", None)
    assert ask(second, person)
