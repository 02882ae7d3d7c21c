"""Sign-in by an organisation's OpenID Connect, and whose account that is.

Somebody's account is the one that they connected, or the one whose email address the organisation says that
it has verified. Any other claim joins nothing: they sign in by password first, and connect it then.
"""

import logging
from collections.abc import Callable
from typing import Any

import requests
from allauth.account.utils import user_field
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, _build_apps_from_settings
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin
from allauth.socialaccount.providers.openid_connect import views as openid_connect
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from kbpo.accounts import words
from kbpo.accounts.models import User
from kbpo.core.errors import Unavailable
from kbpo.core.plain_text import replace_faults
from kbpo.core.showable import without_unseen

logger = logging.getLogger(__name__)


class OrganisationAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """Heeds an email address only if the organisation says, in the standard's word, that it is verified."""

    error_messages = {**DefaultSocialAccountAdapter.error_messages, **words.ORGANISATION}

    def authenticate_by_email(self, sociallogin: SocialLogin) -> tuple[User, str] | None:
        """Return whose verified address it is, and the address."""
        for address in sociallogin.email_addresses:
            address.verified = address.verified is True  # "false" is said too, and is true to Python
        found: tuple[User, str] | None = super().authenticate_by_email(sociallogin)
        return found

    def populate_user(self, request: HttpRequest, sociallogin: SocialLogin, data: dict[str, Any]) -> User:
        """Take over the person's name."""
        user: User = super().populate_user(request, sociallogin, data)
        name = without_unseen(" ".join(str(data.get("name") or "").split()))
        user_field(user, "name", replace_faults(name)[:150])
        return user

    def list_apps(
        self, request: HttpRequest, provider: str | None = None, client_id: str | None = None
    ) -> list[SocialApp]:
        """Return the organisation that the environment names; none stands in the database."""
        by_kind = _build_apps_from_settings(provider=provider, client_id=client_id)
        return [app for apps in by_kind.values() for app in apps]

    def validate_disconnect(self, account: SocialAccount, accounts: QuerySet[SocialAccount]) -> None:
        """Refuse to let go of an organisation that is not there any more: nobody could be told of it."""
        if not self.list_apps(self.request, provider=account.provider):
            raise ValidationError("This organisation cannot be used here any more, so nobody signs in by it.")


@never_cache
def sign_in(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Lead to the organisation, by a page of our own: from a form, the content policy lets nobody leave."""
    response = _asked(openid_connect.login, request, provider_id)
    if isinstance(response, HttpResponseRedirect) and response.url.startswith("http"):
        return render(request, "socialaccount/leaving.html", {"address": response.url})
    return response


@never_cache
def come_back(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Take in whom the organisation sends back."""
    return _asked(openid_connect.callback, request, provider_id)


def _asked(
    ask: Callable[[HttpRequest, str], HttpResponse], request: HttpRequest, provider: str
) -> HttpResponse:
    """Have django-allauth ask the organisation, which may answer anything.

    Raises
    ------
    Unavailable
        It does not answer, or not as the standard says.
    """
    try:
        return ask(request, provider)
    except (requests.RequestException, AttributeError, KeyError, TypeError, ValueError) as error:
        logger.warning("no sign-in by an organisation: %r", error)
        raise Unavailable(
            "Your organisation does not answer as it should. Try again later, or use your password."
        ) from None
