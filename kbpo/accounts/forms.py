"""The forms of people and teams."""

from typing import Any

from allauth.core import context
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.webauthn.forms import (
    AddWebAuthnForm,
    AuthenticateWebAuthnForm,
    LoginWebAuthnForm,
    ReauthenticateWebAuthnForm,
)
from django import forms
from django.utils import timezone

from kbpo.accounts import factors, login_throttling, tokens
from kbpo.accounts.account_forms import OurWords


class NameForm(forms.Form):
    """The name of a person."""

    name = forms.CharField(
        label="Your name",
        max_length=150,
        required=False,
        help_text="Your teammates and the operators see it, beside your email address.",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )


class TeamForm(forms.Form):
    """The name of a new team."""

    name = forms.CharField(
        label="Name of the new team", max_length=100, help_text="Everybody sees it on the leaderboard."
    )


class MemberForm(forms.Form):
    """The email address of somebody who is to join."""

    email = forms.EmailField(
        label="Email address",
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),  # another's, not one's own
        help_text="They join by accepting, once they have an account here, and can then do all you can.",
    )


class TokenForm(forms.Form):
    """A new token of the API."""

    name = forms.CharField(
        label="Name",
        max_length=100,
        help_text="What it is for, or where it is kept: so that you know it again.",
    )
    submit = forms.BooleanField(label=tokens.SCOPES[tokens.SUBMIT], required=False)
    organise = forms.BooleanField(label=tokens.SCOPES[tokens.ORGANISE], required=False)
    days = forms.TypedChoiceField(
        label="It ends after",
        choices=[(days, f"{days} days") for days in tokens.DAYS],
        coerce=int,
        initial=90,
    )

    def clean(self) -> dict[str, Any]:
        """Collect the scopes."""
        cleaned = super().clean() or {}
        cleaned["scopes"] = [scope for scope in tokens.SCOPES if cleaned.pop(scope, False)]
        return cleaned


class _CountedCode:
    """A code, looked at as `kbpo.accounts.factors` does, and counted while it is wrong."""

    def clean_code(self) -> str:
        """Find out of which factor the code is."""
        code, now = str(self.cleaned_data["code"]), timezone.now()  # type: ignore[attr-defined]
        attempt = login_throttling.count_attempt(
            context.request,
            kind=login_throttling.CODE,
            account=self.user.email,  # type: ignore[attr-defined]
            now=now,
        )
        factor = factors.find_by_code(user=self.user, code=code, now=now)  # type: ignore[attr-defined]
        if factor is None:
            raise get_adapter().validation_error("incorrect_code")
        login_throttling.take_back(attempt)
        self.authenticator = factor
        return code


class CodeForm(_CountedCode, OurWords, AuthenticateForm):  # type: ignore[misc]
    """The code that completes a sign-in."""


class CodeAgainForm(_CountedCode, OurWords, ReauthenticateForm):  # type: ignore[misc]
    """The code that is asked for before something that matters."""


class CredentialField(forms.JSONField):
    """What a browser says of a passkey: JSON, also where it is such that reading it fails."""

    def to_python(self, value: Any) -> Any:
        """Read it; refuse what Django would fail at: numbers without end, and nesting without end."""
        try:
            return super().to_python(value)
        except (ValueError, RecursionError):
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid") from None


class _ReadsCredential(forms.Form):
    credential = CredentialField(required=True, widget=forms.HiddenInput)


class PasskeyLoginForm(_ReadsCredential, LoginWebAuthnForm):  # type: ignore[misc]
    """A passkey that signs somebody in by itself."""


class PasskeyFactorForm(_ReadsCredential, AuthenticateWebAuthnForm):  # type: ignore[misc]
    """A passkey beside the password."""


class PasskeyAgainForm(_ReadsCredential, ReauthenticateWebAuthnForm):  # type: ignore[misc]
    """A passkey that is asked for before something that matters."""


class PasskeyForm(AddWebAuthnForm):  # type: ignore[misc]
    """A passkey, or a key that stands beside the password."""

    credential = CredentialField(required=True, widget=forms.HiddenInput)
    name = forms.CharField(
        label="Name",
        max_length=100,
        required=False,
        help_text="By which you know it again: “phone”, “blue key”.",
    )
    passwordless = forms.BooleanField(
        label="It signs me in by itself, without the password",
        required=False,
        initial=True,
        help_text="The device then asks for your finger, face or PIN. Some older keys cannot do that.",
    )
