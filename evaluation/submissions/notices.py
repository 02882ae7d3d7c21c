"""Mail to a submission's uploader when it is done or has failed: an outbox, sent by the pipeline.

A notice is written in the transaction that it tells of. Sending claims it by a lease, so that no lock is held
while a mail server answers, and no two workers send the same.
"""

import logging
import smtplib
from datetime import timedelta

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from evaluation.models import Notice, Submission, SubmissionEvent
from kbpo.core.database import leases
from kbpo.core.database.outages import is_outage

logger = logging.getLogger(__name__)

State = Submission.State
LEASE = timedelta(minutes=2)
ATTEMPTS = 40  # with leases that grow by LEASE each: over a day in which the mail server may be away
SUBJECTS = {
    State.REFUSED: "{name} was refused: its file has errors",
    State.SCORED: "{name} is scored",
    State.FAILED: "{name} stopped, by a fault of ours",
}
BODIES = {
    State.REFUSED: "The file of {name} was read and refused ({detail}). Nothing was judged and no quota used."
    " Every fault stands with its line on the submission's page:",
    State.SCORED: "{name} has its precision, recall and F1 on {corpus}:",
    State.FAILED: "{name} could not go on. {detail} You can resume it on its page:",
}


def announce(event: SubmissionEvent) -> None:
    """Have mail sent about an event that its uploader waits for; a score is announced once."""
    submission = event.submission
    if event.state not in SUBJECTS or submission.uploaded_by_id is None:
        return
    if (
        event.state == State.SCORED
        and Notice.objects.filter(event__submission=submission, event__state=State.SCORED).exists()
    ):
        return
    Notice.objects.create(event=event)


def send_notices() -> int:
    """Send what is due; return how many were sent. The rest is tried again when its lease is over."""
    sent = 0
    while (notice := _claim()) is not None:
        try:
            _message(notice).send()
        except (smtplib.SMTPException, OSError) as error:
            logger.warning("notice %s was not sent: %s", notice.pk, error)
        except Exception as error:  # one that cannot be written or sent keeps no other back
            if is_outage(error):
                raise
            logger.exception("notice %s was not sent", notice.pk)
        else:
            Notice.objects.filter(pk=notice.pk).update(sent_at=timezone.now())
            sent += 1
    return sent


@transaction.atomic
def _claim() -> Notice | None:
    now = timezone.now()
    notice = (
        Notice.objects.select_for_update(skip_locked=True, of=("self",))
        .filter(
            leases.is_over("claimed_until", now, longest=ATTEMPTS * LEASE),
            sent_at=None,
            attempts__lt=ATTEMPTS,
        )
        .select_related("event__submission__corpus", "event__submission__uploaded_by")
        .order_by("pk")
        .first()
    )
    if notice is not None:
        notice.attempts += 1
        notice.claimed_until = now + LEASE * notice.attempts
        notice.save(update_fields=["attempts", "claimed_until"])
    return notice


def _message(notice: Notice) -> EmailMessage:
    event = notice.event
    submission = event.submission
    person = submission.uploaded_by
    assert person is not None
    words = {"name": submission.name, "detail": event.detail, "corpus": submission.corpus.name}
    address = f"{settings.SITE_URL}{reverse('submission', args=[submission.pk])}"
    return EmailMessage(
        subject=SUBJECTS[State(event.state)].format(**words),
        body=f"{BODIES[State(event.state)].format(**words)}\n\n{address}\n",
        to=[person.email],
    )
