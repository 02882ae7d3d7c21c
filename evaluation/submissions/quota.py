"""The quota: how many submissions are judged in a week, against probing (docs/estimation.md, 4).

There is one for each team and one for each person. A person's counts the submissions of every team that they
are in, and those of a team that they have left that had asked for a place by then: more teams bring no more
places, and no team that somebody once left takes theirs. Who waits is planned in the order in which places
were asked for (`evaluation.submissions.places`), so that no place is promised twice.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from annotations.models import Corpus, CorpusPhase
from evaluation.models import Submission
from evaluation.submissions import places
from evaluation.submissions.places import Place
from kbpo.accounts.models import Membership, PastMembership, Team, User
from kbpo.core.errors import Conflict

WINDOW = places.WINDOW
FIELDS = ("quota_asked_at", "quota_taken_at")
MOST_WAITING = 20  # submissions of a team, for a place in a corpus; more where its quota is larger
BEFORE_SAMPLING = (Submission.State.UPLOADED, Submission.State.ACCEPTED)


@dataclass(frozen=True, slots=True)
class Standing:
    """What is left of the quotas for a submission.

    Attributes
    ----------
    left : int
        How many more of its uploader's its team may have judged now. Those that wait for a place have theirs.
    free_at : datetime or None
        When it gets its place; None where that is now.
    """

    left: int
    free_at: datetime | None


def due(*, corpus: Corpus, now: datetime) -> set[int]:
    """Return which of those that wait for a place may have theirs now, by a single plan for all of them."""
    return {pk for pk, time in planned(corpus=corpus, now=now).items() if time <= now}


def standing(*, submission: Submission, now: datetime) -> Standing:
    """Return what is left for a submission without a place; what was asked for before is not given away."""
    taken, waiting = _of_corpus(submission.corpus, now)
    ranks = {one.pk: rank for rank, one in enumerate(waiting)}
    before = waiting[: ranks.get(submission.pk, len(waiting))]
    others = [one for one in waiting if one.pk != submission.pk]
    place_of = _places(submission.corpus, [*taken, *others, submission])
    own = place_of[submission.pk]
    held = [(_taken_at(one), place_of[one.pk]) for one in taken]
    time = places.plan([*(place_of[one.pk] for one in before), own], held, now)[-1]
    # who waits takes a place from what is left, though its time comes later
    left = places.left(own, [*held, *((now, place_of[one.pk]) for one in others)], now)
    return Standing(left, time if time > now else None)


@dataclass(frozen=True, slots=True)
class Quota:
    """What a team may still have judged in a corpus, for one of its members.

    Attributes
    ----------
    team : Team
    corpus : Corpus
    left : int
        How many more now, of the member's.
    renewed_at : datetime or None
        When the first of the places that are taken is free again; None where none is taken.
    free_at : datetime or None
        When the member's next submission would be judged; None for now.
    may_compete : bool
        Whether the team has any place at all.
    """

    team: Team
    corpus: Corpus
    left: int
    renewed_at: datetime | None
    free_at: datetime | None
    may_compete: bool


def planned(*, corpus: Corpus, now: datetime) -> dict[int, datetime]:
    """Return when each submission that waits for a place in a corpus gets it, by row id; not before now."""
    taken, waiting = _of_corpus(corpus, now)
    place_of = _places(corpus, [*taken, *waiting])
    held = [(_taken_at(one), place_of[one.pk]) for one in taken]
    times = places.plan([place_of[one.pk] for one in waiting], held, now)
    return {one.pk: time for one, time in zip(waiting, times, strict=True)}


def read_quotas(*, corpus: Corpus, teams: Iterable[Team], user: User, now: datetime) -> list[Quota]:
    """Return what each of a member's teams may still have judged, with as many queries as for one."""
    taken, waiting = _of_corpus(corpus, now)
    new = {team.pk: Submission(pk=-team.pk, team=team, corpus=corpus, uploaded_by=user) for team in teams}
    place_of = _places(corpus, [*taken, *waiting, *new.values()])
    held = [(_taken_at(one), place_of[one.pk]) for one in taken]
    before = [place_of[one.pk] for one in waiting]
    found = []
    for one in new.values():
        own = place_of[one.pk]
        limiting = [time for time, other in held if other.counts_against & own.limits.keys()]
        renewed_at = min(limiting) + WINDOW if limiting else None
        left = places.left(own, [*held, *((now, place) for place in before)], now)
        time = places.plan([*before, own], held, now)[-1]
        free_at = time if time > now else None
        found.append(Quota(one.team, corpus, left, renewed_at, free_at, may_compete(one.team)))
    return found


def free_at(*, submission: Submission, now: datetime) -> datetime | None:
    """Return when a submission may be judged that has no place yet; None where it may now."""
    return standing(submission=submission, now=now).free_at


@transaction.atomic
def take(*, submission: Submission, now: datetime) -> bool:
    """Take a place for a submission, unless it has one; where none is free it has asked for one.

    The rows of its team and of everybody in it are locked, so two submissions never take the last place both.
    The caller holds the submission's lock.

    Returns
    -------
    bool
        Whether it has a place.
    """
    if submission.quota_taken_at is not None:
        return True
    team = Team.objects.select_for_update().get(pk=submission.team_id)
    people = {*_people([submission])[submission.team_id], *_uploader(submission)}
    list(User.objects.select_for_update(no_key=True).filter(pk__in=people).order_by("pk"))
    if not may_compete(team):
        return False
    ask(submission=submission, now=now)
    if free_at(submission=submission, now=now) is not None:
        return False
    submission.quota_taken_at = now
    submission.save(update_fields=["quota_taken_at"])
    return True


def ask(*, submission: Submission, now: datetime) -> None:
    """Ask for a place, unless it did before or its team may have none; the caller holds its lock.

    It is asked for with the go-ahead, be the file read or not: whose is read first gets no place for that.
    """
    if submission.quota_asked_at is None and may_compete(submission.team):
        submission.quota_asked_at = now
        submission.save(update_fields=["quota_asked_at"])


def note_waiting(*, now: datetime) -> int:
    """Note since when those wait that may have a place now, as their team was approved; return how many.

    All others asked when they got their go-ahead, with the file or later.
    """
    waiting = Submission.objects.filter(
        state__in=BEFORE_SAMPLING, go_ahead=True, quota_taken_at=None, quota_asked_at=None
    )
    return _of_approved_teams(waiting).update(quota_asked_at=now)


def give_back(submission: Submission) -> None:
    """Take the place away from a submission; the caller saves `FIELDS`."""
    submission.quota_taken_at = submission.quota_asked_at = None


def most_waiting(corpus: Corpus) -> int:
    """Return how many submissions of a team may wait for a place in a corpus: a few weeks' worth."""
    return max(MOST_WAITING, corpus.weekly_quota)


def refuse_too_many_waiting(*, team: Team, corpus: Corpus) -> None:
    """Refuse one more that would wait for a place. The caller holds the team's lock.

    Raises
    ------
    Conflict
        As many wait as may.
    """
    waiting = Submission.objects.filter(
        team=team, corpus=corpus, go_ahead=True, quota_taken_at=None, state__in=BEFORE_SAMPLING
    )
    if waiting.count() >= (most := most_waiting(corpus)):
        raise Conflict(
            f"{most} submissions of {team} wait to be judged in {corpus}, which is as many as may: cancel one"
            " of them, or send this one to the judges once one of them is judged."
        )


class PhaseFull(Conflict):
    """A team has submitted as much in a phase as it may."""

    problem = "phase-full"


def refuse_full_phase(*, team: Team, phase: CorpusPhase) -> None:
    """Refuse one more submission in a phase with a limit. The caller holds the team's lock.

    Files that were refused, and what was cancelled before it was judged, do not count.

    Raises
    ------
    PhaseFull
        As many are there as may be.
    """
    most = phase.most_submissions
    if most is not None and count_in_phase(team=team, phase=phase) >= most:
        raise PhaseFull(
            f"{team} has submitted {most} system{'s' * (most != 1)} in the phase {phase.name!r}, which is as"
            " many as a team may; refused and cancelled ones do not count."
        )


def count_in_phase(*, team: Team, phase: CorpusPhase) -> int:
    """Return how many submissions of a team count against the limit of a phase."""
    uncounted = (Submission.State.REFUSED, Submission.State.CANCELLED)
    return Submission.objects.filter(team=team, phase=phase).exclude(state__in=uncounted).count()


def left_in_phase(*, corpus: Corpus, teams: Iterable[Team], now: datetime) -> list[tuple[Team, int, int]]:
    """Return how many more systems teams may submit in the phase that is on, of how many; else nothing."""
    on = CorpusPhase.objects.filter(Q(ends_at=None) | Q(ends_at__gt=now), corpus=corpus, starts_at__lte=now)
    phase = on.filter(most_submissions__isnull=False).first()
    if phase is None or phase.most_submissions is None:
        return []
    most = phase.most_submissions
    return [(team, max(0, most - count_in_phase(team=team, phase=phase)), most) for team in teams]


def may_compete(team: Team) -> bool:
    """Say whether a team's submissions may be judged: where operators approve teams, once they have."""
    return team.approved_at is not None or not settings.TEAMS_NEED_APPROVAL


def _of_corpus(corpus: Corpus, now: datetime) -> tuple[list[Submission], list[Submission]]:
    """Read the submissions that have a place in this window, and those that wait for one, in their order."""
    taken = Submission.objects.filter(corpus=corpus, quota_taken_at__gt=now - WINDOW)
    waiting = Submission.objects.filter(
        corpus=corpus, state__in=BEFORE_SAMPLING, go_ahead=True, quota_taken_at=None
    )
    return list(taken), sorted(_of_approved_teams(waiting), key=_order)


def _of_approved_teams(submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    if settings.TEAMS_NEED_APPROVAL:
        return submissions.filter(team__approved_at__isnull=False)
    return submissions


def _order(submission: Submission) -> tuple[float, int]:
    """Return its rank among those that wait: when it asked, and last those of which that is not noted yet."""
    asked = submission.quota_asked_at
    return (asked.timestamp() if asked else math.inf, submission.pk)


def _taken_at(submission: Submission) -> datetime:
    assert submission.quota_taken_at is not None
    return submission.quota_taken_at


def _places(corpus: Corpus, submissions: Collection[Submission]) -> dict[int, Place]:
    people = _people(submissions)
    found = {}
    for one in submissions:
        limits: dict[Hashable, int] = {("team", one.team_id): corpus.weekly_quota}
        limits |= {("person", person): corpus.weekly_quota_of_person for person in _uploader(one)}
        holders = {*limits, *(("person", person) for person in _in_at(people[one.team_id], one))}
        found[one.pk] = Place(frozenset(holders), limits)
    return found


def _people(submissions: Iterable[Submission]) -> defaultdict[int, dict[int, datetime | None]]:
    """Read who is or was in the submissions' teams, by team, and until when; None for those who are."""
    teams = {one.team_id for one in submissions}
    found: defaultdict[int, dict[int, datetime | None]] = defaultdict(dict)
    past = PastMembership.objects.filter(team__in=teams).order_by("left_at", "pk")  # the last time counts
    for team, user, left_at in past.values_list("team", "user", "left_at"):
        found[team][user] = left_at
    for team, user in Membership.objects.filter(team__in=teams).values_list("team", "user"):
        found[team][user] = None
    return found


def _in_at(people: Mapping[int, datetime | None], submission: Submission) -> Iterator[int]:
    """Yield who was in a submission's team when it asked for its place, or took it, or is in it now."""
    asked = submission.quota_asked_at or submission.quota_taken_at
    for person, left_at in people.items():
        if left_at is None or (asked is not None and asked <= left_at):
            yield person


def _uploader(submission: Submission) -> set[int]:
    return set() if submission.uploaded_by_id is None else {submission.uploaded_by_id}
