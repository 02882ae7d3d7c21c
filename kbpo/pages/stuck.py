"""Everything that is stuck, has failed, or waits for somebody: with its cause, its age and how to go on.

One selector for the operators' page and for the mail to them. Each part asks a fixed number of queries.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from django.conf import settings
from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet, Subquery
from django.urls import reverse

from annotations.models import Question
from crowd import accounts
from crowd.models import Assignment, Bonus, Hit, HitBatch, HitQuestion, WorkerBlock, WorkerQualification
from evaluation.models import Epoch, FileCheck, NormalisedFile, StageWork, Submission, SubmissionEvent
from kbpo.accounts import teams
from kbpo.core import disk
from kbpo.core.errors import StoreAway
from kbpo.core.health import signs
from kbpo.core.health.troubles import Wrong
from kbpo.core.keeping import installation
from kbpo.core.mail import selectors
from kbpo.core.models import Message
from kbpo.pages import untouched
from kbpo.pages.batches import waits_for_a_person
from kbpo.pages.items import LONG, Item

MOST = 50  # shown of one part
IN_TURN = "It waits its turn, or its worker was stopped: {} tries."
MOST_WRONG = 1000  # of one part that operators are told of by mail


@dataclass(frozen=True, slots=True)
class Part:
    """Things of one sort.

    Attributes
    ----------
    name : str
    heading : str
    items : tuple of Item
        The oldest first, `MOST` at most.
    has_more : bool
        Whether there are more than are shown.
    """

    name: str
    heading: str
    items: tuple[Item, ...]
    has_more: bool

    @property
    def is_wrong(self) -> bool:
        """Whether something of it is wrong, and not only waiting for somebody."""
        return any(item.trouble for item in self.items)


def stuck(*, now: datetime) -> list[Part]:
    """Look for everything that is stuck, failed or waiting; parts with nothing are left out."""
    found = []
    for heading, look in LOOKS:
        items = list(islice(look(now, MOST + 1), MOST + 1))
        if items:
            found.append(Part(look.__name__.strip("_"), heading, tuple(items[:MOST]), len(items) > MOST))
    return found


def wrong(*, now: datetime) -> list[Wrong]:
    """Say what is wrong, for those who are told by mail: all of it, and not what fits on the page."""
    return [
        Wrong(item.trouble, f"{heading}: {item.title}. {item.cause}".strip()[:500], item.since)
        for heading, look in LOOKS
        for item in look(now, MOST_WRONG)
        if item.trouble
    ]


def _processes(now: datetime, most: int) -> Iterable[Item]:
    for sign in signs.signs(now=now):
        if sign.is_late:
            yield Item(
                title=sign.label[0].upper() + sign.label[1:],
                cause="It gives no sign of life: start it again, and look at what it wrote last.",
                since=sign.seen_at,
                trouble=f"process {sign.name}",
            )


def _disks(now: datetime, most: int) -> Iterable[Item]:
    for space in disk.low_spaces():
        yield Item(
            title=str(space.folder),
            cause=f"{space.free / 1e9:.1f} GB of {space.size / 1e9:.1f} GB are free: make room."
            + (" Uploads are refused." if space.is_full else ""),
            trouble=f"disk {space.folder}",
        )


def _files(now: datetime, most: int) -> Iterable[Item]:
    row = installation.row()
    try:
        cause = installation.compare(row, installation.read_mark(hurried=True)).trouble or row.warning
    except StoreAway as error:
        cause = error.detail
    if cause:
        yield Item(title="Files and database", cause=cause, since=row.warned_at, trouble="files and database")


def _failed_submissions(now: datetime, most: int) -> Iterable[Item]:
    last = SubmissionEvent.objects.filter(submission=OuterRef("pk"), state=Submission.State.FAILED)
    last = last.order_by("-pk")
    failed = (
        Submission.objects.filter(state=Submission.State.FAILED)
        .annotate(
            failed_at=Subquery(last.values("at")[:1]),
            detail=Subquery(last.values("detail")[:1]),
            error=F("work__error"),
        )
        .select_related("corpus", "team")
        .order_by("failed_at", "pk")
    )
    for one in failed[:most]:
        yield Item(
            title=f"{one.name} of {one.team}, {one.corpus}",
            cause=_joined(one.detail, one.error),
            since=one.failed_at,
            url=reverse("submission", args=[one.pk]),
            act="submission",
            pk=str(one.pk),
            button="Resume",
            trouble=f"submission {one.pk}",
        )


def _stages(now: datetime, most: int) -> Iterable[Item]:
    works = (
        StageWork.objects.filter(Q(errors__gt=0) | Q(attempts__gt=2), submission__state=F("stage"))
        .select_related("submission__corpus", "submission__team")
        .order_by("started_at", "pk")
    )
    for one in works[:most]:
        waits = one.not_before is not None and one.not_before > now
        yield Item(
            title=f"{one.submission.name} of {one.submission.team}, {one.submission.corpus}",
            cause=f"It is {one.stage}, at try {one.attempts}. {one.error}".strip(),
            since=one.started_at,
            url=reverse("submission", args=[one.submission_id]),
            act="stage" if waits else "",
            pk=str(one.submission_id) if waits else "",
            button="Try now" if waits else "",
            trouble=f"stage of submission {one.submission_id}",
        )


def _scores(now: datetime, most: int) -> Iterable[Item]:
    failing = Epoch.objects.filter(scoring_failures__gt=0).select_related("corpus").order_by("pk")
    for one in failing[:most]:
        times = "once" if one.scoring_failures == 1 else f"{one.scoring_failures} times"
        due = one.scores_due or one.subsets_due
        yield Item(
            title=f"Epoch {one.number} of {one.corpus}",
            cause=f"Computing its scores failed {times}; the log says why."
            + (" It is tried again by itself." if due else " It is not tried again by itself."),
            act="scores",
            pk=str(one.pk),
            button="Score again",
            trouble=f"scores of epoch {one.pk}",
        )


def _mail(now: datetime, most: int) -> Iterable[Item]:
    for one in selectors.unsent(now=now, late=LONG, most=most):
        tries = "It was never tried" if one.attempts == 0 else f"Not sent at try {one.attempts}"
        yield _message(one, f"{tries}. {one.error}", trouble="mail")


def _mail_given_up(now: datetime, most: int) -> Iterable[Item]:
    """List mail that nobody tries any more: that it waited was told, and one address is no trouble."""
    for one in selectors.given_up(most=most):
        yield _message(one, f"Not sent at try {one.attempts}, and given up. {one.error}")


def _message(one: Message, cause: str, trouble: str = "") -> Item:
    return Item(
        title=f"“{one.subject}” to {', '.join(one.addresses)}",
        cause=cause.strip(),
        since=one.created_at,
        act="mail",
        pk=str(one.pk),
        button="Send again",
        trouble=trouble,
    )


def _hits(now: datetime, most: int) -> Iterable[Item]:
    """Say of which batches HITs are not posted, and why."""
    out = HitQuestion.objects.filter(question=OuterRef("question"), is_active=True)
    lost = HitQuestion.objects.filter(hit=OuterRef("pk"), question__state=Question.State.OPEN)
    live = (HitBatch.State.OPEN, HitBatch.State.PAUSED)
    rows = (
        Hit.objects.filter(
            ~Q(error="") & Q(state=Hit.State.PLANNED, batch__state__in=live)
            | Q(state=Hit.State.FAILED) & Exists(lost.filter(~Exists(out)))
        )
        .values("batch", "batch__corpus__name", "batch__state", "state")
        .annotate(number=Count("pk"), since=Min("created_at"), cause=Max("error"))
        .order_by("since", "batch", "state")
    )
    for row in rows[:most]:
        failed, paused = row["state"] == Hit.State.FAILED, row["batch__state"] == HitBatch.State.PAUSED
        number = row["number"]
        says = f"{number} HIT{'' if number == 1 else 's'} {'refused' if failed else 'not posted'}"
        yield Item(
            title=f"{says}, batch {row['batch']} of {row['batch__corpus__name']}",
            cause=row["cause"],
            since=row["since"],
            url=reverse("desk_questions" if failed else "desk_batch", args=() if failed else [row["batch"]]),
            act="batch" if paused and not failed else "",
            pk=str(row["batch"]) if paused and not failed else "",
            button="Resume the batch" if paused and not failed else "",
            trouble=f"{row['state']} HITs of batch {row['batch']}",
        )


def _posted_hits(now: datetime, most: int) -> Iterable[Item]:
    """Say of which batches posted HITs cannot be looked at: what was sent there is not taken in."""
    rows = (
        Hit.objects.filter(~Q(error=""), state=Hit.State.POSTED)
        .values("batch", "batch__corpus__name")
        .annotate(number=Count("pk"), cause=Max("error"))
        .order_by("batch")
    )
    for row in rows[:most]:
        number = row["number"]
        says = f"{number} HIT{'' if number == 1 else 's'} not looked at"
        yield Item(
            title=f"{says}, batch {row['batch']} of {row['batch__corpus__name']}",
            cause=row["cause"],
            url=reverse("desk_batch", args=[row["batch"]]),
            act="look",
            pk=str(row["batch"]),
            button="Look now",
            trouble=f"posted HITs of batch {row['batch']}",
        )


def _decisions(now: datetime, most: int) -> Iterable[Item]:
    untold = (
        Assignment.objects.exclude(decision="").exclude(error="").filter(told_at=None).order_by("decided_at")
    )
    for one in untold[:most]:
        yield Item(
            title=f"{one.get_decision_display()}: answer {one.pk}".capitalize(),
            cause=f"The provider does not know it, at try {one.tries}. {one.error}",
            since=one.decided_at,
            url=reverse("desk_answer", args=[one.pk]),
            act="decision",
            pk=str(one.pk),
            button="Try now",
            trouble="decisions",
        )


def _bonuses(now: datetime, most: int) -> Iterable[Item]:
    owed = Bonus.objects.exclude(error="").filter(paid_at=None).select_related("corpus").order_by("pk")
    for one in owed[:most]:
        yield Item(
            title=f"${one.cents / 100:.2f} for {one.reason}, {one.corpus}",
            cause=f"Not paid at try {one.tries}. {one.error}",
            since=one.created_at,
            url=reverse("desk_answer", args=[one.assignment_id]),
            act="bonus",
            pk=str(one.pk),
            button="Try now",
            trouble="bonuses",
        )


def _workers_told(now: datetime, most: int) -> Iterable[Item]:
    blocks = WorkerBlock.objects.exclude(error="").filter(told_at=None).select_related("worker")
    for block in blocks.order_by("decided_at")[:most]:
        yield Item(
            title=f"{'Block' if block.is_blocked else 'End of a block'} of {block.worker.worker_id}",
            cause=f"The provider does not know it, at try {block.tries}. {block.error}",
            since=block.decided_at,
            url=reverse("desk_worker", args=[block.worker.user_id]),
            act="block",
            pk=str(block.pk),
            button="Try now",
            trouble="blocks",
        )
    grants = WorkerQualification.objects.exclude(error="").filter(told_at=None).order_by("granted_at")
    for grant in grants[:most]:
        yield Item(
            title=f"{grant.provider_worker_id} may do {grant.skill}",
            cause=f"The provider does not know it, at try {grant.tries}. {grant.error}",
            since=grant.granted_at,
            act="grant",
            pk=str(grant.pk),
            button="Try now",
            trouble="qualifications",
        )


def _providers(now: datetime, most: int) -> Iterable[Item]:
    for account in accounts.accounts():
        if account.error:
            yield Item(
                title=account.get_provider_display().capitalize(),
                cause=account.error,
                since=account.noted_at,
                url=reverse("desk"),
                trouble=f"provider {account.provider}",
            )


def _checks(now: datetime, most: int) -> Iterable[Item]:
    failed = FileCheck.objects.filter(state=FileCheck.State.FAILED).order_by("created_at", "pk")
    for item in _check_items(failed[:most], "Reading it failed; the log says why.", "checks"):
        yield replace(item, act="check", button="Check again")


def _checks_that_wait(now: datetime, most: int) -> Iterable[Item]:
    waiting = FileCheck.objects.filter(state=FileCheck.State.WAITING, created_at__lte=now - LONG)
    return _check_items(waiting.order_by("created_at", "pk")[:most], IN_TURN, "checks that wait")


def _check_items(rows: QuerySet[FileCheck], cause: str, trouble: str) -> Iterable[Item]:
    for one in rows.select_related("upload", "corpus"):
        yield Item(
            title=f"Check of {one.upload.name}, {one.corpus}",
            cause=cause.format(one.attempts),
            since=one.created_at,
            url=one.get_absolute_url(),
            pk=str(one.pk),
            trouble=trouble,
        )


def _normalised(now: datetime, most: int) -> Iterable[Item]:
    failed = NormalisedFile.objects.filter(state=NormalisedFile.State.FAILED).order_by("asked_at", "pk")
    for item in _written_items(
        failed[:most], "Writing the file of accepted claims failed; the log says why.", "normalised files"
    ):
        yield replace(item, act="normalised", button="Write it again")


def _normalised_that_wait(now: datetime, most: int) -> Iterable[Item]:
    waiting = NormalisedFile.objects.filter(state=NormalisedFile.State.WAITING, asked_at__lte=now - LONG)
    return _written_items(waiting.order_by("asked_at", "pk")[:most], IN_TURN, "normalised files that wait")


def _written_items(rows: QuerySet[NormalisedFile], cause: str, trouble: str) -> Iterable[Item]:
    for one in rows.select_related("submission", "file_check__upload"):
        yield Item(
            title=str(one.file),
            cause=cause.format(one.attempts),
            since=one.asked_at,
            url=one.file.get_absolute_url(),
            pk=str(one.pk),
            trouble=trouble,
        )


def _teams(now: datetime, most: int) -> Iterable[Item]:
    if not settings.TEAMS_NEED_APPROVAL:
        return
    for team in teams.waiting_for_approval().prefetch_related(None)[:most]:
        yield Item(
            title=team.name,
            cause="Its systems are judged once it is approved.",
            since=team.created_at,
            url=reverse("teams_waiting"),
            act="team",
            pk=str(team.pk),
            button="Approve",
        )


def _experts(now: datetime, most: int) -> Iterable[Item]:
    rows = (
        Question.objects.filter(state=Question.State.EXPERT)
        .values("document__corpus__name")
        .annotate(number=Count("pk"))
        .order_by("document__corpus__name")
    )
    for row in rows[:most]:
        number = row["number"]
        yield Item(
            title=f"{number:,} question{'' if number == 1 else 's'} of {row['document__corpus__name']}",
            cause="It did not settle by votes, or is asked again to audit a label: an expert decides.",
            url=reverse("annotate_expert"),
        )


def _answers(now: datetime, most: int) -> Iterable[Item]:
    found = Assignment.objects.filter(waits_for_a_person()).aggregate(n=Count("pk"), at=Min("submitted_at"))
    if found["n"]:
        yield Item(
            title=f"{found['n']:,} answer{'' if found['n'] == 1 else 's'}",
            cause="Something speaks against paying them unseen.",
            since=found["at"],
            url=reverse("desk_answers"),
        )


LOOKS: tuple[tuple[str, Callable[[datetime, int], Iterable[Item]]], ...] = (
    ("Processes without a sign of life", _processes),
    ("Disks that fill up", _disks),
    ("Files and database", _files),
    ("Mail that was not sent", _mail),
    ("Mail that was given up", _mail_given_up),
    ("Submissions that failed", _failed_submissions),
    ("Submissions that are tried again", _stages),
    ("Submissions that nothing works on", untouched.untouched_submissions),
    ("Scores that cannot be computed", _scores),
    ("Scores that are due", untouched.due_scores),
    ("Providers that do not answer", _providers),
    ("HITs that could not be posted", _hits),
    ("HITs that are not posted yet", untouched.unposted_hits),
    ("HITs that cannot be looked at", _posted_hits),
    ("Decisions that a provider has not taken", _decisions),
    ("Bonuses that are not paid", _bonuses),
    ("Workers of whom a provider was not told", _workers_told),
    ("Files that could not be checked", _checks),
    ("Files to be checked", _checks_that_wait),
    ("Files that could not be written anew", _normalised),
    ("Files to be written anew", _normalised_that_wait),
    ("Teams that wait for approval", _teams),
    ("Questions that wait for an expert", _experts),
    ("Answers that wait for a person", _answers),
)


def _joined(*sentences: str | None) -> str:
    return " ".join(sentence for sentence in sentences if sentence)
