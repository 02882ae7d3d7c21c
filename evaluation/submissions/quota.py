"""The quota: how many submissions of a team are judged in a week, against probing (docs/estimation.md, 4)."""

from datetime import datetime, timedelta

from django.db import transaction

from annotations.models import Corpus
from evaluation.models import Submission
from kbpo.accounts.models import Team

WINDOW = timedelta(days=7)


def taken(*, team: Team, corpus: Corpus, now: datetime) -> list[datetime]:
    """Return when the team's submissions of the last seven days took their quota, the newest first."""
    times = Submission.objects.filter(team=team, corpus=corpus, quota_taken_at__gt=now - WINDOW)
    return [
        time for time in times.order_by("-quota_taken_at").values_list("quota_taken_at", flat=True) if time
    ]


def left(*, team: Team, corpus: Corpus, now: datetime) -> int:
    """Return how many more submissions the team may have judged now."""
    return max(0, corpus.weekly_quota - len(taken(team=team, corpus=corpus, now=now)))


def free_at(*, team: Team, corpus: Corpus, now: datetime) -> datetime | None:
    """Return when the team may have the next one judged; None where it may now."""
    times = taken(team=team, corpus=corpus, now=now)[: corpus.weekly_quota]
    if len(times) < corpus.weekly_quota:
        return None
    return times[-1] + WINDOW if times else now + WINDOW  # a quota of none is looked at again in a week


@transaction.atomic
def take(*, submission: Submission, now: datetime) -> bool:
    """Take a place for a submission, unless it has one.

    The team's row is locked, so two submissions never take the last place both. The caller holds the
    submission's lock.

    Returns
    -------
    bool
        Whether it has a place.
    """
    if submission.quota_taken_at is not None:
        return True
    team = Team.objects.select_for_update().get(pk=submission.team_id)
    if free_at(team=team, corpus=submission.corpus, now=now) is not None:
        return False
    submission.quota_taken_at = now
    submission.save(update_fields=["quota_taken_at"])
    return True
