"""Who runs the site: given and taken at the command line, by whoever runs the server."""

import logging

from allauth.account.models import EmailAddress
from django.db import transaction
from django.utils import timezone

from kbpo.accounts import sessions, tokens
from kbpo.accounts.models import User
from kbpo.core.acts import What, changed, record, values
from kbpo.core.errors import InvalidInput

logger = logging.getLogger(__name__)

FIELDS = ("is_operator", "is_staff", "is_superuser")


@transaction.atomic
def make_operator(*, email: str) -> User:
    """Make the person with an address an operator, of the desk and the admin.

    Raises
    ------
    InvalidInput
        Nobody has confirmed this address, their account is not active, or they are one already.
    """
    return _set(email, is_operator=True)


@transaction.atomic
def end_operator(*, email: str) -> User:
    """Make an operator a person like others, signed out everywhere, without tokens.

    Raises
    ------
    InvalidInput
        There is no such account, they are no operator, or there would be none left.
    """
    user = _set(email, is_operator=False)
    if not User.objects.filter(is_operator=True, is_active=True).exists():
        raise InvalidInput(f"{user.email} is the only operator: make somebody else one first")
    sessions.end_all(user=user)
    tokens.revoke_all(user=user, by=None, now=timezone.now())
    return user


def _set(email: str, *, is_operator: bool) -> User:
    user = User.objects.select_for_update().filter(email__iexact=email.strip()).first()
    if user is None:
        raise InvalidInput(f"no account has the email address {email}: sign up on the site first")
    if user.is_operator == is_operator:
        raise InvalidInput(f"{user.email} is {'an' if is_operator else 'no'} operator already")
    if is_operator and not user.is_active:
        raise InvalidInput(f"the account of {user.email} is not active")
    if (
        is_operator
        and not EmailAddress.objects.filter(user=user, email__iexact=user.email, verified=True).exists()
    ):
        raise InvalidInput(
            f"{user.email} is not confirmed yet: open the link in the mail that was sent there"
        )
    before = values(user, FIELDS)
    user.is_operator = user.is_staff = user.is_superuser = is_operator
    user.save(update_fields=FIELDS)
    old, new = changed(before, values(user, FIELDS))
    record(What.ACCOUNT_CHANGED, by=None, about=user, before=old, after=new)
    logger.warning("account %s is %s operator now", user.pk, "an" if is_operator else "no")
    return user
