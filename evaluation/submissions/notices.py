"""Mail to a submission's uploader when it is done or has failed."""

from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse

from evaluation.models import Submission, SubmissionEvent

State = Submission.State
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
    """Mail an event that its uploader waits for, from the outbox; a score is announced once."""
    submission = event.submission
    person = submission.uploaded_by
    if event.state not in SUBJECTS or person is None:
        return
    if event.state == State.SCORED and submission.events.filter(state=State.SCORED, pk__lt=event.pk).exists():
        return
    words = {"name": submission.name, "detail": event.words, "corpus": submission.corpus.name}
    address = f"{settings.SITE_URL}{reverse('submission', args=[submission.pk])}"
    EmailMessage(
        subject=" ".join(SUBJECTS[State(event.state)].format(**words).split()),
        body=f"{BODIES[State(event.state)].format(**words)}\n\n{address}\n",
        to=[person.email],
    ).send()
