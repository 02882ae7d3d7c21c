"""Who asks the API: by a token, or by the session of the site's own pages."""

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from kbpo.accounts import tokens
from kbpo.accounts.factors import must_have_factor
from kbpo.accounts.models import ApiToken, User
from kbpo.core.clients import client_address
from kbpo.core.errors import NotAllowed

REALM = 'Bearer realm="KBP Online"'


class TokenAuthentication(BaseAuthentication):
    """Knows people by ``Authorization: Bearer …``. No cookie is looked at then, so no form is forged."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """Return whose token it is; None where none is sent.

        Raises
        ------
        AuthenticationFailed
            If it is not good.
        TooMany
            If too many wrong ones came from where this one does.
        """
        scheme, _, secret = request.headers.get("Authorization", "").strip().partition(" ")
        if scheme.lower() != "bearer":
            return None
        found = tokens.find(
            secret=secret.strip(), address=client_address(request._request), now=timezone.now()
        )
        if found is None:
            raise AuthenticationFailed("This token is not good: it was mistyped, revoked, or has ended.")
        return _narrowed(found), found

    def authenticate_header(self, request: Request) -> str:
        """Say how one is known."""
        return REALM


def _narrowed(token: ApiToken) -> User:
    """Return a token's person, without the rights that it does not pass on: never save this row."""
    user = token.user
    if tokens.ORGANISE not in token.scopes:
        user.is_operator = user.is_staff = user.is_superuser = user.acts_by_roles = False
    return user


class MayAsk(BasePermission):
    """Lets visitors read what is public, and tokens do what they are for."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Say whether the caller may ask at all; what they may see is the selectors' to say."""
        if not request.user.is_authenticated:
            return bool(getattr(view, "is_public", False)) and request.method in SAFE_METHODS
        if isinstance(request.auth, ApiToken):
            scope = scope_of(view, str(request.method))
            if scope not in request.auth.scopes:
                raise NotAllowed(
                    f"This token may {' and '.join(request.auth.scopes)}; this needs one that may {scope}."
                )
            if must_have_factor(request.user):
                raise NotAllowed("Operators do nothing here without a second factor: set one up on the site.")
        return True


def scope_of(view: object, method: str) -> str:
    """Return the scope that a token needs for a method of a view."""
    if method in SAFE_METHODS:
        return tokens.READ
    return str(getattr(view, "scope", tokens.SUBMIT))
