"""Second factors: who must have one, whether a code is right, and what happens when one is lost."""

import logging
from collections.abc import Callable
from datetime import datetime

from allauth.core.internal.cryptokit import normalize_user_code
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import validate_totp_code
from allauth.mfa.utils import decrypt
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.mail import send_mail
from django.db import transaction
from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from kbpo.accounts import sessions, tokens
from kbpo.accounts.models import User
from kbpo.core import rate_limits
from kbpo.core.acts import What, record
from kbpo.core.errors import InvalidInput, NotAllowed
from kbpo.core.refusals import is_of_api, refuse

logger = logging.getLogger(__name__)

_Type = Authenticator.Type
FACTORS = (_Type.TOTP, _Type.WEBAUTHN)
#: A code of an app is right for 90 seconds: its own 30, and those of clocks that differ.
ACCOUNT_PAGES = "accounts/"


def must_have_factor(user: User | AnonymousUser) -> bool:
    """Say whether somebody may do nothing before they have a second factor: operators and superusers."""
    if not settings.OPERATORS_NEED_FACTORS or not isinstance(user, User) or not user.is_active:
        return False
    return (user.is_operator or user.is_staff or user.is_superuser) and not has_factor(user)


def has_factor(user: User) -> bool:
    """Say whether somebody has an app or a key; recovery codes alone are none."""
    found: bool = Authenticator.objects.filter(user=user, type__in=FACTORS).exists()
    return found


def find_by_code(*, user: User, code: str, now: datetime) -> Authenticator | None:
    """Return the app or the recovery codes that a code is of; a code is right once.

    Returns
    -------
    Authenticator or None
        None if it is of none of them, or was used before.
    """
    for factor in Authenticator.objects.filter(user=user, type=_Type.TOTP):
        if validate_totp_code(decrypt(factor.data["secret"]), code):
            use = rate_limits.hit(rate_limits.USED_CODE, str(user.pk), normalize_user_code(code), now=now)
            return factor if use.is_allowed else None
    for factor in Authenticator.objects.filter(user=user, type=_Type.RECOVERY_CODES):
        if factor.wrap().validate_code(code):
            return factor
    return None


@transaction.atomic
def reset_factors(*, email: str) -> User:
    """Take all second factors from an account, sign it out everywhere, and end its tokens.

    For who has lost app, key and recovery codes, and was known in another way by who calls this. The owner
    is told by mail.

    Returns
    -------
    User

    Raises
    ------
    InvalidInput
        There is no such account, or it has no factors.
    """
    user = User.objects.select_for_update().filter(email__iexact=email.strip()).first()
    if user is None:
        raise InvalidInput(f"no account has the email address {email}")
    removed, _ = Authenticator.objects.filter(user=user).delete()
    if not removed:
        raise InvalidInput(f"{user.email} has no second factor that could be reset")
    record(What.FACTORS_RESET, by=None, about=user)
    sessions.end_all(user=user)
    tokens.revoke_all(user=user, by=None, now=timezone.now())
    context = {"site": settings.SITE_URL, "must_have": user.is_operator or user.is_staff or user.is_superuser}
    body = render_to_string("accounts/mail/factors_reset.txt", context)
    send_mail("Your second factor was reset", body, settings.DEFAULT_FROM_EMAIL, [user.email])
    logger.warning("the second factors of account %s were reset", user.pk)
    return user


class FactorFirst:
    """Lets whoever must have a second factor do nothing but set one up: a middleware."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass the request on."""
        return self._get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponseBase], args: object, kwargs: object
    ) -> HttpResponseBase | None:
        """Lead to where a factor is set up, or refuse."""
        match = request.resolver_match
        if match is None or match.route.startswith(ACCOUNT_PAGES) or not must_have_factor(request.user):
            return None
        refusal = NotAllowed(
            "Operators do nothing here without a second factor: set one up first, on your account's pages."
        )
        if request.method in ("GET", "HEAD") and not is_of_api(request):
            return HttpResponseRedirect(f"{reverse('mfa_index')}?needed=1")
        return refuse(request, refusal)
