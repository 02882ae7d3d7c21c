"""Everything that is stuck, has failed, or waits for somebody: with its cause, its age and how to go on.

One selector for the operators' page and for the mail to them. Each part asks a fixed number of queries.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from django.conf import settings
from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, Subquery
from django.urls import reverse

from annotations.models import Question
from crowd import accounts
from crowd.models import Assignment, Bonus, Hit, HitBatch, HitQuestion, WorkerBlock, WorkerQualification
from evaluation.models import Epoch, FileCheck, NormalisedFile, StageWork, Submission, SubmissionEvent
from kbpo.accounts import teams
from kbpo.core import disk
from kbpo.core.health import signs
from kbpo.core.health.troubles import Wrong
from kbpo.core.keeping import installation
from kbpo.core.mail import selectors
from kbpo.pages.batches import waits_for_a_person

MOST = 50  # shown of one part
LONG = timedelta(minutes=10)  # after which what waits for the pipeline is worth a look


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that does not get on.

    Attributes
    ----------
    title : str
        What it is.
    cause : str
        Why it does not get on.
    since : datetime or None
        None where nobody noted it.
    url : str
        Where more of it is seen; empty for nowhere.
    act, pk : str
        What a button does, one of `kbpo.pages.views.stuck.ACTS`, and to which row; empty for no button.
    button : str
        What it says.
    trouble : str
        The key by which it is remembered (`kbpo.core.health.troubles`); empty where nothing is wrong, and
        somebody only has to do something.
    """

    title: str
    cause: str
    since: datetime | None = None
    url: str = ""
    act: str = ""
    pk: str = ""
    button: str = ""
    trouble: str = ""


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
        items = list(islice(look(now), MOST + 1))
        if items:
            found.append(Part(look.__name__.strip("_"), heading, tuple(items[:MOST]), len(items) > MOST))
    return found


def wrong(parts: Iterable[Part]) -> list[Wrong]:
    """Say what of it is wrong, for those who are told by mail."""
    return [
        Wrong(item.trouble, f"{part.heading}: {item.title}. {item.cause}".strip()[:500], item.since)
        for part in parts
        for item in part.items
        if item.trouble
    ]


def _processes(now: datetime) -> Iterable[Item]:
    for sign in signs.signs(now=now):
        if sign.is_late:
            yield Item(
                title=sign.label[0].upper() + sign.label[1:],
                cause="It gives no sign of life: start it again, and look at what it wrote last.",
                since=sign.seen_at,
                trouble=f"process {sign.name}",
            )


def _disks(now: datetime) -> Iterable[Item]:
    for space in disk.low_spaces():
        yield Item(
            title=str(space.folder),
            cause=f"{space.free / 1e9:.1f} GB of {space.size / 1e9:.1f} GB are free: make room."
            + (" Uploads are refused." if space.is_full else ""),
            trouble=f"disk {space.folder}",
        )


def _files(now: datetime) -> Iterable[Item]:
    row = installation.row()
    cause = installation.compare(row, installation.read_mark()).trouble or row.warning
    if cause:
        yield Item(title="Files and database", cause=cause, since=row.warned_at, trouble="files and database")


def _failed_submissions(now: datetime) -> Iterable[Item]:
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
    for one in failed[: MOST + 1]:
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


def _stages(now: datetime) -> Iterable[Item]:
    works = (
        StageWork.objects.filter(Q(errors__gt=0) | Q(attempts__gt=2), submission__state=F("stage"))
        .select_related("submission__corpus", "submission__team")
        .order_by("started_at", "pk")
    )
    for one in works[: MOST + 1]:
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


def _scores(now: datetime) -> Iterable[Item]:
    failing = Epoch.objects.filter(scoring_failures__gt=0).select_related("corpus").order_by("pk")
    for one in failing[: MOST + 1]:
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


def _mail(now: datetime) -> Iterable[Item]:
    for one in selectors.unsent(now=now, late=LONG, most=MOST + 1):
        tries = "It was never tried" if one.attempts == 0 else f"Not sent at try {one.attempts}"
        yield Item(
            title=f"“{one.subject}” to {', '.join(one.to)}",
            cause=f"{tries}{', and given up' if one.has_failed else ''}. {one.error}".strip(),
            since=one.created_at,
            act="mail",
            pk=str(one.pk),
            button="Send again",
            # That it waits was told; that one address takes no mail is no trouble of the site.
            trouble="" if one.has_failed else "mail",
        )


def _hits(now: datetime) -> Iterable[Item]:
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
    for row in rows[: MOST + 1]:
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


def _decisions(now: datetime) -> Iterable[Item]:
    untold = (
        Assignment.objects.exclude(decision="").exclude(error="").filter(told_at=None).order_by("decided_at")
    )
    for one in untold[: MOST + 1]:
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


def _bonuses(now: datetime) -> Iterable[Item]:
    owed = Bonus.objects.exclude(error="").filter(paid_at=None).select_related("corpus").order_by("pk")
    for one in owed[: MOST + 1]:
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


def _workers_told(now: datetime) -> Iterable[Item]:
    blocks = WorkerBlock.objects.exclude(error="").filter(told_at=None).select_related("worker")
    for block in blocks.order_by("decided_at")[: MOST + 1]:
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
    for grant in grants[: MOST + 1]:
        yield Item(
            title=f"{grant.provider_worker_id} may do {grant.kind}",
            cause=f"The provider does not know it, at try {grant.tries}. {grant.error}",
            since=grant.granted_at,
            act="grant",
            pk=str(grant.pk),
            button="Try now",
            trouble="qualifications",
        )


def _providers(now: datetime) -> Iterable[Item]:
    for account in accounts.accounts():
        if account.error:
            yield Item(
                title=account.get_provider_display().capitalize(),
                cause=account.error,
                since=account.noted_at,
                url=reverse("desk"),
                trouble=f"provider {account.provider}",
            )


def _checks(now: datetime) -> Iterable[Item]:
    state = FileCheck.State
    rows = FileCheck.objects.filter(
        Q(state=state.FAILED) | Q(state=state.WAITING, created_at__lte=now - LONG)
    ).select_related("upload", "corpus")
    for one in rows.order_by("created_at", "pk")[: MOST + 1]:
        failed = one.state == state.FAILED
        yield Item(
            title=f"Check of {one.upload.name}, {one.corpus}",
            cause="Reading it failed; the log says why."
            if failed
            else f"It waits its turn, or its worker was stopped: {one.attempts} tries.",
            since=one.created_at,
            url=one.get_absolute_url(),
            act="check" if failed else "",
            pk=str(one.pk) if failed else "",
            button="Check again" if failed else "",
            trouble="checks" if failed else "",
        )


def _normalised(now: datetime) -> Iterable[Item]:
    state = NormalisedFile.State
    rows = NormalisedFile.objects.filter(
        Q(state=state.FAILED) | Q(state=state.WAITING, asked_at__lte=now - LONG)
    ).select_related("submission", "file_check__upload")
    for one in rows.order_by("asked_at", "pk")[: MOST + 1]:
        failed = one.state == state.FAILED
        yield Item(
            title=str(one.file),
            cause="Writing it anew failed; the log says why."
            if failed
            else f"It waits its turn, or its worker was stopped: {one.attempts} tries.",
            since=one.asked_at,
            url=one.file.get_absolute_url(),
            act="normalised" if failed else "",
            pk=str(one.pk) if failed else "",
            button="Write it again" if failed else "",
            trouble="normalised files" if failed else "",
        )


def _teams(now: datetime) -> Iterable[Item]:
    if not settings.TEAMS_NEED_APPROVAL:
        return
    for team in teams.waiting_for_approval().prefetch_related(None)[: MOST + 1]:
        yield Item(
            title=team.name,
            cause="Its systems are judged once it is approved.",
            since=team.created_at,
            url=reverse("teams_waiting"),
            act="team",
            pk=str(team.pk),
            button="Approve",
        )


def _experts(now: datetime) -> Iterable[Item]:
    rows = (
        Question.objects.filter(state=Question.State.EXPERT)
        .values("document__corpus__name")
        .annotate(number=Count("pk"))
        .order_by("document__corpus__name")
    )
    for row in rows[: MOST + 1]:
        number = row["number"]
        yield Item(
            title=f"{number:,} question{'' if number == 1 else 's'} of {row['document__corpus__name']}",
            cause="What was asked did not settle by votes: an expert decides.",
            url=reverse("annotate_expert"),
        )


def _answers(now: datetime) -> Iterable[Item]:
    found = Assignment.objects.filter(waits_for_a_person()).aggregate(n=Count("pk"), at=Min("submitted_at"))
    if found["n"]:
        yield Item(
            title=f"{found['n']:,} answer{'' if found['n'] == 1 else 's'}",
            cause="Something speaks against paying them unseen.",
            since=found["at"],
            url=reverse("desk_answers"),
        )


LOOKS: tuple[tuple[str, Callable[[datetime], Iterable[Item]]], ...] = (
    ("Processes without a sign of life", _processes),
    ("Disks that fill up", _disks),
    ("Files and database", _files),
    ("Mail that was not sent", _mail),
    ("Submissions that failed", _failed_submissions),
    ("Submissions that are tried again", _stages),
    ("Scores that cannot be computed", _scores),
    ("Providers that do not answer", _providers),
    ("HITs that could not be posted", _hits),
    ("Decisions that a provider has not taken", _decisions),
    ("Bonuses that are not paid", _bonuses),
    ("Workers of whom a provider was not told", _workers_told),
    ("Files to be checked", _checks),
    ("Files to be written anew", _normalised),
    ("Teams that wait for approval", _teams),
    ("Questions that wait for an expert", _experts),
    ("Answers that wait for a person", _answers),
)


def _joined(*sentences: str | None) -> str:
    return " ".join(sentence for sentence in sentences if sentence)
