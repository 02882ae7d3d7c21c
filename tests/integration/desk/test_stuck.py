"""The page of what does not get on: what is on it, and what its buttons do."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.mail import EmailMessage
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotations.models import Corpus
from crowd.models import Assignment, Hit, HitBatch
from evaluation.models import Epoch, StageWork, Submission, SubmissionEvent
from kbpo import pipeline
from kbpo.accounts.models import Team, User
from kbpo.core.health import signs
from kbpo.core.models import Message
from kbpo.pages.stuck import MOST, stuck, wrong
from tests.factories import (
    EpochFactory,
    HitFactory,
    QuestionFactory,
    SubmissionFactory,
    TeamFactory,
    UserFactory,
)
from tests.integration.desk.conftest import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("account")]
HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def processes_that_live(db: None, settings: Any) -> None:
    settings.TEAMS_NEED_APPROVAL = True
    Team.objects.update(approved_at=timezone.now())
    signs.give(signs.NAMES, now=timezone.now())


def names(now: datetime | None = None) -> list[str]:
    return [part.name for part in stuck(now=now or timezone.now())]


def unsent(**fields: Any) -> Message:
    past = timezone.now() - HOUR
    return Message.objects.create(
        **{
            "recipients": {"to": ["ada@example.org"]},
            "sender": "kbpo@example.org",
            "subject": "Welcome",
            "created_at": past,
            "due_at": timezone.now() + HOUR,
            "give_up_at": timezone.now() + HOUR,
            "attempts": 3,
            "error": "TimeoutError: timed out",
            **fields,
        }
    )


def fill(number: int, batch: HitBatch, send: Any, post: Any) -> None:
    """Have so many things of most sorts go wrong."""
    past = timezone.now() - HOUR
    for _ in range(number):
        SubmissionFactory.create(state="failed")
        StageWork.objects.create(
            submission=SubmissionFactory.create(),
            stage="uploaded",
            attempts=2,
            errors=2,
            started_at=past,
            heartbeat_at=past,
            deadline_at=past,
            error="OSError: no reader",
            not_before=timezone.now() + HOUR,
        )
        EpochFactory.create(scoring_failures=2, scores_due=True)
        unsent()
        HitFactory.create(batch=batch, state="planned", error="no answer", tries=4)
        TeamFactory.create(approved_at=None)
        QuestionFactory.create(state="expert")
        waits = send(post(), flag="It was quick.")
        untold = send(post())
        Assignment.objects.filter(pk=untold.pk).update(
            decision="approve", decided_at=past, error="no money", claimed_until=timezone.now() + HOUR
        )
        assert waits.flag


def test_nothing_is_stuck_and_the_page_says_what_it_looked_for(desk: Client) -> None:
    page = text_of(desk.get(reverse("desk_stuck")))
    assert "Everything gets on." in page
    assert "Mail that was not sent" in page


def test_every_thing_that_is_wrong_or_waits_has_its_part(
    desk: Client, batch: HitBatch, send: Any, post: Any
) -> None:
    fill(1, batch, send, post)
    assert names() == [
        "mail",
        "failed_submissions",
        "stages",
        "scores",
        "hits",
        "decisions",
        "teams",
        "experts",
        "answers",
    ]
    page = text_of(desk.get(reverse("desk_stuck")))
    for words in (
        "“Welcome” to ada@example.org",
        "TimeoutError: timed out",
        "OSError: no reader",
        "no money",
    ):
        assert words in page


def test_the_number_of_queries_does_not_grow_with_what_is_stuck(
    desk: Client, batch: HitBatch, send: Any, post: Any, django_assert_max_num_queries: Any
) -> None:
    fill(3, batch, send, post)
    with django_assert_max_num_queries(34):
        desk.get(reverse("desk_stuck"))


def test_dead_processes_are_on_it() -> None:
    assert names(timezone.now() + HOUR) == ["processes"]


def test_what_only_waits_for_somebody_is_not_wrong() -> None:
    TeamFactory.create(approved_at=None)
    QuestionFactory.create(state="expert")
    assert names() == ["teams", "experts"]
    assert not wrong(now=timezone.now())


def test_operators_alone_see_it(client: Client) -> None:
    client.force_login(UserFactory.create())
    assert client.get(reverse("desk_stuck")).status_code == 403


def press(desk: Client, act: str, pk: object) -> str:
    return text_of(desk.post(reverse("desk_stuck"), {"act": act, "pk": str(pk)}, follow=True))


def test_a_failed_submission_is_resumed(desk: Client) -> None:
    failed = SubmissionFactory.create(state="failed")
    assert "goes on where it failed" in press(desk, "submission", failed.pk)
    assert Submission.objects.get(pk=failed.pk).state == "uploaded"
    assert "only a submission that failed can be resumed" in press(desk, "submission", failed.pk)


def test_mail_that_was_given_up_is_sent_again(desk: Client) -> None:
    message = unsent(failed_at=timezone.now())
    press(desk, "mail", message.pk)
    message.refresh_from_db()
    assert (message.failed_at, message.due_at <= timezone.now()) == (None, True)


def test_scores_are_computed_again(desk: Client) -> None:
    epoch = EpochFactory.create(scoring_failures=3)
    press(desk, "scores", epoch.pk)
    again = Epoch.objects.get(pk=epoch.pk)
    assert (again.scores_due, again.scoring_failures) == (True, 0)


def test_a_batch_that_the_service_paused_goes_on(desk: Client, batch: HitBatch) -> None:
    HitFactory.create(batch=batch, state="planned", error="the account is short of money", tries=1)
    HitBatch.objects.update(state="paused", paused_because="The account is short of money.")
    press(desk, "batch", batch.pk)
    assert HitBatch.objects.get(pk=batch.pk).state == "open"


def test_a_decision_is_told_at_once_unless_somebody_may_be_at_it(desk: Client, send: Any, post: Any) -> None:
    untold = send(post())
    rows = Assignment.objects.filter(pk=untold.pk)
    for waits, tried in ((HOUR, True), (timedelta(minutes=9), False)):
        until = timezone.now() + waits
        rows.update(decision="approve", decided_at=timezone.now(), error="no", claimed_until=until)
        press(desk, "decision", untold.pk)
        assert (rows.get().claimed_until != until) is tried


def test_a_team_is_approved(desk: Client) -> None:
    team = TeamFactory.create(approved_at=None)
    press(desk, "team", team.pk)
    assert Team.objects.get(pk=team.pk).approved_at is not None


@pytest.mark.parametrize(("act", "pk", "status"), [("", "1", 400), ("stage", "x", 404), ("check", "7", 404)])
def test_a_button_that_is_not_there_does_nothing(desk: Client, act: str, pk: str, status: int) -> None:
    assert desk.post(reverse("desk_stuck"), {"act": act, "pk": pk}).status_code == status


def test_operators_are_mailed_what_the_page_shows(
    operator: User, corpus: Corpus, mailoutbox: list[EmailMessage]
) -> None:
    failed = SubmissionFactory.create(state="failed", corpus=corpus)
    failed.events.update(at=timezone.now() - HOUR)
    assert pipeline.watch_troubles() == 1
    assert pipeline.watch_troubles() == 0
    [message] = mailoutbox
    assert message.to == [operator.email]
    assert failed.name in message.body


def test_hits_that_failed_are_stuck_only_while_their_questions_are_open(post: Any, batch: HitBatch) -> None:
    hit = post(state="failed")
    Hit.objects.update(error="refused")
    assert names() == ["hits"]
    hit.questions.update(state="settled", settled_at=timezone.now())
    assert names() == []


# What nothing works on, though all processes give signs of life


def begun(**fields: Any) -> StageWork:
    past = timezone.now() - 9 * HOUR
    given = {"submission": SubmissionFactory.create(), "stage": "uploaded", "attempts": 2, "errors": 0}
    times = {"started_at": past, "heartbeat_at": past, "deadline_at": past}
    found = StageWork.objects.create(**given | times | fields)
    Submission.objects.update(uploaded_at=past)
    SubmissionEvent.objects.update(at=past)
    return found


def untouched() -> list[Any]:
    return [
        item
        for part in stuck(now=timezone.now())
        if part.name == "untouched_submissions"
        for item in part.items
    ]


def test_submissions_that_nothing_works_on_are_stuck() -> None:
    never = SubmissionFactory.create()
    begun()
    assert len(untouched()) == len(wrong(now=timezone.now())) == 2
    assert f"untouched submission {never.pk}" in {one.key for one in wrong(now=timezone.now())}


def test_submissions_that_wait_for_others_are_no_trouble() -> None:
    SubmissionFactory.create()
    begun(heartbeat_at=timezone.now())
    [item] = untouched()
    assert "waits for others" in item.cause
    assert not wrong(now=timezone.now())


def test_submissions_that_came_just_now_are_not_stuck() -> None:
    SubmissionFactory.create()
    assert untouched() == []


@pytest.mark.parametrize("due", ["scores_due", "subsets_due"])
def test_epochs_whose_scores_nothing_computes_are_stuck(due: str) -> None:
    EpochFactory.create(**{due: True})
    Epoch.objects.update(opened_at=timezone.now() - HOUR)
    assert names() == ["due_scores"]


def test_hits_that_nothing_posts_are_stuck(batch: HitBatch) -> None:
    HitFactory.create(batch=batch, state="planned")
    assert names() == []
    Hit.objects.update(created_at=timezone.now() - HOUR)
    assert names() == ["unposted_hits"]
    HitFactory.create(batch=batch, state="posted", posted_at=timezone.now())  # it gets on
    assert names() == []


def test_posted_hits_that_the_provider_does_not_show_are_stuck_and_looked_at_by_a_button(
    desk: Client, post: Any
) -> None:
    hit, later = post(), timezone.now() + HOUR
    Hit.objects.update(error="AccessDenied: the account may not read this HIT", next_look_at=later)
    assert names() == ["posted_hits"]
    press(desk, "look", hit.batch_id)
    assert Hit.objects.get().next_look_at < later


def test_operators_are_told_of_all_that_is_wrong_however_much_there_is() -> None:
    past = timezone.now() - 3 * 24 * HOUR
    for _ in range(MOST):
        unsent(created_at=past, failed_at=timezone.now())
    unsent()
    for _ in range(MOST + 1):
        SubmissionFactory.create(state="failed")
    keys = [one.key for one in wrong(now=timezone.now())]
    assert "mail" in keys
    assert len([key for key in keys if key.startswith("submission ")]) == MOST + 1
