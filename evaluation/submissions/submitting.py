"""Submissions: upload, read, accept or refuse, withdraw."""

import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import datetime
from typing import Any, BinaryIO, cast

from django.core.files import File
from django.db import connection, transaction
from django.db.models.fields.files import FieldFile
from django.utils import timezone

from annotations import conflicts, roles
from annotations.challenges import admission
from annotations.models import Corpus, CorpusPhase, Response
from evaluation.models import ProblemFile, Submission, SubmissionEvent, Upload
from evaluation.reading import isolated
from evaluation.submissions import anonymity, notices, problem_files, problem_list, quota, quotes, uploads
from evaluation.submissions import attachments as beside
from evaluation.submissions.lifecycle import SAMPLE_TASK, VALIDATE_TASK, lock, move, require_member
from evaluation.submissions.links import NO_LINKS, Links
from evaluation.submissions.texts import text_file
from evaluation.task import Task
from kbpo.accounts.models import Team, User
from kbpo.core.clock.nudge import nudge
from kbpo.core.database.locks import brief_transaction
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed
from kbpo.core.keeping import installation
from kbpo.core.names import read_name

State = Submission.State


def upload(
    *,
    user: User | None,
    team: Team,
    corpus: Corpus,
    task: Task,
    name: str,
    file: "File[bytes]",
    attachments: beside.Files | None = None,
    description: str = "",
    format: str = "",
    go_ahead: bool = False,
    is_public: bool = True,
    anonymous_until: datetime | None = None,
    again: bool = True,
    links: Links = NO_LINKS,
    now: datetime | None = None,
) -> Submission:
    """Take in a file, and have its team compete in the corpus. The file is read by the pipeline, soon after.

    Parameters
    ----------
    user : User or None
        Who uploads: a member of `team` or an operator; None for the operator at the command line.
    task : Task
        The corpus'.
    file : File
        Plain or gzip.
    attachments : mapping of str to File, optional
        What comes beside it, by the names of `Reader.attachments`.
    format : str
        One of the task's; recognised if left out.
    go_ahead : bool
        Whether to have it judged as soon as it is accepted.
    is_public : bool
        Whether to show it on the leaderboard once it is scored.
    anonymous_until : datetime, optional
        Until when others know it and its team by an alias.
    again : bool
        Whether bytes that the user's teams have in the corpus already are meant.
    links : Links
        Where its paper and its code are.
    now : datetime, optional
        When it came in, all of it: what dates go by, however long it then waits for a lock. The clock's time
        if left out.

    Raises
    ------
    NotAllowed
        If the user is not of the team, or a member of it has judged claims of the corpus that are sealed.
    InvalidInput
        If the name is empty, the format unknown, or the task knows no such attachment; or if it cannot be
        anonymous until then.
    Conflict
        If the corpus does not take it now, by its dates, phases or terms (`admission.check`); or it is to be
        judged as soon as it is accepted, and as many of the team wait for that as may: neither at the command
        line. If the team has a submission of that name in the corpus, or another is just being stored; or its
        bytes are there already, judged or on the way to it, and are not meant again.
    """
    now = now or timezone.now()
    if user is not None:
        require_member(user, team)
    task.check_corpus(corpus)
    name = read_name(name, of="A submission's name", longest=100, where="name")
    format = format or task.reader.recognise(cast(BinaryIO, file))
    if format not in task.reader.formats:
        raise InvalidInput(f"{format!r} is not one of {', '.join(task.reader.formats)}", where="format")
    task.reader.check_attachments(attachments or {})
    digest = beside.sha256(file)
    saved: list[FieldFile] = []
    try:
        with brief_transaction(f"Something else of {team} is just being stored: try again in a moment."):
            Team.objects.select_for_update().get(pk=team.pk)
            _refuse_judges(team, corpus)
            phase = (
                admission.phase_of_operator(corpus=corpus, now=now)
                if user is None
                else _admit(team=team, corpus=corpus, now=now)
            )
            # Under the lock: a request that is sent twice at once is submitted once.
            same = (
                [] if again or user is None else uploads.with_digest(digest, user=user.pk, corpus=corpus.pk)
            )
            if same:
                raise Conflict(
                    f"{same[0]} has the very same bytes in {corpus}: say that you want them judged again"
                )
            dead = [State.REFUSED, State.CANCELLED, State.WITHDRAWN, State.FAILED]
            if team.submissions.filter(corpus=corpus, name=name).exclude(state__in=dead).exists():
                raise Conflict(
                    f"{team} already has a submission named {name!r} in {corpus}: choose another name"
                )
            if go_ahead and user is not None:
                quota.refuse_too_many_waiting(team=team, corpus=corpus)
            conflicts.add_competitor(corpus=corpus, team=team)
            stored = Submission(
                corpus=corpus,
                team=team,
                uploaded_by=user,
                name=name,
                description=description,
                format=format,
                digest=digest,
                go_ahead=go_ahead,
                quota_asked_at=now if go_ahead and quota.may_compete(team) else None,
                is_public=is_public,
                paper_url=links.paper,
                code_url=links.code,
                uploaded_at=now,
                phase=phase,
            )
            installation.require_ours()
            stored.file.save(name, file, save=False)
            saved.append(stored.file)
            stored.save()
            if anonymous_until is not None:
                anonymity.veil(submission=stored, until=anonymous_until, now=timezone.now())
            beside.store(submission=stored, files=attachments or {}, saved=saved)
            SubmissionEvent.objects.create(submission=stored, state=State.UPLOADED)
            nudge(VALIDATE_TASK)
            return stored
    except BaseException:
        for one in saved:
            one.delete(save=False)
        raise


def submit_upload(
    *,
    user: User,
    sent: Upload,
    team: Team,
    corpus: Corpus,
    task: Task,
    attachments: Mapping[str, Upload] | None = None,
    **values: Any,
) -> Submission:
    """Submit a file that has arrived in full; its upload is thrown away, unless it was checked.

    Parameters
    ----------
    sent : Upload
    attachments : mapping of str to Upload, optional
        What arrived beside it.
    **values
        What else `upload` takes.

    Raises
    ------
    KbpoError
        As `upload` says.
    """
    with ExitStack() as stack:
        file = stack.enter_context(uploads.as_file(sent))
        files = {name: stack.enter_context(uploads.as_file(one)) for name, one in (attachments or {}).items()}
        stored = upload(
            user=user, team=team, corpus=corpus, task=task, file=file, attachments=files, **values
        )
    for one in (sent, *(attachments or {}).values()):
        if not uploads.is_checked(one):  # a check keeps its files for its day
            uploads.discard(upload=one)
    return stored


def read_file(
    *,
    task: Task,
    stream: BinaryIO,
    corpus: Corpus,
    format: str,
    attachments: Mapping[str, BinaryIO] | None = None,
    every_problem: BinaryIO | None = None,
    is_wanted: Callable[[], bool] = lambda: True,
) -> isolated.Outcome:
    """Read and check a file against a corpus, in a process of its own; nothing is stored.

    A file that costs too much to read is refused too.

    Parameters
    ----------
    task : Task
        The corpus'.
    format : str
        One of the task's.
    attachments : mapping of str to binary file, optional
        What came beside it, by name.
    every_problem : binary file, optional
        What every problem is written to, where some are not listed.
    is_wanted : callable
        Asked now and then whether to go on.

    Raises
    ------
    ReaderFailed
        If the process ended as no file should make it end.
    Abandoned
        If it was not wanted any more.
    """
    return isolated.read(
        stream,
        reader=task.reader,
        format=format,
        texts=text_file(corpus),
        about=task.about(corpus),
        attachments=attachments,
        every_problem=every_problem,
        is_wanted=is_wanted,
    )


def read_submission(*, submission_id: int, task: Task) -> bool:
    """Read an uploaded submission: it becomes accepted, with its predictions, or refused, with the reasons.

    Parameters
    ----------
    submission_id : int
    task : Task
        Its corpus'.

    Returns
    -------
    bool
        False where there was nothing to do: it was read before, or cancelled, be it meanwhile.
    """
    uploaded = Submission.objects.filter(pk=submission_id, state=State.UPLOADED)
    submission = uploaded.select_related("corpus").first()
    if submission is None:
        return False
    task.check_corpus(submission.corpus)
    since = quotes.texts_of(submission.corpus)
    try:
        with (
            tempfile.TemporaryFile() as every_problem,
            submission.file.open("rb") as stream,
            beside.opened(submission) as attachments,
        ):
            reading = read_file(
                task=task,
                stream=cast(BinaryIO, stream),
                corpus=submission.corpus,
                format=submission.format,
                attachments=attachments,
                every_problem=cast(BinaryIO, every_problem),
                is_wanted=uploaded.exists,
            )
            with problem_files.stored(cast(BinaryIO, every_problem), count=reading.recorded) as made:
                return _store(submission, reading, made, task, since)
    except isolated.Abandoned:
        return False


@transaction.atomic
def _store(
    submission: Submission,
    reading: isolated.Outcome,
    made: ProblemFile | None,
    task: Task,
    since: quotes.Texts,
) -> bool:
    """Store what was read, unless the submission was cancelled while it was."""
    problem_list.store(submission, reading.problems)
    if reading.accepted:
        task.store_predictions(submission, reading.predictions)
    connection.check_constraints()  # now, instead of under the lock: a million rows take seconds
    locked = lock(submission.pk).filter(state=State.UPLOADED).first()
    if locked is None:
        transaction.set_rollback(True)
        return False
    if quotes.may_stay(corpus=locked.corpus, since=since):
        problem_files.attach(made, locked)
    else:
        quotes.remove_of_file(file=locked, codes=task.reader.codes)
    locked.counts = dict(reading.counts)
    if reading.accepted:
        predictions = len(reading.predictions)
        words = task.choices.number(predictions)
        move(locked, State.ACCEPTED, words, also=["counts"])
        notices.tell_read(locked, predictions=predictions, words=words)
        if locked.go_ahead:
            nudge(SAMPLE_TASK)
    else:
        errors = reading.counts["errors"]
        quota.give_back(locked)
        move(
            locked,
            State.REFUSED,
            f"{errors:,} error{'s' if errors != 1 else ''} in the file",
            also=["counts", *quota.FIELDS],
        )
        notices.tell_refused(locked)
    return True


def _admit(*, team: Team, corpus: Corpus, now: datetime) -> CorpusPhase | None:
    """Return the phase in which a team submits; refuse it where it may not now. The team's row is locked."""
    phase = admission.check(corpus=corpus, team=team, now=now)
    if phase is not None and phase.most_submissions is not None:
        quota.refuse_full_phase(team=team, phase=phase)
    return phase


def _refuse_judges(team: Team, corpus: Corpus) -> None:
    """Refuse a team of which somebody has judged sealed claims, or sees what is sampled by a role.

    Whoever has left it counts too: it takes a minute to leave, and to come back.
    """
    people = conflicts.people(team)
    judged = Response.objects.filter(
        question__document__corpus=corpus, question__published_at=None, worker__in=people
    )
    if judged.exists():
        raise NotAllowed(
            f"somebody who is or was in {team} has judged claims of {corpus} that are still sealed: the team"
            " can submit systems once their epoch is released"
        )
    if roles.insiders(corpus).filter(pk__in=people).exists():
        raise NotAllowed(
            f"somebody who is or was in {team} is an organiser or a reviewer of {corpus}, and sees what is"
            " sampled: the team cannot submit systems there"
        )
