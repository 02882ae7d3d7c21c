"""Teams: who makes one, who joins, who leaves."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from kbpo.accounts.mails import choices, kinds, writing
from kbpo.accounts.models import Invitation, Membership, PastMembership, Team, User
from kbpo.core import rate_limits
from kbpo.core.acts import What, record
from kbpo.core.database import locks
from kbpo.core.errors import Conflict, Gone, InvalidInput, NotAllowed
from kbpo.core.names import find_lookalike, read_name

LONGEST_NAME = 100  # characters of a team's name
MOST_TEAMS = 5  # of a person
MOST_INVITATIONS = 20  # that wait for an answer, of a team or from a person
STANDS = timedelta(days=14)  # an invitation that nobody answers
#: What anybody can have sent to anybody: whoever was told, or has been told often, is not told again by mail.


@transaction.atomic
def create_team(*, user: User, name: str) -> Team:
    """Make a team with `user` as its first member.

    Parameters
    ----------
    user : User
    name : str
        1 to 100 characters, not the name of another team (whatever the case).

    Returns
    -------
    Team

    Raises
    ------
    InvalidInput
        The name is empty, too long or taken, has characters that are not seen, or looks like another team's.
    Conflict
        `user` is in as many teams as one may be in.
    """
    name = read_name(name, of="A team's name", longest=LONGEST_NAME)
    _refuse_too_many_teams(user)
    if (other := _find_lookalike(name)) is not None:
        is_same = other.lower() == name.lower()
        there = f"There is a team “{other}” already" + ("" if is_same else f", which “{name}” looks like")
        raise InvalidInput(f"{there}: choose another name, or ask its members to invite you.")
    team = Team.objects.create(name=name)
    Membership.objects.create(team=team, user=user)
    return team


@transaction.atomic
def find_or_create_team(*, name: str) -> Team:
    """Find a team by its name (whatever the case), or make one without members: for the command line.

    Raises
    ------
    InvalidInput
        The name is empty or too long, has characters that are not seen, or looks like another team's.
    """
    name = read_name(name, of="A team's name", longest=LONGEST_NAME)
    if (found := Team.objects.filter(name__iexact=name).first()) is not None:
        return found
    other = _find_lookalike(name)
    if other is None:
        return Team.objects.create(name=name, approved_at=timezone.now())
    if other.lower() != name.lower():
        raise InvalidInput(f"The team “{name}” looks like “{other}”, which is there already.")
    return Team.objects.get(name=other)  # made meanwhile


def invite(*, user: User, team: Team, email: str) -> Invitation:
    """Invite the person with this email address to a team of `user`'s, be there an account or not.

    They are told by mail, once in a month for each team, and of few teams in a week; the invitation itself
    stands on their page for two weeks.

    Returns
    -------
    Invitation
        The one there is, if they are invited already.

    Raises
    ------
    NotAllowed
        `user` is no member.
    InvalidInput
        The person is a member already.
    Conflict
        As many invitations wait for an answer as may, of the team or of `user`.
    TooMany
        `user` has invited too often today, those included that were taken back.
    """
    email, now = email.strip().lower(), timezone.now()
    _require_member(user, team)
    if found := standing(now=now).filter(team=team, email__iexact=email).first():
        return found
    rate_limits.require(rate_limits.INVITATIONS, str(user.pk), now=now)
    with transaction.atomic():
        invitation, is_new = _make_invitation(user, team, email, now)
        counters = (
            (rate_limits.INVITATION_MAILS_OF_TEAM, (str(team.pk), email)),
            (rate_limits.INVITATION_MAILS, (email,)),
        )
        if is_new and all(rate_limits.hit(limit, *owner, now=now).is_allowed for limit, owner in counters):
            _mail_invitation(invitation)
    return invitation


def standing(*, now: datetime) -> QuerySet[Invitation]:
    """Return the invitations that can still be accepted."""
    return Invitation.objects.filter(expires_at__gt=now)


def sweep(*, now: datetime) -> int:
    """Delete the invitations that have ended; return how many."""
    return Invitation.objects.filter(expires_at__lte=now).delete()[0]


def _make_invitation(user: User, team: Team, email: str, now: datetime) -> tuple[Invitation, bool]:
    """Return the invitation of somebody, and whether it was made here."""
    Team.objects.select_for_update().get(pk=team.pk)
    _require_member(user, team)
    if Membership.objects.filter(team=team, user__email__iexact=email).exists():
        raise InvalidInput(f"{email} is a member of {team} already.")
    if found := standing(now=now).filter(team=team, email__iexact=email).first():
        return found, False
    Invitation.objects.filter(team=team, email__iexact=email).delete()  # one that has ended
    open_ones = standing(now=now)
    if (
        max(open_ones.filter(team=team).count(), open_ones.filter(invited_by=user).count())
        >= MOST_INVITATIONS
    ):
        raise Conflict(
            f"{MOST_INVITATIONS} invitations of yours or your team's wait for an answer, which is as many as"
            " may: take one back first."
        )
    made = Invitation.objects.create(team=team, email=email, invited_by=user, expires_at=now + STANDS)
    return made, True


def invitations(*, user: User) -> QuerySet[Invitation]:
    """Return the invitations that wait for a person's answer."""
    mine = standing(now=timezone.now()).filter(email__iexact=user.email)
    return mine.select_related("team", "invited_by")


@transaction.atomic
def accept(*, user: User, invitation: Invitation) -> Membership:
    """Join the team that one was invited to.

    Raises
    ------
    NotAllowed
        The invitation is somebody else's.
    Gone
        It was answered, taken back, or has ended.
    Conflict
        `user` is in as many teams as one may be in.
    """
    _require_invited(user, invitation)
    stands = standing(now=timezone.now()).select_for_update().filter(pk=invitation.pk)
    if not stands.exists():
        raise Gone("This invitation does not stand any more: ask its team for another.")
    _refuse_too_many_teams(user)
    membership, _ = Membership.objects.get_or_create(team=invitation.team, user=user)
    invitation.delete()
    return membership


@transaction.atomic
def decline(*, user: User, invitation: Invitation) -> None:
    """Turn an invitation down; a member of the team may take it back in the same way."""
    if not Membership.objects.filter(team=invitation.team, user=user).exists():
        _require_invited(user, invitation)
    invitation.delete()


@transaction.atomic
def leave_team(*, user: User, team: Team) -> None:
    """Take `user` out of a team.

    Raises
    ------
    NotAllowed
        `user` is no member.
    Conflict
        Nobody would be left to look after its submissions.
    """
    Team.objects.select_for_update().get(pk=team.pk)
    membership = _require_member(user, team)
    if not Membership.objects.filter(team=team).exclude(pk=membership.pk).exists():
        raise Conflict(f"You are the last member of {team}: have somebody else join before you leave.")
    membership.delete()
    PastMembership.objects.create(team=team, user=user)


@transaction.atomic
def show_membership(*, user: User, team: Team, is_shown: bool) -> None:
    """Have the public page of a team name a member, or not. Everybody says so for themselves.

    Raises
    ------
    NotAllowed
        `user` is no member.
    """
    membership = _require_member(user, team)
    membership.is_shown = is_shown
    membership.save(update_fields=["is_shown"])


@transaction.atomic
def approve_team(*, user: User, team: Team) -> None:
    """Let a team's systems be judged, where that needs an operator's word.

    Raises
    ------
    NotAllowed
        `user` is no operator.
    """
    if not user.is_operator:
        raise NotAllowed("Operators approve teams.")
    now = timezone.now()
    if Team.objects.filter(pk=team.pk, approved_at=None).update(approved_at=now):
        record(What.TEAM_APPROVED, by=user, about=team, after={"approved_at": now})


def waiting_for_approval() -> QuerySet[Team]:
    """Return the teams that no operator has approved yet, the longest waiting first."""
    return Team.objects.filter(approved_at=None).prefetch_related("members").order_by("created_at", "pk")


@transaction.atomic
def rename_user(*, user: User, name: str) -> None:
    """Change the name under which teammates and operators see `user`.

    Raises
    ------
    InvalidInput
        The name is longer than 150 characters, or has characters that are not seen.
    """
    user.name = read_name(name, of="A person's name", shortest=0, longest=150)
    user.save(update_fields=["name"])


def _mail_invitation(invitation: Invitation) -> None:
    if not choices.wants(kinds.INVITED, invitation.email):
        return
    team = invitation.team
    account = User.objects.filter(email__iexact=invitation.email, is_active=True).first()
    message = writing.compose(
        kinds.INVITED,
        account or invitation.email,
        to=invitation.email,
        subject=f"{invitation.invited_by} invites you to the team {team}",
        template="invited.txt",
        context={
            "invitation": invitation,
            "members": team.memberships.count(),
            "has_account": account is not None,
            "page": writing.address_of("teams")
            if account is not None
            else f"{writing.address_of('account_signup')}?next={reverse('teams')}",
        },
    )
    writing.send([message])


def _find_lookalike(name: str) -> str | None:
    """Return the name of the team that has a name, or one that looks like it.

    No other team is made until the transaction ends.
    """
    locks.keep_others_from_writing(Team)
    return find_lookalike(name, Team.objects.values_list("name", flat=True).order_by("pk"))


def _refuse_too_many_teams(user: User) -> None:
    User.objects.select_for_update(no_key=True).get(pk=user.pk)  # two at once would each find room
    if Membership.objects.filter(user=user).count() >= MOST_TEAMS:
        raise Conflict(f"You are in {MOST_TEAMS} teams, which is as many as may be: leave one of them first.")


def _require_invited(user: User, invitation: Invitation) -> None:
    if invitation.email.lower() != user.email.lower():
        raise NotAllowed("This invitation is not yours.")


def _require_member(user: User, team: Team) -> Membership:
    membership = Membership.objects.filter(team=team, user=user).first()
    if membership is None:
        raise NotAllowed(f"You are not a member of {team}.")
    return membership
