"""Submissions: upload, read, accept or refuse, withdraw."""

import hashlib
from collections.abc import Callable
from typing import BinaryIO, cast

from django.core.files import File
from django.db import connection, transaction

from annotations import conflicts
from annotations.models import Corpus, Document, Response
from evaluation.estimators import weighting
from evaluation.kbp.tac.predictions import OFFSETS
from evaluation.kbp.tac.problems import Format
from evaluation.models import Instance, Prediction, Submission, SubmissionEvent
from evaluation.submissions import problem_list
from evaluation.submissions.lifecycle import SAMPLE_TASK, VALIDATE_TASK, lock, move, require_member
from evaluation.submissions.reading import isolated
from evaluation.submissions.reading.columns import Predictions
from evaluation.submissions.texts import text_file
from kbpo.accounts.models import Team, User
from kbpo.core.analysing import analyse
from kbpo.core.errors import Conflict, InvalidInput, NotAllowed
from kbpo.core.locks import brief_transaction
from kbpo.core.nudge import nudge

State = Submission.State


def upload(
    *,
    user: User | None,
    team: Team,
    corpus: Corpus,
    name: str,
    file: "File[bytes]",
    description: str = "",
    format: str = Submission.Format.TAC2016,
    go_ahead: bool = False,
    is_public: bool = True,
) -> Submission:
    """Take in a file, and have its team compete in the corpus. The file is read by the pipeline, soon after.

    Parameters
    ----------
    user : User or None
        Who uploads: a member of `team` or an operator; None for the operator at the command line.
    file : File
        A knowledge base, plain or gzip.
    format : {"tac2016", "tac2015"}
        The year whose rules it follows.
    go_ahead : bool
        Whether to have it judged as soon as it is accepted.
    is_public : bool
        Whether to show it on the leaderboard once it is scored.

    Raises
    ------
    NotAllowed
        If the user is not of the team, or a member of it has judged claims of the corpus that are sealed.
    InvalidInput
        If the name is empty or the format unknown.
    Conflict
        If the team has a submission of that name in the corpus, or another is just being stored.
    """
    if user is not None:
        require_member(user, team)
    name = " ".join(name.split())  # it goes into the subject of a mail
    if not name or len(name) > 100 or not name.isprintable():
        raise InvalidInput("a submission needs a name of 1 to 100 characters that print", where="name")
    if format not in Submission.Format.values:
        raise InvalidInput(f"{format!r} is not one of {', '.join(Submission.Format.values)}", where="format")
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    file.seek(0)
    stored: Submission | None = None
    try:
        with brief_transaction(f"Something else of {team} is just being stored: try again in a moment."):
            Team.objects.select_for_update().get(pk=team.pk)
            _refuse_judges(team, corpus)
            dead = [State.REFUSED, State.CANCELLED, State.WITHDRAWN, State.FAILED]
            if team.submissions.filter(corpus=corpus, name=name).exclude(state__in=dead).exists():
                raise Conflict(
                    f"{team} already has a submission named {name!r} in {corpus}: choose another name"
                )
            conflicts.add_competitor(corpus=corpus, team=team)
            stored = Submission(
                corpus=corpus,
                team=team,
                uploaded_by=user,
                name=name,
                description=description,
                format=format,
                digest=digest.hexdigest(),
                go_ahead=go_ahead,
                is_public=is_public,
            )
            stored.file.save(name, file, save=False)
            stored.save()
            SubmissionEvent.objects.create(submission=stored, state=State.UPLOADED)
            nudge(VALIDATE_TASK)
            return stored
    except BaseException:
        if stored is not None and stored.file:
            stored.file.delete(save=False)
        raise


def read_kb(
    *,
    stream: BinaryIO,
    corpus: Corpus,
    format: str,
    is_wanted: Callable[[], bool] = lambda: True,
) -> isolated.Outcome:
    """Read and check a knowledge base against a corpus, in a process of its own; nothing is stored.

    A file that the format admits but that claims nothing is refused too: it has no precision. So is one
    that costs too much to read.

    Parameters
    ----------
    is_wanted : callable
        Asked now and then whether to go on.

    Raises
    ------
    ReaderFailed
        If the process ended as no file should make it end.
    Abandoned
        If it was not wanted any more.
    """
    return isolated.read(stream, format=cast(Format, format), texts=text_file(corpus), is_wanted=is_wanted)


def read_submission(*, submission_id: int) -> bool:
    """Read an uploaded submission: it becomes accepted, with its predictions, or refused, with the reasons.

    Returns
    -------
    bool
        False where there was nothing to do: it was read before, or cancelled, be it meanwhile.
    """
    uploaded = Submission.objects.filter(pk=submission_id, state=State.UPLOADED)
    submission = uploaded.select_related("corpus").first()
    if submission is None:
        return False
    try:
        with submission.file.open("rb") as stream:
            reading = read_kb(
                stream=cast(BinaryIO, stream),
                corpus=submission.corpus,
                format=submission.format,
                is_wanted=uploaded.exists,
            )
    except isolated.Abandoned:
        return False
    return _store(submission, reading)


@transaction.atomic
def _store(submission: Submission, reading: isolated.Outcome) -> bool:
    """Store what was read, unless the submission was cancelled while it was."""
    problem_list.store(submission, reading.problems)
    if reading.accepted:
        _store_predictions(submission, reading.predictions)
    connection.check_constraints()  # now, instead of under the lock: a million rows take seconds
    locked = lock(submission.pk).filter(state=State.UPLOADED).first()
    if locked is None:
        transaction.set_rollback(True)
        return False
    locked.counts = reading.counts
    if reading.accepted:
        claims = len(reading.predictions)
        move(locked, State.ACCEPTED, f"{claims} claim{'s' * (claims != 1)}", also=["counts"])
        if locked.go_ahead:
            nudge(SAMPLE_TASK)
    else:
        errors = reading.counts["errors"]
        move(
            locked, State.REFUSED, f"{errors} error{'s' if errors != 1 else ''} in the file", also=["counts"]
        )
    return True


def _store_predictions(submission: Submission, predictions: Predictions) -> None:
    probabilities = weighting.subject_relation(
        predictions.names("subject_entity"),
        predictions.names("predicate"),
        predictions.names("object_entity"),
    )
    documents = dict(Document.objects.filter(corpus=submission.corpus).values_list("doc_id", "id"))
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TEMPORARY TABLE read_prediction ("
            " document_id bigint, predicate text, subject_start int, subject_end int, object_start int,"
            " object_end int, confidence float8, subject_type text, object_type text, subject_entity text,"
            " object_entity text, subject_canonical_start int, subject_canonical_end int,"
            " object_canonical_start int, object_canonical_end int, probability float8, line int"
            ")"
        )
        with cursor.copy("COPY read_prediction FROM STDIN") as copy:
            for row in zip(
                [documents[doc_id] for doc_id in predictions.names("doc_id")],
                predictions.names("predicate"),
                *map(predictions.offsets, OFFSETS[:4]),
                predictions.confidences,
                *map(predictions.names, ("subject_type", "object_type", "subject_entity", "object_entity")),
                *map(predictions.offsets, OFFSETS[4:]),
                probabilities.tolist(),
                predictions.integers["line"],
                strict=True,
            ):
                copy.write_row(row)
        cursor.execute("ANALYZE read_prediction")
        key = "document_id, predicate, subject_start, subject_end, object_start, object_end"
        # Ordered, so that two submissions read at once lock the instances they share in one order.
        cursor.execute(
            f"INSERT INTO evaluation_instance (corpus_id, {key})"  # noqa: S608 (constants)
            f" SELECT %s, {key} FROM read_prediction ORDER BY {key} ON CONFLICT DO NOTHING",
            [submission.corpus_id],
        )
        analyse({Instance: cursor.rowcount})  # before it is joined, and foreign keys to it are checked
        rest = (
            "confidence, subject_type, object_type, subject_entity, object_entity, subject_canonical_start,"
            " subject_canonical_end, object_canonical_start, object_canonical_end, probability, line"
        )
        cursor.execute(
            f"INSERT INTO evaluation_prediction (submission_id, instance_id, {rest})"  # noqa: S608 (constants)
            f" SELECT %s, instance.id, {rest} FROM read_prediction"
            f" JOIN evaluation_instance AS instance USING ({key})",
            [submission.pk],
        )
        cursor.execute("DROP TABLE read_prediction")
    analyse({Prediction: len(predictions)})


def _refuse_judges(team: Team, corpus: Corpus) -> None:
    """Refuse a team one of whose members has judged sealed claims: they know what is sampled, and how."""
    judged = Response.objects.filter(
        question__document__corpus=corpus,
        question__published_at=None,
        worker__memberships__team=team,
    )
    if judged.exists():
        raise NotAllowed(
            f"a member of {team} has judged claims of {corpus} that are still sealed: the team can hand in"
            " systems once their epoch is released"
        )
