"""Another password for an account, from the command line; the site's own pages have theirs in the adapter."""

from datetime import datetime

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction

from kbpo.accounts import sessions, tokens
from kbpo.accounts.models import User
from kbpo.core.errors import InvalidInput


@transaction.atomic
def change(*, email: str, password: str, now: datetime) -> User:
    """Give an account another password, end its tokens, and sign it out everywhere.

    Raises
    ------
    InvalidInput
        If there is no such account, or the password is none that may be.
    """
    user = User.objects.select_for_update(no_key=True).filter(email__iexact=email).first()
    if user is None:
        raise InvalidInput(f"nobody has an account as {email!r:.100}", where="email")
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise InvalidInput(" ".join(error.messages), where="password") from None
    user.set_password(password)
    user.save(update_fields=["password"])
    tokens.revoke_all(user=user, by=None, now=now)
    sessions.end_all(user=user)
    return user
