"""What is due, and nothing has worked on for long: a pipeline that hangs, though it gives signs of life."""

from collections.abc import Iterable
from datetime import datetime

from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, Greatest
from django.urls import reverse

from crowd.models import Hit, HitBatch
from evaluation.models import Epoch, Score, StageWork, Submission, SubmissionEvent
from kbpo.pages.items import LONG, Item


def untouched_submissions(now: datetime, most: int) -> Iterable[Item]:
    """List what is to be read or sampled and has no sign of that; what is tried again after errors is not."""
    state = Submission.State
    long_ago = now - LONG
    work = StageWork.objects.filter(submission=OuterRef("pk"), stage=OuterRef("state"))
    events = SubmissionEvent.objects.filter(submission=OuterRef("pk")).order_by("-pk")
    due = (
        Submission.objects.filter(
            Q(state=state.UPLOADED) | Q(state=state.ACCEPTED, go_ahead=True, quota_taken_at__isnull=False)
        )
        .exclude(Exists(work.filter(Q(errors__gt=0) | Q(attempts__gt=2))))
        .annotate(
            since=Greatest(
                Coalesce(Subquery(events.values("at")[:1]), "uploaded_at"),
                Subquery(work.values("heartbeat_at")),
            ),
            is_begun=Exists(work),
        )
        .filter(since__lte=long_ago)
        .select_related("corpus", "team")
        .order_by("since", "pk")
    )
    at_others = StageWork.objects.filter(heartbeat_at__gt=long_ago, submission__state=F("stage")).exists()
    for one in due[:most]:
        waits = at_others and not one.is_begun
        yield Item(
            title=f"{one.name} of {one.team}, {one.corpus}",
            cause=f"It is {one.get_state_display()}"
            + (
                ", and waits for others."
                if waits
                else ", and nothing works on it: look at the worker and its log."
            ),
            since=one.since,
            url=reverse("submission", args=[one.pk]),
            trouble="" if waits else f"untouched submission {one.pk}",
        )


def due_scores(now: datetime, most: int) -> Iterable[Item]:
    """List the epochs that wait for their scores, and had none for long.

    Since when they are due nobody notes: it is a trouble once they have been for as long as any must last.
    """
    lately = Score.objects.filter(epoch=OuterRef("pk"), computed_at__gt=now - LONG)
    due = Epoch.objects.filter(
        ~Exists(lately),
        Q(scores_due=True) | Q(subsets_due=True),
        opened_at__lte=now - LONG,
        scoring_failures=0,
    )
    for one in due.select_related("corpus").order_by("pk")[:most]:
        yield Item(
            title=f"Epoch {one.number} of {one.corpus}",
            cause="Its scores are due; if that lasts, nothing computes them: look at the worker and its log.",
            trouble=f"due scores of epoch {one.pk}",
        )


def unposted_hits(now: datetime, most: int) -> Iterable[Item]:
    """List the batches of which HITs wait to be posted, without an error, and none was posted for long."""
    long_ago = now - LONG
    lately = Hit.objects.filter(batch=OuterRef("batch"), posted_at__gt=long_ago)
    rows = (
        Hit.objects.filter(
            ~Exists(lately),
            state=Hit.State.PLANNED,
            error="",
            created_at__lte=long_ago,
            batch__state=HitBatch.State.OPEN,
        )
        .values("batch", "batch__corpus__name")
        .annotate(number=Count("pk"), since=Min("created_at"), tries=Max("tries"))
        .order_by("since", "batch")
    )
    for row in rows[:most]:
        says = f"{row['number']} HIT{'' if row['number'] == 1 else 's'}"
        yield Item(
            title=f"{says} of batch {row['batch']}, {row['batch__corpus__name']}",
            cause=f"Nothing posts them, at try {row['tries']}: look at the worker and its log.",
            since=row["since"],
            url=reverse("desk_batch", args=[row["batch"]]),
            trouble=f"unposted HITs of batch {row['batch']}",
        )
