"""The forms of account pages: allauth's, with labels and help in this site's words."""

from collections.abc import Mapping
from typing import Any

from allauth.account import forms as account
from allauth.mfa.totp import forms as apps
from allauth.socialaccount import forms as organisations

LABELS: Mapping[str, str] = {
    "login": "Email address",
    "email": "Email address",
    "remember": "Remember me",
    "oldpassword": "Current password",
}
"""The labels of allauth's fields by their names; other labels are allauth's, with one capital."""
HELP_OF_NEW_ONES = (
    "At least 8 characters, not only digits; nothing that many people choose, nor like your name or address."
)


class OurWords:
    """Gives the fields of a form our labels and help, and no words inside that vanish when one types."""

    fields: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.label = LABELS.get(name) or str(field.label).capitalize()
            field.widget.attrs.pop("placeholder", None)
            if name == "password1":
                field.help_text = HELP_OF_NEW_ONES
            if name == "code":
                field.widget.attrs["inputmode"] = "numeric"
        if "login" in self.fields:
            self.fields["login"].widget.attrs["autocomplete"] = "username"  # beside a password and a passkey


class LoginForm(OurWords, account.LoginForm):  # type: ignore[misc]
    """Address and password of somebody who signs in."""


class SignupForm(OurWords, account.SignupForm):  # type: ignore[misc]
    """Address and password of a new account."""


class AddEmailForm(OurWords, account.AddEmailForm):  # type: ignore[misc]
    """Another address of an account."""


class ChangePasswordForm(OurWords, account.ChangePasswordForm):  # type: ignore[misc]
    """The password that is, and the one that is to be."""


class SetPasswordForm(OurWords, account.SetPasswordForm):  # type: ignore[misc]
    """The first password of an account that came from an organisation."""


class ResetPasswordForm(OurWords, account.ResetPasswordForm):  # type: ignore[misc]
    """The address that a link for a new password goes to."""


class ResetPasswordKeyForm(OurWords, account.ResetPasswordKeyForm):  # type: ignore[misc]
    """The new password of somebody who followed that link."""


class ReauthenticateForm(OurWords, account.ReauthenticateForm):  # type: ignore[misc]
    """The password once more, before something that matters."""


class OrganisationSignupForm(OurWords, organisations.SignupForm):  # type: ignore[misc]
    """The address of somebody who comes from an organisation that tells none."""


class ActivateAppForm(OurWords, apps.ActivateTOTPForm):  # type: ignore[misc]
    """The first code of an authenticator app."""
