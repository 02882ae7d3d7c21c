"""A submission's life after the upload: every change of its state, and who may bring it about."""

from collections.abc import Callable, Iterable
from functools import wraps
from typing import ParamSpec, cast

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from evaluation.models import Epoch, StageWork, Submission, SubmissionEvent
from evaluation.submissions import attachments, normalised, notices, problem_files, quota
from kbpo.accounts.models import Team, User
from kbpo.core.acts import What, record
from kbpo.core.clock.nudge import nudge
from kbpo.core.database.locks import brief_transaction
from kbpo.core.errors import Conflict, NotAllowed

P = ParamSpec("P")
State = Submission.State
VALIDATE_TASK = "kbpo.pipeline.validate_submissions"
SAMPLE_TASK = "kbpo.pipeline.sample_submissions"
BEFORE_SAMPLING = quota.BEFORE_SAMPLING
SAMPLED = (State.JUDGING, State.SCORED)
#: The states in which the service is at work, or waits for people, and may fail.
RESUMABLE = (State.UPLOADED, State.ACCEPTED, State.JUDGING)


def require_member(user: User, team: Team) -> None:
    """Refuse somebody who is neither of the team nor an operator."""
    if not (user.is_operator or team.memberships.filter(user=user).exists()):
        raise NotAllowed(f"only members of {team} may do this")


def lock(submission_id: int) -> "QuerySet[Submission]":
    """Return the query that locks a submission's row: against changes, not against rows that point to it.

    Nothing that takes long is done under this lock: buttons wait for it.
    """
    return (
        Submission.objects.select_for_update(of=("self",), no_key=True)
        .select_related("corpus", "team")
        .filter(pk=submission_id)
    )


def at_once(act: Callable[P, None]) -> Callable[P, None]:
    """Make a button of a function: one transaction, and an answer within seconds."""

    @wraps(act)
    def acted(*args: P.args, **kwargs: P.kwargs) -> None:
        with brief_transaction(
            f"Something of {kwargs['submission']}, or of its scores, is just being stored. Nothing was"
            " changed: try again in a moment."
        ):
            act(*args, **kwargs)
            _note_operator(act.__name__, cast(Submission, kwargs["submission"]), cast(User, kwargs["user"]))

    return acted


def move(
    submission: Submission,
    state: str,
    detail: str = "",
    *,
    by: User | None = None,
    also: Iterable[str] = (),
) -> None:
    """Move a submission to a state, and write that on its timeline. The caller holds its row's lock.

    Parameters
    ----------
    by : User, optional
        Who brought it about.
    also : iterable of str
        Further fields that the caller has set, to be saved with the state.
    """
    submission.state = state
    submission.save(update_fields=["state", *also])
    SubmissionEvent.objects.create(submission=submission, state=state, detail=detail, by=by)


@transaction.atomic
def fail(*, submission_id: int, stage: str, detail: str) -> None:
    """Record that the service could not go on with a submission, through no fault of its file.

    A place in the quota is given back, but for one that is being judged: its sample stands, and going on
    takes no other.

    Parameters
    ----------
    stage : str
        The state in which it could not go on; if it has left that since, nothing has failed.
    """
    submission = lock(submission_id).get()
    if submission.state != stage or stage not in RESUMABLE:
        return
    submission.failed_in = submission.state
    if submission.state in BEFORE_SAMPLING:
        quota.give_back(submission)
    move(submission, State.FAILED, detail, also=["failed_in", *quota.FIELDS])
    notices.tell_failed(submission, detail=detail)


@at_once
def resume(*, submission: Submission, user: User) -> None:
    """Let the service try again where it failed."""
    require_member(user, submission.team)
    locked = _locked(submission, (State.FAILED,), "only a submission that failed can be resumed")
    dead = (State.REFUSED, State.CANCELLED, State.WITHDRAWN, State.FAILED)
    same_name = locked.team.submissions.filter(corpus=locked.corpus, name=locked.name).exclude(state__in=dead)
    if same_name.exists():
        raise Conflict(f"{locked.team} has submitted another system named {locked.name!r} since")
    back, locked.failed_in = locked.failed_in, ""
    StageWork.objects.filter(submission=locked).delete()
    move(locked, back, "resumed", by=user, also=["failed_in"])
    if back == State.JUDGING:
        Epoch.objects.filter(batches__submission=locked).update(
            scores_due=True, scoring_failures=0, scoring_not_before=None
        )
    nudge(VALIDATE_TASK if back == State.UPLOADED else SAMPLE_TASK)


@at_once
def give_go_ahead(*, submission: Submission, user: User) -> None:
    """Have a submission judged. Its place in the quota is taken now, or as soon as one is free.

    `Conflict` where as many of its team wait for theirs as may.
    """
    require_member(user, submission.team)
    locked = _locked(submission, BEFORE_SAMPLING, "it cannot be sent to the judges any more")
    if not locked.go_ahead:
        team = Team.objects.select_for_update().get(pk=locked.team_id)
        quota.refuse_too_many_waiting(team=team, corpus=locked.corpus)
    locked.go_ahead = True
    locked.save(update_fields=["go_ahead"])
    if locked.state == State.ACCEPTED:
        quota.take(submission=locked, now=timezone.now())
    else:
        quota.ask(submission=locked, now=timezone.now())
    nudge(SAMPLE_TASK)


@at_once
def cancel(*, submission: Submission, user: User) -> None:
    """Take a submission back before anything of it was sampled. It costs nothing."""
    require_member(user, submission.team)
    locked = _locked(submission, (*BEFORE_SAMPLING, State.FAILED), "it cannot be cancelled any more")
    if locked.failed_in == State.JUDGING:
        raise Conflict(f"{locked} was sampled: withdraw it instead")
    quota.give_back(locked)
    locked.failed_in = ""
    move(locked, State.CANCELLED, by=user, also=["failed_in", *quota.FIELDS])


@at_once
def withdraw(*, submission: Submission, user: User) -> None:
    """Hide a submission for good. What it brought into the sample stays there: π never falls."""
    require_member(user, submission.team)
    # The ranks of the others, which are made with the scores. The epoch's row comes first, as in scoring.
    Epoch.objects.filter(batches__submission=submission).update(scores_due=True)
    locked = _locked(submission, (*SAMPLED, State.FAILED), "only what was sampled can be withdrawn")
    if locked.state == State.FAILED and locked.failed_in != State.JUDGING:
        raise Conflict(f"{locked} was never sampled: cancel it instead")
    locked.failed_in = ""
    move(locked, State.WITHDRAWN, by=user, also=["failed_in"])


@at_once
def set_public(*, submission: Submission, user: User, is_public: bool) -> None:
    """Show a submission on the leaderboard, or hide it from all but its team and the operators."""
    require_member(user, submission.team)
    if not is_public:
        # Classifications are scored by what a model learns from shown systems. The epoch's row comes first.
        Epoch.objects.filter(
            batches__submission=submission, released_at=None, corpus__classes__isnull=False
        ).update(scores_due=True)
    locked = lock(submission.pk).get()
    if locked.state in (State.CANCELLED, State.WITHDRAWN):
        raise Conflict(f"{locked} is {locked.get_state_display()}")
    locked.is_public = is_public
    locked.save(update_fields=["is_public"])


@at_once
def delete_file(*, submission: Submission, user: User) -> None:
    """Delete the uploaded file, and files made of it. What rows say of it stays: claims, problems, scores."""
    require_member(user, submission.team)
    locked = lock(submission.pk).get()
    if State.UPLOADED in (locked.state, locked.failed_in):
        raise Conflict(f"{locked} is still to be read: cancel it first")
    if locked.file:
        name, storage = str(locked.file.name), locked.file.storage
        locked.file = ""
        locked.save(update_fields=["file"])
        SubmissionEvent.objects.create(
            submission=locked, state=locked.state, detail="the file was deleted", by=user
        )
        attachments.delete_files(submission=locked)
        normalised.discard(file=locked)
        problem_files.discard(file=locked)
        transaction.on_commit(lambda: storage.delete(name))


def _note_operator(act: str, submission: Submission, user: User) -> None:
    """Write down what somebody did who is not of the team."""
    if not submission.team.memberships.filter(user=user).exists():
        after = {"state": Submission.objects.values_list("state", flat=True).get(pk=submission.pk)}
        before = {"state": submission.state}
        record(
            What.SUBMISSION_CHANGED, by=user, about=submission, before=before, after={"done": act, **after}
        )


def _locked(submission: Submission, states: tuple[str, ...], otherwise: str) -> Submission:
    locked = lock(submission.pk).get()
    if locked.state not in states:
        raise Conflict(f"{locked} is {locked.get_state_display()}: {otherwise}")
    return locked
