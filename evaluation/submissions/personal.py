"""What is kept about a person here: what they submitted.

When they go, what was sampled is withdrawn and has no name any more, and is never removed: the sample that it
was drawn into stands. What was not sampled is cancelled.
"""

from collections.abc import Mapping

from django.db.models import Q

from evaluation.models import Submission, SubmissionEvent, Upload
from evaluation.submissions import lifecycle
from kbpo.accounts.models import User
from kbpo.accounts.personal.parts import Leaving, Part, Rows

State = Submission.State
NOBODY = "by a deleted account"


def _export(user: User) -> Mapping[str, Rows]:
    submitted = Submission.objects.filter(uploaded_by=user).order_by("pk")
    return {
        "submissions": submitted.values(
            *("id", "corpus__tag", "team__name", "name", "description", "format", "digest", "state"),
            *("is_public", "uploaded_at", "paper_url", "code_url"),
        ),
        "uploads": Upload.objects.filter(user=user).values("name", "size", "created_at", "expires_at"),
    }


def _forget(leaving: Leaving) -> None:
    user = leaving.user
    theirs = Submission.objects.filter(uploaded_by=user, team__memberships__user=user)
    for submission in theirs.select_related("team", "corpus").order_by("pk"):
        goes_on = submission.team.memberships.exclude(user=user).exists()
        if leaving.withdraws_all or not goes_on:
            _take_back(submission, user)
    _forget_names(user)
    Upload.objects.filter(user=user).update(expires_at=leaving.now)  # the pipeline removes them


def _take_back(submission: Submission, user: User) -> None:
    is_sampled = State.JUDGING in (submission.state, submission.failed_in) or submission.state in (
        State.SCORED,
        State.WITHDRAWN,
    )
    if is_sampled and submission.state != State.WITHDRAWN:
        lifecycle.withdraw(submission=submission, user=user)
    elif submission.state in (*lifecycle.BEFORE_SAMPLING, State.FAILED):
        lifecycle.cancel(submission=submission, user=user)
    if not is_sampled:
        lifecycle.delete_file(submission=submission, user=user)
    Submission.objects.filter(pk=submission.pk).update(
        name=f"Anonymous system {submission.pk}", description="", paper_url="", code_url=""
    )


def _forget_names(user: User) -> None:
    """Take the person's name out of the old lines in their teams' timelines that have it in words.

    Lines have an account since, and show the name that it has.
    """
    theirs = Q(submission__team__memberships__user=user) | Q(submission__team__past_memberships__user=user)
    said = f"by {user}"
    for event in SubmissionEvent.objects.filter(theirs, by=None, detail__endswith=said).distinct():
        event.detail = f"{event.detail.removesuffix(said)}{NOBODY}"
        event.save(update_fields=["detail"])


PART = Part("submissions", _export, _forget)
