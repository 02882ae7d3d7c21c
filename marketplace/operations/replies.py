"""What a worker says to a rejection, told to the requester."""

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction

from marketplace import lifecycle
from marketplace.models import Assignment

BODY = """\
{worker} answers the rejection of assignment {assignment} ({title}).

Your reason: {feedback}

The reply: {reply}

To take the rejection back, approve the assignment with OverrideRejection within 30 days of its submission.
"""


@transaction.atomic
def send_reply(*, assignment: Assignment, text: str) -> None:
    """Record a worker's reply to a rejection, and mail it to the requester's owner, if there is one.

    Raises
    ------
    InvalidInput, Conflict
        As `lifecycle.reply` says.
    """
    answered = lifecycle.reply(assignment=assignment, text=text)
    owner = answered.hit.requester.owner
    if owner is not None:
        _mail(answered, owner.email)


def _mail(assignment: Assignment, address: str) -> None:
    EmailMessage(
        subject=f"A worker answers a rejection ({assignment.assignment_id})",
        body=BODY.format(
            worker=assignment.worker.worker_id,
            assignment=assignment.assignment_id,
            title=assignment.hit.hit_type.title,
            feedback=assignment.feedback,
            reply=assignment.reply,
        ),
        from_email=settings.DEFAULT_FROM_EMAIL,
        to=[address],
    ).send()
