"""What is told of a submission, from its file to the release of its epoch: nothing that is sealed."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.core import mail

from annotations.models import Corpus, Document
from evaluation.design import epochs
from evaluation.kbp.task import TASK as KBP
from evaluation.models import Epoch, Score, Submission
from evaluation.submissions import lifecycle, notices
from kbpo import pipeline
from kbpo.accounts.models import Membership, PastMembership, Team, User
from kbpo.webhooks import managing
from kbpo.webhooks.events import EVENTS
from kbpo.webhooks.models import Delivery
from tests.factories import SubmissionFactory, TeamFactory, UserFactory
from tests.integration.conftest import Submit
from tests.integration.webhooks.conftest import Receiver

pytestmark = pytest.mark.django_db


@pytest.fixture
def member(receiver: Receiver) -> User:
    user = User.objects.create_user("m@example.org")
    team = Team.objects.get_or_create(name="Alpha")[0]
    Membership.objects.create(team=team, user=user)
    managing.add(user=user, team=team, url=receiver.url, events=list(EVENTS))
    return user


def told() -> list[tuple[str, dict[str, Any]]]:
    bodies = [json.loads(body) for body in Delivery.objects.order_by("pk").values_list("body", flat=True)]
    return [(body["type"], body["data"]) for body in bodies]


def test_from_the_file_to_the_release(
    submit: Submit, member: User, judge: Callable[[], None], corpus: Corpus
) -> None:
    submission = submit("one", user=member)
    pipeline.advance()
    assert Delivery.objects.count() == len(mail.outbox) == 1  # read: of what is judged nothing is told
    judge()
    Epoch.objects.update(scores_due=True)  # computed anew, say for a later system: told once
    pipeline.advance()
    said = "".join(Delivery.objects.values_list("body", flat=True)) + mail.outbox[1].body
    assert not [one for one in Document.objects.values_list("doc_id", flat=True) if one in said]
    epochs.release(corpus=corpus, task=KBP)
    (read, of_read), (scored, of_scored), (released, of_released) = told()
    assert (read, scored, released) == ("submission.read", "submission.scored", "epoch.released")
    warnings = Submission.objects.get().counts["warnings"]
    assert of_read["numbers"] == {"predictions": submission.predictions.count(), "warnings": warnings}
    assert set(of_read) == {"corpus", "team", "submission", "numbers", "links"}
    numbers = of_scored["numbers"]
    stored = Score.objects.get(
        submission=submission,
        **{name: numbers[name] for name in ("part", "weighting", "standard", "level")},
        estimator=KBP.choices.estimators_of[corpus.design][0],
    )
    assert (numbers["labels"], numbers["rank"]) == (stored.labels, stored.rank)
    f1 = stored.estimates.get(measure="f1")
    assert numbers["measures"]["f1"] == {"estimate": f1.estimate, "low": f1.low, "high": f1.high}
    assert of_released["numbers"] == {
        "labels": Epoch.objects.get(number=1).released_labels.labels,
        "systems": 1,
    }
    assert [one["name"] for one in of_released["submissions"]] == ["one"]
    assert [message.subject.partition(": ")[2].split(",")[0] for message in mail.outbox] == [
        "one was read",
        "one is scored",
        "epoch 1 is released",
    ]
    assert {tuple(message.to) for message in mail.outbox} == {("m@example.org",)}
    body = mail.outbox[1].body
    assert f"F1 {100 * f1.estimate:.1f}% ({100 * f1.low:.1f} to {100 * f1.high:.1f})\n" in body
    assert f"Labels that it rests on: {stored.labels}\n" in body
    assert f"\n\n{settings.SITE_URL}/submissions/{submission.pk}/\n" in body


def test_a_failure_is_told_with_where_it_was(member: User) -> None:
    submission = SubmissionFactory.create(
        team=Team.objects.get(name="Alpha"), uploaded_by=member, state="uploaded"
    )
    lifecycle.fail(submission_id=submission.pk, stage="uploaded", detail="Reading it stopped 3 times.")
    [(event, data)] = told()
    assert (event, data["failed_in"]) == ("submission.failed", "uploaded")
    [message] = mail.outbox
    assert "Reading it stopped 3 times." in message.body


def audience(submission: Submission) -> list[str]:
    return sorted(notices.audience(submission).values_list("email", flat=True))


def test_mail_of_a_submission_goes_to_who_uploaded_it_while_they_are_in_its_team() -> None:
    ann, ben = UserFactory(email="ann@example.org"), UserFactory(email="ben@example.org")
    team = TeamFactory(members=[ann, ben])
    submission = SubmissionFactory.create(team=team, uploaded_by=ann)
    assert audience(submission) == ["ann@example.org"]
    Membership.objects.filter(user=ann).delete()
    PastMembership.objects.create(team=team, user=ann)
    assert audience(submission) == ["ben@example.org"]


def test_nobody_is_written_to_of_what_was_submitted_at_the_command_line() -> None:
    submission = SubmissionFactory.create(team=TeamFactory(members=[UserFactory()]), uploaded_by=None)
    assert audience(submission) == []
