"""Which run stands for a team on a corpus' leaderboard, and which systems are baselines there."""

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from annotations import roles
from annotations.models import Corpus
from annotations.roles import Act
from evaluation.models import Score, Submission
from evaluation.submissions.lifecycle import at_once, lock, require_member
from evaluation.submissions.visibility import KNOWN_TEAM, with_names
from kbpo.accounts.models import Team, User
from kbpo.core.errors import Conflict

State = Submission.State
#: What can stand for its team: what is on the leaderboard, or on its way there.
ELIGIBLE = (State.UPLOADED, State.ACCEPTED, State.JUDGING, State.SCORED)


def with_known_scores(corpus: Corpus) -> QuerySet[Submission]:
    """Select the submissions of a corpus whose scores their teams know, hidden and withdrawn ones too."""
    withdrawn = Q(state=State.WITHDRAWN) & Exists(Score.objects.filter(submission=OuterRef("pk")))
    return Submission.objects.filter(Q(state=State.SCORED) | withdrawn, corpus=corpus)


def count_runs(corpus: Corpus) -> dict[str, int]:
    """Count by team how many of its runs have scores, hidden and withdrawn ones too.

    Teams are named as everybody may know them: runs that are anonymous count with their alias alone.
    """
    named = with_names(with_known_scores(corpus), None)
    return dict(named.order_by().values_list(KNOWN_TEAM).annotate(Count("pk")))


@at_once
def choose(*, submission: Submission, user: User) -> None:
    """Let a run stand for its team, in place of the one that did. How much the team knew is stored with it.

    Raises
    ------
    NotAllowed
        If the user is neither of the team nor an operator.
    Conflict
        If the run is not on the leaderboard, nor on its way there.
    """
    require_member(user, submission.team)
    Team.objects.select_for_update().get(pk=submission.team_id)  # one choice of a team at a time
    locked = lock(submission.pk).get()
    if locked.state not in ELIGIBLE:
        raise Conflict(f"{locked} is {locked.get_state_display()}: it cannot stand for {locked.team}")
    if locked.chosen_at is not None:
        return
    _give_up(locked.team.submissions.filter(corpus=locked.corpus))
    locked.chosen_after = with_known_scores(locked.corpus).filter(team=locked.team_id).count()
    locked.chosen_at = timezone.now()
    locked.save(update_fields=["chosen_at", "chosen_after"])


@at_once
def give_up(*, submission: Submission, user: User) -> None:
    """Let a run stand for its team no longer; its best one does."""
    require_member(user, submission.team)
    locked = lock(submission.pk).get()
    if locked.chosen_at is None:
        return
    _give_up(Submission.objects.filter(pk=locked.pk))


@at_once
def set_baseline(*, submission: Submission, user: User, is_baseline: bool) -> None:
    """Say whether a system is a baseline of its corpus: for its organisers and operators.

    Raises
    ------
    NotAllowed
        If the user may not change what is said of the corpus.
    """
    roles.check(user, Act.KEEP, submission.corpus)
    locked = lock(submission.pk).get()
    if locked.is_baseline == is_baseline:
        return
    locked.is_baseline = is_baseline
    locked.save(update_fields=["is_baseline"])


def _give_up(chosen: QuerySet[Submission]) -> None:
    chosen.filter(chosen_at__isnull=False).update(chosen_at=None, chosen_after=None)
