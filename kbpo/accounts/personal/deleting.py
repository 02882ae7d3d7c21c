"""The end of an account: who it was goes, what they did stays without a name.

The row of the account stays, empty: answers, the ledger and conflicts of interest point to it.
"""

import secrets

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction

from kbpo.accounts import sessions
from kbpo.accounts.mails import choices
from kbpo.accounts.models import ApiToken, Invitation, PastMembership, User
from kbpo.accounts.personal import mail
from kbpo.accounts.personal.parts import Leaving, registered
from kbpo.core.acts import What, record
from kbpo.core.errors import Conflict

#: Of a domain that is nobody's (RFC 2606), and with a part that nobody guesses and signs up with before.
ADDRESS = "deleted-{pk}-{secret}@deleted.invalid"
NAME = "deleted account {pk}"


def refusal(user: User) -> str:
    """Return why an account cannot be deleted by its owner now; empty if it can."""
    if user.is_operator or user.is_staff or user.is_superuser:
        return (
            "You are an operator: have another operator take that role from your account first, so that"
            " somebody is left who looks after the site."
        )
    return ""


def owed(user: User) -> list[str]:
    """Return one sentence for each sum that a person is still to be paid."""
    return [sentence for part in registered() for sentence in part.owed(user)]


@transaction.atomic
def delete_account(leaving: Leaving) -> User:
    """Take a person out of the service.

    Name, addresses, sessions, tokens, factors, connected organisations, invitations and mail are erased.
    What they answered and were paid stays with an account that has no name and that nobody can sign in to.
    They stay out of what their teams compete in.

    Returns
    -------
    User
        What is left of the account.

    Raises
    ------
    Conflict
        If the account is an operator's, or is deleted already.
    TryAgain
        If something of theirs is just being stored. Nothing was changed.
    """
    user = User.objects.select_for_update(no_key=True).get(pk=leaving.user.pk)
    if words := refusal(user):
        raise Conflict(words)
    if not user.is_active:
        raise Conflict("This account is closed already.")
    for part in registered():
        part.forget(Leaving(user, leaving.now, leaving.withdraws_all))
    record(What.ACCOUNT_DELETED, by=user, about=user)
    mail.erase(user)
    choices.erase(user)
    _leave_teams(user)
    sessions.end_all(user=user)
    for kept in (EmailAddress, SocialAccount, Authenticator, ApiToken):
        kept.objects.filter(user=user).delete()
    LogEntry.objects.filter(
        content_type=ContentType.objects.get_for_model(User), object_id=str(user.pk)
    ).update(object_repr=NAME.format(pk=user.pk))
    user.email = ADDRESS.format(pk=user.pk, secret=secrets.token_hex(8))
    user.name = NAME.format(pk=user.pk)
    user.is_active, user.last_login = False, None
    # Work that is still on its way counts as its worker's: they may not answer, and must have been able to.
    user.is_annotator = user.is_annotator and user.worker_identities.exists()
    user.set_unusable_password()
    user.save()
    return user


def _leave_teams(user: User) -> None:
    """Leave all teams, the last member too; where they compete the person still does not judge."""
    teams = list(user.memberships.values_list("team_id", flat=True))
    user.memberships.all().delete()
    PastMembership.objects.bulk_create(PastMembership(team_id=pk, user=user) for pk in teams)
    Invitation.objects.filter(invited_by=user).delete()
    Invitation.objects.filter(email__iexact=user.email).delete()
