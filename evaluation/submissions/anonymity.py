"""A system whose name, and whose team's, others do not learn before a date: they know both by an alias."""

import random
from datetime import datetime, timedelta

from evaluation.models import Submission
from evaluation.submissions.lifecycle import at_once, lock, require_member
from kbpo.accounts.models import User
from kbpo.core.errors import InvalidInput

LEAST, MOST = 100, 999  # a team's number, as long as there are free ones


@at_once
def set_anonymous(*, submission: Submission, user: User, until: datetime | None, now: datetime) -> None:
    """Keep a system's names from others until a date, or show them from now on.

    Raises
    ------
    NotAllowed
        If the user is neither of the team nor an operator.
    InvalidInput
        If the date is past, or later than the corpus allows.
    """
    require_member(user, submission.team)
    locked = lock(submission.pk).get()
    if until is None:
        Submission.objects.filter(pk=locked.pk).update(anonymous_until=None)
    else:
        veil(submission=locked, until=until, now=now)


def check_date(*, until: datetime, uploaded_at: datetime, days: int, now: datetime) -> None:
    """Refuse a date that is past, or later than a corpus allows: so many days after the upload.

    Raises
    ------
    InvalidInput
        Saying what would be right.
    """
    if days == 0:
        raise InvalidInput("this corpus has no anonymous systems", where="anonymous_until")
    latest = uploaded_at + timedelta(days=days)
    if not now < until <= latest:
        raise InvalidInput(
            f"is {until:%-d %B %Y}: it must be after today and, in this corpus, until {latest:%-d %B %Y}",
            where="anonymous_until",
        )


def veil(*, submission: Submission, until: datetime, now: datetime, rng: random.Random | None = None) -> None:
    """Keep a system's names from others until a date. The caller holds its row, or has just made it.

    A team has one number in a corpus, drawn at random: it says nothing of who it is, or who came first.
    """
    check_date(
        until=until, uploaded_at=submission.uploaded_at, days=submission.corpus.anonymous_days, now=now
    )
    submission.anonymous_until = until
    if submission.alias is None:
        veiled = Submission.objects.filter(corpus=submission.corpus, alias__isnull=False)
        runs = veiled.filter(team=submission.team)
        last = runs.order_by("-alias_run").first()
        taken = {number for number in veiled.values_list("alias", flat=True) if number is not None}
        submission.alias = last.alias if last else _free(taken, rng or random.SystemRandom())
        submission.alias_run = 1 + (last.alias_run or 0) if last else 1
    submission.save(update_fields=["anonymous_until", "alias", "alias_run"])


def _free(taken: set[int], rng: random.Random) -> int:
    most = MOST
    while 2 * len(taken) > most - LEAST:
        most = 10 * most + 9
    return rng.choice([number for number in range(LEAST, most + 1) if number not in taken])
