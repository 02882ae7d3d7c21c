"""What becomes of a submission, told to its people by mail and to its team's webhooks.

Here is what is known once a file is read, or when something fails; that a system is scored is told where its
scores are (`evaluation.scoring.notices`), and a release where it is made (`evaluation.design.notices`). Each
is called in the transaction of what it tells of.
"""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet

from evaluation.models import Submission
from kbpo.accounts.mails import kinds, writing
from kbpo.accounts.models import User
from kbpo.webhooks import announcing, events

FIRST_PROBLEMS = 5  # in a mail


def tell_read(submission: Submission, *, predictions: int, words: str) -> None:
    """Tell that a file was read and accepted, with so many predictions, in its task's `words`."""
    numbers = {"predictions": predictions, "warnings": submission.counts.get("warnings", 0)}
    tell(
        submission,
        words=f"was read, {words}",
        kind=kinds.READ,
        context={**numbers, "words": words},
        event=events.READ,
        data={"numbers": numbers},
    )


def tell_refused(submission: Submission) -> None:
    """Tell that a file was refused, with its first errors; they are stored before."""
    counts = submission.counts
    numbers = {"errors": counts.get("errors", 0), "warnings": counts.get("warnings", 0)}
    found = submission.problems.filter(severity="ERROR").order_by("pk")
    first = list(found[:FIRST_PROBLEMS])
    tell(
        submission,
        words=f"was refused, {numbers['errors']:,} error{'s' * (numbers['errors'] != 1)}",
        kind=kinds.REFUSED,
        context={**numbers, "problems": first, "more": numbers["errors"] > len(first)},
        event=events.REFUSED,
        data={"numbers": numbers},
    )


def tell_failed(submission: Submission, *, detail: str) -> None:
    """Tell that the service could not go on with a submission."""
    tell(
        submission,
        words="stopped, by a fault of ours",
        kind=kinds.FAILED,
        context={"detail": detail},
        event=events.FAILED,
        data={"failed_in": submission.failed_in},
    )


def tell(
    submission: Submission,
    *,
    words: str,
    kind: str,
    context: Mapping[str, Any],
    event: str,
    data: Mapping[str, Any],
) -> None:
    """Tell of a submission.

    Parameters
    ----------
    submission : Submission
    words : str
        What the mail's subject says of it.
    kind : str
        Of mail, one of `kinds.KINDS`; the template has its name.
    context : mapping of str to object
        What the mail says.
    event : str
        Of webhooks, one of `events.EVENTS`.
    data : mapping of str to object
        What they say beside which submission it is, as JSON takes it.
    """
    corpus, page = submission.corpus, writing.address_of("submission", submission.pk)
    writing.tell(
        kind,
        audience(submission),
        subject=f"{corpus.name}: {submission.name} {words}",
        template=f"{kind}.txt",
        context={"submission": submission, "page": page, **context},
    )
    about = {
        "corpus": {"tag": corpus.tag, "name": corpus.name},
        "team": submission.team.name,
        "submission": {"id": submission.pk, "name": submission.name, "state": submission.state},
    }
    announcing.announce(event, team=submission.team, data={**about, **data, "links": {"page": page}})


def audience(submission: Submission) -> QuerySet[User]:
    """Select whom mail of a submission goes to: who uploaded it, or its team once they have left that."""
    person = submission.uploaded_by
    if person is None:
        return User.objects.none()
    if person.is_active and (person.is_operator or person.teams.filter(pk=submission.team_id).exists()):
        return User.objects.filter(pk=person.pk)
    return User.objects.filter(memberships__team=submission.team_id)
