"""A clock that was two days ahead for a while, and was put right: what it wrote holds nothing back."""

from datetime import datetime, timedelta
from random import Random

import pytest
from django.utils import timezone

from annotations.models import Question
from crowd import outbox
from crowd.annotators import queue
from crowd.leases import take_first
from crowd.models import Hit, Reservation
from crowd.open_questions import open_questions
from evaluation.models import Epoch, StageWork
from evaluation.submissions import submitting, work
from kbpo import pipeline
from kbpo.core.database.leases import CLOCKS_DIFFER
from kbpo.core.mail import sending
from kbpo.core.models import Message
from tests.factories import EpochFactory, HitFactory, QuestionFactory, UserFactory
from tests.integration.conftest import Submit

pytestmark = pytest.mark.django_db

TWO_DAYS = timedelta(days=2)


@pytest.fixture
def now() -> datetime:
    return timezone.now()


@pytest.mark.parametrize(
    ("until", "is_taken"),
    [
        (outbox.LEASE, False),
        (outbox.DECLINED_FOR, False),
        (outbox.LEASE + outbox.IN_FLIGHT, False),
        (TWO_DAYS + outbox.LEASE, True),
    ],
)
def test_a_lease_that_none_can_have_leaves_a_hit_free(
    now: datetime, until: timedelta, is_taken: bool
) -> None:
    HitFactory(claimed_until=now + until)
    assert (take_first(Hit.objects.all(), now=now) is not None) is is_taken


def test_a_pause_that_a_provider_asks_for_is_no_longer_than_a_lease_can_be() -> None:
    assert outbox.wait(1, Random(0), retry_after=1e12) == outbox.DECLINED_FOR


def test_a_question_that_was_taken_in_the_future_goes_to_the_next(now: datetime) -> None:
    question = QuestionFactory(votes_needed=1)
    first, second = UserFactory.create_batch(2, is_annotator=True)
    queue.next_question(worker=first, now=now + TWO_DAYS)
    assert open_questions(Question.objects.all(), now=now).get().lacks == 1
    assert queue.next_question(worker=second, now=now) == question


def test_clocks_of_two_machines_may_differ_a_little(now: datetime) -> None:
    QuestionFactory(votes_needed=1)
    first, second = UserFactory.create_batch(2, is_annotator=True)
    queue.next_question(worker=first, now=now + CLOCKS_DIFFER / 2)
    assert queue.next_question(worker=second, now=now) is None
    assert Reservation.objects.count() == 1


def test_a_submission_is_tried_again_though_its_pause_ends_in_two_days(submit: Submit, now: datetime) -> None:
    submission = submit("one")
    times = {"started_at": now, "heartbeat_at": now, "deadline_at": now + work.DEADLINE}
    values = {"stage": "uploaded", "attempts": 1, "errors": 1, "not_before": now + TWO_DAYS}
    StageWork.objects.create(submission=submission, **values, **times)
    assert pipeline.validate_submissions() == 1


@pytest.mark.parametrize("jump", [TWO_DAYS, -TWO_DAYS])
def test_a_jump_while_a_file_is_read_uses_up_none_of_its_deadline(
    submit: Submit, monkeypatch: pytest.MonkeyPatch, jump: timedelta
) -> None:
    submission = submit("one")
    right = timezone.now

    def fail_once(**_: object) -> bool:
        monkeypatch.setattr(timezone, "now", lambda: right() + jump)
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(submitting, "read_submission", fail_once)
        pipeline.validate_submissions()
    StageWork.objects.update(not_before=None)
    pipeline.validate_submissions()
    submission.refresh_from_db()
    assert submission.state == "accepted"


def test_scores_are_computed_though_their_pause_ends_in_two_days(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []
    monkeypatch.setattr(pipeline.estimation, "score_epoch", lambda **given: bool(tried.append(given)))
    for until in (work.PAUSES[-1], TWO_DAYS):
        EpochFactory(scores_due=True, scoring_not_before=now + until)
    pipeline.score_epochs()
    (given,) = tried
    assert Epoch.objects.get(pk=given["epoch_id"]).scoring_not_before == now + TWO_DAYS


def test_mail_is_sent_though_its_lease_ends_in_two_days(now: datetime) -> None:
    for ends in (timedelta(minutes=1), TWO_DAYS):
        Message.objects.create(
            recipients={"to": ["ann@example.org"]},
            sender="kbpo@example.org",
            text="It is scored.",
            created_at=now,
            due_at=now + ends,
            give_up_at=now + TWO_DAYS,
            attempts=1,
        )
    assert sending.send_mail() == 1
    assert Message.objects.get(sent_at=None).due_at == now + timedelta(minutes=1)
