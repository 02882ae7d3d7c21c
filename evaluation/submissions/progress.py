"""How far a submission is, in words that say what happens next."""

import datetime
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet

from annotations.models import Question, Response
from evaluation.models import SampleBatch, StageWork, Submission
from kbpo.core.durations import in_words

State = Submission.State
DOING: Mapping[str, str] = MappingProxyType(
    {State.UPLOADED: "Reading the file", State.ACCEPTED: "Drawing the sample"}
)
SILENT = datetime.timedelta(seconds=30)  # after which work without a sign of life has probably stopped
ENOUGH = 10  # settled questions before a rate says anything

HEADINGS: Mapping[str, str] = MappingProxyType(
    {
        State.UPLOADED: "Waiting to be read",
        State.REFUSED: "Refused: the file has errors",
        State.ACCEPTED: "Accepted",
        State.JUDGING: "People are judging it",
        State.SCORED: "Scored",
        State.CANCELLED: "Cancelled",
        State.WITHDRAWN: "Withdrawn",
        State.FAILED: "Stopped by a fault of ours",
    }
)
EVENTS: Mapping[str, str] = MappingProxyType(
    {
        State.UPLOADED: "Submitted",
        State.REFUSED: "Read and refused",
        State.ACCEPTED: "Read and accepted",
        State.JUDGING: "Sample drawn; judging began",
        State.SCORED: "Scored",
        State.CANCELLED: "Cancelled",
        State.WITHDRAWN: "Withdrawn",
        State.FAILED: "Stopped",
    }
)


@dataclass(frozen=True, slots=True)
class Progress:
    """How many of the questions that a submission needs are settled.

    Attributes
    ----------
    settled, needed : int
        Those that are asked for it, which its forecast foretold, and those that audit these. Counted as
        settled are those that were settled since its sample was drawn; all, once all are.
    left : timedelta or None
        How long the rest takes at the rate so far; None where that cannot be said.
    answered_at : datetime or None
        When the last answer to any of them came, since its sample was drawn.
    shared, shared_settled : int
        Those that it needs too, and that were asked for systems before it, or published, with their audits.
    shared_audits : int
        How many of the shared ones are audits: they ask others of them again.
    """

    settled: int
    needed: int
    left: datetime.timedelta | None
    answered_at: datetime.datetime | None = None
    shared: int = 0
    shared_settled: int = 0
    shared_audits: int = 0

    @property
    def bar(self) -> tuple[int, int]:
        """How many of how many are settled: of what is asked for it; where nothing is, of what it shares."""
        return (self.settled, self.needed) if self.needed else (self.shared_settled, self.shared)

    @property
    def words(self) -> str:
        """As in “3 of 456 questions settled; about 2 hours left”."""
        words = f"{self.settled:,} of {self.needed:,} questions settled"
        if not self.needed:
            words = (
                f"nothing new is asked; of {self.shared:,} questions that were asked for other systems before"
                f" and that it needs too, {self.shared_settled:,} are settled"
            )
        return f"{words}; {in_words(self.left)} left" if self.left else words

    @property
    def words_of_shared(self) -> str:
        """As in “312 more were asked for other systems before: 300 of them are settled”; empty for none.

        Where nothing else is asked, `words` says it.
        """
        if not self.shared or not self.needed:
            return ""
        were = "was" if self.shared == 1 else "were"
        again = ""
        if self.shared_audits:
            ask = "asks" if self.shared_audits == 1 else "ask"
            again = f" ({self.shared_audits:,} of these {ask} some of the others again)"
        words = f"{self.shared:,} more that it needs{again} {were} asked for other systems before"
        if self.shared_settled == self.shared:
            return f"{words}, and {'is' if self.shared == 1 else 'all are'} settled"
        are = "is" if self.shared_settled == 1 else "are"
        return f"{words}: {self.shared_settled:,} of them {are} settled"


def progress(submission: Submission) -> Progress | None:
    """Count the questions of a submission's batch; None before its claims are sampled."""
    batch = _counted().filter(submission=submission).first()
    if batch is None:
        return None
    recent = Q(settled_at__gt=batch.drawn_at)
    counted = batch.questions.aggregate(
        recent=Count("pk", filter=recent & Q(state=Question.State.SETTLED)),
        first=Min("settled_at", filter=recent),
        last=Max("settled_at", filter=recent),
    )
    left = None
    shared, shared_settled = batch.shared, batch.shared_settled
    rest = batch.needed - batch.settled + shared - shared_settled
    if rest and counted["recent"] >= ENOUGH and counted["last"] > counted["first"]:
        left = (counted["last"] - counted["first"]) / (counted["recent"] - 1) * rest
    asked = Q(question__batches=batch) | Q(question__audits__batches=batch)
    answers = Response.objects.filter(asked, answered_at__gt=batch.drawn_at)
    answered_at = answers.aggregate(at=Max("answered_at"))["at"]
    audits = shared - batch.asked_before
    return Progress(batch.settled, batch.needed, left, answered_at, shared, shared_settled, audits)


def count_asked(batch: SampleBatch) -> tuple[int, int]:
    """Count the questions that a sample asks, and those that it shares with systems before, without audits.

    Both follow from the samples alone, and not from when something was answered or audited.
    """
    counted = _counted().get(pk=batch.pk)
    return counted.asked, counted.asked_before


def count_settled(submissions: Collection[int]) -> dict[int, tuple[int, int]]:
    """Count the settled questions of those asked for each sampled submission, and all of these.

    Where nothing new is asked for one, those are counted that it shares with systems before it, as in
    `Progress.bar`.
    """
    batches = _counted().filter(submission__in=submissions)
    return {
        batch.submission_id: (batch.settled, batch.needed)
        if batch.needed
        else (batch.shared_settled, batch.shared)
        for batch in batches
    }


def _counted() -> QuerySet[SampleBatch, Any]:
    settled = Q(questions__state=Question.State.SETTLED)
    recent = Q(questions__settled_at__gt=F("drawn_at"))
    # What was settled before for no system tells which documents are annotated in full: it shows in the end.
    earlier = SampleBatch.questions.through.objects.filter(
        question=OuterRef("questions"), samplebatch__drawn_at__lt=OuterRef("drawn_at")
    )
    for_systems = Q(questions__published_at__lte=F("drawn_at")) | Q(Exists(earlier))
    shown = settled & ~for_systems & (Q(labelled_at__isnull=False) | recent)
    audited = Q(questions__audit__state=Question.State.SETTLED)

    def count(of_questions: Q, of_audits: Q) -> Any:
        return Count("questions", filter=of_questions) + Count("questions__audit", filter=of_audits)

    return SampleBatch.objects.annotate(
        settled=count(shown, audited & ~for_systems),
        needed=count(~for_systems, ~for_systems),
        shared=count(for_systems, for_systems),
        shared_settled=count(settled & for_systems, audited & for_systems),
        asked=Count("questions", filter=~for_systems),
        asked_before=Count("questions", filter=for_systems),
    ).order_by()


def sign_of_life(
    submission: Submission, work: StageWork | None, now: datetime.datetime, *, doing: str = ""
) -> str:
    """Say what the service is doing with a submission, and how long that may take; empty where it waits.

    Parameters
    ----------
    submission : Submission
    work : StageWork or None
        The last work on it.
    now : datetime
    doing : str, optional
        What it is at, where its state does not say that.
    """
    if work is None or work.stage != submission.state or work.stage not in DOING:
        return ""
    doing = doing or DOING[work.stage]
    silence = now - work.heartbeat_at
    stopped = f"{doing} stopped {ago(silence)}, at try {work.attempts}"
    if work.not_before is not None:
        again = f"at {work.not_before:%H:%M} UTC" if now < work.not_before else "any moment now"
        return f"{stopped}; we try again {again}."
    words = f"{doing}; last sign of life {ago(silence)}; try {work.attempts}"
    if silence > SILENT:
        words = f"{stopped}; it is tried again by itself"
    return f"{words}."


def version(
    submission: Submission, events: int, done: Progress | None, normalised: str, prepared: str = ""
) -> str:
    """Return what changes whenever a submission's page would: its script looks for that.

    Parameters
    ----------
    submission : Submission
    events : int
        How many steps its timeline has.
    done : Progress or None
    normalised : str
        The state of its normalised file, for those who see that.
    prepared : str, optional
        How far it is with what its sample waits for.
    """
    so_far = done.settled if done else 0
    return f"{submission.state}.{submission.go_ahead:d}.{events}.{so_far}.{normalised}.{prepared}"


def ago(span: datetime.timedelta) -> str:
    """Say how long ago something was.

    Examples
    --------
    >>> ago(datetime.timedelta(seconds=3))
    '3 s ago'
    >>> ago(datetime.timedelta(minutes=100))
    'about 2 hours ago'
    """
    seconds = max(0, round(span.total_seconds()))
    return f"{seconds} s ago" if seconds < 60 else f"{in_words(span)} ago"


def heading(
    submission: Submission, quota_free_at: datetime.datetime | None = None, *, may_compete: bool = True
) -> str:
    """Say where a submission stands; of an accepted one also what it waits for, and until when.

    Parameters are those of `next_step`.
    """
    words = HEADINGS[submission.state]
    if submission.state != State.ACCEPTED:
        return words
    if not submission.go_ahead:
        return f"{words}; waits for your go-ahead"
    if not may_compete:
        return f"{words}; waits until your team is approved"
    if quota_free_at is not None:
        return f"{words}; waits until {quota_free_at:%A, %-d %B}"
    return words


def next_step(
    submission: Submission,
    quota_free_at: datetime.datetime | None = None,
    *,
    may_compete: bool = True,
    units: str = "predictions",
) -> str:
    """Say what happens next.

    Parameters
    ----------
    submission : Submission
    quota_free_at : datetime, optional
        When it gets its place in the quota; None: now.
    may_compete : bool
        Whether its team is approved, or need not be.
    units : str
        What its task calls what is sampled.
    """
    if submission.state == State.UPLOADED:
        return "Next the file is read, line by line. That takes seconds, or minutes if it is large."
    if submission.state == State.REFUSED:
        return "Nothing was judged, no quota used. Correct what its problems name and submit the file again."
    if submission.state == State.ACCEPTED and not submission.go_ahead:
        return "Nobody judges it until you say so."
    if submission.state == State.ACCEPTED and not may_compete:
        return "An operator has to approve your team first. They see that it waits; you need do nothing."
    if submission.state == State.ACCEPTED and quota_free_at is not None:
        return (
            f"Your quota of the week is used up: its {units} are sampled on"
            f" {quota_free_at:%A, %-d %B at %H:%M} UTC, when the next place is free."
        )
    if submission.state == State.ACCEPTED:
        return f"Next a sample of its {units} is drawn and put before people. That takes seconds."
    if submission.state == State.JUDGING:
        again = (
            " Some of the labels are then judged again by others." if submission.corpus.audit_share else ""
        )
        return f"{submission.corpus.judged_by.words}{again} Then it is scored."
    batch = getattr(submission, "batch", None)
    if submission.state == State.SCORED and batch is not None and batch.epoch.released_at is not None:
        return "Its scores are below. Its epoch is released, with every label that they rest on."
    if submission.state == State.SCORED:
        return f"Its scores are below. They are computed anew when later systems bring more judged {units}."
    if submission.state == State.CANCELLED:
        return "Nothing of it was judged, and it took nothing of your team's quota. Its name is free again."
    if submission.state == State.WITHDRAWN:
        return "It is off the leaderboard. What was judged for it stays in the sample, without its name."
    if submission.failed_in == State.JUDGING:
        return "What was judged stands. Try again below; the operators have been shown what happened."
    return (
        "It was not your file's fault. If it had taken a place in your team's quota, that was given back."
        " Try again below; the operators can see what happened."
    )
