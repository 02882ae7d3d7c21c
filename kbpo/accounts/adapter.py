"""What we do otherwise than django-allauth: whose address it is, how often is guessed, how much is mailed."""

from typing import Any
from urllib.parse import urlsplit, urlunsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.utils import get_next_redirect_url
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.db import transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from kbpo.accounts import login_throttling, tokens, words
from kbpo.accounts.models import User
from kbpo.core import rate_limits
from kbpo.core.addresses import local_path
from kbpo.core.clients import client_address

#: What anybody can have sent to anybody: more than these are dropped in silence. Those that were sent do.
LINKS = ("activate_url", "password_reset_url", "signup_url")
CONFIRMATION = "account/email/email_confirmation"


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Counts guesses and mails in the database; its own limits, kept in a cache, are off."""

    error_messages = {**DefaultAccountAdapter.error_messages, **words.ACCOUNT}

    def is_safe_url(self, url: str) -> bool:
        """Say whether one may be led on there: to a page of this site alone, named by its path."""
        return bool(local_path(url))

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        """Return the link that confirms an address; it leads on to where somebody wanted to go.

        So that it does in another browser too. Who signs up without a wish is led to submitting.
        """
        link: str = super().get_email_confirmation_url(request, emailconfirmation)
        wanted = get_next_redirect_url(request)
        if not wanted and not request.user.is_authenticated:
            wanted = reverse("upload")
        return f"{link}?{urlencode({REDIRECT_FIELD_NAME: wanted})}" if wanted else link

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the address of who asks."""
        return client_address(request)

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """Look whether a password is right: for sign-in, and where it is asked for once more."""
        account, now = str(credentials.get("email") or credentials.get("username") or ""), timezone.now()
        attempt = login_throttling.count_attempt(
            request, kind=login_throttling.PASSWORD, account=account, now=now
        )
        user: User | None = super().authenticate(request, **credentials)
        if user is not None:
            login_throttling.take_back(attempt)
            login_throttling.count_sign_in(account=account, now=now)
        return user

    @transaction.atomic
    def set_password(self, user: User, password: str) -> None:
        """Give an account another password, and end its tokens: who knew the old one may have made some."""
        super().set_password(user, password)
        tokens.revoke_all(user=user, by=user, now=timezone.now())

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a message, if the address has not had too many of its kind."""
        now = timezone.now()
        counters: list[rate_limits.Counter] = [(rate_limits.MAILS, (template_prefix, email.lower()))]
        if template_prefix.startswith(CONFIRMATION):
            counters.insert(0, (rate_limits.CONFIRMATIONS, (email.lower(),)))
        if not all(rate_limits.hit(limit, *owner, now=now).is_allowed for limit, owner in counters):
            return
        links = {name: _at_site(str(context[name])) for name in LINKS if context.get(name)}
        super().send_mail(template_prefix, email, {**context, **links, "site": settings.SITE_URL})


def _at_site(link: str) -> str:
    """Return a link that leads to the site by its own name, by whichever it was asked."""
    return urlunsplit(urlsplit(settings.SITE_URL)[:2] + urlsplit(link)[2:])


class FactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Names passkeys by what they are."""

    error_messages = {**DefaultMFAAdapter.error_messages, **words.FACTORS}

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:
        """Return the name that a new one has unless its owner gives another."""
        there = Authenticator.objects.filter(user=user, type=type).count()
        return f"Passkey {there + 1}"
