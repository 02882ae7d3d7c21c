"""Who may see which submission."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet
from django.http import Http404

from evaluation.models import Submission
from kbpo.accounts.models import Membership, Team, User

Viewer = User | AnonymousUser | None

State = Submission.State
SAMPLED = (State.JUDGING, State.SCORED)
ON_THE_WAY = (State.UPLOADED, State.ACCEPTED)

#: Published: its team wants it shown, and it is judged or will be without another word of its team.
PUBLISHED = Q(is_public=True) & (Q(state__in=SAMPLED) | Q(state=State.ACCEPTED, go_ahead=True))


def is_operator(viewer: Viewer) -> bool:
    """Say whether the viewer is an operator."""
    return isinstance(viewer, User) and viewer.is_active and viewer.is_operator


def visible(viewer: Viewer) -> QuerySet[Submission]:
    """Return the submissions that the viewer may see.

    Parameters
    ----------
    viewer : User, AnonymousUser or None
        None and somebody who is not signed in see what is published; a member sees all of their teams';
        an operator sees everything.

    Returns
    -------
    QuerySet of Submission
    """
    if is_operator(viewer):
        return Submission.objects.all()
    if isinstance(viewer, User) and viewer.is_active:
        return Submission.objects.filter(PUBLISHED | owned(viewer))
    return Submission.objects.filter(PUBLISHED)


def is_published(submission: Submission) -> bool:
    """Say whether everybody may see a submission: the same as `PUBLISHED`, without a query."""
    is_coming = submission.state == State.ACCEPTED and submission.go_ahead
    return submission.is_public and (submission.state in SAMPLED or is_coming)


def shown_of_team(team: Team) -> QuerySet[Submission]:
    """Return the submissions of a team that everybody may see beside its name."""
    return visible(None).filter(team=team)


def owned(viewer: User) -> Q:
    """Return the condition under which a submission belongs to one of the viewer's teams."""
    return Q(team__in=Membership.objects.filter(user=viewer).values("team"))


def changeable(viewer: Viewer) -> QuerySet[Submission]:
    """Return the submissions that the viewer may change: those of their teams; an operator, all."""
    if is_operator(viewer):
        return Submission.objects.all()
    if isinstance(viewer, User) and viewer.is_active:
        return Submission.objects.filter(owned(viewer))
    return Submission.objects.none()


def may_change(viewer: Viewer, submission: Submission) -> bool:
    """Say whether the viewer may change a submission and see how its file fared: its team and operators."""
    if is_operator(viewer):
        return True
    if not isinstance(viewer, User) or not viewer.is_active:
        return False
    return Membership.objects.filter(user=viewer, team=submission.team_id).exists()


def find(viewer: Viewer, **lookup: Any) -> Submission:
    """Return the one visible submission that matches, or answer 404: others do not learn that it exists."""
    queryset = visible(viewer).select_related("corpus", "team", "batch__epoch", "normalised")
    try:
        return queryset.get(**lookup)
    except Submission.DoesNotExist:
        raise Http404("no such submission") from None
