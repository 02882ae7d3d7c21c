"""Who may see which submission."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import (
    BooleanField,
    Case,
    CharField,
    ExpressionWrapper,
    F,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Concat, Now
from django.http import Http404

from annotations.models import Corpus
from evaluation.models import Submission
from kbpo.accounts.models import Membership, Team, User

Viewer = User | AnonymousUser | None

State = Submission.State
SAMPLED = (State.JUDGING, State.SCORED)
#: A system is what was read and accepted, and not taken back; what was refused or failed is none.
SYSTEMS = (State.ACCEPTED, *SAMPLED)

#: What `with_names` reads; no names of fields, so that they are variables to whoever checks those.
KNOWN_NAME: str = "known_name"
KNOWN_TEAM: str = "known_team"

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
    found = with_names(Submission.objects.all(), viewer)
    if is_operator(viewer):
        return found
    if isinstance(viewer, User) and viewer.is_active:
        return found.filter(PUBLISHED | owned(viewer))
    return found.filter(PUBLISHED)


def with_names(submissions: QuerySet[Submission], viewer: Viewer) -> QuerySet[Submission]:
    """Read submissions with the names by which a viewer may know them and their teams.

    Parameters
    ----------
    submissions : QuerySet of Submission
    viewer : User, AnonymousUser or None
        An operator and a submission's own team know its names; all others know an anonymous one by its alias
        until its date.

    Returns
    -------
    QuerySet of Submission
        With `known_name` and `known_team`. Whatever lists, sorts or finds submissions for somebody goes by
        these, and pages show them as `shown_name` and `shown_team`.
    """
    if is_operator(viewer):
        return submissions.annotate(known_name=F("name"), known_team=F("team__name"))
    is_veiled = Q(anonymous_until__gt=Now())
    if isinstance(viewer, User) and viewer.is_active:
        is_veiled &= ~owned(viewer)
    team = Concat(Value("Anonymous "), Cast("alias", CharField()))
    run = Concat(team, Value(", run "), Cast("alias_run", CharField()))
    return submissions.annotate(
        known_name=Case(When(is_veiled, then=run), default=F("name"), output_field=CharField()),
        known_team=Case(When(is_veiled, then=team), default=F("team__name"), output_field=CharField()),
    )


def is_own(viewer: Viewer) -> Combinable:
    """Return whether a submission belongs to one of the viewer's teams, as an expression of queries."""
    if not isinstance(viewer, User) or not viewer.is_active:
        return Value(False)
    return ExpressionWrapper(owned(viewer), output_field=BooleanField())


def systems_of(viewer: Viewer, corpus: Corpus) -> QuerySet[Submission]:
    """Return the systems of a corpus that the viewer may see: whatever counts or names systems asks here.

    Parameters
    ----------
    viewer : User, AnonymousUser or None
        As `visible` has it.
    corpus : Corpus
    """
    return visible(viewer).filter(corpus=corpus, state__in=SYSTEMS)


def is_published(submission: Submission) -> bool:
    """Say whether everybody may see a submission: the same as `PUBLISHED`, without a query."""
    is_coming = submission.state == State.ACCEPTED and submission.go_ahead
    return submission.is_public and (submission.state in SAMPLED or is_coming)


def is_team_shown(submission: Submission, now: datetime) -> bool:
    """Say whether everybody may see a submission beside its team's name: the same as `shown_of_team`.

    While it is anonymous its team may have no page at all, and if it has one it is not listed there: nothing
    leads there, not even for those who know whose it is.
    """
    until = submission.anonymous_until
    return is_published(submission) and (until is None or until <= now)


def shown_of_team(team: Team) -> QuerySet[Submission]:
    """Return the submissions of a team that everybody may see beside its name."""
    return visible(None).filter(team=team).exclude(anonymous_until__gt=Now())


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
    queryset = visible(viewer).select_related("corpus", "team", "batch__epoch", "normalised", "phase")
    try:
        return queryset.get(**lookup)
    except Submission.DoesNotExist:
        raise Http404("no such submission") from None
